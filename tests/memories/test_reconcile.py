"""The fate of older memories when a user says something new."""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalMemories
from recuerdo.adapters.sqlite import SqliteDatabase, SqliteMemories
from recuerdo.core.errors import Conflict, NotFound
from recuerdo.core.memories import MemoryQuery, Source
from recuerdo.core.scope import Owner
from recuerdo.memories import Memories
from recuerdo.testing.clock import FakeClock

EMI = Owner("acme", "emi")
WRITER = Path(__file__).with_name("memories_writer.py")


@pytest.fixture
def clock():
    return FakeClock(tick=timedelta(milliseconds=1))


@pytest.fixture
def repository():
    return LocalMemories(LocalDatabase())


@pytest.fixture
def memories(repository, clock):
    return Memories(repository, None, clock)


async def values(memories, attribute=None):
    return sorted(each.value for each in await memories.list(EMI, MemoryQuery(attribute=attribute)) if each.attribute)


async def test_a_new_value_ends_the_old_one_and_says_why(memories, repository):
    [old] = await memories.remember(EMI, "vivo en Madrid", Source(thread="t-1", seq=1))
    [new] = await memories.remember(EMI, "me mudé a Lima", Source(thread="t-2", seq=5))
    assert await values(memories, "city") == ["Lima"]
    ended = await repository.get(EMI, old.id)
    assert ended.valid_until == new.valid_from
    assert (ended.ending.reason, ended.ending.by) == ("superseded", new.id)
    assert ended.ending.source == Source(thread="t-2", seq=5, extractor="detectors")


@pytest.mark.parametrize(("said", "known"), [("me mudé a Lima", ["Lima"]), ("ya no vivo en Madrid", [])])
async def test_what_is_said_later_is_what_holds_though_the_clock_was_set_back_in_between(memories, clock, said, known):
    """When the clock comes to where it was, the older value does not come back."""
    await memories.remember(EMI, "vivo en Madrid")
    clock.advance(-timedelta(hours=1))
    await memories.remember(EMI, said)
    assert await values(memories, "city") == known
    clock.advance(timedelta(hours=2))
    assert await values(memories, "city") == known


async def test_forgetting_everything_ends_all_that_holds_in_one_change_that_can_be_undone(memories):
    for text in ("me llamo Ana y vivo en Lima", "me gusta el mate"):
        await memories.remember(EMI, text)
    await memories.add(EMI, "Prefers mornings")
    before = await memories.list(EMI)
    assert await memories.remember(EMI, "Me llamo Eva. Olvídalo todo") == []
    assert await memories.list(EMI) == []
    [change] = await memories.history(EMI, limit=1)
    assert {entry.after.ending.reason for entry in change.entries} == {"forgotten"}
    await memories.undo(EMI)
    assert await memories.list(EMI) == before
    assert len(before) == 4


async def test_many_valued_attributes_accumulate(memories):
    for text in ("me gusta el café", "me gusta el mate", "me encanta el tango"):
        await memories.remember(EMI, text)
    assert await values(memories, "likes") == ["café", "mate", "tango"]


@pytest.mark.parametrize(
    ("first", "second", "value"),
    [
        ("me llamo Ana", "me llamo Ana López", "Ana López"),
        ("me llamo Ana López", "me llamo Ana", "Ana López"),
        ("vivo en Santiago de Chile", "vivo en Santiago", "Santiago de Chile"),
        ("mi cumpleaños es el 5 de mayo", "mi cumpleaños es el 5 de mayo de 1990", "5 de mayo de 1990"),
        ("mi teléfono es 11 5555-1234", "mi teléfono es 1155551234", "11 5555-1234"),
    ],
)
async def test_what_says_more_takes_the_place_of_what_says_less(memories, first, second, value):
    await memories.remember(EMI, first)
    await memories.remember(EMI, second)
    assert await values(memories) == [value]


@pytest.mark.parametrize(
    ("first", "second"),
    [("me gusta el café", "me gusta el  Café!"), ("me gustan los perros", "me gusta el perro")],
)
async def test_the_same_in_other_words_is_no_news(memories, first, second):
    await memories.remember(EMI, first)
    before = await memories.list(EMI)
    assert await memories.remember(EMI, second) == []
    assert await memories.list(EMI) == before


async def test_what_one_no_longer_likes_is_no_like_any_more(memories):
    await memories.remember(EMI, "me gusta el café")
    await memories.remember(EMI, "ya no me gusta el café")
    assert await values(memories, "likes") == []
    assert await values(memories, "dislikes") == ["café"]


async def test_another_employer_ends_the_department_and_the_team_but_not_the_job(memories):
    await memories.remember(EMI, "Trabajo en Globant como ingeniera. Mi departamento es Ventas. Mi equipo es Fénix")
    await memories.remember(EMI, "Ahora trabajo en Despegar")
    assert await values(memories) == ["Despegar", "ingeniera"]


async def test_styles_of_answers_replace_each_other_by_what_they_are_about(memories):
    for text in ("prefiero respuestas cortas", "prefiero que me tutees", "prefiero respuestas detalladas"):
        await memories.remember(EMI, text)
    assert await values(memories, "preference") == ["que me tutees", "respuestas detalladas"]


async def test_the_address_at_work_stands_beside_the_private_one(memories):
    await memories.remember(EMI, "mi correo del trabajo es ana@acme.com")
    await memories.remember(EMI, "mi correo personal es ana@gmail.com")
    assert await values(memories, "email") == ["ana@acme.com", "ana@gmail.com"]


async def test_as_of_tells_what_held_then(memories, clock):
    times = []
    for text in ("vivo en Madrid", "me mudé a Lima", "me mudé a Quito"):
        await memories.remember(EMI, text)
        clock.advance(timedelta(days=1))
        times.append(clock.now - timedelta(hours=1))
    known = [[memory.value for memory in await memories.as_of(EMI, at)] for at in times]
    assert known == [["Madrid"], ["Lima"], ["Quito"]]


async def test_an_undo_restores_exactly_what_was_there(memories, repository):
    await memories.remember(EMI, "vivo en Madrid. Trabajo en Acme. Mi equipo es Fénix")
    before = await repository.select(EMI, MemoryQuery())
    await memories.remember(EMI, "me mudé a Lima y trabajo en Globant")
    undone = await memories.undo(EMI)
    assert undone.action == "remembered"
    assert await repository.select(EMI, MemoryQuery()) == before


async def test_undos_go_back_step_by_step(memories, repository):
    states = []
    for text in ("vivo en Madrid", "me mudé a Lima", "me gusta el mate", "ya no me gusta el mate"):
        states.append(await repository.select(EMI, MemoryQuery()))
        await memories.remember(EMI, text)
    for state in reversed(states):
        await memories.undo(EMI)
        assert await repository.select(EMI, MemoryQuery()) == state
    with pytest.raises(NotFound):
        await memories.undo(EMI)


async def test_an_undo_of_one_memory_leaves_the_others(memories):
    [city] = await memories.remember(EMI, "vivo en Madrid")
    await memories.update(EMI, city.id, text="vivo en Lima")
    await memories.remember(EMI, "me gusta el mate")
    await memories.undo(EMI, city.id)
    assert await values(memories) == ["Madrid", "mate"]


async def test_what_was_changed_since_is_not_undone(memories):
    [old] = await memories.remember(EMI, "vivo en Madrid")
    await memories.remember(EMI, "me mudé a Lima")
    [latest] = await memories.remember(EMI, "me mudé a Quito")
    before = await memories.list(EMI)
    with pytest.raises(Conflict, match="undo that first"):
        await memories.undo(EMI, old.id)
    assert await memories.list(EMI) == before
    await memories.undo(EMI, latest.id)
    assert await values(memories) == ["Lima"]


async def test_a_deletion_is_for_good(memories):
    [city] = await memories.remember(EMI, "vivo en Madrid")
    await memories.delete(EMI, city.id)
    assert await memories.history(EMI) == []
    with pytest.raises(NotFound):
        await memories.undo(EMI, city.id)


async def test_the_history_of_a_memory_tells_what_was_done_to_it(memories):
    [city] = await memories.remember(EMI, "vivo en Madrid")
    await memories.remember(EMI, "me gusta el mate")
    await memories.remember(EMI, "me mudé a Lima")
    told = await memories.history(EMI, city.id)
    assert [change.action for change in told] == ["remembered", "remembered"]
    assert all(entry.memory_id == city.id for change in told for entry in change.entries)


async def test_writers_at_the_same_moment_leave_one_truth(repository, clock):
    """Each of the Memories has locks of its own, as if it were another process."""
    towns = ["Lima", "Quito", "Madrid", "Bogotá", "Cusco"]
    writers = [Memories(repository, None, clock) for _ in towns]
    await asyncio.gather(
        *[writer.remember(EMI, f"vivo en {town}") for writer, town in zip(writers, towns, strict=True)]
    )
    everything = await repository.select(EMI, MemoryQuery())
    assert len(everything) == 5
    assert len([memory for memory in everything if memory.ending is None]) == 1


async def test_processes_at_the_same_moment_leave_one_truth(tmp_path):
    file = tmp_path / "recuerdo.db"
    async with SqliteDatabase.open(file) as database:
        commands = [(sys.executable, str(WRITER), str(file), name) for name in ("Ana", "Eva")]
        processes = [await asyncio.create_subprocess_exec(*command) for command in commands]
        assert [await process.wait() for process in processes] == [0, 0]
        everything = await SqliteMemories(database).select(EMI, MemoryQuery(limit=1000))
        changes = await SqliteMemories(database).changes(EMI, 1000)
    names = [memory for memory in everything if memory.attribute == "name" and memory.ending is None]
    likes = [memory.value for memory in everything if memory.attribute == "likes"]
    assert len(names) == 1
    assert sorted(likes) == sorted(f"número {number}" for number in range(20))
    assert len(changes) == len({change.version for change in changes})


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a minha mãe, a Graça, tem 62 anos e vive em Évora", ["62", "Évora"]),
        ("meu irmão Léo tem 15 anos e mora em Recife", ["15", "Recife"]),
        ("mi hija es médica y vive en Lima", ["Lima", "médica"]),
    ],
)
async def test_two_facts_that_one_message_tells_of_a_relative_both_hold(memories, text, kept):
    await memories.remember(EMI, text)
    assert await values(memories, "relative") == kept


async def test_a_relative_who_moves_lives_in_one_place_beside_all_else_that_is_known(memories):
    await memories.remember(EMI, "a minha mãe, a Graça, tem 62 anos e vive em Évora")
    await memories.remember(EMI, "a minha mãe, a Graça, vive em Lisboa")
    assert await values(memories, "relative") == ["62", "Lisboa"]


async def test_the_end_of_a_job_is_not_the_end_of_a_job_interview(memories):
    await memories.remember(EMI, "I have a job interview with Dell on Dec 9")
    await memories.remember(EMI, "I quit my job at Medici")
    assert len(await values(memories, "plan")) == 1
