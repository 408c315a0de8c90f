"""Memories end when a message says so in whatever words, and nothing else ends with them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalMemories
from recuerdo.core.memories import Memory, MemoryQuery, Source
from recuerdo.core.scope import Owner
from recuerdo.memories import Memories, contradictions
from recuerdo.memories.contradictions import MOST, comparable, contradicted
from recuerdo.memories.corrections import restated
from recuerdo.memories.forgetting import ToldMessage
from recuerdo.testing.clock import FakeClock

NORMA = Owner("acme", "norma")
NOW = datetime(2026, 11, 27, tzinfo=UTC)
TOLD = (
    *("me llamo norma", "soy modista", "mi marido raul era taxista", "tengo una gata, la pochola"),
    *(
        "mi hermana graciela vive en funes",
        "mi hijo el mati trabaja en una remiseria",
        "tomo enalapril para la presion",
    ),
)


async def memories_of(*told: str) -> Memories:
    made = Memories(LocalMemories(LocalDatabase()), None, FakeClock(tick=timedelta(seconds=1)))
    for seq, text in enumerate(told, 1):
        await made.remember(NORMA, text, Source(thread="t", seq=seq))
    return made


async def texts(memories: Memories) -> str:
    return " | ".join(each.text for each in await memories.list(NORMA, MemoryQuery(limit=100)))


@pytest.mark.parametrize(
    ("message", "gone"),
    [
        ("se murio la pochola", "pochola"),
        ("deje el enalapril, me lo saco la doctora", "enalapril"),
        ("olvidate de lo de mi marido, me pone triste", "raul"),
    ],
)
async def test_what_no_longer_holds_is_ended(message: str, gone: str) -> None:
    memories = await memories_of(*TOLD)
    assert gone in await texts(memories)
    remembered = await memories.remember(NORMA, message, Source(thread="u", seq=1))
    assert gone not in await texts(memories)
    assert any(gone in each.text for each in remembered.ended)


@pytest.mark.parametrize(
    "message",
    [
        *("la pochola esta enferma", "mi hermana vino de visita", "hago un vestido para una boda", "hola de nuevo"),
        *("¿se murio la pochola?", "si mi hermana se mudara a roldan la extrañaria", "soy modista y me gusta el mate"),
    ],
)
async def test_what_still_holds_stays(message: str) -> None:
    memories = await memories_of(*TOLD)
    before = {each.id for each in await memories.list(NORMA, MemoryQuery(limit=100))}
    await memories.remember(NORMA, message, Source(thread="u", seq=1))
    assert before <= {each.id for each in await memories.list(NORMA, MemoryQuery(limit=100))}


async def test_the_words_of_tools_and_pages_end_nothing() -> None:
    memories = await memories_of(*TOLD)
    await memories.remember(NORMA, "se me murio la pochola anoche", Source(thread="u", seq=1, author="web"))
    assert "pochola" in await texts(memories)


async def test_what_a_message_ended_comes_back_with_undo() -> None:
    memories = await memories_of(*TOLD)
    await memories.remember(NORMA, "se murio la pochola", Source(thread="u", seq=1))
    await memories.undo(NORMA)
    assert "pochola" in await texts(memories)


async def test_of_many_memories_those_with_the_words_of_the_message_are_compared() -> None:
    memories = await memories_of(*TOLD, *(f"recuerda que el cliente {number} paga los lunes" for number in range(40)))
    held = await memories.list(NORMA, MemoryQuery(limit=100))
    assert len(held) > MOST
    compared = comparable("ay se me murio la pochola anoche", held, Source(thread="u", seq=1))
    assert len(compared) == MOST
    assert "pochola" in [each.value for each in compared]


async def test_what_else_the_sentence_of_a_changed_value_told_stays() -> None:
    memories = await memories_of("Trabajo en Globant como analista de datos")
    changes = "Ya no trabajo en Globant, ahora trabajo en Mercado Libre"
    await memories.remember(NORMA, changes, Source(thread="u", seq=1))
    values = {each.value for each in await memories.list(NORMA, MemoryQuery(limit=100))}
    assert values == {"Mercado Libre", "analista de datos"}


@pytest.mark.parametrize(
    ("told", "correction", "holds", "gone"),
    [
        (
            "mi cumple es el 3 de marzo",
            "uy me equivoque, el cumple es el 13 de marzo no el 3",
            "el 13 de marzo",
            "el 3 ",
        ),
        ("eu tenho um fusca 76 azul", "ixi errei, o fusca e 74 nao 76", "fusca 74", "76"),
        ("recuerda que brayan es alergico al mani", "no espera, brayan no, es kevin el del mani", "kevin", "brayan"),
        (
            "remember that we are getting married on 12th june 2027",
            "date changed!! venue messed up so its now the 19th june not the 12th",
            "19th june 2027",
            "12th",
        ),
    ],
)
async def test_a_correction_takes_the_place_of_what_was_wrong(
    told: str, correction: str, holds: str, gone: str
) -> None:
    memories = await memories_of(told)
    remembered = await memories.remember(NORMA, correction, Source(thread="t", seq=3))
    assert holds in " ".join(each.text for each in remembered)
    assert holds in await texts(memories)
    assert gone not in await texts(memories)


@pytest.mark.parametrize(
    ("text", "message", "corrects"),
    [
        ("um fusca 76 azul", "vendi o fusca por 5000", False),  # tells another number, and corrects none
        ("mi novio es brayan", "le conte a marta que termine con brayan", False),
        ("cita el 3 a las 9", "no perdon, el 5 a las 8", True),  # which of them is which
        ("mi novio es brayan", "no, ya no", True),
    ],
)
def test_nothing_takes_the_place_where_it_is_not_sure_what_does(text: str, message: str, corrects: bool) -> None:
    held = Memory(
        id="m-1",
        owner=NORMA,
        text=text,
        value=text,
        attribute="remember",
        source=Source(),
        created_at=NOW,
        updated_at=NOW,
    )
    assert restated(held, message, corrects=corrects) is None


async def test_relatives_who_are_told_in_one_sentence_stand_beside_each_other() -> None:
    memories = await memories_of("wife is Aoife and we've two lads, Cian is 9 and Oisin is 6")
    names = [each.value for each in await memories.list(NORMA, MemoryQuery(limit=100)) if each.attribute == "family"]
    assert {"Aoife", "Cian", "Oisin"} <= {str(each) for each in names}


@pytest.mark.parametrize(
    ("message", "holds", "gone"),
    [
        ("Lucía no tiene 33, sino 34", "mi hija Lucía tiene 34 años", "33"),
        ("mi hermana no tiene 50, tiene 51", "51", "50"),
        ("no tengo 44, tengo 45", "45", "44"),
        ("o Léo não tem 37, tem 38", "meu irmão Léo tem 38 e mora em Recife", "37"),
        ("my mum is not 78 but 79", "my mum Joan is 79 and lives in Hull", "78"),
        ("my mum isn't 78, she's 79", "my mum Joan is 79", "78"),
    ],
)
async def test_another_number_ends_nothing_but_what_has_the_wrong_one(message: str, holds: str, gone: str) -> None:
    memories = await memories_of(
        *("soy Marta, tengo 44 años", "mi hija Lucía tiene 33 años y mi hijo Pablo 30", "mi madre Carmen tiene 71"),
        *("mi hermana Rosa es enfermera y tiene 50", "meu irmão Léo tem 37 e mora em Recife"),
        *("my mum Joan is 78 and lives in Hull", "me gusta la paella", "soy alérgica a la penicilina"),
    )
    remembered = await memories.remember(NORMA, message, Source(thread="u", seq=1))
    assert any(gone in each.text for each in remembered.ended)
    assert all(gone in each.text for each in remembered.ended)
    assert holds in await texts(memories)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ("mi mujer se llama Mercedes", "Mercedes y yo nos hemos trasladado a Vigo"),
        ("minha esposa se chama Paula", "a Paula e eu nos mudamos para Natal"),
        ("my wife is called Joan", "Joan and I have moved to Bath"),
        ("my husband is called Tom", "me and Tom have both been working in Cork"),
    ],
)
async def test_what_the_user_does_with_another_ends_nobody(told: str, message: str) -> None:
    memories = await memories_of(told)
    remembered = await memories.remember(NORMA, message, Source(thread="t", seq=3))
    assert remembered.ended == []


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ("mi mujer se llama Mercedes", "Mercedes y yo nos separamos"),
        ("my wife is called Joan", "Joan and I are finished"),
        ("minha esposa se chama Paula", "a Paula e eu terminamos"),
    ],
)
async def test_who_parts_from_the_user_ends(told: str, message: str) -> None:
    memories = await memories_of(told)
    remembered = await memories.remember(NORMA, message, Source(thread="t", seq=3))
    assert [each.attribute for each in remembered.ended] == ["family"]


THREE_IN_ONE = [
    ("We have two daughters: Philippa, 38, who is a cardiologist in Leeds, and Harriet, 35, who teaches in Edinburgh.",
     "Harriet has moved to Glasgow and is expecting her first child in June", {"Philippa", "38", "Leeds", "35"}),
    ("tengo dos hijos: Bruno, de 20, que estudia derecho en La Plata, y Carla, de 25, que vive en Rosario",
     "Carla se mudó a Córdoba y está embarazada", {"Bruno", "20", "La Plata", "25"}),
    ("tenho dois filhos: o Ronaldo, que é dentista, e a Patrícia, que mora em Lisboa",
     "A Patrícia finalmente se mudou para o Porto", {"Ronaldo", "dentista"}),
]  # fmt: skip


@pytest.mark.parametrize(("told", "message", "stay"), THREE_IN_ONE)
async def test_what_is_said_of_one_relative_ends_nothing_of_another(
    told: str, message: str, stay: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However sure the network is, which reads the sentence in which both were told."""
    memories = await memories_of(told)
    monkeypatch.setattr(contradictions, "_concerned", lambda _, __, held, *___: [(each, 1.0) for each in held])
    await memories.remember(NORMA, message, Source(thread="u", seq=1))
    assert stay <= {each.value for each in await memories.list(NORMA, MemoryQuery(limit=100))}


@pytest.mark.parametrize(
    ("told", "message", "gone"),
    [
        ("my son Tom is a plumber", "Tom isn't a plumber, he's an electrician", "plumber"),
        ("tengo dos hijas: Carla, que es médica, y Sol, de 12", "la Carla no es médica, es enfermera", "médica"),
        ("tenho dois filhos: o Ronaldo, que é dentista, e a Patrícia, que mora em Lisboa",
         "E o Ronaldo não é dentista, é protético, eu sempre confundo kkkk", "dentista"),
    ],
)  # fmt: skip
async def test_what_a_relative_is_not_ends(told: str, message: str, gone: str) -> None:
    memories = await memories_of(told, "mi marido Raúl es plumber, dentista y médico")
    before = {each.id for each in await memories.list(NORMA, MemoryQuery(limit=100))}
    remembered = await memories.remember(NORMA, message, Source(thread="u", seq=1))
    assert [each.value for each in remembered.ended if each.id in before] == [gone]


@pytest.mark.parametrize(
    ("told", "plan", "message"),
    [
        (
            "namoro a Jéssica faz 3 anos",
            "dia 27 de janeiro vou no show do Djonga com a Jéssica",
            "a Jéssica e eu noivamos!!",
        ),
        ("mi novia se llama Ana", "en mayo viajo a Salta con Ana", "Ana y yo nos casamos el mes pasado"),
        ("my girlfriend Zoe", "I'm going to Rome with Zoe in May", "Zoe and I got engaged"),
    ],
)
async def test_what_shares_only_a_name_with_a_message_does_not_end(
    told: str, plan: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories = await memories_of(told, plan)
    monkeypatch.setattr(contradictions, "_concerned", lambda _, __, held, *___: [(each, 1.0) for each in held])
    remembered = await memories.remember(NORMA, message, Source(thread="u", seq=1))
    assert not any(each.attribute == "plan" for each in remembered.ended)


INSTEAD = [
    ("tengo una perrita que se llama Canela", "la perrita no se llama Canela, se llama Canelita", "Canelita"),
    ("soy alérgica a la penicilina", "no es la penicilina, es la amoxicilina", "amoxicilina"),
    ("tomo enalapril", "no es enalapril, es losartán", "losartán"),
    ("minha gata se chama Pretinha", "a gata não se chama Pretinha, é Branquinha", "Branquinha"),
    ("meu carro é um Onix", "não é Onix, é Prisma", "Prisma"),
    ("I'm allergic to peanuts", "it's not peanuts, it's walnuts", "walnuts"),
    ("my son's name is Malik", "his name isn't Malik, it's Maliq", "Maliq"),
]


@pytest.mark.parametrize(("told", "message", "value"), INSTEAD)
async def test_a_name_takes_the_place_of_the_one_that_is_denied(told: str, message: str, value: str) -> None:
    memories = await memories_of(told)
    [before] = await memories.list(NORMA, MemoryQuery(limit=100))
    remembered = await memories.remember(NORMA, message, Source(thread="u", seq=1))
    assert [each.id for each in remembered.ended] == [before.id]
    assert [each.value for each in await memories.list(NORMA, MemoryQuery(limit=100))] == [value]


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ("soy alérgica al maní", "no soy alérgica al maní, es mi hijo"),
        ("me gusta el té", "no solo me gusta el té, es mi vicio"),
        ("tengo una perra, Luna", "no es Luna, gracias"),
        ("I'm a vegetarian", "I'm not a vegetarian, it's just for lent"),
        ("adoro café", "não é café, é chá"),
        ("tomo enalapril", "no tomo enalapril, es caro"),
        ("tenho um Onix", "não tenho Onix, é caro"),
        ("my daughter Ana is a nurse", "Ana isn't a nurse, she's tired"),
        ("mi hermana Ana es médica", "Ana no es médica, es de Lima"),
    ],
)
async def test_what_follows_a_denial_and_names_nothing_takes_no_place(told: str, message: str) -> None:
    memories = await memories_of(told)
    before = await memories.list(NORMA, MemoryQuery(limit=100))
    after = [restated(each, message, corrects=False) for each in before]
    assert after == [None] * len(before)


@pytest.mark.parametrize(
    ("told", "message", "name", "town"),
    [
        ("tengo dos hijos: Chema, de 40, y Begoña, que vive en Lugo", "Begoña se ha mudado a Santiago", "Begoña",
         "Lugo"),
        ("tenho dois filhos: o Ronaldo, que é dentista, e a Patrícia, que mora em Lisboa",
         "A Patrícia finalmente se mudou para o Porto", "Patrícia", "Lisboa"),
        ("We have two daughters: Ana, 38, and Harriet, who teaches in Edinburgh.", "Harriet has moved to Glasgow",
         "Harriet", "Edinburgh"),
    ],
)  # fmt: skip
async def test_a_relative_of_whom_something_no_longer_holds_is_still_one(
    told: str, message: str, name: str, town: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories = await memories_of(told)
    monkeypatch.setattr(contradictions, "_concerned", lambda _, __, held, *___: [(each, 1.0) for each in held])
    await memories.remember(NORMA, message, Source(thread="u", seq=1))
    values = {each.value for each in await memories.list(NORMA, MemoryQuery(limit=100))}
    assert name in values
    assert town not in values


async def test_news_of_one_of_many_relatives_ends_nothing_of_the_others() -> None:
    """The network takes a sentence about all of them to be over, and can't say which part of it is."""
    made = await memories_of(
        "soy el nelson, 58 pirulos, apicultor aca en gualeguaychu",
        "mi jermu mirta es enfermera en el hospital centenario, y los gurises ya volaron, leandro 31 que anda en parana"
        " y la yani de 27",
        "tengo una f100 del 78 q le digo la negra, y un perro ovejero, el tango",
        "el 21 de marzo tengo la expo miel en maciá, voy con el stand",
        "tomo mate amargo todo el dia, el cafe me da acidez",
        "soy alergico a la penicilina, casi no la cuento en el 92",
    )
    news = "y la yani esta embarazada, nace en agosto, voy a ser abuelo"
    heard = await made.remember(NORMA, news, Source(thread="u", seq=9))
    assert not [(each.attribute, each.value) for each in heard.ended]


@pytest.mark.parametrize(
    "asked",
    [
        "I wonder which soup I told you I dislike.",
        "I'd like to know which soup I told you I dislike",
        "me pregunto qué sopa te dije que no me gusta",
        "quisiera saber qué sopa te dije que no soporto",
        "queria saber que sopa eu disse que detesto",
    ],
)
async def test_a_question_in_the_form_of_a_statement_ends_nothing(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = await memories_of("I cannot abide okra soup")
    monkeypatch.setattr(contradictions, "_concerned", lambda _task, _said, held, *_: [(each, 1.0) for each in held])
    assert not (await made.remember(NORMA, asked, Source(thread="u", seq=9))).ended
    assert (await made.remember(NORMA, "I love okra soup now", Source(thread="u", seq=10))).ended


@pytest.mark.parametrize(
    ("told", "news", "gone", "stays"),
    [
        (
            "Sister Colette, who is 91, stays in bed, and my sister Imelda, 60, cooks",
            "Sister Colette went to God on Tuesday night",
            None,
            "Imelda",
        ),
        ("esposa daiane 33, filho ravi 4, filha ayla 1", "ravi fez 5, festa do homem aranha", "4", "1"),
        ("tengo duas galinhas, a Zuzu e a Lili", "a Lili morreu, raposa", "Lili", "Zuzu"),
        ("My wife Malati is a teacher", "My wife's eye has been operated on by Dr Chatterjee", None, "Malati"),
    ],
)
async def test_news_of_a_part_of_a_sentence_ends_only_that_part(
    told: str, news: str, gone: str | None, stays: str
) -> None:
    memories = await memories_of(told)
    before = {each.value for each in await memories.list(NORMA, MemoryQuery(limit=100))}
    assert before >= {stays, gone or stays}
    await memories.remember(NORMA, news, Source(thread="u", seq=1))
    after = {each.value for each in await memories.list(NORMA, MemoryQuery(limit=100))}
    assert stays in after
    assert gone is None or gone not in after


async def test_a_message_is_compared_with_the_whole_sentence_that_told_a_memory() -> None:
    """Of `we live in Cabinda, but have a house in Lubango` the memory has less, and its message is given along."""
    memories = Memories(LocalMemories(LocalDatabase()), None, FakeClock(tick=timedelta(seconds=1)))
    told = ToldMessage("vivemos em Cabinda, mas temos casa em construção no Lubango", Source("t-0", 1))
    [memory, *_] = await memories.remember(NORMA, told.text, told.source)
    compared: list[str] = []

    def chances(_: str, __: str, texts: Sequence[str]) -> list[float]:
        compared.extend(texts)
        return [0.0] * len(texts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contradictions, "_chances", chances)
        contradicted("acabámos de mudar", [memory], Source("t-1", 1), ["city"], earlier=[told], corrects=False)
    assert (memory.text != told.text, compared) == (True, [told.text])


@pytest.mark.parametrize(
    ("told", "message", "stays"),
    [
        (
            ("mi hermano Rubiel vive en Arauca y se casa con Yusmary el 8 de febrero",),
            "rubiel y la yusmary terminaron, ya no hay matrimonio ni nada",
            "mi hermano Rubiel vive en Arauca",
        ),
        (("my sister Ann lives in York",), "Ann and her fella have split up", "my sister Ann lives in York"),
        (("to com uma bros 160 vermelha",), "quase vendi a bros mas desisti", "to com uma bros 160 vermelha"),
        (("tengo una moto roja",), "iba a vender la moto pero me arrepentí", "tengo una moto roja"),
        (("le debo 500 a Beto",), "todavía le debo a Beto", "le debo 500 a Beto"),
        (("i owe Roisin 40 for the tickets",), "still owe Roisin", "i owe Roisin 40 for the tickets"),
    ],
)
async def test_news_that_changes_nothing_ends_nothing(told: tuple[str], message: str, stays: str) -> None:
    memories = await memories_of(*told)
    remembered = await memories.remember(NORMA, message, Source(thread="t", seq=3))
    assert [each.text for each in remembered.ended if each.text in stays] == []
    assert stays in await texts(memories)


async def test_the_number_of_another_unit_is_not_put_into_a_note() -> None:
    memories = await memories_of("me mandaron 10 terapias, y el lunes llevo flores")
    await memories.remember(NORMA, "hoy hice la cuarta terapia, van 4", Source(thread="t", seq=3))
    assert "4 terapias" not in await texts(memories)
