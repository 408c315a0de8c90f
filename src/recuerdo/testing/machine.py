"""A random walk over a history, checked at every step against a model made of plain lists."""

import asyncio
from collections.abc import Coroutine
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from typing import Any, TypeVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace

from recuerdo.core.errors import BudgetTooSmall, InvalidInput, NotFound, RecuerdoError, ThreadExists
from recuerdo.core.messages import ROLES, ToolCall
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.threads import Append, Appended, MessageQuery, NewMessage, Page
from recuerdo.history import History
from recuerdo.testing.clock import NOON
from recuerdo.testing.model import ModelHistory
from recuerdo.testing.samples import ALL, fresh_owner, request, said
from recuerdo.windowing import CharacterTokenizer, MessageWindow, TokenWindow, WindowPolicy

T = TypeVar("T")
Repositories = tuple[HistoryRepository, ThreadRepository]
Epoch = str | int | None
Drawn = tuple[str, list[NewMessage], str | None, Epoch, datetime, str]


def seldom(strategy: st.SearchStrategy[T]) -> st.SearchStrategy[T | None]:
    """Mostly None: filters that all narrow at once find nothing."""
    return st.one_of(*[st.none()] * 3, strategy)


NAMES = ("a", "b", "c")
names = st.sampled_from(["a", "a", *NAMES])
seqs = st.integers(0, 12)
limits = st.integers(1, 6) | st.just(ALL)
times = st.integers(0, 5).map(lambda minutes: NOON + timedelta(minutes=minutes))
keys = st.sampled_from([None, None, None, "k-1", "k-2"])
epochs = st.sampled_from([None, None, None, None, None, "now", 0, 1])
queries = st.builds(
    MessageQuery,
    limit=limits,
    before=seldom(seqs),
    after=seldom(seqs),
    roles=seldom(st.frozensets(st.sampled_from(ROLES), max_size=2)).map(lambda roles: roles or frozenset()),
    since=seldom(times),
    until=seldom(times),
    archived=st.sampled_from([None, None, True, False]),
)
policies = st.builds(MessageWindow, st.integers(1, 8)) | st.builds(
    TokenWindow, st.integers(4, 40), st.just(CharacterTokenizer())
)


@st.composite
def messages(draw: st.DrawFn) -> NewMessage:
    """Any message: of any role, now and then with a tool call, or with an id that others have too."""
    role = draw(st.sampled_from(ROLES))
    fields: dict[str, Any] = {}
    if role == "assistant" and draw(st.booleans()):
        calls = draw(st.sampled_from([("call-1",), ("call-2",), ("call-1", "call-2")]))
        fields["tool_calls"] = [ToolCall(call, "look") for call in calls]
    if role == "tool":
        fields["tool_call_id"] = draw(st.sampled_from(["call-1", "call-2"]))
    if draw(st.integers(0, 9)) == 5:
        fields["id"] = draw(st.sampled_from(["m-1", "m-2"]))
    return said(draw(st.sampled_from(["", "hello", "a\x00b", "😀" * 5])), role, at=draw(times), **fields)


requests = st.tuples(
    names, st.lists(messages(), min_size=1, max_size=3), keys, epochs, times, st.sampled_from(["", "one", "two"])
)


class HistoryMachine(RuleBasedStateMachine):
    """Appends, retries, replaces, archives, clears, deletes, forks and reads at random; subclass it for a backend:

        class SqliteMachine(HistoryMachine):
            @asynccontextmanager
            async def open(self):
                with TemporaryDirectory() as folder:
                    async with SqliteDatabase.open(Path(folder, "recuerdo.db")) as database:
                        yield SqliteHistory(database), SqliteThreads(database)

        TestSqliteMachine = SqliteMachine.TestCase

    Each walk acts as a new tenant. The repositories live in an event loop of the machine's own.
    """

    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner()
        self._opened = self.open()
        self.history, self.threads = self._run(self._opened.__aenter__())
        self.owner = fresh_owner()
        self.model = ModelHistory()
        self.sent: list[Append] = []
        self._has_changed = True

    def open(self) -> AbstractAsyncContextManager[Repositories]:
        """The repositories to test, over the same data."""
        raise NotImplementedError("Subclass HistoryMachine, and open the repositories of your backend here.")

    def teardown(self) -> None:
        self._run(self._opened.__aexit__(None, None, None))
        self._runner.close()

    @initialize(texts=st.lists(messages(), min_size=1, max_size=5, unique_by=lambda message: message.id))
    def begin(self, texts: list[NewMessage]) -> None:
        """Most of what can go wrong needs a thread with messages."""
        self._send([request(self.owner.thread("a"), *texts)])

    @rule(drawn=st.lists(requests, min_size=1, max_size=4))
    def append(self, drawn: list[Drawn]) -> None:
        """Send a batch of requests, good and bad."""
        self._send([self._request(*each) for each in drawn])

    @rule(data=st.data(), name=st.none() | names)
    def retry(self, data: st.DataObject, name: str | None) -> None:
        """Send requests of before again, to their own thread or to another one."""
        again = data.draw(st.lists(st.sampled_from(self.sent), min_size=1, max_size=3))
        self._send([append._replace(scope=self.owner.thread(name)) if name else append for append in again])

    @rule(drawn=requests)
    def replace_all(self, drawn: Drawn) -> None:
        """Put other messages in the place of a whole thread, or be refused."""
        append = self._request(*drawn)
        try:
            outcome: Appended | RecuerdoError = self._change(self.history.replace(append))
        except RecuerdoError as error:
            outcome = error
        self.model.appended(append, outcome, replaces=True)
        self.sent.append(append)

    @rule(name=names, first=st.integers(1, 12), length=seqs, archived=st.booleans())
    def archive(self, name: str, first: int, length: int, archived: bool) -> None:
        changed = self._change(self.history.archive(self.owner.thread(name), first, first + length, archived))
        assert changed == self.model.archive(name, first, first + length, archived)

    @rule(name=names, at=times, forever=st.booleans())
    def erase(self, name: str, at: datetime, forever: bool) -> None:
        if forever:
            self._delete(name, at)
        else:
            self._clear(name, at)

    @rule(source=names, into=names, at_seq=st.integers(0, 5) | seqs, at=times, make_room=st.booleans())
    def fork(self, source: str, into: str, at_seq: int, at: datetime, make_room: bool) -> None:
        if make_room and into != source:
            self._delete(into, at)
        fork = self.threads.fork(self.owner.thread(source), at_seq, into, at)
        error = self._why_no_fork(source, into, at_seq)
        if error is not None:
            with pytest.raises(error):
                self._change(fork)
            return
        thread, old = self._change(fork), self.model.threads[source]
        new = self.model.start(into, thread.version.epoch, at)
        new.title, new.records = old.title, old.records[:at_seq]
        assert thread == new.named(into)

    @rule(name=names, query=queries)
    def page(self, name: str, query: MessageQuery) -> None:
        """Read a page, and again with a limit that just suffices."""
        scope, expected = self.owner.thread(name), self.model.page(name, query)
        assert self._run(self.history.page(scope, query)) == expected
        exact = replace(query, limit=max(1, len(expected.records)))
        assert self._run(self.history.page(scope, exact)) == expected

    @rule(name=names, limit=limits)
    def tail(self, name: str, limit: int) -> None:
        """Read a tail, and again with a limit that just suffices."""
        scope, expected = self.owner.thread(name), self.model.tail(name, limit)
        head = self._run(self.history.head(scope))
        assert head.version == expected.head.version
        expected = expected._replace(head=head)
        assert self._run(self.history.tail(scope, limit)) == expected
        assert self._run(self.history.tail(scope, max(1, len(expected.records)))) == expected

    @rule(name=names, limit=limits)
    def snapshot(self, name: str, limit: int) -> None:
        head, system, records = self._run(self.history.snapshot(self.owner.thread(name), limit))
        tail = self.model.tail(name, 1)
        newest = self.model.page(name, MessageQuery(limit=limit, archived=None))
        assert (head.version, system, records) == (tail.head.version, tail.system, newest.records)

    @rule(name=names, policy=policies)
    def window(self, name: str, policy: WindowPolicy) -> None:
        """A window that is read piece by piece equals the one that the policy selects from the whole history."""
        window = History(self.history, self.threads).window(self.owner.thread(name), policy)
        try:
            expected = policy.apply(self.model.messages(name))
        except BudgetTooSmall:
            with pytest.raises(BudgetTooSmall):
                self._run(window)
        else:
            assert self._run(window) == expected

    @rule(limit=st.integers(1, 4))
    def list_threads(self, limit: int) -> None:
        page = self._run(self.threads.select(self.owner, limit))
        listed = page.threads
        while page.cursor is not None:
            assert len(listed) <= len(NAMES), "the pages never end"
            page = self._run(self.threads.select(self.owner, limit, page.cursor))
            listed += page.threads
        assert listed == self.model.listed()

    @invariant()
    def all_threads_are_as_they_must_be(self) -> None:
        """Look after each change; the next reads see a cache entry that a read spoiled."""
        if self._has_changed:
            for name in NAMES:
                assert self._run(self._state_of(name)) == self._expected_state_of(name)
        self._has_changed = False

    def _change(self, work: Coroutine[Any, Any, T]) -> T:
        self._has_changed = True
        return self._run(work)

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(work)

    def _delete(self, name: str, at: datetime) -> None:
        deleted = self._change(self.threads.delete(self.owner.thread(name), at))
        assert deleted == self.model.erase(name)

    def _clear(self, name: str, at: datetime) -> None:
        version = self._change(self.threads.clear(self.owner.thread(name), at))
        old = self.model.threads.get(name)
        assert (version is None) == (old is None)
        if old and version:
            self.model.erase(name)
            self.model.start(name, version.epoch, at).created_at = old.created_at
            assert version.seq == 0

    def _request(
        self, name: str, texts: list[NewMessage], key: str | None, epoch: Epoch, at: datetime, title: str
    ) -> Append:
        expected = self.model.version(name).epoch if isinstance(epoch, str) else epoch
        return request(self.owner.thread(name), *texts, at=at, title=title, key=key, expected_epoch=expected)

    def _send(self, batch: list[Append]) -> None:
        outcomes = self._change(self.history.append(batch))
        assert len(outcomes) == len(batch)
        for append, outcome in zip(batch, outcomes, strict=True):
            self.model.appended(append, outcome)
        self.sent += batch

    def _why_no_fork(self, source: str, target: str, at_seq: int) -> type[Exception] | None:
        if source not in self.model.threads:
            return NotFound
        if target in self.model.threads:
            return ThreadExists
        return InvalidInput if at_seq > self.model.version(source).seq else None

    async def _state_of(self, name: str) -> tuple[object, ...]:
        scope = self.owner.thread(name)
        everything = await self.history.page(scope, MessageQuery(limit=ALL, archived=None))
        return await self.threads.get(scope), everything, await self.history.count(scope)

    def _expected_state_of(self, name: str) -> tuple[object, ...]:
        thread = self.model.threads.get(name)
        everything = Page(self.model.version(name), thread.records if thread else [], more=False)
        return thread.named(name) if thread else None, everything, self.model.count(name)
