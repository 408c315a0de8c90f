"""The history service over the in-process adapter."""

import asyncio
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recuerdo import Recuerdo
from recuerdo.adapters.local import LocalDatabase, LocalHistory, LocalThreads
from recuerdo.core.errors import (
    BudgetTooSmall,
    DuplicateMessage,
    EpochChanged,
    IdempotencyConflict,
    InvalidInput,
    NotFound,
    ThreadExists,
)
from recuerdo.core.messages import Message, ToolCall, decode_all
from recuerdo.core.scope import Scope
from recuerdo.core.threads import MessageQuery
from recuerdo.history import History, ThreadHistory
from recuerdo.testing import FakeClock
from recuerdo.testing.clock import NOON
from recuerdo.testing.machine import messages as any_message
from recuerdo.testing.machine import policies
from recuerdo.testing.samples import commit, request
from recuerdo.windowing import CharacterTokenizer, MessageWindow, TokenWindow

SCOPE = Scope("acme", "emi", "t-1")
MINUTE = timedelta(minutes=1)


class CountingHistory(LocalHistory):
    """Counts the records that tails hand out, and lets somebody act between two of them."""

    read = 0

    async def between(self):
        """The coroutine to run after the first tail."""

    async def tail(self, scope, limit, **bounds):
        tail = await super().tail(scope, limit, **bounds)
        self.read += len(tail.records)
        await self.between()
        return tail


@pytest.fixture
def database():
    return LocalDatabase()


@pytest.fixture
def repository(database):
    return CountingHistory(database)


@pytest.fixture
def threads(database):
    return LocalThreads(database)


@pytest.fixture
def clock():
    return FakeClock(tick=MINUTE)


@pytest.fixture
def history(repository, threads, clock):
    return History(repository, threads, clock)


@pytest.fixture
def thread(history):
    return ThreadHistory(history, SCOPE)


async def told(thread, count):
    """A thread of so many messages, user and assistant in turn, each saying its seq."""
    turns = [Message.user, Message.assistant]
    for start in range(1, count + 1, 1000):
        await thread.append(*[turns[seq % 2 == 0](str(seq)) for seq in range(start, min(start + 1000, count + 1))])


def words(messages):
    return [message.text for message in messages]


async def test_what_is_appended_is_read(thread):
    """Messages come back as they were given, with what the history adds: id, seq, time."""
    call = ToolCall("c-1", "weather", {"city": "Lima"})
    given = [
        Message.system("Be brief."),
        Message.user([{"type": "text", "text": "¿Qué tiempo hace?"}], name="Emi", metadata={"source": "web"}),
        Message.assistant("", tool_calls=[call]),
        Message.tool("21 degrees", tool_call_id="c-1"),
    ]
    receipt = await thread.append(*given)
    read = await thread.read()
    assert [(message.id, message.seq) for message in read] == list(zip(receipt.ids, receipt.seqs, strict=True))
    assert {message.created_at for message in read} == {NOON}
    bare = [(m.role, m.content, m.name, m.tool_calls, m.tool_call_id, m.metadata) for m in read]
    assert bare == [(m.role, m.content, m.name, m.tool_calls, m.tool_call_id, m.metadata) for m in given]


async def test_times_come_back_in_utc(thread):
    """A message's own time comes back exactly, in UTC."""
    at = datetime(2026, 11, 21, 23, 59, 59, 999999, timezone(timedelta(hours=-3)))
    await thread.append(Message.user("x", created_at=at))
    [message] = await thread.read()
    assert message.created_at == at
    assert message.created_at.utcoffset() == timedelta()


async def test_the_clock(thread, clock):
    """Threads take their times from the clock."""
    await thread.append(Message.user("a"))
    clock.advance(MINUTE)
    await thread.append(Message.user("b"))
    info = await thread.info()
    assert (info.created_at, info.updated_at) == (NOON, NOON + 2 * MINUTE)


async def test_errors_reach_the_caller(thread):
    """The reason for refusing an append is raised to its caller."""
    epoch = (await thread.append(Message.user("a", id="m-1"), idempotency_key="k")).version.epoch
    assert (await thread.append(Message.user("a", id="m-1"), idempotency_key="k")).replayed
    with pytest.raises(IdempotencyConflict):
        await thread.append(Message.user("b"), idempotency_key="k")
    with pytest.raises(DuplicateMessage):
        await thread.append(Message.user("a", id="m-1"))
    await thread.clear()
    with pytest.raises(EpochChanged):
        await thread.append(Message.user("late"), expected_epoch=epoch)
    assert await thread.read() == []


async def test_many_callers(history, thread):
    """Callers at the same time get seqs without a gap."""
    receipts = await asyncio.gather(*(thread.append(Message.user(str(number))) for number in range(100)))
    assert sorted(receipt.first_seq for receipt in receipts) == list(range(1, 101))
    await history.flush()


async def test_the_window(thread):
    """A window is what the policy makes of the thread."""
    await thread.append(Message.system("Be brief."))
    await told(thread, 20)
    assert words(await thread.window(MessageWindow(4))) == ["Be brief.", "18", "19", "20"]
    assert words(await thread.window(TokenWindow(25, CharacterTokenizer()))) == ["Be brief.", "18", "19", "20"]


async def test_the_window_of_nothing(thread):
    """A thread without messages has an empty window."""
    assert await thread.window(MessageWindow(5)) == []


async def test_a_window_too_small(thread):
    """A window that can't hold the system message is refused."""
    await thread.append(Message.system("Be brief. " * 50), Message.user("Hi"))
    with pytest.raises(BudgetTooSmall):
        await thread.window(TokenWindow(10, CharacterTokenizer()))


@pytest.mark.parametrize("length", [100, 3000])
async def test_a_window_reads_little(thread, repository, length):
    """A window of 50 reads as little of a long thread as of a short one."""
    await told(thread, length)
    assert len(await thread.window(MessageWindow(50))) == 50
    assert repository.read <= 50


async def test_a_window_reads_on(thread, repository):
    """When the newest part is not enough, a window reads a longer one, and little more than it must."""
    result = Message.tool("no call", tool_call_id="c-9")
    await told(thread, 40)
    await thread.append(*[result] * 200)
    assert words(await thread.window(MessageWindow(10))) == [str(seq) for seq in range(31, 41)]
    assert repository.read <= 400


async def test_a_clear_in_the_middle_of_a_window(thread, repository, threads):
    """A window whose thread is cleared while it is read shows the new state, and nothing of both."""
    await told(thread, 30)
    await thread.append(*[Message.tool("no call", tool_call_id="c-9")] * 30)

    async def clear_once():
        repository.between = CountingHistory(LocalDatabase()).between
        await threads.clear(SCOPE, NOON)
        await thread.append(Message.user("new"))

    repository.between = clear_once
    assert words(await thread.window(MessageWindow(20))) == ["new"]


async def test_an_archiving_in_the_middle_of_a_window(thread, repository, database):
    """A window shows the thread before it or after it, and never a part of each."""
    await told(thread, 40)
    await thread.append(*[Message.tool("no call", tool_call_id="c-9")] * 30)

    async def archive_once():
        repository.between = CountingHistory(LocalDatabase()).between
        await repository.archive(SCOPE, 11, 40, True)

    before = words(await thread.window(MessageWindow(20)))
    repository.between = archive_once
    shown = words(await thread.window(MessageWindow(20)))
    assert shown in (before, words(await thread.window(MessageWindow(20))))


@settings(max_examples=150)
@given(
    said=st.lists(any_message(), max_size=25, unique_by=lambda message: message.id),
    archived=st.lists(st.tuples(st.integers(1, 25), st.integers(0, 5)), max_size=2),
    policy=policies,
)
async def test_any_window_of_any_history(said, archived, policy):
    """Whatever the history, the window that is read piece by piece is the policy's of the whole."""
    database = LocalDatabase()
    repository = LocalHistory(database)
    history = History(repository, LocalThreads(database))
    for message in said:
        await commit(repository, request(SCOPE, message))
    for first, length in archived:
        await history.archive(SCOPE, first=first, last=first + length)
    try:
        expected = policy.apply(await history.read(SCOPE))
    except BudgetTooSmall:
        with pytest.raises(BudgetTooSmall):
            await history.window(SCOPE, policy)
    else:
        assert await history.window(SCOPE, policy) == expected


async def test_pages(thread, history):
    """Pages take cursors and filters, and hand out records that nobody has decoded."""
    await told(thread, 10)
    assert words(await thread.messages(limit=2, before=5)) == ["3", "4"]
    assert words(await thread.messages(after=7)) == ["8", "9", "10"]
    assert words(await thread.messages(roles=frozenset({"assistant"}), limit=1)) == ["10"]
    assert words(decode_all((await history.page(SCOPE)).records)) == [str(seq) for seq in range(1, 11)]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": -1}, "limit"),
        ({"limit": 1001}, "limit"),
        ({"before": -1}, "before"),
        ({"before": 2**53 + 1}, "before"),
        ({"after": -1}, "after"),
        ({"since": datetime(2026, 11, 21)}, "since"),  # noqa: DTZ001
        ({"until": datetime(2026, 11, 21)}, "until"),  # noqa: DTZ001
        ({"limit": "5"}, "limit"),
        ({"since": "2026-11-21"}, "since"),
        ({"roles": frozenset(["boss"])}, "roles"),
    ],
    ids=str,
)
async def test_bad_queries(history, query, field):
    """A query that can't be meant is refused, and the error names the field."""
    with pytest.raises(InvalidInput) as raised:
        await history.page(SCOPE, MessageQuery(**query))
    assert raised.value.field == field


async def test_archiving(thread):
    """Archived messages leave windows and pages, stay in the history, and can come back."""
    await told(thread, 5)
    assert await thread.archive(last=3) == 3
    assert words(await thread.window(MessageWindow(9))) == ["4", "5"]
    assert words(await thread.messages()) == ["4", "5"]
    assert words(await thread.read()) == ["1", "2", "3", "4", "5"]
    assert await thread.count() == {"user": 3, "assistant": 2}
    assert await thread.archive(first=2, archived=False) == 2
    assert words(await thread.messages()) == ["2", "3", "4", "5"]
    assert await thread.archive() == 4


@pytest.mark.parametrize(("first", "last"), [(0, 5), (-1, None), (5, 4), (1, 2**53 + 1)])
async def test_bad_ranges(thread, first, last):
    """A range that starts before 1 or ends before it starts is refused."""
    with pytest.raises(InvalidInput):
        await thread.archive(first=first, last=last)


async def test_an_absent_thread(history, thread):
    """Operations that need a thread raise NotFound when there is none; those that read messages return none."""
    for work in (thread.info(), thread.clear(), thread.delete(), thread.fork("t-2"), thread.fork("t-2", at_seq=0)):
        with pytest.raises(NotFound, match="t-1"):
            await work
    assert (await thread.read(), await thread.count(), await thread.archive()) == ([], {}, 0)
    assert (await history.threads(SCOPE.owner)).threads == []


async def test_forks(thread, history):
    """A fork is a thread of its own, with everything or up to a seq."""
    await told(thread, 4)
    whole, start, empty = [await thread.fork(f"f-{at}", at_seq=at) for at in (None, 2, 0)]
    await whole.append(Message.user("5"))
    assert words(await whole.read()) == ["1", "2", "3", "4", "5"]
    assert (words(await start.read()), await empty.read()) == (["1", "2"], [])
    assert words(await thread.read()) == ["1", "2", "3", "4"]
    assert {each.id for each in (await history.threads(SCOPE.owner)).threads} == {"t-1", "f-None", "f-2", "f-0"}


@pytest.mark.parametrize(
    ("target", "at_seq", "field"),
    [("", 1, "target"), ("x" * 256, 1, "target"), ("a\nb", 1, "target"), ("t-2", -1, "at_seq"), ("t-2", 9, "at_seq")],
)
async def test_bad_forks(thread, target, at_seq, field):
    """A fork into a broken id, or at a seq that is not there, is refused, and the error names the field."""
    await told(thread, 4)
    with pytest.raises(InvalidInput) as raised:
        await thread.fork(target, at_seq=at_seq)
    assert raised.value.field == field


async def test_a_fork_into_itself(thread):
    """A thread can't be forked into itself."""
    await told(thread, 1)
    with pytest.raises(ThreadExists):
        await thread.fork("t-1")


async def test_lists(history):
    """Threads are listed page by page, the latest changed first."""
    for name in "abc":
        await history.append(SCOPE.owner.thread(name), [Message.user(f"I am {name}")])
    first = await history.threads(SCOPE.owner, limit=2)
    rest = await history.threads(SCOPE.owner, limit=2, cursor=first.cursor)
    assert [thread.title for thread in first.threads + rest.threads] == ["I am c", "I am b", "I am a"]


@pytest.mark.parametrize(("options", "field"), [({"limit": 0}, "limit"), ({"cursor": "?"}, "cursor")])
async def test_bad_lists(history, options, field):
    """A list with a broken limit or cursor is refused, and the error names the field."""
    with pytest.raises(InvalidInput) as raised:
        await history.threads(SCOPE.owner, **options)
    assert raised.value.field == field


async def test_deleting(thread):
    """A deleted thread is NotFound, and the next append makes a new one."""
    old = await thread.append(Message.user("old"))
    await thread.delete()
    with pytest.raises(NotFound):
        await thread.info()
    new = await thread.append(Message.user("new"))
    assert new.version > old.version
    assert words(await thread.read()) == ["new"]


async def test_a_consistency_that_does_not_exist_is_refused_by_its_name(history):
    for read, more in ((history.window, [MessageWindow(5)]), (history.page, [])):
        with pytest.raises(InvalidInput, match=r"consistency.*strong, cached"):
            await read(SCOPE, *more, consistency="eventual")


async def test_a_durability_that_does_not_exist_is_refused_by_its_name():
    with pytest.raises(InvalidInput, match=r"durability.*sync, async"):
        async with Recuerdo.open("memory://", durability="fast"):
            pass
