"""Wrappers that measure calls of a port: each implements the port over another implementation."""

import asyncio
import functools
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from types import CoroutineType
from typing import Any, Literal, ParamSpec, Protocol, TypeVar, cast

import msgspec

from recuerdo.core.actions import Queue
from recuerdo.core.cache_ports import CachedReads, HistoryCache
from recuerdo.core.caches import CacheKey, asking
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.errors import InvalidInput, RecuerdoError, Unavailable
from recuerdo.core.graph_ports import AttemptOutcome
from recuerdo.core.memories import Memory
from recuerdo.core.messages import Message
from recuerdo.core.ports import ChatModel, Embedder, HistoryRepository, Tokenizer
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import Append, Appended, Head, Lease, Snapshot, Version
from recuerdo.core.tracing import Tracer
from recuerdo.observability.metrics import Metrics
from recuerdo.observability.tracing import TracedModel, trace
from recuerdo.observability.waiting import add_waited, watch_appends, watch_database, watch_embedder

T = TypeVar("T")
P = ParamSpec("P")
_MESSAGES = "messages"
_SECONDS_BEFORE_VOCABULARY = 10.0
Tier = Literal["local", "shared", "database"]


class LoadedOnce(Protocol):
    """A cached function that returns the tokenizer, which may take long to load."""

    def __call__(self) -> Tokenizer: ...

    def cache_info(self) -> Any:
        """Its `currsize` is 0 until the tokenizer is loaded."""


class FarthestTier:
    """The farthest tier that a read has reached."""

    def __init__(self) -> None:
        self.tier: Tier = "local"


_trail: ContextVar[FarthestTier | None] = ContextVar("trail", default=None)
"""The wrappers around the tiers report here which tier answered; tasks that a read starts share it."""


def begin() -> FarthestTier:
    """Follow the read that starts here."""
    trail = FarthestTier()
    _trail.set(trail)
    return trail


def reach(tier: Tier) -> None:
    """Note that the current read was answered by this tier."""
    trail = _trail.get()
    if trail is not None and trail.tier != "database":
        trail.tier = tier


class ObservedDatabase(HistoryRepository):
    """Measures the calls of a database's HistoryRepository, and counts appended messages."""

    def __init__(self, repository: HistoryRepository, metrics: Metrics) -> None:
        self._repository = repository
        self._metrics = metrics
        self.head = self._timed("head", repository.head)
        self.snapshot = self._timed("snapshot", repository.snapshot, reads=True)
        self.tail = self._timed("tail", repository.tail, reads=True)
        self.page = self._timed("page", repository.page, reads=True)
        self.count = self._timed("count", repository.count)
        self.archive = self._timed("archive", repository.archive)

    async def append(self, batch: Sequence[Append]) -> list[Appended | RecuerdoError]:
        outcomes = await self._time("append", batch[0].scope, self._repository.append(batch))
        for request, outcome in zip(batch, outcomes, strict=True):
            self._count(request, outcome)
        return outcomes

    async def replace(self, request: Append) -> Appended:
        try:
            receipt = await self._time("replace", request.scope, self._repository.replace(request))
        except Unavailable:
            raise
        except RecuerdoError as error:
            self._count(request, error)
            raise
        self._count(request, receipt)
        return receipt

    def _timed(
        self, operation: str, call: Callable[P, Awaitable[T]], *, reads: bool = False
    ) -> "Callable[P, CoroutineType[Any, Any, T]]":
        async def timed(*args: P.args, **options: P.kwargs) -> T:
            if reads:
                reach("database")
            return await self._time(operation, cast(Scope, args[0]), call(*args, **options))

        return timed

    async def _time(self, operation: str, scope: Scope, answer: Awaitable[T]) -> T:
        labels = (_MESSAGES, operation, *self._metrics.tenant(scope.tenant))
        began = time.perf_counter()
        try:
            return await answer
        except Unavailable:
            self._metrics.failures.of(*labels).inc()
            raise
        finally:
            self._metrics.database.of(*labels).observe(time.perf_counter() - began)

    def _count(self, request: Append, outcome: Appended | RecuerdoError) -> None:
        tenant = self._metrics.tenant(request.scope.tenant)
        if isinstance(outcome, RecuerdoError):
            self._metrics.appends_refused.of(type(outcome).__name__, *tenant).inc()
        elif not outcome.replayed:
            for message in request.messages:
                self._metrics.messages.of(message.role, *tenant).inc()
            self._metrics.lengths.of(*tenant).observe(outcome.version.seq)


class ObservedCache:
    """Counts the hits and fills of a shared HistoryCache."""

    def __init__(self, cache: HistoryCache, metrics: Metrics) -> None:
        self._cache = cache
        self._metrics = metrics
        self.append = cache.append
        self.purge = cache.purge
        self.purge_all = cache.purge_all
        self.verify = cache.verify
        self.mark = cache.mark

    async def read(self, scope: Scope, at_least: Version, wanted: int, head: Head | None = None) -> Snapshot | Lease:
        found = await self._cache.read(scope, at_least, wanted, head)
        is_hit = isinstance(found, Snapshot)
        if is_hit:
            reach("shared")
        looks = self._metrics.hits if is_hit else self._metrics.misses
        looks.of(_MESSAGES, "shared", *self._metrics.tenant(scope.tenant)).inc()
        return found

    async def fill(self, scope: Scope, lease: Lease, snapshot: Snapshot) -> bool:
        filled = await self._cache.fill(scope, lease, snapshot)
        fills = self._metrics.fills if filled else self._metrics.fills_refused
        fills.of(_MESSAGES, *self._metrics.tenant(scope.tenant)).inc()
        return filled


class Reads(HistoryRepository, CachedReads, Protocol):
    """Reads that are answered from caches if possible, otherwise from a database."""


class ObservedReads(Reads):
    """Measures how long callers wait for reads, and which tier answers."""

    def __init__(self, repository: Reads, metrics: Metrics) -> None:
        self._metrics = metrics
        self.append = repository.append
        self.replace = repository.replace
        self.head = repository.head
        self.snapshot = repository.snapshot
        self.count = repository.count
        self.archive = repository.archive
        self.tail = self._timed("tail", repository.tail)
        self.page = self._timed("page", repository.page)
        self.cached_tail = self._timed("cached_tail", repository.cached_tail)
        self.cached_page = self._timed("cached_page", repository.cached_page)

    def _timed(self, operation: str, call: Callable[P, Awaitable[T]]) -> "Callable[P, CoroutineType[Any, Any, T]]":
        async def timed(*args: P.args, **options: P.kwargs) -> T:
            began, trail = time.perf_counter(), begin()
            found = await call(*args, **options)
            tenant = self._metrics.tenant(cast(Scope, args[0]).tenant)
            self._metrics.reads.of(_MESSAGES, operation, trail.tier, *tenant).observe(time.perf_counter() - began)
            looks = self._metrics.hits if trail.tier == "local" else self._metrics.misses
            looks.of(_MESSAGES, "local", *tenant).inc()
            return found

        return timed


class ObservedModel:
    """Counts and times the calls of a ChatModel by their outcome, and counts their tokens in a thread.

    Providers count in different ways, and not all of them say how much; this count is the same for all models.
    """

    def __init__(self, model: ChatModel, metrics: Metrics, tokenizer: LoadedOnce) -> None:
        self._model = model
        self._metrics = metrics
        self._tokenizer = tokenizer

    @property
    def name(self) -> str:
        return self._model.name

    async def stream(self, prompt: Sequence[Message]) -> AsyncGenerator[str, None]:
        began, outcome, said = time.perf_counter(), "stopped", list[str]()
        pieces = self._model.stream(prompt)
        try:
            async for piece in pieces:
                said.append(piece)
                yield piece
            outcome = "answered"
        except Exception as error:
            outcome = type(error).__name__
            raise
        finally:
            self._took(outcome, began)
            await pieces.aclose()
            self._count_later(prompt, said)

    def _count_later(self, prompt: Sequence[Message], said: Sequence[str]) -> None:
        """Count in a thread; the first time long after the answer, since the process stops while a vocabulary loads."""
        loop = asyncio.get_running_loop()
        seconds = 0.0 if self._tokenizer.cache_info().currsize else _SECONDS_BEFORE_VOCABULARY
        loop.call_later(seconds, self._count_in_a_thread, loop, prompt, said)

    def _count_in_a_thread(
        self, loop: asyncio.AbstractEventLoop, prompt: Sequence[Message], said: Sequence[str]
    ) -> None:
        with suppress(RuntimeError):  # the process stops: its threads begin nothing more, and its metrics end with it
            loop.run_in_executor(None, self._count, prompt, said)

    def _count(self, prompt: Sequence[Message], said: Sequence[str]) -> None:
        count = self._tokenizer().count
        self._metrics.model_tokens.of(self.name, "input").inc(sum(count(message.text) for message in prompt))
        self._metrics.model_tokens.of(self.name, "output").inc(count("".join(said)))

    def _took(self, outcome: str, began: float) -> None:
        seconds = time.perf_counter() - began
        self._metrics.model_calls.of(self.name, outcome).inc()
        self._metrics.model_seconds.of(self.name, outcome).observe(seconds)
        add_waited("model", seconds)


class CountedActions:
    """The ActionWatch over metrics."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def attempted(self, queue: Queue, outcome: AttemptOutcome) -> None:
        self._metrics.actions.of(queue, outcome).inc()

    def without_context(self, queue: Queue) -> None:
        self._metrics.actions_without_context.of(queue).inc()

    def waiting(self, queue: Queue, count: int) -> None:
        self._metrics.actions_waiting.of(queue).set(count)


class CountedContexts:
    """The ContextWatch over metrics."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def resolved(self, context: ExecutionContext, age: float) -> None:
        tenant = self._metrics.tenant(context.tenant)
        self._metrics.context_bytes.of(*tenant).observe(len(msgspec.json.encode(context)))
        self._metrics.context_ages.of(*tenant).observe(age)

    def enriched(self, tenant: str, outcome: str) -> None:
        self._metrics.enrichments.of(outcome, *self._metrics.tenant(tenant)).inc()

    def invalidated(self, tenant: str, what: str) -> None:
        self._metrics.invalidations.of(what, *self._metrics.tenant(tenant)).inc()


class CountedMemories:
    """Counts memories saved and recalled, by wrapping the calls of one Memories."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._calls: dict[str, Callable[[Any], Mapping[str, int]]] = {
            "remember": _remembered,
            "learn": _remembered,
            "add": lambda saved: _remembered([saved]),
            "approve": lambda _: {"approved": 1},
            "reject": lambda _: {"rejected": 1},
            "recall_all": lambda found: {"recalled": len(found.memories)},
            "search": lambda _: {"searched": 1},
        }

    def count(self, memories: object) -> None:
        """Count the calls of these memories from now on."""
        for method, events_of in self._calls.items():
            setattr(memories, method, self._counted(getattr(memories, method), events_of))

    def _counted(self, method: Callable[..., Any], events_of: Callable[[Any], Mapping[str, int]]) -> Callable[..., Any]:
        @functools.wraps(method)
        async def counted(owner: Owner, *args: Any, **options: Any) -> Any:
            tenant = self._metrics.tenant(owner.tenant)
            try:
                result = await method(owner, *args, **options)
            except InvalidInput:
                self._metrics.memory_events.of("refused", *tenant).inc()
                raise
            for event, count in events_of(result).items():
                if count:
                    self._metrics.memory_events.of(event, *tenant).inc(count)
            return result

        return counted


def _remembered(saved: Sequence[Memory]) -> Mapping[str, int]:
    return {
        "saved": len(saved),
        "ended": len(getattr(saved, "ended", ())),
        "quarantined": len(getattr(saved, "waiting", ())),
    }


class Observation:
    """Used by the composition root. Each method returns its argument, measured if there are metrics."""

    def __init__(self, metrics: Metrics | None, tracer: Tracer | None = None) -> None:
        self._metrics = metrics
        self._tracer = tracer

    def trace(self, service: T, spans: Mapping[str, str]) -> T:
        """Record spans for the named methods of the service, if there is a tracer."""
        if self._tracer:
            trace(service, spans, self._tracer)
        return service

    def waits(self, repositories: Mapping[str, object], embedder: Embedder | None) -> None:
        """Time what requests wait for: the calls of the database and of the embedding model."""
        if self._metrics or self._tracer:
            watch_database(repositories, self._tracer)
            if embedder is not None:
                watch_embedder(embedder, self._tracer)

    def appends(self, history: T) -> T:
        """Time how long appends wait."""
        if self._metrics:
            watch_appends(history)
        return history

    def database(self, repository: HistoryRepository) -> HistoryRepository:
        """Measure the database, below every cache."""
        return ObservedDatabase(repository, self._metrics) if self._metrics else repository

    def cache(self, cache: HistoryCache | None) -> HistoryCache | None:
        """Measure the shared cache, if there is one."""
        return ObservedCache(cache, self._metrics) if self._metrics and cache is not None else cache

    def outages(self, failures: Callable[[], int], stale: Callable[[], int]) -> None:
        """Export the shared cache's failed calls, and the threads with outdated entries."""
        if self._metrics:
            self._metrics.watch_counter("cache_failures", "Shared cache calls that timed out or failed.", failures)
            self._metrics.watch_gauge(
                "cache_stale_threads", "Threads with outdated entries in the shared cache.", stale
            )

    def replica_read(self, outcome: str) -> None:
        """Count a read of the read replica."""
        if self._metrics:
            self._metrics.replica_reads.of(outcome).inc()

    def memories(self, memories: T) -> T:
        """Count memories saved and recalled, if there are metrics."""
        if self._metrics:
            CountedMemories(self._metrics).count(memories)
        return memories

    def looks(self, key: CacheKey, tier: str, found: bool) -> None:
        """Count a lookup in a tier; see TieredCache."""
        if self._metrics:
            tenant = self._metrics.tenant(asking.get() or key.tenant)
            (self._metrics.hits if found else self._metrics.misses).of(key.data, tier, *tenant).inc()

    def reads(self, cached: Reads) -> Reads:
        """Measure reads as callers see them, above every cache."""
        return ObservedReads(cached, self._metrics) if self._metrics else cached

    def model(self, model: ChatModel, tokenizer: LoadedOnce) -> ChatModel:
        """Measure the chat model; its tokens are counted by the tokenizer."""
        measured = ObservedModel(model, self._metrics, tokenizer) if self._metrics else model
        return TracedModel(measured, self._tracer) if self._tracer else measured

    def spool(self, depth: Callable[[], int], refused: Callable[[], int]) -> None:
        """Export the spool's waiting appends, and those refused after they were acknowledged."""
        if self._metrics:
            self._metrics.watch_gauge("spool_depth", "Appends in the spool.", depth)
            self._metrics.watch_counter(
                "spool_refused", "Appends refused by the database after the spool had acknowledged them.", refused
            )

    def repairs(self, repairs: Callable[[], int]) -> None:
        """Export the number of outdated cache entries that the sweeper removed."""
        if self._metrics:
            self._metrics.watch_counter("cache_repairs", "Outdated cache entries that were removed.", repairs)
