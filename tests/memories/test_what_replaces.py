"""A fact takes the place of what is held only where its words are about that, and of the user."""

import pytest
from test_contradictions import NORMA, memories_of

from recuerdo.core.memories import MemoryQuery
from recuerdo.memories import Memories


async def values(memories: Memories) -> set[str]:
    return {each.value or "" for each in await memories.list(NORMA, MemoryQuery(limit=100))}


@pytest.mark.parametrize(
    ("told", "then", "stays"),
    [
        ("I'm Dale, 64", "wife Carol, retired from the county clerk, 61", "64"),
        ("I'm Dale, 64", "cold. 11 below", "64"),
        ("soy Kevin, 29", "moto Pulsar 150, roja, la estoy pagando, 78 al mes hasta marzo", "29"),
        ("I'm Dale, I work as a farmer", "Scott, truck driver, Dubuque", "farmer"),
        ("I live in Weymouth", "i got a Grady White, 20 footer, on a mooring in Hingham", "Weymouth"),
        ("vivo en Soyapango", "me pasaron a otro puesto, ahora cuido una farmacia en Santa Tecla", "Soyapango"),
        ("moro em Braga", "comprei uma casa de férias em Olhão", "Braga"),
        ("moro em Braga com a minha esposa, Stella", "a Cecília está noiva do Otto", "Stella"),
        ("my wife Carol is retired", "my wife and me have two kids, Tom and Lily", "Carol"),
        ("o meu marido é o Américo", "o Steven tem namorada, a Arta", "Américo"),
        ("my daughter is Isla", "me and her mum Shona split up in march so isla is with me weds", "Isla"),
        ("mi mamá se llama Mirta", "perdí el parcial porque internaron a mi vieja Mirta", "Mirta"),
        ("tengo un perro que se llama Fernet", "me separé de la Romi y quedé con el perro, Fernet", "Fernet"),
        ("I work for Reddington hospital", "i moved to Surulere, closer to the hospital", "Reddington hospital"),
        ("a minha mãe é a Efigênia", "a consulta da minha mãe, com o doutor Jacinto, é no dia 15", "Efigênia"),
    ],
)
async def test_a_value_of_something_else_replaces_nothing(told: str, then: str, stays: str) -> None:
    memories = await memories_of(told, then)
    assert stays in await values(memories)


@pytest.mark.parametrize(
    ("told", "then", "new", "old"),
    [
        ("soy Kevin, 29", "ya cumplí 30", "30", "29"),
        ("I'm Dale, 64", "I'm 66 now, would you believe", "66", "64"),
        ("I live in Weymouth", "we moved to Hingham in May", "Hingham", "Weymouth"),
        ("vivo en Soyapango", "nos mudamos a Santa Tecla", "Santa Tecla", "Soyapango"),
        ("moro em Braga", "agora estou em Olhão, arrendei um quarto", "Olhão", "Braga"),
        ("moro no Cazenga", "mudei do Cazenga, agora tou a viver no Kilamba", "Kilamba", "Cazenga"),
        ("chamo-me Juliana", "Desculpa, chamo-me Mariana", "Mariana", "Juliana"),
        ("mi mujer se llama Rosa", "mi mujer se llama Elena, Rosa es mi hermana", "Elena", ""),
        ("i drive an old Cruiser", "sold the Cruiser too, got a Ranger now", "Ranger", "old Cruiser"),
        (
            "tengo cita con el cardiólogo el martes 8 de diciembre",
            "me cambiaron la cita ya no es el 8 ahora es el 15",
            "cita con el cardiólogo el martes 15 de diciembre",
            "cita con el cardiólogo el martes 8 de diciembre",
        ),
        ("oldest is Cody, 19, he's at college doing welding", "actually Cody is 20, he's no teenager", "20", "19"),
    ],
)
async def test_a_change_in_the_users_own_words_replaces_what_was_held(told: str, then: str, new: str, old: str) -> None:
    memories = await memories_of(told, then)
    found = await values(memories)
    assert new in found
    assert old == "" or old not in found


@pytest.mark.parametrize(
    ("first", "then", "back"),
    [
        ("moro no Cazenga", "agora moro no Kilamba", "voltei pra casa da mamã no Cazenga"),
        ("vivo en Puebla", "me mudé a Lima", "me volví a casa de mi mamá en Puebla"),
        ("I live in Leeds", "I moved to York", "moved back in with my parents in Leeds"),
    ],
)
async def test_who_returns_to_a_relatives_home_lives_there_again(first: str, then: str, back: str) -> None:
    found = await values(await memories_of(first, then, back))
    assert found == {first.split()[-1]}


@pytest.mark.parametrize(
    ("told", "news"),
    [
        ("minha namorada é a Bia", "a Bia me deixou em casa"),
        ("meu filho é o João", "larguei o João na escola"),
        ("mi novio se llama Endry", "Endry me dejó las llaves"),
        ("my girlfriend is Kate", "I'm not with Kate today"),
        ("i got a beagle named Biscuit", "Biscuit got out and came back home with somebody elses flip flop"),
        ("tenho um cão chamado Trovão", "o Trovão comeu um frango inteiro com ossos, já passou"),
        ("mi hijo se llama Dylan", "ya le dieron el alta a Dylan, gracias a Dios"),
        ("meu compadre é o Cabeludo", "a balança do Cabeludo eu devolvi"),
        ("two boys, Owen 11 and Eli 7", "cold. 11 below"),
        ("theres Cody, 26, my boy, hes a lineman with Wiregrass Electric", "Cody done got engaged! an october wedding"),
        ("hermanos: Edwin soldado, la Marlene maestra en Jiquilisco", "Marlene y el marido se dejaron, pobre"),
        ("tenho 2 irmãos por parte de pai, o Bento de 4 e a Aurora", "meu pai e a Thamires separaram, ele tá triste"),
        ("la mamá de ellos, la Romi, está en Buenos Aires", "papá Cirilo cultiva mandioca, mi mamá Berta hace chipa"),
    ],
)
async def test_no_news_but_of_parting_ends_a_relative_or_an_animal(told: str, news: str) -> None:
    memories = await memories_of(told)
    before = await values(memories)
    await memories.remember(NORMA, news)
    assert before <= await values(memories)


@pytest.mark.parametrize(
    ("told", "news"),
    [
        ("pacemaker since 2019", "pacemaker check feb 12, 9:15"),
        ("Padeço de glaucoma", "A cirurgia do glaucoma foi transferida. Ficou para 30 de junho."),
    ],
)
async def test_an_appointment_ends_no_illness(told: str, news: str) -> None:
    memories = await memories_of(told)
    before = await values(memories)
    await memories.remember(NORMA, news)
    assert before
    assert before <= await values(memories)


@pytest.mark.parametrize(
    ("told", "news", "gone"),
    [
        ("i got a beagle named Biscuit", "Biscuit died last night", "Biscuit"),
        ("tengo una gata que se llama Nube", "se murió la Nube", "Nube"),
        ("minha namorada é a Bia", "terminei com a Bia", "Bia"),
        ("minha namorada é a Bia", "eu e a Bia acabámos", "Bia"),
        ("minha namorada é a Bia", "a Bia terminou comigo", "Bia"),
        ("minha namorada é a Bia", "larguei a Bia", "Bia"),
        ("mi novio se llama Endry", "Endry me dejó", "Endry"),
        ("my girlfriend is Kate", "I'm no longer with Kate", "Kate"),
        ("my girlfriend is Kate", "Kate's my ex now", "Kate"),
        ("my wife is Ann", "the missus left me in june", "Ann"),
        ("mi esposa se llama Ana", "mi mujer se murió en junio", "Ana"),
        ("my husband is called Rob", "me and Rob split up", "Rob"),
        ("the dogs are Diesel and Peaches", "lost old Diesel on tuesday, vet put him down", "Diesel"),
        ("my wife is Shona", "me and my Shona split up in march so i have the kids", "Shona"),
    ],
)
async def test_news_of_parting_ends_them(told: str, news: str, gone: str) -> None:
    memories = await memories_of(told)
    assert gone in await values(memories)
    await memories.remember(NORMA, news)
    assert gone not in await values(memories)


@pytest.mark.parametrize(
    ("told", "reminder"),
    [
        ("el vuelo sale el 19 de febrero", "el 19 de febrero te dije! ya se te olvidó"),
        ("moro em Olinda, o show é dia 11", "dia 11, já te falei"),
    ],
)
async def test_a_reminder_of_what_was_told_begins_and_ends_nothing(told: str, reminder: str) -> None:
    memories = await memories_of(told)
    before = await values(memories)
    await memories.remember(NORMA, reminder)
    assert before
    assert await values(memories) == before


@pytest.mark.parametrize(
    ("told", "order", "stays", "gone"),
    [
        ("mi hijo Beto tiene 15 y juega fútbol", "olvida la edad de Beto", "fútbol", "15"),
        ("my son Leo is 9", "forget the age of my son", "Leo", "9"),
        ("minha moto é uma Titan", "esquece aquele negócio das parcelas da moto", "Titan", ""),
        (
            "then Brooklyn who's 16 and cheers, then Tucker my son, he's 8 and got ADHD",
            "forget what I said about Tucker's ADHD",
            "Tucker",
            "ADHD",
        ),
    ],
)
async def test_an_order_to_forget_a_part_keeps_the_whole(told: str, order: str, stays: str, gone: str) -> None:
    memories = await memories_of(told)
    await memories.remember(NORMA, order)
    assert stays in await values(memories)
    assert gone == "" or gone not in await values(memories)


async def test_a_mothers_child_is_not_her_own_mother() -> None:
    memories = await memories_of("sou mãe solo da Lavínia, 6 aninhos", "minha mãe, dona Zélia, mora comigo")
    assert {"Lavínia", "Zélia"} <= await values(memories)


async def test_the_age_of_a_child_is_not_that_of_the_parent() -> None:
    memories = await memories_of("my daughter Brandi is 29", "Brandi has two boys, and Waylon whos 5")
    assert "29" in await values(memories)


@pytest.mark.parametrize(
    ("told", "news", "value"),
    [
        ("my sister is called Smitha", "Smitha got placed finally, in infopark, testing job", "infopark"),
        ("mi hijo se llama Wilberth", "Wilberth entró a trabajar en una panadería", "panadería"),
    ],
)
async def test_news_of_a_person_is_remembered_of_a_relative_and_not_of_a_stranger(
    told: str, news: str, value: str
) -> None:
    known, unknown = await memories_of(told, news), await memories_of("tengo frío", news)
    assert any(value in each for each in await values(known))
    assert not any(value in each for each in await values(unknown))
