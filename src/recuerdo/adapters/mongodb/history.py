"""Documents of messages in MongoDB."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, TypeVar, cast

import msgspec

from recuerdo.adapters.mongodb.appends import Batch, ThreadLocks, replaced
from recuerdo.adapters.mongodb.conflicts import contended, pauses
from recuerdo.adapters.mongodb.connection import Document, MongoDatabase, MongoRepository, translated
from recuerdo.adapters.mongodb.ranges import Range, Ranges, covers, marked, outside, pairs, size, within
from recuerdo.adapters.mongodb.threads import WITHOUT_MESSAGES, StateChange, ThreadState, address, commit, find_state
from recuerdo.adapters.rows import to_microseconds
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.messages import ROLES, Record, Role, verified
from recuerdo.core.passages import TimedQuery
from recuerdo.core.ports import HistoryRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import MOST_READ_BYTES, NOWHERE, Append, Appended, Head, MessageQuery, Page, Snapshot, Tail

_RANGES_A_QUERY = 100
_MESSAGES_A_REPLY = 1000

T = TypeVar("T")


class MongoHistory(MongoRepository, HistoryRepository):
    """The HistoryRepository over a MongoDB database."""

    def __init__(self, database: MongoDatabase) -> None:
        super().__init__(database)
        self._turns = ThreadLocks()

    async def append(self, batch: Sequence[Append]) -> list[Appended | RecuerdoError]:
        """Each thread of a batch is committed for itself."""
        async with self._turns.at(request.scope for request in batch):
            return await Batch(self._database, batch).commit()

    @translated
    async def replace(self, request: Append) -> Appended:
        async with self._turns.at([request.scope]):
            return await replaced(self._database, request)

    @translated
    async def head(self, scope: Scope) -> Head:
        return (await find_state(self._database, scope, WITHOUT_MESSAGES)).head

    async def snapshot(self, scope: Scope, limit: int, *, most_bytes: int = MOST_READ_BYTES) -> Snapshot:
        return await self._read(scope, Snapshot.empty(), lambda thread: self._snapshot(thread, limit, most_bytes))

    async def tail(self, scope: Scope, limit: int, *, most_bytes: int = MOST_READ_BYTES) -> Tail:
        return await self._read(scope, Tail.empty(), lambda thread: self._tail(thread, limit, most_bytes))

    async def page(self, scope: Scope, query: MessageQuery) -> Page:
        nothing = Page(NOWHERE, [], more=False)
        return await self._read(scope, nothing, lambda thread: self._page(thread, query))

    @translated
    async def count(self, scope: Scope) -> dict[Role, int]:
        state = await find_state(self._database, scope, WITHOUT_MESSAGES)
        return {} if state.deleted else cast(dict[Role, int], state.counts)

    @translated
    async def archive(self, scope: Scope, first: int, last: int, archived: bool) -> int:
        tried = 0
        for pause in pauses():
            before = await find_state(self._database, scope)
            after = _archived(before, first, last, archived)
            changed = abs(size(after.archived) - size(before.archived))
            if changed == 0:
                return tried  # it was made, by us or another at the same moment: the driver sends lost writes again
            if await commit(self._database, StateChange(before, after)):
                return changed
            tried = changed
            await asyncio.sleep(pause)
        raise contended()

    @translated
    async def _read(self, scope: Scope, nothing: T, work: Callable[[ThreadState], Awaitable[T]]) -> T:
        """The result of `work` on the thread's state, once it was not erased meanwhile."""
        for pause in pauses():
            thread = await find_state(self._database, scope)
            if thread.deleted:
                return nothing
            answer = await work(thread)
            now = await self._database.threads.find_one(address(scope), {"epoch": 1})
            if now is not None and now["epoch"] == thread.epoch:
                return answer
            await asyncio.sleep(pause)
        raise contended()

    async def _snapshot(self, thread: ThreadState, limit: int, most_bytes: int) -> Snapshot:
        system = await self._system(thread)
        every = [1, thread.last_seq + 1]
        newest, _ = await self._find(thread, every, MessageFilter(), limit, most_bytes, newest_first=True)
        return Snapshot(thread.head, system, records_of(thread, newest[::-1]))

    async def _tail(self, thread: ThreadState, limit: int, most_bytes: int) -> Tail:
        seqs, wanted = outside(thread.archived, 1, thread.last_seq + 1), MessageFilter(frozenset(ROLES) - {"system"})
        found, is_full = await self._find(thread, seqs, wanted, limit + 1, most_bytes, newest_first=True)
        system = await self._system(thread)
        is_complete = len(found) <= limit and not is_full
        return Tail(thread.head, system, records_of(thread, found[:limit][::-1]), is_complete, is_full)

    async def _page(self, thread: ThreadState, query: MessageQuery) -> Page:
        forward = query.after is not None
        seqs, wanted, limit = _seqs(thread, query), MessageFilter.by(query), query.limit
        found, is_full = await self._find(
            thread, seqs, wanted, limit + 1, query.most_bytes, newest_first=not forward, skip=query.skip
        )
        records = records_of(thread, found[:limit])
        return Page(thread.head.version, records if forward else records[::-1], more=len(found) > limit or is_full)

    async def _system(self, thread: ThreadState) -> Record | None:
        if not thread.counts.get("system"):
            return None
        living = outside(thread.archived, 1, thread.last_seq + 1)
        found, _ = await self._find(thread, living, _SYSTEM, 1, 1, newest_first=True)
        return records_of(thread, found)[0] if found else None

    async def _find(
        self,
        thread: ThreadState,
        seqs: Ranges,
        wanted: "MessageFilter",
        limit: int,
        most_bytes: int,
        *,
        newest_first: bool,
        skip: int = 0,
    ) -> tuple[list[Document], bool]:
        """The first matches after those to skip with these seqs, from either end, from wherever they are.

        As many as fill the bytes, and whether they do.
        """
        most = min(limit, thread.last_seq)
        latest = [each for each in thread.latest if covers(seqs, each["seq"]) and wanted.matches(each)]
        found: list[Document] = []
        if newest_first:
            found, skip = latest[::-1][skip:][:most], max(0, skip - len(latest))
        moved = within(seqs, 1, thread.last_seq + 1 - len(thread.latest))
        ranges = list(pairs(moved))[:: -1 if newest_first else 1]
        room = most_bytes - _bytes_of(found)
        while ranges and len(found) < most and room > 0:
            some, ranges = ranges[:_RANGES_A_QUERY], ranges[_RANGES_A_QUERY:]
            moved_some, skip = await self._find_moved(thread, some, wanted, most - len(found), room, newest_first, skip)
            found += moved_some
            room -= _bytes_of(moved_some)
        if not newest_first and room > 0:
            found += latest[skip:][: most - len(found)]
        return _filling(found, most_bytes)

    async def _find_moved(
        self,
        thread: ThreadState,
        ranges: Sequence[Range],
        wanted: "MessageFilter",
        limit: int,
        most_bytes: int,
        newest_first: bool,
        skip: int,
    ) -> tuple[list[Document], int]:
        """The messages that were moved, and how many are still to be skipped."""
        query = {"tenant": thread.scope.tenant, "epoch": thread.epoch, **_in_ranges(ranges), **wanted.query}
        found = self._database.messages.find(query, {"_id": 0, "seq": 1, "body": 1, "checksum": 1})
        if wanted == _SYSTEM:
            found = found.hint("system")
        elif wanted.ids:
            found = found.hint("id")
        ordered = found.sort("seq", -1 if newest_first else 1)
        read: list[Document] = []
        most = limit + skip
        async with ordered.limit(most).batch_size(min(most, _MESSAGES_A_REPLY)) as replies:
            async for message in replies:
                if skip:
                    skip -= 1
                    continue
                read.append(message)
                most_bytes -= _bytes_of([message])
                if most_bytes <= 0:
                    break
        return read, skip


class MessageFilter(NamedTuple):
    """A filter of messages, for MongoDB and for Python."""

    roles: frozenset[Role] = frozenset()
    since: int | None = None
    until: int | None = None
    ids: frozenset[str] = frozenset()

    @classmethod
    def by(cls, query: MessageQuery | TimedQuery) -> "MessageFilter":
        """The part of the query that looks at messages one by one."""
        since, until = query.since, query.until
        ids = query.ids if isinstance(query, MessageQuery) else frozenset[str]()
        return cls(query.roles, since and to_microseconds(since), until and to_microseconds(until), ids)

    @property
    def query(self) -> Document:
        """The filter of a `find`."""
        roles = sorted(self.roles)
        bounds = {"$gte": self.since, "$lt": self.until}
        times = {sign: time for sign, time in bounds.items() if time is not None}
        by_role = {"role": roles[0] if len(roles) == 1 else {"$in": roles}} if roles else {}
        by_id = {"id": {"$in": sorted(self.ids)}} if self.ids else {}
        return {**by_role, **by_id, **({"created_at": times} if times else {})}

    def matches(self, message: Document) -> bool:
        """Whether a message that is at hand passes the filter. One without a time passes no bound of time."""
        time = message.get("created_at")
        return (
            (not self.roles or message["role"] in self.roles)
            and (not self.ids or message["id"] in self.ids)
            and (self.since is None or (time is not None and time >= self.since))
            and (self.until is None or (time is not None and time < self.until))
        )


_SYSTEM = MessageFilter(frozenset({"system"}))


def _bytes_of(messages: Sequence[Document]) -> int:
    return sum(len(body) for each in messages if isinstance(body := each.get("body"), str))


def _filling(found: list[Document], most_bytes: int) -> tuple[list[Document], bool]:
    """The first messages, up to the one that fills the bytes, and whether one did."""
    for number, message in enumerate(found, 1):
        most_bytes -= _bytes_of([message])
        if most_bytes <= 0:
            return found[:number], True
    return found, False


def records_of(thread: ThreadState, found: Sequence[Document]) -> list[Record]:
    """The records of stored messages of the thread. Raises DamagedRow."""
    rows = [(seq := each["seq"], covers(thread.archived, seq), *_stored(each)) for each in found]
    return verified(thread.scope.thread, thread.epoch, rows)


def _stored(message: Document) -> tuple[Any, Any]:
    """The body and its checksum, whatever damage has made of them."""
    body = message.get("body")
    return body.encode() if isinstance(body, str) else body, message.get("checksum")


def _seqs(thread: ThreadState, query: MessageQuery) -> Ranges:
    """The seqs that the query's cursors and its `archived` leave."""
    first = 1 if query.after is None else max(1, query.after + 1)
    end = thread.last_seq + 1 if query.before is None else min(query.before, thread.last_seq + 1)
    if query.archived is None:
        return outside([], first, end)
    return (within if query.archived else outside)(thread.archived, first, end)


def _in_ranges(ranges: Sequence[Range]) -> Document:
    """The bounds of all, for the index, and then the ranges themselves."""
    bounds = [bound for each in ranges for bound in each]
    outer = {"seq": {"$gte": min(bounds), "$lt": max(bounds)}}
    inner = [{"seq": {"$gte": first, "$lt": end}} for first, end in ranges]
    return outer if len(ranges) == 1 else {**outer, "$or": inner}


def _archived(thread: ThreadState, first: int, last: int, archived: bool) -> ThreadState:
    first, end = max(first, 1), min(last, thread.last_seq) + 1
    if thread.deleted or first >= end:
        return thread
    ranges = marked(thread.archived, first, end, archived)
    return msgspec.structs.replace(thread, archived=ranges, revision=thread.revision + 1)
