"""Memories end when a message says so in whatever words, and nothing else ends with them."""

from datetime import timedelta

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalMemories
from recuerdo.core.memories import MemoryQuery, Source
from recuerdo.core.scope import Owner
from recuerdo.memories import Memories
from recuerdo.memories.contradictions import MOST, comparable
from recuerdo.testing.clock import FakeClock

NORMA = Owner("acme", "norma")
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
        *("la pochola esta enferma", "mi hermana vino de visita", "hago un vestido para una boda"),
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
