"""What a thread's document says, and the one way to change it: compare and set."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
from pymongo import UpdateOne
from pymongo.errors import BulkWriteError

from recuerdo.adapters.mongodb.connection import Document, MongoDatabase
from recuerdo.adapters.mongodb.failures import raise_unless_duplicates, writing
from recuerdo.adapters.mongodb.ranges import Ranges
from recuerdo.core.scope import Scope
from recuerdo.core.threads import ABSENT, Head, Version

WITHOUT_MESSAGES = {"latest": 0, "archived": 0, "erasing": 0}
"""The projection for those who want to know of a thread only what is small."""


class ThreadState(msgspec.Struct, frozen=True):
    """One state of a thread's document; the defaults are those of a thread that has none.

    `latest` are the last append's messages until they are moved, `archived` are ranges of seqs, `counts` are messages
    by role. `erasing` are marks, see `erasing.py`: they are pushed and pulled beside the compare-and-set. What
    `changes.py` needs, `dirty` and `changed`, is no part of the state.
    """

    scope: Scope
    epoch: int = 0
    last_seq: int = 0
    revision: int = 0
    deleted: bool = True
    title: str = ""
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
_STORED = (*_COMPARED, "deleted", "title", "created_at", "updated_at", "counts", "archived", "latest")


class StateChange(NamedTuple):
    """From one state to the next. `only_if` narrows the filter and `beside` widens the update."""

    before: ThreadState
    after: ThreadState
    only_if: Mapping[str, Any] = MappingProxyType({})
    beside: Mapping[str, Any] = MappingProxyType({})

    @property
    def operation(self) -> UpdateOne:
        """The compare-and-set. It inserts where nothing was, and then fails on the unique scope if something is."""
        return UpdateOne(self._filter, self._update, upsert=self.before.is_absent)

    @property
    def _filter(self) -> Document:
        compared = {name: getattr(self.before, name) for name in _COMPARED}
        return {**address(self.before.scope), **compared, **self.only_if}

    @property
    def _update(self) -> Document:
        """What differs, and no more: a `latest` that another one is moving must not come back."""
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
    """The thread's state. One that was read with a projection is no `before` of a change."""
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
    """Make the change. False when the thread was not in that state any more."""
    try:
        with writing():
            result = await database.threads.bulk_write([change.operation])
    except BulkWriteError as error:
        raise_unless_duplicates(error)
        return False
    return result.matched_count + result.upserted_count == 1


async def commit_appends(database: MongoDatabase, changes: Sequence[StateChange]) -> list[bool | None]:
    """Make changes of different threads, each of which has messages in its `latest`; whether each was made.

    None of those whose threads were erased before it could be told.
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

    Each writer gives its messages `_id`s of their own. They are in `latest`, or in `messages` when somebody was quick
    to move them; the threads are looked at first, as messages are inserted there before they leave `latest`. Of those
    that an erasing took away nothing tells but the number: it is all of them or none, or there is no telling.
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
