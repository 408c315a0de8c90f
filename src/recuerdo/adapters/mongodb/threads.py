"""Documents of threads in MongoDB."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from datetime import datetime

import msgspec

from recuerdo.adapters.mongodb.changes import changed
from recuerdo.adapters.mongodb.connection import Document, MongoDatabase, contended, pauses
from recuerdo.adapters.mongodb.erasing import ended_epochs, mark, marked, remove, sweep, unmark
from recuerdo.adapters.mongodb.failures import speaking_recuerdo
from recuerdo.adapters.mongodb.owners import owners_in
from recuerdo.adapters.mongodb.ranges import within
from recuerdo.adapters.mongodb.spent_keys import forget_keys, spend_keys
from recuerdo.adapters.mongodb.states import WITHOUT_MESSAGES, StateChange, ThreadState, commit, find_state, state_of
from recuerdo.adapters.times import from_microseconds, to_microseconds
from recuerdo.core.errors import InvalidInput, NotFound, ThreadExists
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import Changes, Head, Thread, ThreadCursor, ThreadPage, Version

_MESSAGES_A_COPY = 500


class MongoThreads:
    """The ThreadRepository over a MongoDB database."""

    def __init__(self, database: MongoDatabase) -> None:
        self.patience = database.patience
        self._database = database

    @speaking_recuerdo
    async def get(self, scope: Scope) -> Thread | None:
        """See ThreadRepository."""
        state = await find_state(self._database, scope, WITHOUT_MESSAGES)
        return None if state.deleted else _thread(state)

    @speaking_recuerdo
    async def select(self, owner: Owner, limit: int, cursor: str | None = None) -> ThreadPage:
        """See ThreadRepository."""
        query: Document = {"tenant": owner.tenant, "user": owner.user, "deleted": False}
        if cursor is not None:
            query["$or"] = _behind(ThreadCursor.parse(cursor))
        found = self._database.threads.find(query, WITHOUT_MESSAGES).sort([("updated_at", -1), ("thread", 1)])
        documents = await found.limit(limit + 1).to_list()
        return ThreadPage.cut([_thread(state_of(document)) for document in documents], limit)

    async def clear(self, scope: Scope, at: datetime) -> Version | None:
        """See ThreadRepository."""
        return await self._erase(scope, at, deleted=False)

    async def delete(self, scope: Scope, at: datetime, only_at: Head | None = None) -> bool:
        """See ThreadRepository."""
        return await self._erase(scope, at, only_at, deleted=True) is not None

    @speaking_recuerdo
    async def forget_keys(self, before: datetime) -> int:
        """See ThreadRepository."""
        return await forget_keys(self._database, before)

    @speaking_recuerdo
    async def fork(self, scope: Scope, at_seq: int, target: str, at: datetime) -> Thread:
        """See ThreadRepository."""
        for pause in pauses():
            source = await find_state(self._database, scope)
            taken = await find_state(self._database, scope.owner.thread(target))
            _check_fork(source, taken, at_seq)
            if fork := await self._fork(source, taken, at_seq, to_microseconds(at)):
                return _thread(fork)
            await asyncio.sleep(pause)
        raise contended()

    @speaking_recuerdo
    async def changed(self, since: str | None, limit: int) -> Changes:
        """See ThreadRepository."""
        return await changed(self._database, since, limit)

    @speaking_recuerdo
    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        """See ThreadRepository."""
        found = await owners_in(self._database.threads, {"deleted": False}, tenant, limit, after)
        return [Owner(*each) for each in found]

    @speaking_recuerdo
    async def _erase(self, scope: Scope, at: datetime, only_at: Head | None = None, *, deleted: bool) -> Version | None:
        for pause in pauses():
            before = await find_state(self._database, scope)
            ended = ended_epochs(before)
            if before.deleted or only_at not in (None, before.head):
                await remove(self._database, scope.tenant, ended)
                return None
            [epoch] = await self._database.new_epochs(1)
            await spend_keys(self._database, before, to_microseconds(at))
            after = msgspec.structs.replace(_emptied(before, epoch), deleted=deleted, updated_at=to_microseconds(at))
            if await commit(self._database, StateChange(before, after, beside=mark(before.epoch))):
                await remove(self._database, scope.tenant, [*ended, before.epoch])
                await sweep(self._database)
                return Version(epoch, 0)
            await asyncio.sleep(pause)
        raise contended()

    async def _fork(self, source: ThreadState, taken: ThreadState, at_seq: int, at: int) -> ThreadState | None:
        """The fork, or None when the source or the target has changed meanwhile."""
        [epoch] = await self._database.new_epochs(1)
        reserved = _emptied(taken, epoch)
        if not await commit(self._database, StateChange(taken, reserved, beside=mark(epoch))):
            return None
        counts = await self._copy(source, reserved, at_seq)
        fork = msgspec.structs.replace(
            reserved,
            last_seq=at_seq,
            deleted=False,
            title=source.title,
            created_at=at,
            updated_at=at,
            counts=dict(counts),
            archived=within(source.archived, 1, at_seq + 1),
        )
        begin = StateChange(reserved, fork, only_if=marked(epoch), beside=unmark(epoch))
        if counts.total() == at_seq and await commit(self._database, begin):
            return fork
        await remove(self._database, source.scope.tenant, [epoch])
        return None

    async def _copy(self, source: ThreadState, into: ThreadState, at_seq: int) -> Counter[str]:
        """How many messages of each role were copied: fewer than `at_seq` where the source is being erased."""
        counts = Counter[str]()
        async for some in self._batches(source, at_seq):
            await self._database.messages.insert_many([_copied(message, into) for message in some], ordered=False)
            counts.update(message["role"] for message in some)
        return counts

    async def _batches(self, source: ThreadState, at_seq: int) -> AsyncGenerator[list[Document]]:
        moved = min(at_seq, source.last_seq - len(source.latest))
        for after in range(0, moved, _MESSAGES_A_COPY):
            seqs = {"$gt": after, "$lte": min(after + _MESSAGES_A_COPY, moved)}
            query = {"tenant": source.scope.tenant, "epoch": source.epoch, "seq": seqs}
            if some := await self._database.messages.find(query).to_list():
                yield some
        if latest := [message for message in source.latest if message["seq"] <= at_seq]:
            yield latest


def _thread(state: ThreadState) -> Thread:
    return Thread(
        id=state.scope.thread,
        version=state.head.version,
        title=state.title,
        created_at=from_microseconds(state.created_at),
        updated_at=from_microseconds(state.updated_at),
    )


def _behind(place: ThreadCursor) -> list[Document]:
    time = to_microseconds(place.updated_at)
    return [{"updated_at": {"$lt": time}}, {"updated_at": time, "thread": {"$gt": place.id}}]


def _emptied(state: ThreadState, epoch: int) -> ThreadState:
    return msgspec.structs.replace(state, epoch=epoch, last_seq=0, title="", counts={}, archived=[], latest=[])


def _check_fork(source: ThreadState, target: ThreadState, at_seq: int) -> None:
    if source.deleted:
        raise NotFound("thread", source.scope.thread)
    if not target.deleted:
        raise ThreadExists(target.scope.thread)
    if at_seq > source.last_seq:
        raise InvalidInput("at_seq", f"the thread ends at seq {source.last_seq}")


def _copied(message: Document, into: ThreadState) -> Document:
    kept = {name: message.get(name) for name in ("seq", "id", "role", "created_at", "body", "checksum")}
    scope = into.scope
    return {"tenant": scope.tenant, "user": scope.user, "thread": scope.thread, "epoch": into.epoch, **kept}
