"""Memories that one sentence told lose together what no longer holds, and keep the rest."""

import pytest
from test_contradictions import NORMA, memories_of, texts

from recuerdo.core.memories import MemoryQuery, Source
from recuerdo.memories.extract import listen
from recuerdo.memories.forgetting import ToldMessage
from recuerdo.memories.slots import OF_PEOPLE


async def left_after(told: str, message: str) -> str:
    """The texts of the memories that hold after a message told one thing and the next one another."""
    memories = await memories_of(told)
    earlier = [ToldMessage(told, Source(thread="t", seq=1))]
    await memories.remember(NORMA, message, Source(thread="t", seq=2), earlier=earlier)
    return await texts(memories)


@pytest.mark.parametrize(
    ("told", "message", "gone", "stays"),
    [
        (
            "me daughter roisin is 19 and doin nursin at queens, i owe her 40 quid",
            "paid roisin back the 40",
            "owe",
            ("me daughter roisin", "19", "nursin at queens"),
        ),
        (
            "me da mickey is in the royal, room 12, he had his hip done",
            "they moved da to room 9",
            "room 12",
            ("is in the royal", "mickey: he had his hip done"),
        ),
        (
            "mi mamá se llama doña amparo, tiene azucar y tension alta, toma metformina y losartan y me preocupa",
            "a mi mama le cambiaron el losartan por enalapril, la metformina la sigue igual",
            "losartan",
            ("tiene azucar", "toma metformina", "enalapril"),
        ),
    ],
)
async def test_what_has_ended_stays_in_no_memory_of_its_sentence(
    told: str, message: str, gone: str, stays: tuple[str, ...]
) -> None:
    memories = await memories_of(told)
    await memories.remember(NORMA, message)
    left = await texts(memories)
    assert gone not in left.replace(message, "")
    assert [each for each in stays if each not in left] == []


async def test_a_message_that_is_forgotten_stays_in_no_memory_of_it() -> None:
    told = "im off out, spare key is under the blue pot, millie my girlfriend is veggie"
    left = await left_after(told, "forget the spare key thing")
    assert "blue pot" not in left
    assert "millie my girlfriend" in left


@pytest.mark.parametrize(
    ("told", "order", "left"),
    [
        ("the birth certificates are in the biscuit tin", "forget where the certificates are kept", ""),
        ("las actas estan en el cajon del ropero, el de abajo", "olvida donde guardo las actas", ""),
        ("tenho alergia a dipirona", "não quero mais que vc lembre da minha alergia", ""),
        ("rent is 700. the spare key is at doreens", "forget where the key is", "rent is 700"),
    ],
)
async def test_an_order_to_forget_where_something_is_leaves_no_memory_of_it(told: str, order: str, left: str) -> None:
    assert await left_after(told, order) == left


async def test_a_debt_is_known_by_its_sum_and_the_name() -> None:
    assert "coal" not in await left_after("i owe ma sister Jean £80 for the coal", "i paid jean her £80 back")


@pytest.mark.parametrize(
    ("told", "message", "left"),
    [
        (
            "vendo los tamales a 18 y el atole a 15",
            "oye ya subi los tamales, ahora los doy a 20",
            "vendo los tamales a 20 y el atole a 15",
        ),
        ("o aluguel é 480, vence dia 10", "o aluguel subiu pra 520", "o aluguel é 520, vence dia 10"),
        (
            "ma hens, got 14 o them, eggs are £3 a dozen",
            "eggs are £3.50 a dozen noo",
            "ma hens, got 14 o them, eggs are £3.50 a dozen",
        ),
        (
            "o aluguel é 480, vence dia 10",
            "o aluguel agora vence dia 15",
            "o aluguel é 480 | o aluguel agora vence dia 15",
        ),
    ],
)
async def test_a_new_price_leaves_what_else_its_sentence_told(told: str, message: str, left: str) -> None:
    assert await left_after(told, message) == left


@pytest.mark.parametrize(
    ("told", "message", "left"),
    [
        ("minha vó dona zefa tem 84 anos e mora em janaúba", "minha vó zefa morreu ontem", set[str]()),
        ("my nan rose is 84 and lives in hull, my sister ann lives in york", "nan died yesterday", {"ann", "york"}),
        ("mi abuela Rosa tiene 84 años y vive en Lima, mi tía Ana en Piura", "se murió mi abuela", {"Ana", "Piura"}),
    ],
)
async def test_nothing_that_was_told_of_the_dead_holds(told: str, message: str, left: set[str]) -> None:
    memories = await memories_of(told)
    await memories.remember(NORMA, message, Source(thread="t", seq=2))
    held = await memories.list(NORMA, MemoryQuery(limit=100))
    assert {each.value for each in held if each.attribute in OF_PEOPLE} == left


@pytest.mark.parametrize(
    ("told", "message", "left"),
    [
        (
            ("the knitting group is tuesdays at 7, Moira runs it", "the church is on sundays"),
            "no, the knitting is wednesdays at 7 noo, no tuesdays",
            "the knitting group is wednesdays at 7, Moira runs it",
        ),
        (
            ("cita con el dentista el jueves 20 a las 5", "le debo 3000 a don chuy"),
            "ah no, la cita del dentista no es el jueves, es el viernes 21 a las 4",
            "cita con el dentista el viernes 21 a las 4",
        ),
        (
            ("a prova de anatomia é terça", "o treino é terça"),
            "não, a prova de anatomia é quarta, não terça",
            "a prova de anatomia é quarta",
        ),
    ],
)
async def test_a_day_is_corrected_however_long_ago_it_was_told(told: tuple[str, str], message: str, left: str) -> None:
    memories = await memories_of(*told)
    await memories.remember(NORMA, message, Source(thread="u", seq=1))
    held = (await texts(memories)).split(" | ")
    assert left in held
    assert told[1] in held
    assert told[0] not in held


async def test_undo_brings_the_whole_sentence_back() -> None:
    memories = await memories_of("me da mickey is in the royal, room 12, he had his hip done")
    before = {(each.value, each.text) for each in await memories.list(NORMA, MemoryQuery(limit=100))}
    await memories.remember(NORMA, "they moved da to room 9")
    await memories.undo(NORMA)
    assert {(each.value, each.text) for each in await memories.list(NORMA, MemoryQuery(limit=100))} == before


async def test_who_a_relative_is_stays_told() -> None:
    memories = await memories_of("tengo dos hijos, bruno de 8 y carla de 5")
    await memories.remember(NORMA, "bruno cumplió 9")
    family = {each.value: each.text for each in await memories.list(NORMA, MemoryQuery(limit=100, attribute="family"))}
    assert "hijos" in family["bruno"]
    assert "hijos" in family["carla"]


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ("i work at tesco", "i almost quit my job at tesco"),
        ("i have a van, a white transit", "nearly sold the van"),
        ("gosto de moda de viola", "quase larguei a viola semana passada, mas o zé carlos num deixou"),
        ("tengo una moto honda", "por poco vendo la moto"),
    ],
)
async def test_what_nearly_happened_ends_nothing(told: str, message: str) -> None:
    memories = await memories_of(told)
    before = await texts(memories)
    remembered = await memories.remember(NORMA, message)
    assert not remembered.ended
    assert before in await texts(memories)


async def test_what_one_likes_besides_ends_no_liking() -> None:
    memories = await memories_of(*(f"me gusta el número {each}" for each in range(20)))
    likes = await memories.list(NORMA, MemoryQuery(limit=100, attribute="likes"))
    assert len(likes) == 20


@pytest.mark.parametrize("text", ["i almost moved to leeds", "casi me mudo a Lima", "quase mudei pra Natal"])
def test_what_nearly_came_true_is_no_fact(text: str) -> None:
    assert not listen(text).facts


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("i nearly missed the bus and i live in leeds", "leeds"),
        ("quase caí e moro em Natal", "Natal"),
        ("trabajo casi siempre en Lima", "Lima"),
    ],
)
def test_what_nearly_happened_leaves_the_next_clause_alone(text: str, value: str) -> None:
    assert [each.value for each in listen(text).facts] == [value]


@pytest.mark.parametrize(
    ("text", "likes"),
    [
        ("gosto demais de pão de queijo e torço pro galo", ["pão de queijo", "galo"]),
        ("me gusta el asado y aliento a river", ["asado", "river"]),
        ("i love pizza and support leeds", ["pizza", "leeds"]),
        ("me gusta el mate y leo mucho", ["mate"]),
    ],
)
def test_a_liking_ends_where_the_user_goes_on_with_a_verb(text: str, likes: list[str]) -> None:
    assert [each.value for each in listen(text).facts if each.attribute == "likes"] == likes
