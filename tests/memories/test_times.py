"""Times that texts name: from when and until when memories hold by them."""

from datetime import UTC, datetime, timedelta

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalMemories
from recuerdo.core.memories import Memory
from recuerdo.core.scope import Owner
from recuerdo.memories import Memories
from recuerdo.testing.clock import FakeClock

EMI = Owner("acme", "emi")
TUESDAY = datetime(2026, 11, 24, 12, tzinfo=UTC)


def day(written: str) -> datetime:
    return datetime.fromisoformat(f"{written}T00:00:00+00:00")


async def told(*texts: str) -> tuple[Memories, FakeClock]:
    clock = FakeClock(TUESDAY, tick=timedelta(seconds=1))
    memories = Memories(LocalMemories(LocalDatabase()), None, clock)
    for text in texts:
        await memories.remember(EMI, text)
    return memories, clock


def values(found: list[Memory]) -> list[str | None]:
    return [each.value for each in found]


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("I live in Leeds since 2019", "2019-01-01"),
        ("I've lived in Leeds since last March and I love cheese", "2026-03-01"),
        ("I moved to Leeds in 2019.", "2019-01-01"),
        ("Since 2020 I've been working at Intel", "2020-01-01"),
        ("Vivo en Lima desde marzo", "2026-03-01"),
        ("Desde diciembre trabajo en Intel", "2025-12-01"),
        ("Me mudé a Lima el año pasado", "2025-01-01"),
        ("Moro em Recife desde 5 de maio de 2018", "2018-05-05"),
        ("Moro em Recife desde segunda", "2026-11-23"),
        ("Mudei pra Recife em março", "2026-03-01"),
    ],
)
async def test_a_memory_holds_since_the_time_that_the_text_names(text: str, begins: str):
    memories, _ = await told(text)
    held = await memories.as_of(EMI, day(begins))
    assert len(held) == 1
    assert await memories.as_of(EMI, day(begins) - timedelta(seconds=1)) == []


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("Next week I'm in Lisbon", "2026-12-06"),
        ("I've got a dentist appointment tomorrow", "2026-11-25"),
        ("I'm flying to Nairobi on May 9", "2027-05-09"),
        ("La semana que viene estoy en Lisboa", "2026-12-06"),
        ("El viernes tengo examen de mates", "2026-11-27"),
        ("Estou em Lisboa até sexta", "2026-11-27"),
        ("I work at Intel until June", "2027-06-30"),
    ],
)
async def test_what_has_an_end_in_its_words_ends_by_itself(text: str, last: str):
    memories, clock = await told(text)
    clock.set(day(last) + timedelta(hours=23))
    assert len(await memories.list(EMI)) == 1
    clock.set(day(last) + timedelta(days=1))
    assert await memories.list(EMI) == []


@pytest.mark.parametrize(
    "text",
    [
        "I have a chess club every Friday",
        "Tengo examen cada lunes",
        "visito o Douglas no segundo domingo do mês",
        "the choir meets on the first Friday of the month",
        "me reúno con mis primas el primer jueves del mes",
    ],
)
async def test_what_comes_again_does_not_end(text: str):
    memories, clock = await told(text)
    known = await memories.list(EMI)
    clock.set(TUESDAY + timedelta(days=400))
    assert await memories.list(EMI) == known


async def test_each_of_two_facts_has_its_own_time():
    memories, _ = await told("Desde 2019 trabajo en Intel y vivo en Lima desde marzo")
    assert values(await memories.as_of(EMI, day("2020-01-01"))) == ["Intel"]


async def test_a_place_lived_in_before_ends_when_the_next_one_began():
    memories, _ = await told("Vivo en Lima desde 2010", "Me mudé a Cusco en 2020")
    assert values(await memories.as_of(EMI, day("2015-01-01"))) == ["Lima"]
    assert values(await memories.as_of(EMI, day("2021-01-01"))) == ["Cusco"]


async def test_what_is_known_takes_the_time_that_is_told_later():
    memories, _ = await told("Vivo en Lima", "Vivo en Lima desde 2015")
    assert values(await memories.list(EMI)) == ["Lima"]
    assert values(await memories.as_of(EMI, day("2016-01-01"))) == ["Lima"]


async def test_a_memory_that_is_added_holds_in_the_time_of_its_text():
    memories, _ = await told()
    added = await memories.add(EMI, "I live in Leeds since 2019")
    assert added.valid_from == day("2019-01-01")
