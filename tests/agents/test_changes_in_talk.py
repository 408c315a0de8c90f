"""A day, an employer or a relative that people tell of anew replaces what was told before, and nothing else."""

import pytest

from recuerdo import Memory, Recuerdo
from recuerdo.core.scope import Owner

OWNER = Owner("acme", "emi")


async def held_after(*said: str) -> list[Memory]:
    """The memories that hold after the messages, each said in a conversation of its own."""
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        for number, text in enumerate(said):
            await memory.chat.reply(OWNER.thread(f"t-{number}"), text)
        return await memory.user(tenant="acme", user="emi").list()


async def texts_after(*said: str) -> set[str]:
    return {each.text for each in await held_after(*said)}


async def values_after(*said: str) -> set[str | None]:
    return {each.value for each in await held_after(*said) if each.attribute}


@pytest.mark.parametrize(
    ("plan", "day", "moved"),
    [
        (
            "El 18 de octubre nos vamos a Lanzarote una semana",
            "Ay, que me equivoqué, lo de Lanzarote es el 25",
            "El 25 de octubre nos vamos a Lanzarote una semana",
        ),
        (
            "dia 12 de dezembro tenho prova de cálculo",
            "a prova mudou viu, é dia 15 agr",
            "dia 15 de dezembro tenho prova de cálculo",
        ),
        (
            "On the 9th of February I shall be presenting at a conference in Kigali.",
            "I am afraid I gave you the wrong date: the conference is on the 11th.",
            "On the 11th of February I shall be presenting at a conference in Kigali",
        ),
        ("dia 2 de julho tenho ultrassom", "remarcaram o ultrassom pra dia 9", "dia 9 de julho tenho ultrassom"),
        (
            "my driving test is on the 4th of march",
            "driving tests been put back to the 18th",
            "my driving test is on the 18th of march",
        ),
        (
            "El 22 de marzo viajaremos a Bilbao para un concierto",
            "Corrijo: el viaje a Bilbao será el 29 de marzo.",
            "El 29 de marzo viajaremos a Bilbao para un concierto",
        ),
        (
            "el 3 de enero me operan de la rodilla",
            "me cambiaron la operacion, ahora es el 10 de enero",
            "el 10 de enero me operan de la rodilla",
        ),
    ],
)
async def test_the_day_of_a_plan_that_is_named_moves_it_whatever_else_it_was_told_with(
    plan: str, day: str, moved: str
) -> None:
    assert await texts_after(plan, day) == {moved}
    assert await texts_after(plan, day, day) == {moved}


@pytest.mark.parametrize(
    ("plan", "day"),
    [
        ("el 10 de mayo viajo con mi hija a Cuenca", "el cumple de mi hija es el 25"),
        ("dia 10 de maio viajo com minha filha pra Natal", "o aniversário da minha filha é dia 25"),
        ("my flight is on the 8th of May", "the meeting is on the 5th"),
    ],
)
async def test_the_day_of_something_else_moves_no_plan(plan: str, day: str) -> None:
    assert any(plan in each or each in plan for each in await texts_after(plan, day))


@pytest.mark.parametrize(
    ("work", "change", "before", "after"),
    [
        ("trabajo en Mercadona de cajera", "dejé Mercadona, ahora estoy en Correos", "Mercadona", "Correos"),
        ("trampo de motoboy pro ifood", "larguei o ifood, to na loggi agr", "ifood", "loggi"),
        ("I work at Tesco as a cashier", "left Tesco, now I'm with Aldi", "Tesco", "Aldi"),
    ],
)
async def test_the_next_employer_is_heard_behind_the_one_that_was_left(
    work: str, change: str, before: str, after: str
) -> None:
    values = await values_after(work, change)
    assert after in values
    assert before not in values


@pytest.mark.parametrize(
    ("work", "said"),
    [
        ("trabajo en Mercadona", "dejé la fiesta temprano, ahora estoy en casa"),
        ("trabalho no ifood", "larguei a festa cedo, to na praia agora"),
        ("I work at Tesco", "left the party, I'm at home now"),
    ],
)
async def test_a_place_behind_what_is_no_employer_is_none(work: str, said: str) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        for text in (work, said):
            await memory.chat.reply(OWNER.thread("t-1"), text)
        [employer] = await memory.user(tenant="acme", user="emi").list(attribute="employer")
        assert employer.text == work


@pytest.mark.parametrize(
    ("home", "work", "town"),
    [
        ("vivo en Gijón", "trabajo en Indra en Oviedo", "Gijón"),
        ("moro em Olinda", "trabalho na Globo no Recife", "Olinda"),
        ("We live in Naivasha", "I work for Arup in Nairobi.", "Naivasha"),
    ],
)
async def test_the_town_of_an_employer_is_not_where_the_user_lives(home: str, work: str, town: str) -> None:
    assert town in await values_after(home, work)


@pytest.mark.parametrize(
    ("home", "moved", "town"),
    [
        ("vivo en Gijón", "me mudé a Oviedo, trabajo en Indra", "Oviedo"),
        ("moro em Olinda", "me mudei pro Recife, trabalho na Globo", "Recife"),
        ("We live in Naivasha", "I moved to Nairobi and I work at Arup", "Nairobi"),
    ],
)
async def test_who_moves_lives_there_also_with_a_new_employer(home: str, moved: str, town: str) -> None:
    values = await values_after(home, moved)
    assert town in values
    assert home.split()[-1] not in values


@pytest.mark.parametrize(
    ("told", "corrected", "old", "new"),
    [
        (
            "Nuestro hijo mayor, Pelayo, es enfermero, y la pequeña, Lucía, estudia veterinaria, tiene 21",
            "No, Lucía tiene 22",
            "21",
            "22",
        ),
        ("meu filho, o Caio, é pintor, e a menor, a Bia, estuda direito, tem 21", "não, a Bia tem 22", "21", "22"),
        ("my daughter Ana is a nurse and my son Leo is 21", "no, Leo is 22", "21", "22"),
    ],
)
async def test_an_age_that_is_corrected_is_of_the_one_who_is_named(
    told: str, corrected: str, old: str, new: str
) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        for text in (told, corrected):
            await memory.chat.reply(OWNER.thread("t-1"), text)
        held = await memory.user(tenant="acme", user="emi").list()
        assert [each.value for each in held if each.value in (old, new)] == [new]
        [age] = [each for each in held if each.value == new]
        assert "Pelayo" not in age.text
        assert "hijo mayor Lucía" not in age.text


@pytest.mark.parametrize(
    ("told", "order"),
    [
        ("Me tomo enalapril todas las mañanas", "Lo de las pastillas que te conté, bórralo, que no le importa a nadie"),
        ("tomo losartana", "isso do remédio que te falei, apaga"),
        ("I take metformin", "that thing about my tablets, delete it please"),
        ("no como mariscos porque me dan alergia", "olvida lo de la alergia"),
        ("Padezco de glaucoma", "Le ruego que olvide lo que le dije de mi glaucoma."),
        ("tenho asma", "peço-lhe que esqueça a minha asma"),
        ("I have asthma", "I must ask you to forget my asthma"),
        ("n como camarão q me dá alergia braba", "esquece o q eu falei da alergia, era coisa do posto"),
        ("I don't eat prawns because of an allergy", "forget what I said about my allergy"),
    ],
)
async def test_an_order_to_forget_may_stand_behind_what_it_is_about_and_name_its_kind(told: str, order: str) -> None:
    assert await texts_after(told, order) == set()


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("soy vegetariana", "olvida lo de la alergia"),
        ("tenho asma", "isso de correr é bom demais, esquece o cansaço"),
        ("I take metformin", "what about pizza, forget the diet"),
    ],
)
async def test_an_order_to_forget_something_else_leaves_it(told: str, said: str) -> None:
    assert len(await texts_after(told, said)) == 1


@pytest.mark.parametrize(
    ("told", "moved", "after"),
    [
        ("mi hijo Pelayo vive en Oviedo", "Pelayo se ha ido a vivir a Avilés", {"Pelayo", "Avilés"}),
        ("meu filho Caio mora em Recife", "o Caio veio morar em Olinda", {"Caio", "Olinda"}),
        ("my son Dylan lives in Leeds", "Dylan's moved to Bristol", {"Dylan", "Bristol"}),
        ("my son Dylan lives in Leeds", "dylans moved to york", {"Dylan", "york"}),
        ("my son Dylan lives in Leeds", "Ronan's moved to Bristol", {"Dylan", "Leeds"}),
        ("mi hijo Pelayo vive en Oviedo", "Pelayo se ha ido a Avilés a comprar", {"Pelayo", "Oviedo"}),
        ("meu filho Caio mora em Recife", "o Caio foi em Olinda ontem", {"Caio", "Recife"}),
    ],
)
async def test_a_relative_who_has_moved_lives_there(told: str, moved: str, after: set[str]) -> None:
    assert await values_after(told, moved) == after


@pytest.mark.parametrize(
    ("told", "older", "old", "new"),
    [
        ("tengo dos hijas, la coni de 30 y la ema de 15", "la ema cumplio 16 ayer", "15", "16"),
        ("tenho duas filhas, a bia de 30 e a lia de 15", "a lia fez 16 ontem", "15", "16"),
        ("got two kids, callum whos 8 and isla, 5", "isla turned 6 at the weekend", "5", "6"),
    ],
)
async def test_who_is_a_year_older_is_no_longer_as_old_as_before(told: str, older: str, old: str, new: str) -> None:
    values = await values_after(told, older)
    assert new in values
    assert old not in values
    assert values & {"30", "8"}  # of the other


@pytest.mark.parametrize(
    ("told", "changed", "name"),
    [
        ("mi marido Luis es camionero", "Luis dejó el camión, ahora es conserje en la escuela", "Luis"),
        ("meu marido Zeca é caminhoneiro", "Zeca largou o caminhão, agora é porteiro na escola", "Zeca"),
        ("ma man greig drives lorries", "greigs packed in the lorries, hes a janny at the school noo", "greig"),
    ],
)
async def test_a_relative_with_other_work_is_still_one(told: str, changed: str, name: str) -> None:
    assert name in await values_after(told, changed)


@pytest.mark.parametrize(
    ("told", "order"),
    [
        ("ando con gastritis asi q el doc me dio omeprazol", "olvida lo q te dije de la gastritis"),
        ("to com gastrite e o médico me deu omeprazol", "esquece o q te falei da gastrite"),
        ("ive got gastritis so the doc gave me omeprazole", "forget what i told you about the gastritis"),
    ],
)
async def test_an_order_to_forget_is_not_answered_with_what_is_forgotten(told: str, order: str) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await memory.chat.reply(OWNER.thread("t-1"), told)
        reply = (await memory.chat.reply(OWNER.thread("t-2"), order)).reply.text
    assert not any(said in reply for said in ("Me dijiste", "Você me disse", "You told me"))


@pytest.mark.parametrize(
    ("told", "news", "name"),
    [
        (
            "the wife Breda is a school secretary",
            "Breda's sister Noreen is staying with us, she had a falling out with her husband Fintan",
            "Breda",
        ),
        (
            "mi mujer se llama Lucía",
            "la hermana de Lucía se peleó con su marido Raúl, está durmiendo en casa",
            "Lucía",
        ),
        (
            "minha sogra dona Lindalva tá internada no Mestre Vitalino",
            "dona Lindalva teve alta ontem, tá lá em casa com minha cunhada Rayane que veio ajudar",
            "Lindalva",
        ),
        ("my husband is Gareth", "rhyss wife kerry had a baby", "Gareth"),
    ],
)
async def test_news_of_relatives_and_of_their_relatives_ends_no_relative(told: str, news: str, name: str) -> None:
    assert name in await values_after(told, news)


async def test_a_part_of_the_town_does_not_replace_the_town() -> None:
    assert "Caruaru" in await values_after("moro em Caruaru", "moro no Salgado com minha mulher Jaqueline")
    assert "Caruaru" not in await values_after("moro em Caruaru", "agora moro no Recife")


async def test_a_plan_in_another_place_ends_no_plan() -> None:
    assert len(await texts_after("mi viaje a Salta es el 3 de mayo", "y el viaje a Lima es en junio")) == 2


async def test_a_plan_is_moved_by_words_that_do_not_name_it() -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        for text in (
            "I'm having an operation with Mr Fogarty on the 9th of december",
            "the op is put back till the 16th",
        ):
            await memory.chat.reply(OWNER.thread("t"), text)
        assert any("16th of december" in each.text for each in await memory.user(tenant="acme", user="emi").list())


async def test_a_secret_is_forgotten_however_small_the_words_beside_it() -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        for text in ("me esqueci de dizer, eu sou canhoto e tenho medo de altura", "apaga q eu tenho medo de altura"):
            await memory.chat.reply(OWNER.thread("t"), text)
        assert "altura" not in (await memory.chat.reply(OWNER.thread("t"), "eu tenho medo de q?")).reply.text


async def test_how_long_is_answered_with_the_year_that_was_told() -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await memory.chat.reply(OWNER.thread("t"), "my brother Tadhg has a pub in Kinvara, hes had it since 2011")
        assert "2011" in (await memory.chat.reply(OWNER.thread("t"), "how long has tadhg had the pub?")).reply.text


@pytest.mark.parametrize(
    ("told", "said", "holds"),
    [
        (
            "tengo turno con la kinesiologa el jueves a las 18",
            "no puede el jueves, al final me paso el turno pal viernes a las 17",
            "tengo turno con la kinesiologa el viernes a las 17",
        ),
        (
            "el depto lo entregan el 15",
            "no lo entregan hasta el 20 asi q nos mudamos el 20 de diciembre",
            "nos mudamos el 20 de diciembre",
        ),
        (
            "el jueves viene Ana a cenar con 5 amigas",
            "no viene el jueves, viene el viernes a las 9",
            "el viernes viene Ana a cenar con 5 amigas",
        ),
        ("the landlord is called Rob", "rent went up to 975 each ugh", "rent went up to 975 each ugh"),
        (
            "juego al futbol los martes a las 21",
            "cambiamos el futbol a los jueves a las 22, los martes no habia mas cancha",
            "cambiamos el futbol a los jueves a las 22, los martes no habia mas cancha",
        ),
    ],
)
async def test_news_of_a_change_is_kept_with_its_day_and_hour(told: str, said: str, holds: str) -> None:
    assert holds in await texts_after(told, said)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("emprestei 600 reais pra minha vizinha Socorro", "a Socorro me pagou ontem os 600! glória"),
        ("marcus owes me 80 bucks for the electric bill", "what a day. marcus finally paid me back the 80 btw"),
    ],
)
async def test_a_debt_that_is_paid_ends_whatever_else_the_message_tells(told: str, said: str) -> None:
    assert told not in await texts_after(told, said)


@pytest.mark.parametrize(
    ("told", "said", "ends", "still"),
    [
        ("mi vieja se llama Norma, 71, le operaron la cadera y anda con bastón", "mi vieja ya no usa el baston",
         "«mi vieja: anda con bastón»", "mi vieja Norma: 71"),
        ("my sister Ann lives in Perth, she is a midwife", "Ann left Perth",
         "«my sister Ann lives in Perth»", "my sister Ann: she is a midwife"),
    ],
)  # fmt: skip
async def test_only_the_clause_that_is_over_is_said_to_be_over(told: str, said: str, ends: str, still: str) -> None:
    """The rest of the sentence says whose it is."""
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await memory.chat.reply(OWNER.thread("t-1"), told)
        answer = await memory.chat.reply(OWNER.thread("t-1"), said)
        assert ends in answer.reply.text
        assert still in {each.text for each in await memory.user(tenant="acme", user="emi").list()}


async def test_a_question_for_a_car_is_answered_with_the_one_that_is_driven_now() -> None:
    """Neither with the one before, whose name was written with more words than its memory has, nor with a telephone."""
    said = ["ando en una Kangoo 2011 blanca q pierde aceite", "ahora tengo un moto g54",
            "la kangoo la cambie por una Partner 2015 gris"]  # fmt: skip
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        for text in said:
            await memory.chat.reply(OWNER.thread("t-1"), text)
        for asked in ("que auto tengo", "que auto manejo"):
            answer = (await memory.chat.reply(OWNER.thread("t-1"), asked)).reply.text
            assert "Partner" in answer
            assert "moto g54" not in answer
            assert "ando en una Kangoo" not in answer


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("mi jefa Graciela me tiene cortito con los balances", "contestame siempre de vos, nada de tu, y cortito"),
        ("tengo una panadería chiquita en mi casa, hago conchas y pasteles", "buenos días! ya listas las conchas"),
        ("my daughter Shane lives in Townsville and plays the violin", "Shane's moved to Cairns"),
    ],
)
async def test_an_order_a_greeting_or_other_news_ends_nothing(told: str, said: str) -> None:
    before = await held_after(told)
    left = await texts_after(told, said)
    assert {each.text for each in before if "Townsville" not in each.text} <= left
    assert "violin" not in told or "my daughter Shane: plays the violin" in left


@pytest.mark.parametrize(
    ("told", "news", "over", "left"),
    [
        (
            "le preste 200 mil a mi compañera yesenia y me los paga el 15, y yo le debo 350 mil a don fabio",
            "le abone todo a don fabio, quedamos a paz y salvo",
            "350 mil",
            "200 mil",
        ),
        (
            "to devendo 4200 no banco do brasil e 350 pro tião da oficina",
            "com o dinheiro acertei o tião da oficina, paguei os 350 tudim",
            "350",
            "4200",
        ),
    ],
)
async def test_the_clause_of_a_note_that_has_ended_is_named_and_not_what_is_left(
    told: str, news: str, over: str, left: str
) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await memory.chat.reply(OWNER.thread("t"), told)
        reply = (await memory.chat.reply(OWNER.thread("t"), news)).reply.text
    assert over in reply
    assert left not in reply


@pytest.mark.parametrize(
    "told",
    [
        "quiubo, como vamos? soy yurani, tengo 33 y vivo en cali",
        "oi bao? sou o geraldo, tenho 52 anos",
        "ja num disse trem? to devendo 4200 no banco do brasil",
    ],
)
async def test_a_small_question_among_what_is_told_is_not_answered_with_not_knowing(told: str) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        reply = (await memory.chat.reply(OWNER.thread("t"), told)).reply.text
    assert "No lo sé" not in reply
    assert "Não sei" not in reply
