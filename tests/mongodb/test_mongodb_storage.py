"""The stored documents: sizes, ranges, numbers of changes, and the walk in which nobody moves messages."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from random_examples import examples
from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.adapters.mongodb import MongoDatabase, MongoHistory, MongoMemories, MongoThreads, appends
from recuerdo.adapters.mongodb import threads as threads_module
from recuerdo.adapters.mongodb.history import covers, marked, outside, pairs, size, within
from recuerdo.core.errors import InvalidInput, MissingExtra
from recuerdo.core.memories import MemoryChange, MemoryEntry
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import BEGINNING, Appended, MessageQuery
from recuerdo.testing import HistoryMachine
from recuerdo.testing.clock import NOON
from recuerdo.testing.samples import commit, fill, remembered, request, said, say, seqs

PATIENT_MS = 60_000
BOUNDS = st.tuples(st.integers(1, 20), st.integers(1, 6), st.booleans())


def run_machine(url: str) -> None:
    class MongoMachine(HistoryMachine):
        @asynccontextmanager
        async def open(self) -> AsyncIterator[tuple[HistoryRepository, ThreadRepository]]:
            async with MongoDatabase.open(url, timeout_ms=PATIENT_MS) as database:
                yield MongoHistory(database), MongoThreads(database)

    checks = list(HealthCheck)
    run_state_machine_as_test(
        MongoMachine,
        settings=settings(max_examples=examples(8), stateful_step_count=20, suppress_health_check=checks),
    )


def test_a_random_walk(database_url: str) -> None:
    """See HistoryMachine."""
    run_machine(database_url)


def test_a_random_walk_among_writers_that_die(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody moves what he has committed: reads take it from the thread, and the next writer moves it."""

    async def die(*_: Any) -> None:
        """Behind the commit."""

    moving = appends.move

    async def at_rest(self: appends.Batch, states: Any) -> Any:
        if left := [state for state in states if state.latest]:
            await moving(self._database, left)
        return states

    async def settle(database: MongoDatabase, scope: Scope) -> None:
        await moving(database, [await threads_module.find_state(database, scope)])

    monkeypatch.setattr(appends, "move", die)
    monkeypatch.setattr(appends.Batch, "_at_rest", at_rest)
    monkeypatch.setattr(appends, "settle", settle)
    run_machine(database_url)


@given(st.lists(BOUNDS, max_size=8), st.integers(1, 20), st.integers(-2, 9))
def test_ranges_are_sets_of_seqs(marks: list[tuple[int, int, bool]], first: int, length: int) -> None:
    """Marking, cutting, counting and asking, against sets."""
    ranges: list[int] = []
    members: set[int] = set()
    for start, count, inside in marks:
        ranges = marked(ranges, start, start + count, inside)
        some = set(range(start, start + count))
        members = members | some if inside else members - some
    assert ranges == sorted(set(ranges))
    assert ({seq for seq in range(40) if covers(ranges, seq)}, size(ranges)) == (members, len(members))
    cut = set(range(first, first + length))
    assert seqs_of(within(ranges, first, first + length)) == members & cut
    assert seqs_of(outside(ranges, first, first + length)) == cut - members


def seqs_of(ranges: list[int]) -> set[int]:
    return {seq for first, end in pairs(ranges) for seq in range(first, end)}


async def test_many_ranges_are_read_in_pieces(history: MongoHistory, scope: Scope) -> None:
    """Of 500 messages every second one is archived: pages of either kind hold across the pieces, from both ends."""
    await fill(history, scope, 500)
    before = await history._database.threads.find_one({"thread": scope.thread})
    assert before is not None
    archived = [bound for seq in range(1, 501, 2) for bound in (seq, seq + 1)]
    await history._database.threads.update_one({"_id": before["_id"]}, {"$set": {"archived": archived}})
    for query, expected in [
        (MessageQuery(limit=240), range(22, 501, 2)),
        (MessageQuery(limit=240, after=0), range(2, 481, 2)),
        (MessageQuery(limit=500, archived=True), range(1, 501, 2)),
    ]:
        assert seqs((await history.page(scope, query)).records) == list(expected)


async def test_an_index_that_nothing_uses_any_more_is_dropped(history: MongoHistory, database_url: str) -> None:
    messages = history._database.messages
    await messages.create_index([("tenant", 1), ("user", 1), ("created_at", 1)], name="user_by_time")
    async with MongoDatabase.open(database_url):
        left = await messages.index_information()
    assert "user_by_time" not in left
    assert "user_by_exact_time" in left


async def test_an_append_that_no_document_can_hold_is_refused_and_its_neighbours_are_not(
    history: MongoHistory, scope: Scope
) -> None:
    """It is InvalidInput of the field `messages`, which says how much MongoDB holds."""
    large = [said("x" * 2**20) for _ in range(16)]
    first, refused, last = await history.append([request(scope, *each) for each in ([said()], large, [said()])])
    assert isinstance(refused, InvalidInput)
    assert (refused.field, "16 MB" in str(refused)) == ("messages", True)
    assert [each.first_seq for each in (first, last) if isinstance(each, Appended)] == [1, 2]


async def test_a_batch_that_no_document_can_hold_is_committed_in_parts(history: MongoHistory, scope: Scope) -> None:
    """Three appends of 7 MB to one thread all get their seqs."""
    outcomes = await history.append([request(scope, said("x" * 7 * 2**20)) for _ in range(3)])
    assert [each.first_seq for each in outcomes if isinstance(each, Appended)] == [1, 2, 3]


async def test_a_memory_that_no_document_can_hold_is_refused(database: MongoDatabase, scope: Scope) -> None:
    """It is InvalidInput too."""
    memories = MongoMemories(database)
    big = remembered(scope.owner, "x" * 17 * 2**20)
    change = MemoryChange(at=NOON, action="added", entries=[MemoryEntry(None, big)])
    with pytest.raises(InvalidInput, match="16 MB"):
        await memories.apply(scope.owner, change, await memories.state(scope.owner))


async def test_erased_content_is_in_no_collection(
    database: MongoDatabase, history: MongoHistory, threads: MongoThreads, scope: Scope
) -> None:
    """Every text, titles and keys included, is gone; the tombstone has names, times and numbers."""
    await commit(history, request(scope, said("secret"), title="secret", key="secret"))
    await threads.fork(scope, 1, "fork", NOON)
    for name in (scope.thread, "fork"):
        assert await threads.delete(scope.owner.thread(name), NOON)
    for collection in (database.messages, database.threads, database.memories, database.counters):
        assert "secret" not in repr(await collection.find().to_list())


async def test_numbers_that_a_sweeper_wrote_down_and_did_not_hand_out_are_handed_out_by_the_next(
    history: MongoHistory, threads: MongoThreads, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between the two, it has hidden no change; and a change behind that comes as well."""

    async def die(*_: Any) -> None:
        raise KeyboardInterrupt

    await say(history, scope, "x")
    handing_out, left = threads_module._hand_out, 1

    async def die_at_the_second(*arguments: Any) -> None:
        nonlocal left
        left -= 1
        await (handing_out if left >= 0 else die)(*arguments)

    monkeypatch.setattr(threads_module, "_hand_out", die_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        await threads.changed(BEGINNING, 10)
    monkeypatch.undo()
    await say(history, scope, "y")
    found = await threads.changed(BEGINNING, 10)
    assert found.heads == {scope: await history.head(scope)}
    await say(history, scope, "z")
    assert (await threads.changed(found.mark, 10)).heads == {scope: await history.head(scope)}


async def test_the_library_over_mongodb(database_url: str) -> None:
    """The README's example, with another URL; what it said is there when it is opened again."""
    async with Recuerdo.open(database_url) as memory:
        thread = memory.thread(tenant="acme", user="emi", thread="t-1")
        await thread.append(Message.user("Hola, me llamo Emiliano"))
        await memory.user(tenant="acme", user="emi").remember("Trabajo en Data Oilers")
    async with Recuerdo.open(database_url) as memory:
        prompt = await memory.thread(tenant="acme", user="emi", thread="t-1").window(MessageWindow(50))
        facts = await memory.user(tenant="acme", user="emi").search("¿Dónde trabaja?", limit=5)
    assert [message.text for message in prompt] == ["Hola, me llamo Emiliano"]
    assert [hit.memory.value for hit in facts] == ["Data Oilers"]


@pytest.mark.parametrize("scheme", ["mongodb", "mongodb+srv"])
async def test_without_the_driver(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra to install is named."""
    for name in [name for name in sys.modules if name.startswith("recuerdo.adapters.mongodb")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("recuerdo.adapters.mongodb")
    monkeypatch.setitem(sys.modules, "pymongo", None)
    with pytest.raises(MissingExtra, match=r"recuerdo\[mongodb\]"):
        async with Recuerdo.open(f"{scheme}://localhost/x"):
            pass
