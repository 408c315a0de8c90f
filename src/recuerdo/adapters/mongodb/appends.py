"""Deciding and committing batches of appends."""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Collection, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import NamedTuple
from weakref import WeakValueDictionary

import msgspec
from bson import ObjectId
from pymongo import InsertOne, UpdateOne
from pymongo.errors import BulkWriteError, PyMongoError

from recuerdo.adapters.mongodb.conflicts import contended, pauses
from recuerdo.adapters.mongodb.connection import Document, MongoDatabase, raise_unless_duplicates, too_large, translated
from recuerdo.adapters.mongodb.threads import (
    StateChange,
    ThreadState,
    address,
    commit_appends,
    emptied,
    ended_epochs,
    find_state,
    find_states,
    mark,
    remove,
    spend_keys,
    spent_among,
    state_of,
    sweep,
)
from recuerdo.adapters.mongodb.transactions import CollectionWrite
from recuerdo.adapters.rows import to_microseconds
from recuerdo.core.errors import DuplicateMessage, OutcomeUnknown, RecuerdoError
from recuerdo.core.messages import Role
from recuerdo.core.scope import Scope
from recuerdo.core.threads import (
    Append,
    Appended,
    NewMessage,
    PriorAppend,
    Version,
    admit,
    admit_replacement,
    check_epochs,
)

MOST_BYTES = 15 * 2**20
"""How much one commit may add to a thread: it goes through the thread's document, which can have 16 MB."""

ABANDONED_SECONDS = 0.1
"""How long another writer may take to move its messages before it is done for it."""

_MESSAGE_OVERHEAD = 200
_KEY_OVERHEAD = 1100

Outcome = Appended | RecuerdoError
Numbered = tuple[int, Append]


class ExistingIds(NamedTuple):
    """The ids and idempotency keys of a batch that its thread has already, and the keys that were spent."""

    ids: set[str]
    priors: dict[str, PriorAppend]
    spent: Collection[str | None] = ()


class Plan(NamedTuple):
    """The outcomes of a thread's requests, by their numbers, if the change can be made; None has nothing to write."""

    change: StateChange | None
    outcomes: dict[int, Outcome]


class Batch:
    """One batch on its way: round by round, until each of its requests has an outcome."""

    def __init__(self, database: MongoDatabase, requests: Sequence[Append]) -> None:
        self.timeout = database.timeout
        self._database = database
        self._outcomes: dict[int, Outcome] = {}
        self._left: list[Numbered] = list(enumerate(requests))
        self._being_moved: dict[tuple[Scope, int, int], float] = {}

    async def commit(self) -> list[Outcome]:
        """Each request's outcome, in order. Raises Unavailable when no request got as far as having one."""
        for pause in pauses():
            if not self._left:
                break
            try:
                self._record(await self._round())
            except RecuerdoError as error:
                if not self._outcomes:
                    raise
                self._record(self._fail_the_rest(error))
            if self._left:
                await asyncio.sleep(pause)
        self._record(self._fail_the_rest(contended()))
        return [outcome for _, outcome in sorted(self._outcomes.items(), key=lambda each: each[0])]

    def _record(self, outcomes: dict[int, Outcome]) -> None:
        self._outcomes |= outcomes
        self._left = [each for each in self._left if each[0] not in outcomes]

    def _fail_the_rest(self, error: RecuerdoError) -> dict[int, Outcome]:
        return dict.fromkeys((number for number, _ in self._left), error)

    @translated
    async def _round(self) -> dict[int, Outcome]:
        """Read the threads, decide, commit and move: a bulk each. Where a thread has changed meanwhile: nothing."""
        requests: dict[Scope, list[Numbered]] = defaultdict(list)
        for number, request in self._left:
            requests[request.scope].append((number, request))
        states = await self._at_rest(await find_states(self._database, list(requests)))
        begun = [state for state in states if not state.deleted]
        epochs = iter(await self._database.new_epochs(n) if (n := len(states) - len(begun)) else ())
        known, spent = await asyncio.gather(
            _look_up(self._database, [(state, requests[state.scope]) for state in begun]),
            _look_up_spent(self._database, {s.scope: requests[s.scope] for s in states if not s.is_absent}),
        )
        plans = [
            plan(state, next(epochs), ExistingIds(set(), {}, spent[state.scope]), requests[state.scope])
            if state.deleted
            else plan(state, state.epoch, known[state.epoch]._replace(spent=spent[state.scope]), requests[state.scope])
            for state in states
        ]
        return await self._commit(plans)

    async def _commit(self, plans: Sequence[Plan]) -> dict[int, Outcome]:
        changes = [each.change for each in plans if each.change]
        made = iter(await commit_appends(self._database, changes) if changes else ())
        done = [(each, each.change is None or next(made)) for each in plans]
        if committed := [each.change.after for each, is_made in done if each.change and is_made]:
            with suppress(PyMongoError):  # they are committed: another process can move them
                await move(self._database, committed)
        return {
            number: outcome if is_made else _erased_meanwhile()
            for each, is_made in done
            if is_made is not False
            for number, outcome in each.outcomes.items()
        }

    async def _at_rest(self, states: Iterable[ThreadState]) -> list[ThreadState]:
        """The states that a commit may follow. Messages that another writer left behind are moved after a while."""
        ready = [state for state in states if not state.latest or self._is_abandoned(state)]
        if abandoned := [state for state in ready if state.latest]:
            await move(self._database, abandoned)
        return ready

    def _is_abandoned(self, state: ThreadState) -> bool:
        now = time.monotonic()
        seen = self._being_moved.setdefault((state.scope, state.epoch, state.last_seq), now)
        return now - seen >= ABANDONED_SECONDS


async def replaced(database: MongoDatabase, request: Append) -> Appended:
    """Commit the request in a new epoch of its thread, and erase what was there; see HistoryRepository.replace."""
    for pause in pauses():
        before = await find_state(database, request.scope)
        if before.latest:  # another writer is on its way, and keys are looked for in messages that were moved
            await settle(database, request.scope)
            continue
        if (replay := await _replay(database, before, request)) is not None:
            return replay
        [epoch] = await database.new_epochs(1)
        draft = _ThreadDraft(emptied(before, epoch), epoch, ExistingIds(set(), {}))
        receipt = draft.append(request._replace(expected_epoch=None))
        after = draft.change.after if draft.change else before
        if not before.deleted:
            await spend_keys(database, before, to_microseconds(request.appended_at))
        change = StateChange(before, after, beside={} if before.deleted else mark(before.epoch, is_emptied=True))
        [is_made] = await commit_appends(database, [change])
        if is_made is None:
            raise _erased_meanwhile()
        if is_made:
            with suppress(PyMongoError):  # they are committed: another process can move and remove them
                await remove(database, request.scope.tenant, [*ended_epochs(before), before.epoch])
                await move(database, [after])
                await sweep(database)
            return receipt
        await asyncio.sleep(pause)
    raise contended()


async def _replay(database: MongoDatabase, before: ThreadState, request: Append) -> Appended | None:
    known = (await _look_up(database, [(before, [(0, request)])]))[before.epoch]
    key = request.idempotency_key
    if key is None:
        return admit_replacement(request, before.head.version, None)
    is_spent = bool(await spent_among(database, {(request.scope, key)}))
    return admit_replacement(request, before.head.version, known.priors.get(key), is_spent=is_spent)


def _erased_meanwhile() -> OutcomeUnknown:
    return OutcomeUnknown("The thread was erased while this was appended, before or after it.")


def plan(state: ThreadState, epoch: int, known: ExistingIds, requests: Sequence[Numbered]) -> Plan:
    """Decide the requests one after the other, as many as one commit can hold."""
    draft = _ThreadDraft(state, epoch, known)
    outcomes: dict[int, Outcome] = {}
    for number, request in requests:
        if draft.is_full_for(request):
            break
        try:
            outcomes[number] = draft.append(request)
        except RecuerdoError as error:
            outcomes[number] = error
    return Plan(draft.change, outcomes)


class _ThreadDraft:
    """A thread as the requests of one commit would leave it."""

    def __init__(self, before: ThreadState, epoch: int, known: ExistingIds) -> None:
        self._before = before
        self._epoch = epoch
        self._head = before.head.version
        self._known = known
        self._messages: list[Document] = []
        self._size = 0
        self._title = "" if before.deleted else before.title
        self._times: list[int] = []

    @property
    def change(self) -> StateChange | None:
        """From what was to what is; None when nothing is new."""
        if not self._messages:
            return None
        before = self._before
        after = msgspec.structs.replace(
            before,
            epoch=self._epoch,
            last_seq=self._head.seq,
            deleted=False,
            title=self._title,
            created_at=self._times[0] if before.deleted else before.created_at,
            updated_at=self._times[-1],
            counts=dict(Counter(before.counts) + Counter(message["role"] for message in self._messages)),
            latest=self._messages,
        )
        return StateChange(before, after)

    def is_full_for(self, request: Append) -> bool:
        """Whether the request has to wait for the next commit."""
        return self._size > 0 and self._size + _size(request) > MOST_BYTES

    def append(self, request: Append) -> Appended:
        """The request's receipt. Raises what is wrong with the request, and then nothing has changed."""
        key = request.idempotency_key
        prior = self._known.priors.get(key) if key is not None else None
        if (replay := admit(request, self._head, prior, is_spent=key in self._known.spent)) is not None:
            return replay
        ids = self._checked_ids(request)
        if _size(request) > MOST_BYTES:
            raise too_large("messages")
        first_seq = self._head.seq + 1
        self._head = Version(self._epoch, self._head.seq + len(ids))
        self._take(request, ids, first_seq)
        return Appended(self._head, first_seq, ids, revision=self._before.revision)

    def _checked_ids(self, request: Append) -> list[str]:
        new: dict[str, None] = {}
        for message in request.messages:
            if message.id in new or message.id in self._known.ids:
                raise DuplicateMessage(message.id)
            new[message.id] = None
        return list(new)

    def _take(self, request: Append, ids: list[str], first_seq: int) -> None:
        stored = [_stored(message, seq) for seq, message in enumerate(request.messages, first_seq)]
        if (key := request.idempotency_key) is not None:
            stored[0]["append"] = {"key": key, "fingerprint": request.fingerprint, "ids": ids}
            self._known.priors[key] = PriorAppend(request.fingerprint, first_seq, ids)
        self._known.ids.update(ids)
        self._messages += stored
        self._size += _size(request)
        self._title = self._title or request.title
        self._times.append(to_microseconds(request.appended_at))


def _stored(message: NewMessage, seq: int) -> Document:
    role: Role = message.role
    return {
        "_id": ObjectId(),
        "seq": seq,
        "id": message.id,
        "role": role,
        "created_at": to_microseconds(message.created_at),
        "body": message.body.decode(),
        "checksum": message.checksum,
    }


def _size(request: Append) -> int:
    """About how many bytes the request takes in a document, and rather more."""
    ids = sum(len(message.id.encode()) for message in request.messages) * (2 if request.idempotency_key else 1)
    bodies = sum(len(message.body) + _MESSAGE_OVERHEAD for message in request.messages)
    return bodies + ids + _KEY_OVERHEAD


async def _look_up(
    database: MongoDatabase, asked: Sequence[tuple[ThreadState, Sequence[Numbered]]]
) -> dict[int, ExistingIds]:
    """The ids and keys of the requests that the threads have already, by their epochs."""
    known: dict[int, ExistingIds] = defaultdict(lambda: ExistingIds(set(), {}))
    by_id = [_by_id(state, requests) for state, requests in asked]
    by_key = [clause for state, requests in asked if (clause := _by_key(state, requests))]
    by_ids, by_keys = await asyncio.gather(_found(database, "id", by_id), _found(database, "idempotency_key", by_key))
    for message in by_ids:
        known[message["epoch"]].ids.add(message["id"])
    for message in by_keys:
        append = message["append"]
        prior = PriorAppend(append["fingerprint"], message["seq"], append["ids"])
        known[message["epoch"]].priors[append["key"]] = prior
    return known


async def _look_up_spent(
    database: MongoDatabase, asked: Mapping[Scope, Sequence[Numbered]]
) -> dict[Scope, set[str | None]]:
    """Which of the requests' keys were used in earlier epochs, by their threads."""
    keys = {
        (scope, request.idempotency_key)
        for scope, requests in asked.items()
        for _, request in requests
        if request.idempotency_key is not None
    }
    spent: dict[Scope, set[str | None]] = defaultdict(set)
    for scope, key in await spent_among(database, keys):
        spent[scope].add(key)
    return spent


async def _found(database: MongoDatabase, index: str, clauses: Sequence[Document]) -> list[Document]:
    if not clauses:
        return []
    query = clauses[0] if len(clauses) == 1 else {"$or": clauses}
    found = database.messages.find(query, {"_id": 0, "epoch": 1, "seq": 1, "id": 1, "append": 1})
    return await (found.hint(index) if index == "idempotency_key" else found).to_list()


def _by_id(state: ThreadState, requests: Sequence[Numbered]) -> Document:
    ids = {message.id for _, request in requests for message in request.messages}
    return {"tenant": state.scope.tenant, "epoch": state.epoch, "id": {"$in": list(ids)}}


def _by_key(state: ThreadState, requests: Sequence[Numbered]) -> Document | None:
    keys = {request.idempotency_key for _, request in requests if request.idempotency_key is not None}
    return {"tenant": state.scope.tenant, "epoch": state.epoch, "append.key": {"$in": list(keys)}} if keys else None


async def move(database: MongoDatabase, states: Sequence[ThreadState]) -> None:
    """Insert what is in `latest` of these states, durably, and then take it out of there.

    Anybody may do that at any time, also twice or late: the insert does nothing where the seq is taken, and `latest`
    is cleared only while it is still the one that was inserted. To clear it needs no durability: at worst it is moved
    once more. Where the epoch has ended meanwhile, what was inserted is removed again.
    """
    try:
        await database.messages.insert_many(
            [_row(state, message) for state in states for message in state.latest], ordered=False
        )
    except BulkWriteError as error:
        raise_unless_duplicates(error)
    moved = [{**address(state.scope), "epoch": state.epoch, "last_seq": state.last_seq} for state in states]
    clearing = [UpdateOne(each, {"$unset": {"latest": ""}}) for each in moved]
    cleared = await database.threads_quickly.bulk_write(clearing, ordered=False)
    if cleared.matched_count < len(states):
        await _remove_from_ended_epochs(database, states)


def _row(state: ThreadState, message: Document) -> Document:
    return {**address(state.scope), "epoch": state.epoch, **message}


async def _remove_from_ended_epochs(database: MongoDatabase, states: Sequence[ThreadState]) -> None:
    now = await find_states(database, [state.scope for state in states])
    for before, after in zip(states, now, strict=True):
        if before.epoch != after.epoch:
            await database.messages.delete_many({"tenant": before.scope.tenant, "epoch": before.epoch})


class WriteConflict(Exception):
    """Another writer came first, and nothing is written yet."""


async def settle(database: MongoDatabase, scope: Scope) -> None:
    """Move what another writer has left in the thread's document."""
    state = await find_state(database, scope)
    if state.latest:
        await move(database, [state])


class Unseen(NamedTuple):
    """The messages of a request whose ids its thread does not have yet: the thread's epoch, and its change, if any."""

    epoch: int
    change: StateChange | None


def messages_in(database: MongoDatabase, change: StateChange) -> list[CollectionWrite]:
    """The writes of a transaction that makes the change. The first finds no document if another writer came first."""
    before, after = change.before, change.after
    at_once = StateChange(before, msgspec.structs.replace(after, latest=[]))
    rows = [CollectionWrite(database.messages, partial(InsertOne, _row(after, message))) for message in after.latest]
    return [CollectionWrite(database.threads, at_once.make), *rows]


async def unseen(
    database: MongoDatabase,
    request: Append,
    epochs: Iterable[int],
    *,
    all_new: bool = False,
    left: ThreadState | None = None,
) -> Unseen:
    """Look which of the messages are new, before they are written by a transaction or without one.

    With `all_new` the messages are not looked up: the unique index of their ids fails a transaction for which that is
    wrong. Nor is the thread read whose state is `left`: a change from another state fails. Raises EpochChanged unless
    the thread is in each of the `epochs`, and WriteConflict when another writer is under way there.
    """
    found = await database.threads_lately.find_one(address(request.scope)) if left is None else None
    state = left or (state_of(found) if found else ThreadState(request.scope))
    if state.latest:
        raise WriteConflict
    check_epochs(epochs, state.head.version.epoch)
    known: set[str] = set()
    if not (all_new or state.deleted):
        wanted = _by_id(state, [(0, request)])
        known = {each["id"] async for each in database.messages_lately.find(wanted, {"id": 1})}
    new = [message for message in request.messages if message.id not in known]
    if not new:
        return Unseen(state.head.version.epoch, None)
    epoch = (await database.new_epochs(1))[0] if state.deleted else state.epoch
    made = plan(state, epoch, ExistingIds(set(), {}), [(0, request._replace(messages=new))])
    if made.change is None:
        raise next(outcome for outcome in made.outcomes.values() if isinstance(outcome, RecuerdoError))
    return Unseen(epoch, made.change)


class ThreadLocks:
    """A lock for each thread that a task of this process is at: two would only spoil each other's compare-and-set."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[Scope, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def at(self, scopes: Iterable[Scope]) -> AsyncGenerator[None]:
        """Be alone at these threads, as far as this process goes."""
        in_order = sorted(set(scopes), key=msgspec.structs.astuple)  # so that no two tasks wait for each other
        locks = [self._locks.setdefault(scope, asyncio.Lock()) for scope in in_order]
        async with AsyncExitStack() as held:
            for lock in locks:
                await held.enter_async_context(lock)
            yield
