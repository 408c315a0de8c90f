"""LangGraph's Store, in Recuerdo."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, Protocol, Self, TypeVar

from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from recuerdo.concurrency.batcher import BatchLoader
from recuerdo.core import items as core
from recuerdo.core.conditions import conditions_of
from recuerdo.core.errors import InvalidInput, RecuerdoError
from recuerdo.core.graph_ports import ItemRepository
from recuerdo.core.ports import Clock
from recuerdo.core.scope import DEFAULT_TENANT, Owner
from recuerdo.history.history import utc_now
from recuerdo.integrations.bridge import Bridge, SyncCaller, loop_runs, nothing
from recuerdo.integrations.langgraph.indexing import Indexing, together
from recuerdo.integrations.langgraph.saver import Opening

_LONGEST_PLACE = 1500
"""Bytes of a namespace and a key together: an index of PostgreSQL takes a little more."""

_LONGEST_LIFE = 10**8
"""Minutes that an item may live, 190 years: databases can't write down a time that is much later."""

_MOST_READS = 4096
"""Calls that read together."""

_MOST_BYTES = 4 * 2**20
_BYTES_OF_A_PUT = 1024
"""The most bytes of calls that write together, and the least that a small one counts."""

_SEARCHES = 3
"""How many are under way at a time in one batch: the database has other callers."""

_FURTHEST = 2**53
"""Items, for a limit and an offset."""

_EXPIRY = TTLConfig(refresh_on_read=False)
"""How items expire where nothing else is said; LangGraph's own stores differ in this from each other."""

_write_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode

_Op = TypeVar("_Op", GetOp, SearchOp, ListNamespacesOp)
_T = TypeVar("_T")


_log = logging.getLogger(__name__)


class HasItems(Protocol):
    """An open Recuerdo, as far as a store needs it."""

    @property
    def items(self) -> ItemRepository:
        """Where items are kept. Raises ConfigurationError on databases that keep none."""
        ...


class RecuerdoStore(BaseStore):
    """The items of a tenant, or of one user of a tenant, as LangGraph's store: `graph.compile(store=...)`.

    `index` says how items are found by meaning, as for LangGraph's own stores; with `words=True` words count too,
    without regard to case and accents, also without an index. Items expire as `ttl` says; expired ones are gone at
    once unless `omit_expired` is False, and deleted by `sweep_ttl` or `start_ttl_sweeper`. Reading lets an item live on
    where `refresh_on_read` or the call says so.

    Calls that come together share transactions and round trips: writes take effect in the order in which they came,
    and each call reads all that was written before it began. Await the methods that begin with `a`; the synchronous
    ones are for other threads than the event loop's. Raises InvalidInput, Unavailable, or ConfigurationError when the
    database keeps no items.

    A user's items are theirs alone, but for those under `(tenant, "shared", ...)`: these are the tenant's, and all of
    its users find and write them there, without the anonymous ones.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: HasItems,
        *,
        tenant: str = DEFAULT_TENANT,
        user: str = "",
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
        words: bool = False,
        bridge: Bridge | None = None,
        clock: Clock = utc_now,
    ) -> None:
        self._items = memory.items
        self._scope = core.StoreScope(tenant, user)
        self._indexing = Indexing(index, words=words)
        self._sync = SyncCaller(bridge)
        self._clock = clock
        self.ttl_config = _EXPIRY | (ttl or TTLConfig())
        self._sweeping = Sweeping(self._sweep)
        self._shared: RecuerdoStore | None = None
        if user and not Owner(tenant, user).is_anonymous:
            self._shared = RecuerdoStore(
                memory, tenant=tenant, index=index, ttl=ttl, words=words, bridge=bridge, clock=clock
            )
        self._reads: BatchLoader[_ReadBatch, list[Result]] = BatchLoader(
            self._read_one, self._read_all, most=_MOST_READS
        )
        self._writes: BatchLoader[_PutBatch, None] = BatchLoader(
            self._write_one, self._write_all, concurrency=1, most=_MOST_BYTES, weigh=_PutBatch.weight
        )

    @classmethod
    def from_conn_string(
        cls,
        conn_string: str,
        *,
        tenant: str = DEFAULT_TENANT,
        user: str = "",
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
        words: bool = False,
    ) -> Opening[Self]:
        """Open a database for this store alone, with `async with` or, in a program without a loop, with `with`.

        See Recuerdo.open for the URLs and for what may be raised.
        """
        return Opening(
            conn_string,
            lambda memory: cls(memory, tenant=tenant, user=user, index=index, ttl=ttl, words=words),
            lambda store: store._sweeping.stop(None),
        )

    def setup(self) -> Any:
        """Nothing: the tables are made when Recuerdo opens the database. LangGraph's stores have it; may be awaited."""
        return nothing()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """As `abatch`, for synchronous callers."""
        return self._sync.run(self.abatch(ops))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The results of the operations. Reads see the state before the batch; of two puts to a place the later
        holds, and all puts are one transaction.
        """
        given = list(ops)
        for op in given:
            check_operation(op)
        if self._shared is None or not any(theirs := [self._is_shared(op) for op in given]):
            return await self._sync.join(self._batch(given))
        mine = [op for op, is_theirs in zip(given, theirs, strict=True) if not is_theirs]
        others = [op for op, is_theirs in zip(given, theirs, strict=True) if is_theirs]
        own, shared = await asyncio.gather(self._sync.join(self._batch(mine)), self._shared.abatch(others))
        answers = (iter(own), iter(shared))
        return [next(answers[is_theirs]) for is_theirs in theirs]

    def _is_shared(self, op: Op) -> bool:
        """Whether the operation is about what all users of the tenant share."""
        if isinstance(op, ListNamespacesOp):
            return False  # it lists both
        place = op.namespace_prefix if isinstance(op, SearchOp) else op.namespace
        return core.is_shared(self._scope.tenant, place)

    def sweep_ttl(self) -> Any:
        """Delete expired items; returns how many. To be awaited where an event loop runs."""
        return self._sync.either(self._sweep())

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> Any:
        """Sweep in the background, every few minutes (those of the `ttl`, or 5).

        Returns the task, when it is awaited; in a program without an event loop a future that can be waited for and
        cancelled. Sweeping ends when either is cancelled, by `stop_ttl_sweeper`, or with `from_conn_string`'s block.
        """
        seconds = 60 * (sweep_interval_minutes or self._expiry.get("sweep_interval_minutes") or 5)
        if loop_runs():
            return self._sync.either(self._start(seconds))
        return self._sync.begin(self._sweeping.until_stopped(seconds))

    def stop_ttl_sweeper(self, timeout: float | None = None) -> Any:
        """Stop sweeping. True when nothing sweeps any more, also when nothing did. See sweep_ttl."""
        return self._sync.either(self._sweeping.stop(timeout))

    async def _sweep(self) -> int:
        return await self._sync.join(self._items.sweep(self._scope, self._clock()))

    async def _start(self, seconds: float) -> Any:
        return self._sweeping.start(seconds)

    @property
    def _expiry(self) -> TTLConfig:
        return self.ttl_config or _EXPIRY

    def _alive_at(self, now: datetime) -> datetime | None:
        return now if self._expiry.get("omit_expired", True) else None

    async def _batch(self, given: Sequence[Op]) -> list[Result]:
        reads = [op for op in given if not isinstance(op, PutOp)]
        puts = _PutBatch([op for op in given if isinstance(op, PutOp)]) if len(reads) < len(given) else None
        found: list[Result] = []
        if reads:
            queries = [op.query for op in reads if isinstance(op, SearchOp) and op.query]
            vectors = await self._indexing.query_vectors(queries) if queries else {}
            found = await self._reads.get(_ReadBatch(reads, vectors))
        if puts is None:
            return found
        await self._writes.get(puts)
        answers = iter(found)
        return [None if isinstance(op, PutOp) else next(answers) for op in given]

    async def _read_one(self, call: "_ReadBatch") -> list[Result]:
        return (await self._read_all([call]))[0]

    async def _read_all(self, calls: Sequence["_ReadBatch"]) -> list[list[Result]]:
        """The results of each call. Operations that are equal are done once, and each has results of its own."""
        now = self._clock()
        ops = [op for call in calls for op in call.ops]
        vectors = {query: vector for call in calls for query, vector in call.vectors.items()}
        results: dict[int, Result] = {}
        await self._get(_chosen(ops, GetOp), results, now)
        await self._search(_chosen(ops, SearchOp), vectors, results, now)
        await self._list(_chosen(ops, ListNamespacesOp), results, now)
        answers = iter([results[place] for place in range(len(ops))])
        return [list(islice(answers, len(call.ops))) for call in calls]

    async def _get(self, ops: Sequence[tuple[int, GetOp]], results: dict[int, Result], now: datetime) -> None:
        if not ops:
            return
        places = {core.ItemAddress(op.namespace, op.key): op.refresh_ttl for _, op in ops}
        places |= {core.ItemAddress(op.namespace, op.key): True for _, op in ops if op.refresh_ttl}
        items = await self._items.read(self._scope, list(places), self._alive_at(now))
        found = dict(zip(places, items, strict=True))
        await self._refresh(
            [item for item, refresh in zip(items, places.values(), strict=True) if item and refresh], now
        )
        for place, op in ops:
            item = found[core.ItemAddress(op.namespace, op.key)]
            results[place] = item and Item(**_fields(item))

    async def _search(
        self,
        ops: Sequence[tuple[int, SearchOp]],
        vectors: Mapping[str | None, bytes],
        results: dict[int, Result],
        now: datetime,
    ) -> None:
        for few in _in_parts(_alike(ops).values(), _SEARCHES):
            queries = [self._query(op, vectors.get(op.query, b""), now) for (_, op), *_ in few]
            pages = await together([self._items.search(self._scope, query) for query in queries])
            read = [hit.item for ((_, op), *_), hits in zip(few, pages, strict=True) for hit in hits if op.refresh_ttl]
            await self._refresh(read, now)
            for same, hits in zip(few, pages, strict=True):
                for place, _ in same:
                    results[place] = [SearchItem(**_fields(hit.item), score=hit.score) for hit in hits]

    def _query(self, op: SearchOp, vector: bytes, now: datetime) -> core.ItemQuery:
        return core.ItemQuery(
            prefix=op.namespace_prefix,
            conditions=conditions_of(op.filter),
            limit=op.limit,
            offset=op.offset,
            vector=vector,
            words=self._indexing.words(op.query),
            alive_at=self._alive_at(now),
        )

    async def _list(
        self, ops: Sequence[tuple[int, ListNamespacesOp]], results: dict[int, Result], now: datetime
    ) -> None:
        there: dict[core.Namespace, list[core.Namespace]] = {}
        for same in _alike(ops).values():
            _, op = same[0]
            patterns = [core.NamespacePattern(each.match_type, each.path) for each in op.match_conditions or ()]
            below = max((pattern.fixed for pattern in patterns), key=len, default=())
            if below not in there:
                there[below] = await self._namespaces(below, self._alive_at(now))
            page = core.page_of_namespaces(there[below], patterns, op.max_depth, op.limit, op.offset)
            results.update((place, list(page)) for place, _ in same)

    async def _namespaces(self, below: core.Namespace, alive_at: datetime | None) -> list[core.Namespace]:
        """The store's own namespaces, and those that all users of the tenant share."""
        found = await self._items.namespaces(self._scope, below, alive_at)
        shared = (self._scope.tenant, core.SHARED)
        if self._shared is None or below[:2] != shared[: len(below)]:
            return found
        return [*found, *await self._items.namespaces(self._shared._scope, max(below, shared, key=len), alive_at)]

    async def _write_one(self, call: "_PutBatch") -> None:
        await self._write_all([call])

    async def _write_all(self, calls: Sequence["_PutBatch"]) -> list[None]:
        latest = list({(op.namespace, op.key): (op, value) for call in calls for op, value in call.puts}.values())
        entries = await self._indexing.entries([self._indexing.fields(op) for op, _ in latest])
        puts = [
            core.Put(core.ItemAddress(op.namespace, op.key), value, op.ttl, found)
            for (op, value), found in zip(latest, entries, strict=True)
        ]
        await self._items.write(self._scope, puts, self._clock())
        return [None] * len(calls)

    async def _refresh(self, read: Sequence[core.Item], now: datetime) -> None:
        places = list(dict.fromkeys(item.place for item in read if item.ttl is not None))
        if places:
            await self._items.refresh(self._scope, places, now)


class _ReadBatch:
    """The reads of one call, with the vectors of what they look for."""

    __slots__ = ("ops", "vectors")

    def __init__(self, ops: Sequence[GetOp | SearchOp | ListNamespacesOp], vectors: Mapping[str | None, bytes]) -> None:
        self.ops = ops
        self.vectors = vectors


class _PutBatch:
    """The puts of one call, with their values as JSON. Raises InvalidInput for what could not be read back."""

    __slots__ = ("puts",)

    def __init__(self, ops: Sequence[PutOp]) -> None:
        self.puts = [(op, value_as_json(op)) for op in ops]

    def weight(self) -> int:
        """In bytes, about."""
        return sum([_BYTES_OF_A_PUT + len(value or "") for _, value in self.puts])


def _chosen(ops: Sequence[Op], kind: type[_Op]) -> list[tuple[int, _Op]]:
    return [(place, op) for place, op in enumerate(ops) if isinstance(op, kind)]


def _alike(ops: Iterable[tuple[int, _Op]]) -> dict[Hashable, list[tuple[int, _Op]]]:
    """The operations with their places, those together that ask for the same."""
    groups: dict[Hashable, list[tuple[int, _Op]]] = {}
    for place, op in ops:
        groups.setdefault(repr(op), []).append((place, op))
    return groups


def _in_parts(things: Iterable[_T], most: int) -> Iterable[list[_T]]:
    left = iter(things)
    return iter(lambda: list(islice(left, most)), [])


def check_operation(op: object) -> None:
    """Raises InvalidInput, or LangGraph's InvalidNamespaceError, for what can't be kept or asked."""
    if not isinstance(op, GetOp | SearchOp | PutOp | ListNamespacesOp):
        raise InvalidInput("ops", f"a {type(op).__name__} is not an operation of a store")
    validate_op_namespace(op)
    if isinstance(op, GetOp | PutOp):
        _check_place(op.namespace, op.key)
        if isinstance(op, PutOp) and op.ttl is not None and not abs(op.ttl) <= _LONGEST_LIFE:
            raise InvalidInput("ttl", f"must be a number of minutes, {_LONGEST_LIFE} at most")
        return
    if not (0 <= op.limit <= _FURTHEST and 0 <= op.offset <= _FURTHEST):
        raise InvalidInput("limit", f"limit and offset must be 0 to {_FURTHEST}")
    if isinstance(op, ListNamespacesOp):
        for condition in op.match_conditions or ():
            _check_place(condition.path, "")
        return
    _check_place(op.namespace_prefix, "")
    if op.filter:
        _check_filter(op.filter)


def _check_filter(filters: Mapping[str, Any]) -> None:
    """A filter may contain what no value may, such as an infinity, as long as its meaning is defined."""
    if not isinstance(filters, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput("filter", "must be a dict with texts as keys")
    conditions_of(filters)
    try:
        json.dumps(dict(filters))
    except (TypeError, ValueError) as error:
        raise InvalidInput("filter", f"must be JSON, and it is not: {error}") from None


def _check_place(namespace: tuple[str, ...], key: object) -> None:
    text = _encoded("".join((*namespace, key))) if isinstance(key, str) else None
    if text is None:
        raise InvalidInput("key", "keys and labels are texts without NUL and broken Unicode")
    if len(text) > _LONGEST_PLACE:
        raise InvalidInput("key", f"a namespace and a key have {_LONGEST_PLACE} bytes together at most")


def _encoded(text: str) -> bytes | None:
    """The text in UTF-8; None for what databases can't keep."""
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        return None
    return None if b"\0" in encoded else encoded


def value_as_json(op: PutOp) -> str | None:
    """The value as it is stored. Raises InvalidInput for what could not be read back."""
    if op.value is None:
        return None
    if not isinstance(op.value, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput("value", "must be a dict with texts as keys")
    try:
        text = _write_json(dict(op.value))
    except (TypeError, ValueError) as error:
        raise InvalidInput("value", f"must be JSON, and it is not: {error}") from None
    if "\\u0000" in text or _encoded(text) is None:
        raise InvalidInput("value", "must not have NUL or broken Unicode")
    return text


def _fields(item: core.Item) -> dict[str, Any]:
    """The fields of LangGraph's items."""
    return {
        "namespace": item.place.namespace,
        "key": item.place.key,
        "value": core.read_value(item),
        "created_at": item.created_at,
        "updated_at": item.updated_at,
    }


class Sweeping:
    """One background task that sweeps; it goes on when a sweep fails."""

    def __init__(self, sweep: Callable[[], Awaitable[int]]) -> None:
        self._sweep = sweep
        self._task: asyncio.Task[None] | None = None

    def start(self, seconds: float) -> asyncio.Task[None]:
        """Sweep at this interval of seconds. Returns the task, or the one that sweeps already."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(seconds))
        return self._task

    async def until_stopped(self, seconds: float) -> None:
        """Sweep at this interval of seconds, until it is stopped or this is cancelled."""
        task = self.start(seconds)
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            task.cancel()
            raise

    async def stop(self, seconds: float | None) -> bool:
        """Stop, and wait for that up to the timeout, in seconds. True when nothing sweeps any more."""
        task = self._task
        if task is None:
            return True
        task.cancel()
        await asyncio.wait([task], timeout=seconds)
        return task.done()

    async def _run(self, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            try:
                await self._sweep()
            except RecuerdoError as error:
                _log.warning("expired items can't be deleted now: %s", error)
