"""Documents of threads in MongoDB: what they say, the one way to change them, and how they are erased.

**Changing.** Every change of a thread is one compare-and-set of its document, see `StateChange`.

**Archived seqs** are ranges that lie in the document, so that archiving any number of messages is one atomic change;
see `recuerdo.adapters.mongodb.ranges`.

**Erasing.** The change that ends an epoch pushes a mark into the document, `{epoch, since}`, and then the messages are
removed. The mark outlives that by GRACE: when the process dies in between, or one that moved messages into the epoch at
that very moment does, the next sweep removes what is left. Sweeps come with every erasing and opening. The epoch that
a fork is being copied into is marked as well, until the fork begins. A sweep that finds such a mark old changes the
thread's revision first, so that the fork, should it still be alive, can't begin any more.

**Spent keys.** The idempotency keys of an epoch are kept as digests, since a late retry must not store again. They are
written before the epoch ends, so that readers of the next epoch find them. Should the change that ends the epoch
fail, nothing is wrong: a key that the living epoch knows is answered from there.

**The order of changes**, without a transaction and without a clock, is made by its readers. Each change makes its
thread `dirty`. A reader first numbers the dirty threads: it writes down a batch of them in one document, the ledger, by
compare-and-set; then it lets each thread take its number and be clean, and then it empties the batch. A reader that
finds a batch there does that work before anything else, so all numbers up to the ledger's last one have been taken,
and no other number can turn up behind a reader's back. A thread takes a number only when its own is lower, so no one
who comes late cleans it twice: what is changed after that stays dirty for the next number. Heads are read after the
numbers, and so are never older than they.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
from pymongo import UpdateOne
from pymongo.errors import BulkWriteError, DuplicateKeyError

from recuerdo.adapters.mongodb.conflicts import contended, pauses
from recuerdo.adapters.mongodb.connection import (
    Document,
    MongoDatabase,
    MongoRepository,
    owners_in,
    raise_unless_duplicates,
    translated,
    writing,
)
from recuerdo.adapters.mongodb.ranges import Ranges, covers, within
from recuerdo.adapters.rows import from_microseconds, this_microsecond, to_microseconds
from recuerdo.core.errors import InvalidInput, NotFound, ThreadExists
from recuerdo.core.identifiers import new_id
from recuerdo.core.ports import ThreadRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.thread_metadata import NO_METADATA, ThreadMetadata, read_metadata
from recuerdo.core.threads import (
    ABSENT,
    NAMELESS,
    ChangedThreads,
    Head,
    Thread,
    ThreadCursor,
    ThreadPage,
    Version,
    check_epochs,
    number_in,
    spent_digest,
)

WITHOUT_MESSAGES = {"latest": 0, "archived": {"$slice": -2}, "erasing": 0}
"""The projection for those who want to know of a thread only what is small: of the archived ranges the last."""


class ThreadState(msgspec.Struct, frozen=True):
    """One state of a thread's document; the defaults are those of a thread that has none.

    `latest` are the last append's messages until they are moved, `archived` are ranges of seqs, `counts` are messages
    by role. `erasing` are marks, which are pushed and pulled beside the compare-and-set. `dirty` and `changed`,
    which order changes, are not part of the state.
    """

    scope: Scope
    epoch: int = 0
    last_seq: int = 0
    revision: int = 0
    deleted: bool = True
    title: str = ""
    metadata: str = NO_METADATA.text
    fields: list[bytes] = []
    created_at: int = 0
    updated_at: int = 0
    counts: dict[str, int] = {}
    archived: Ranges = []
    latest: list[Document] = []
    erasing: list[Document] = []

    @property
    def head(self) -> Head:
        """As the ports tell it: a deleted thread is nowhere."""
        return ABSENT if self.deleted else Head(Version(self.epoch, self.last_seq), self.revision)

    @property
    def is_absent(self) -> bool:
        """Whether there is not even a tombstone."""
        return self.epoch == 0


_COMPARED = ("epoch", "last_seq", "revision")
_ABOUT = ("deleted", "title", "metadata", "fields", "created_at", "updated_at")
_STORED = (*_COMPARED, *_ABOUT, "counts", "archived", "latest")


def comparable(state: ThreadState) -> ThreadState | None:
    """As much of a state as the next append needs, and no text: it may be kept after the thread's end.

    None of a thread without a title, which an append may give it.
    """
    if state.deleted or not state.title:
        return None
    compared = {name: getattr(state, name) for name in (*_COMPARED, "counts")}
    return ThreadState(state.scope, deleted=False, title="...", **compared)


class StateChange(NamedTuple):
    """From one state to the next. `only_if` narrows the filter and `beside` widens the update."""

    before: ThreadState
    after: ThreadState
    only_if: Mapping[str, Any] = MappingProxyType({})
    beside: Mapping[str, Any] = MappingProxyType({})

    @property
    def make(self) -> Callable[..., UpdateOne]:
        """Makes the `operation`, perhaps in a namespace."""
        return partial(UpdateOne, self._filter, self._update, upsert=self.before.is_absent)

    @property
    def operation(self) -> UpdateOne:
        """The compare-and-set. It inserts where nothing was, and then fails on the unique scope if something is."""
        return self.make()

    @property
    def _filter(self) -> Document:
        compared = {name: getattr(self.before, name) for name in _COMPARED}
        return {**address(self.before.scope), **compared, **self.only_if}

    @property
    def _update(self) -> Document:
        """Only the fields that differ: a `latest` that another process is moving must not come back."""
        before = msgspec.structs.asdict(self.before)
        after = msgspec.structs.asdict(self.after)
        new = {name: after[name] for name in _STORED if self.before.is_absent or after[name] != before[name]}
        new |= {"dirty": True, **({"changed": 0} if self.before.is_absent else {})}
        if new.get("latest") == []:
            del new["latest"]
            return {"$set": new, "$unset": {"latest": ""}, **self.beside}
        return {"$set": new, **self.beside}


def address(scope: Scope) -> Document:
    """The filter that finds the thread's document."""
    return {"tenant": scope.tenant, "user": scope.user, "thread": scope.thread}


def state_of(document: Document) -> ThreadState:
    """The state that a document, or a projection of one, tells."""
    scope = Scope(document["tenant"], document["user"], document["thread"])
    stored: dict[str, Any] = {name: document[name] for name in (*_STORED, "erasing") if name in document}
    return ThreadState(scope, **stored)


async def find_state(database: MongoDatabase, scope: Scope, projection: Document | None = None) -> ThreadState:
    """The thread's state. One that was read with a projection is not a `before` of a change."""
    document = await database.threads.find_one(address(scope), projection)
    return state_of(document) if document else ThreadState(scope)


async def find_states(database: MongoDatabase, scopes: Sequence[Scope]) -> list[ThreadState]:
    """The threads' states, in the order of the scopes, in one round trip."""
    if len(scopes) == 1:
        return [await find_state(database, scopes[0])]
    documents = await database.threads.find({"$or": [address(scope) for scope in scopes]}).to_list()
    found = {state.scope: state for state in map(state_of, documents)}
    return [found.get(scope) or ThreadState(scope) for scope in scopes]


async def commit(database: MongoDatabase, change: StateChange) -> bool:
    """Make the change. False when the thread was not in that state any more.

    The driver sends a write again whose answer was lost, and finds the state that the first has made. Of a new epoch we
    can tell whose it is.
    """
    try:
        with writing():
            result = await database.threads.bulk_write([change.operation])
        if result.matched_count + result.upserted_count == 1:
            return True
    except BulkWriteError as error:
        raise_unless_duplicates(error)
    epoch = change.after.epoch
    if epoch == change.before.epoch:
        return False
    with writing(is_begun=True):
        return (await find_state(database, change.before.scope, WITHOUT_MESSAGES)).epoch == epoch


async def commit_appends(database: MongoDatabase, changes: Sequence[StateChange]) -> list[bool | None]:
    """Make changes of different threads, each of which has messages in its `latest`.

    Returns whether each was made; None where the thread was erased before that could be told.
    """
    if len(changes) == 1:
        if await commit(database, changes[0]):
            return [True]
        with writing(
            is_begun=True
        ):  # the driver sends a write again whose answer was lost, and then it is in its own way
            return await _made(database, changes, 0)
    try:
        with writing():
            result = await database.threads.bulk_write([change.operation for change in changes], ordered=False)
        count = result.matched_count + result.upserted_count
    except BulkWriteError as error:
        raise_unless_duplicates(error)
        count = error.details["nMatched"] + error.details["nUpserted"]
    if count == len(changes):
        return [True] * len(changes)
    with writing(is_begun=True):
        return await _made(database, changes, count)


async def _made(database: MongoDatabase, changes: Sequence[StateChange], count: int) -> list[bool | None]:
    """Which of the changes were made: a bulk tells their number only.

    Each writer gives its messages `_id`s of their own. They are in `latest`, or in `messages` when another process has
    moved them; the threads are read first, as messages are inserted there before they leave `latest`. For messages that
    an erasing removed only the number is left: all of them or none were made, or it is unknown.
    """
    first_ids, scopes = zip(*((change.after.latest[0]["_id"], change.before.scope) for change in changes), strict=True)
    states = await find_states(database, scopes)
    moved = await database.messages.find({"_id": {"$in": list(first_ids)}}, {"_id": 1}).to_list()
    present = {message["_id"] for message in [*moved, *(one for state in states for one in state.latest)]}
    known = [first_id in present for first_id in first_ids]
    erased = [
        not is_there and state.epoch > change.after.epoch
        for is_there, change, state in zip(known, changes, await find_states(database, scopes), strict=True)
    ]
    made_of_erased = {0: False, sum(erased): True}.get(count - sum(known))
    return [made_of_erased if gone else is_there for gone, is_there in zip(erased, known, strict=True)]


_KEYS_A_BULK = _NAMES_A_SWEEP = 1000


async def spend_keys(database: MongoDatabase, state: ThreadState, at: int) -> None:
    """Remember the keys of the thread's epoch, which is about to end."""
    keyed = {"tenant": state.scope.tenant, "epoch": state.epoch, "append.key": {"$exists": True}}
    found = database.messages.find(keyed, {"_id": 0, "append.key": 1}).hint("idempotency_key")
    keys = {message["append"]["key"] for message in [*await found.to_list(), *state.latest] if "append" in message}
    digests = [spent_digest(state.scope, key) for key in keys]
    for start in range(0, len(digests), _KEYS_A_BULK):
        some = digests[start : start + _KEYS_A_BULK]
        spent = [UpdateOne({"_id": digest}, {"$set": {"spent_at": at}}, upsert=True) for digest in some]
        try:
            await database.spent_keys.bulk_write(spent, ordered=False)
        except BulkWriteError as error:  # another process erases the thread at the same moment
            raise_unless_duplicates(error)


async def spent_among(database: MongoDatabase, keys: Collection[tuple[Scope, str]]) -> set[tuple[Scope, str]]:
    """The idempotency keys that were used in an earlier epoch of their thread."""
    if not keys:
        return set()
    digests = {spent_digest(scope, key): (scope, key) for scope, key in keys}
    found = await database.spent_keys.find({"_id": {"$in": list(digests)}}, {"_id": 1}).to_list()
    return {digests[document["_id"]] for document in found}


GRACE = 10 * 60 * 1_000_000
"""Microseconds: far more than an operation can take."""

_THREADS_A_SWEEP = 20


def mark(epoch: int, *, is_emptied: bool = False) -> Document:
    """The part of an update that marks the epoch, and notes the time if a caller has emptied the thread."""
    time: Document = {"$currentDate": {"emptied_at": True}} if is_emptied else {}
    return {"$push": {"erasing": {"epoch": epoch, "since": this_microsecond()}}, **time}


def ended_epochs(state: ThreadState) -> list[int]:
    """The epochs whose messages should be gone: those that are marked, without one that a fork is copied into."""
    return [each["epoch"] for each in state.erasing if each["epoch"] != state.epoch]


async def remove(database: MongoDatabase, tenant: str, epochs: Sequence[int]) -> None:
    """Remove all messages of these epochs."""
    if epochs:
        await database.messages.delete_many({"tenant": tenant, "epoch": {"$in": list(epochs)}})


@translated
async def sweep(database: MongoDatabase, grace: int = GRACE) -> None:
    """Make sure of a few erasings that lie back, and take their marks away."""
    before = this_microsecond() - grace
    old = database.threads.find({"erasing.since": {"$lt": before}}).limit(_THREADS_A_SWEEP)
    for state in [state_of(document) async for document in old]:
        if await _excludes_forks(database, state):
            await remove(database, state.scope.tenant, [m["epoch"] for m in state.erasing if m["since"] < before])
            await database.threads.update_one(address(state.scope), {"$pull": {"erasing": {"since": {"$lt": before}}}})


async def _excludes_forks(database: MongoDatabase, state: ThreadState) -> bool:
    if all(each["epoch"] != state.epoch for each in state.erasing):
        return True
    return await commit(database, StateChange(state, msgspec.structs.replace(state, revision=state.revision + 1)))


_MESSAGES_A_COPY = 500


class MongoThreads(MongoRepository, ThreadRepository):
    """The ThreadRepository over a MongoDB database."""

    @translated
    async def get(self, scope: Scope) -> Thread | None:
        state = await find_state(self._database, scope, WITHOUT_MESSAGES)
        return None if state.deleted else _thread(state)

    @translated
    async def select(
        self, owner: Owner, limit: int, cursor: str | None = None, *, skip: int = 0, fields: Collection[bytes] = ()
    ) -> ThreadPage:
        query: Document = {"tenant": owner.tenant, "user": owner.user, "deleted": False}
        if fields:
            query["fields"] = {"$all": [*fields]}
        if cursor is not None:
            place = ThreadCursor.parse(cursor)
            time = to_microseconds(place.updated_at)
            query["$or"] = [{"updated_at": {"$lt": time}}, {"updated_at": time, "thread": {"$gt": place.id}}]
        found = self._database.threads.find(query, WITHOUT_MESSAGES).sort([("updated_at", -1), ("thread", 1)])
        documents = await found.skip(skip).limit(limit + 1).to_list()
        return ThreadPage.cut([_thread(state_of(document)) for document in documents], limit)

    async def clear(self, scope: Scope, at: datetime, expected_epoch: int | None = None) -> Version | None:
        return await self._erase(scope, at, None, expected_epoch, deleted=False)

    async def delete(
        self, scope: Scope, at: datetime, only_at: Head | None = None, expected_epoch: int | None = None
    ) -> bool:
        return await self._erase(scope, at, only_at, expected_epoch, deleted=True) is not None

    @translated
    async def since_emptied(self, scopes: Collection[Scope]) -> dict[Scope, timedelta]:
        if not scopes:
            return {}
        wanted: Document = {"$or": [*map(address, scopes)], "emptied_at": {"$exists": True}}
        found = self._database.threads.find(wanted, {"tenant": 1, "user": 1, "thread": 1, "emptied_at": 1})
        times = {Scope(each["tenant"], each["user"], each["thread"]): each["emptied_at"] async for each in found}
        now = await self._database.now() if times else None
        return {scope: now - at for scope, at in times.items()} if now else {}

    @translated
    async def forget_keys(self, before: datetime) -> int:
        """Tombstones of before lose their names as well."""
        time = {"$lt": to_microseconds(before)}
        old = {"deleted": True, "dirty": {"$exists": False}, "user": {"$ne": NAMELESS}, "updated_at": time}
        for tombstone in await self._database.threads.find(old, {"_id": 1}).limit(_NAMES_A_SWEEP).to_list():
            nameless = {"user": NAMELESS, "thread": new_id()}
            await self._database.threads.update_one({"_id": tombstone["_id"], "deleted": True}, {"$set": nameless})
        return (await self._database.spent_keys.delete_many({"spent_at": time})).deleted_count

    @translated
    async def fork(self, scope: Scope, at_seq: int, target: str, at: datetime) -> Thread:
        for pause in pauses():
            source = await find_state(self._database, scope)
            taken = await find_state(self._database, scope.owner.thread(target))
            _check_fork(source, taken, at_seq)
            if fork := await self._fork(source, taken, at_seq, to_microseconds(at)):
                return _thread(fork)
            await asyncio.sleep(pause)
        raise contended()

    @translated
    async def rename(self, scope: Scope, title: str) -> bool:
        for pause in pauses():
            before = await find_state(self._database, scope)
            after = msgspec.structs.replace(before, title=title)
            if before.deleted or await commit(self._database, StateChange(before, after)):
                return not before.deleted
            await asyncio.sleep(pause)
        raise contended()

    @translated
    async def set_metadata(
        self, scope: Scope, metadata: ThreadMetadata, instead_of: ThreadMetadata | None, at: datetime
    ) -> bool:
        is_sent = False
        for pause in pauses():
            before = await find_state(self._database, scope)
            if is_sent and not before.deleted and before.metadata == metadata.text:  # the driver sent it again
                return True
            if before.deleted is not (instead_of is None) or before.metadata != (instead_of or NO_METADATA).text:
                return False
            after = msgspec.structs.replace(before, metadata=metadata.text, fields=[*metadata.fields])
            if before.deleted:
                [epoch] = await self._database.new_epochs(1)
                time = to_microseconds(at)
                times = {"created_at": time, "updated_at": time}
                after = msgspec.structs.replace(emptied(after, epoch), deleted=False, **times)
            unchanged = [before.metadata, None] if before.metadata == NO_METADATA.text else [before.metadata]
            only_if: Document = {} if before.is_absent else {"metadata": {"$in": unchanged}}
            if await commit(self._database, StateChange(before, after, only_if)):
                return True
            is_sent = True
            await asyncio.sleep(pause)
        raise contended()

    @translated
    async def changed(self, since: str | None, limit: int) -> ChangedThreads:
        return await changed(self._database, since, limit)

    @translated
    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        found = await owners_in(self._database.threads, {"deleted": False}, tenant, limit, after)
        return [Owner(*each) for each in found]

    @translated
    async def _erase(
        self, scope: Scope, at: datetime, only_at: Head | None, expected_epoch: int | None, *, deleted: bool
    ) -> Version | None:
        for pause in pauses():
            before = await find_state(self._database, scope)
            ended = ended_epochs(before)
            if before.deleted or only_at not in (None, before.head):
                await remove(self._database, scope.tenant, ended)
                return None
            check_epochs([expected_epoch], before.epoch)
            [epoch] = await self._database.new_epochs(1)
            await spend_keys(self._database, before, to_microseconds(at))
            after = msgspec.structs.replace(emptied(before, epoch), deleted=deleted, updated_at=to_microseconds(at))
            if deleted:
                after = msgspec.structs.replace(after, metadata=NO_METADATA.text, fields=[])
            beside = mark(before.epoch, is_emptied=only_at is None)
            if await commit(self._database, StateChange(before, after, beside=beside)):
                await remove(self._database, scope.tenant, [*ended, before.epoch])
                await sweep(self._database)
                return Version(epoch, 0)
            await asyncio.sleep(pause)
        raise contended()

    async def _fork(self, source: ThreadState, taken: ThreadState, at_seq: int, at: int) -> ThreadState | None:
        """The fork, or None when the source or the target has changed meanwhile."""
        [epoch] = await self._database.new_epochs(1)
        reserved = emptied(taken, epoch)
        if not await commit(self._database, StateChange(taken, reserved, beside=mark(epoch))):
            return None
        counts = await self._copy(source, reserved, at_seq)
        fork = msgspec.structs.replace(
            reserved,
            last_seq=at_seq,
            deleted=False,
            title=source.title,
            metadata=source.metadata,
            fields=source.fields,
            created_at=at,
            updated_at=at,
            counts=dict(counts),
            archived=within(source.archived, 1, at_seq + 1),
        )
        unmark = {"$pull": {"erasing": {"epoch": epoch}}}
        begin = StateChange(reserved, fork, only_if={"erasing.epoch": epoch}, beside=unmark)
        if counts.total() == at_seq and (await commit(self._database, begin) or await self._has_begun(fork)):
            return fork
        await remove(self._database, source.scope.tenant, [epoch])
        return None

    async def _has_begun(self, fork: ThreadState) -> bool:
        """Whether the driver sent it again: nothing else takes the mark of its epoch away so soon."""
        with writing(is_begun=True):
            now = await find_state(self._database, fork.scope)
        return now.epoch == fork.epoch and not now.deleted and all(each["epoch"] != fork.epoch for each in now.erasing)

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
        metadata=read_metadata(state.scope.thread, state.metadata),
        archived=covers(state.archived, state.last_seq),
        created_at=from_microseconds(state.created_at),
        updated_at=from_microseconds(state.updated_at),
    )


def emptied(state: ThreadState, epoch: int) -> ThreadState:
    """The thread without messages and title, in another epoch."""
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


_LEDGER, _MOST_OF_A_BATCH = "changes", 500


async def changed(database: MongoDatabase, since: str | None, limit: int) -> ChangedThreads:
    """Which threads were changed since the mark, and their heads; see the module."""
    if since is None:
        return ChangedThreads({}, str((await _ledger(database))["last"]))
    last = await _number(database, limit)
    numbers = {"$gt": number_in(since), "$lte": last}
    found = database.threads.find({"changed": numbers}, WITHOUT_MESSAGES).sort("changed", 1).limit(limit)
    documents = await found.to_list()
    heads = {state.scope: state.head for state in map(state_of, documents)}
    return ChangedThreads(heads, str(documents[-1]["changed"]) if documents else since)


async def _number(database: MongoDatabase, limit: int) -> int:
    """Give numbers to about `limit` dirty threads. Returns the last number that has been taken."""
    numbered = 0
    while True:
        ledger = await _ledger(database)
        last: int = ledger["last"]
        await _hand_out(database, last, ledger["batch"])
        most = min(_MOST_OF_A_BATCH, limit - numbered)
        dirty = await database.threads.find({"dirty": True}, WITHOUT_MESSAGES).limit(most).to_list() if most > 0 else []
        if not dirty:
            return last
        batch = [
            {**address(state_of(document).scope), "number": number} for number, document in enumerate(dirty, last + 1)
        ]
        if await _write_down(database, last, batch):
            numbered += len(batch)


async def _ledger(database: MongoDatabase) -> Document:
    return await database.counters.find_one({"_id": _LEDGER}) or {"last": 0, "batch": []}


async def _write_down(database: MongoDatabase, last: int, batch: Sequence[Document]) -> bool:
    """False when another one was quicker."""
    after = {"$set": {"last": last + len(batch), "batch": batch}}
    try:
        written = await database.counters.update_one({"_id": _LEDGER, "last": last}, after, upsert=last == 0)
    except DuplicateKeyError:
        return False
    return written.matched_count == 1 or written.upserted_id is not None


async def _hand_out(database: MongoDatabase, last: int, batch: Sequence[Document]) -> None:
    if batch:
        await database.threads.bulk_write([_taking(each) for each in batch], ordered=False)
        await database.counters.update_one({"_id": _LEDGER, "last": last}, {"$set": {"batch": []}})


def _taking(each: Document) -> UpdateOne:
    this = {**address(Scope(each["tenant"], each["user"], each["thread"])), "changed": {"$lt": each["number"]}}
    return UpdateOne(this, {"$set": {"changed": each["number"]}, "$unset": {"dirty": ""}})
