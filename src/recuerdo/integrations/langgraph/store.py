"""LangGraph's Store, in Recuerdo."""

import asyncio
import json
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, Self, TypeVar, cast

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

from recuerdo.core import items as core
from recuerdo.core.conditions import conditions_of
from recuerdo.core.errors import InvalidInput
from recuerdo.core.item_ports import ItemRepository
from recuerdo.core.ports import Clock
from recuerdo.history.history import utc_now
from recuerdo.integrations.bridge import Bridge
from recuerdo.integrations.callers import SyncCaller
from recuerdo.integrations.langgraph.indexing import Indexing, together
from recuerdo.integrations.langgraph.opening import Opening
from recuerdo.integrations.langgraph.saver import DEFAULT_TENANT
from recuerdo.integrations.langgraph.sweeping import Sweeping

_LONGEST_PLACE = 1500
"""Bytes of a namespace and a key together: an index of PostgreSQL takes a little more."""

_Op = TypeVar("_Op", GetOp, SearchOp, ListNamespacesOp, PutOp)


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
    once unless `omit_expired` is False, and deleted by `sweep_ttl` or `start_ttl_sweeper`.

    Await the methods that begin with `a`; the synchronous ones are for other threads than the event loop's. Raises
    InvalidInput, Unavailable, or ConfigurationError when the database keeps no items.
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
        self.ttl_config = ttl
        self._sweeping = Sweeping(self.sweep_ttl)

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
            conn_string, lambda memory: cls(memory, tenant=tenant, user=user, index=index, ttl=ttl, words=words)
        )

    async def setup(self) -> None:
        """Nothing: the tables are made when Recuerdo opens the database. LangGraph's stores have it."""

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """As `abatch`, for synchronous callers."""
        return self._sync.run(self.abatch(ops))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The results of the operations. Reads see what was there before the batch; of two puts to a place the later
        holds, and all puts are one transaction.
        """
        given = list(ops)
        for op in given:
            _check(op)
        return await self._sync.join(self._batch(given))

    async def sweep_ttl(self) -> int:
        """Delete what has expired; returns how many items."""
        return await self._sync.join(self._items.sweep(self._scope, self._clock()))

    async def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> asyncio.Task[None]:
        """Sweep in the background, every so many minutes (those of the `ttl`, or 5). Returns the task."""
        configured = self.ttl_config.get("sweep_interval_minutes") if self.ttl_config else None
        return self._sweeping.start(60 * (sweep_interval_minutes or configured or 5))

    async def stop_ttl_sweeper(self, timeout: float | None = None) -> bool:  # noqa: ASYNC109 - LangGraph's name
        """Stop sweeping. True when nothing sweeps any more, also when nothing did."""
        return await self._sweeping.stop(timeout)

    def _alive_at(self, now: datetime) -> datetime | None:
        return now if self.ttl_config is None or self.ttl_config.get("omit_expired", True) else None

    async def _batch(self, given: Sequence[Op]) -> list[Result]:
        now = self._clock()
        results: dict[int, Result] = {}
        reads: list[Coroutine[Any, Any, None]] = []
        if gets := _chosen(given, GetOp):
            reads.append(self._get(gets, results, now))
        if searches := _chosen(given, SearchOp):
            reads.append(self._search(searches, results, now))
        if lists := _chosen(given, ListNamespacesOp):
            reads.append(self._list(lists, results, now))
        await together(reads)
        await self._put([op for _, op in _chosen(given, PutOp)])
        return [results.get(place) for place in range(len(given))]

    async def _get(self, ops: Sequence[tuple[int, GetOp]], results: dict[int, Result], now: datetime) -> None:
        places = [core.ItemKey(op.namespace, op.key) for _, op in ops]
        found = await self._items.read(self._scope, places, self._alive_at(now))
        read = [item for (_, op), item in zip(ops, found, strict=True) if item and op.refresh_ttl]
        await self._refresh(read, now)
        results.update((place, item and Item(**_fields(item))) for (place, _), item in zip(ops, found, strict=True))

    async def _search(self, ops: Sequence[tuple[int, SearchOp]], results: dict[int, Result], now: datetime) -> None:
        vectors = await self._indexing.query_vectors(op.query for _, op in ops)
        queries = [self._query(op, vectors.get(op.query, b""), now) for _, op in ops]
        pages = await together([self._items.search(self._scope, query) for query in queries])
        read = [hit.item for (_, op), hits in zip(ops, pages, strict=True) for hit in hits if op.refresh_ttl]
        await self._refresh(read, now)
        for (place, _), hits in zip(ops, pages, strict=True):
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
        for place, op in ops:
            patterns = [core.NamespacePattern(each.match_type, each.path) for each in op.match_conditions or ()]
            below = max((pattern.fixed for pattern in patterns), key=len, default=())
            there = await self._items.namespaces(self._scope, below, self._alive_at(now))
            results[place] = core.page_of_namespaces(there, patterns, op.max_depth, op.limit, op.offset)

    async def _put(self, ops: Sequence[PutOp]) -> None:
        latest = list({(op.namespace, op.key): op for op in ops}.values())
        if not latest:
            return
        values = [_json(op) for op in latest]
        entries = await self._indexing.entries([self._indexing.fields(op) for op in latest])
        puts = [
            core.Put(core.ItemKey(op.namespace, op.key), value, op.ttl, found)
            for op, value, found in zip(latest, values, entries, strict=True)
        ]
        await self._items.write(self._scope, puts, self._clock())

    async def _refresh(self, read: Sequence[core.Item], now: datetime) -> None:
        places = list(dict.fromkeys(item.place for item in read if item.ttl is not None))
        if places:
            await self._items.refresh(self._scope, places, now)


def _chosen(ops: Sequence[Op], kind: type[_Op]) -> list[tuple[int, _Op]]:
    return [(place, op) for place, op in enumerate(ops) if isinstance(op, kind)]


def _check(op: object) -> None:
    if not isinstance(op, GetOp | SearchOp | PutOp | ListNamespacesOp):
        raise InvalidInput("ops", f"a {type(op).__name__} is no operation of a store")
    validate_op_namespace(op)
    if isinstance(op, GetOp | PutOp):
        _check_place(op.namespace, op.key)
    elif op.limit < 0 or op.offset < 0:
        raise InvalidInput("limit", "limit and offset must be 0 or more")
    elif isinstance(op, SearchOp) and op.filter:
        _to_json("filter", op.filter)


def _check_place(namespace: tuple[str, ...], key: object) -> None:
    if not isinstance(key, str) or not _is_text("".join((*namespace, key))):
        raise InvalidInput("key", "keys and labels are texts without NUL and broken Unicode")
    if len("".join((*namespace, key)).encode()) > _LONGEST_PLACE:
        raise InvalidInput("key", f"a namespace and a key have {_LONGEST_PLACE} bytes together at most")


def _is_text(text: str) -> bool:
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def _json(op: PutOp) -> str | None:
    """The value as it is stored. Raises InvalidInput for what could not be read back."""
    return None if op.value is None else _to_json("value", op.value)


def _to_json(field: str, value: object) -> str:
    if not isinstance(value, Mapping):
        raise InvalidInput(field, "must be a dict with texts as keys")
    try:
        text = json.dumps(
            dict(cast(Mapping[str, Any], value)), ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
    except (TypeError, ValueError) as error:
        raise InvalidInput(field, f"must be JSON, and it is not: {error}") from None
    if "\\u0000" in text or not _is_text(text):
        raise InvalidInput(field, "must not have NUL or broken Unicode")
    return text


def _fields(item: core.Item) -> dict[str, Any]:
    """What LangGraph's items are made of."""
    return {
        "namespace": item.place.namespace,
        "key": item.place.key,
        "value": core.read_value(item),
        "created_at": item.created_at,
        "updated_at": item.updated_at,
    }
