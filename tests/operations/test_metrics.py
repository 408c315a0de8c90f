"""Metrics: what they count, over the real parts that they are put around."""
# pyright: basic, reportAttributeAccessIssue=false, reportArgumentType=false

import asyncio
import re
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from functools import cache
from typing import Any

import pytest

from recuerdo import Recuerdo
from recuerdo.adapters.local import LocalDatabase, LocalHistory, LocalThreads
from recuerdo.adapters.registry import open_history_cache
from recuerdo.caching.history import CachedHistory, CachedThreads, HistoryTiers, LocalTier
from recuerdo.core.errors import DatabaseUnavailable, EpochChanged, InvalidInput, ModelUnavailable
from recuerdo.core.memories import Source
from recuerdo.core.messages import Message
from recuerdo.core.ports import ChatModel, HistoryRepository
from recuerdo.core.threads import Version
from recuerdo.history import History
from recuerdo.observability.metrics import Metrics
from recuerdo.observability.observed import Observation, Reads
from recuerdo.testing.samples import fresh_scope, request, said
from recuerdo.windowing import MessageWindow
from recuerdo.windowing.tokenizers import CharacterTokenizer

NO_ROOM = 0


def values(metrics: Metrics, name: str) -> dict[str, float]:
    """The series of a metric that are not 0, by their labels."""
    lines = re.findall(rf"^{name}(?:\{{(.*)\}})? (\S+)$", metrics.render().decode(), re.MULTILINE)
    return {labels.replace('"', ""): float(value) for labels, value in lines if float(value)}


@asynccontextmanager
async def observed(
    metrics: Metrics, redis_url: str | None, room: int = 2**20
) -> AsyncGenerator[tuple[History, Reads, HistoryRepository], None]:
    """A history whose every layer is measured, as `recuerdo.app.wiring` puts them together."""
    observation, database = Observation(metrics), LocalDatabase()
    async with open_history_cache(redis_url, deadline=5) as shared:
        tiers = HistoryTiers(LocalTier(room), observation.cache(shared))
        beneath = observation.database(LocalHistory(database))
        reads = observation.reads(CachedHistory(beneath, tiers))
        threads = CachedThreads(LocalThreads(database), tiers)
        yield History(reads, threads, cached=reads), reads, beneath


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


async def test_messages_are_counted_by_role(metrics: Metrics) -> None:
    """Once each: a replay and a refused append append nothing, and the refusal is counted by its reason."""
    scope = fresh_scope()
    async with observed(metrics, None) as (history, _, _):
        await history.append(scope, [Message.user("a"), Message.user("b"), Message.assistant("c")], idempotency_key="k")
        await history.append(scope, [Message.user("a"), Message.user("b"), Message.assistant("c")], idempotency_key="k")
        with pytest.raises(EpochChanged):
            await history.append(scope, [Message.user("d")], expected_epoch=99)
    assert values(metrics, "recuerdo_messages_appended_total") == {"role=user": 2, "role=assistant": 1}
    assert values(metrics, "recuerdo_appends_refused_total") == {"reason=EpochChanged": 1}
    assert values(metrics, "recuerdo_thread_messages_sum") == {"": 3}


async def test_reads_are_told_apart_by_the_tier_that_answered(metrics: Metrics, redis_url: str) -> None:
    """The first comes from the database, the next from this process; a cached one from the tier that replicas share."""
    scope = fresh_scope()
    async with observed(metrics, redis_url) as (history, _, beneath):
        await beneath.append([request(scope, said(), said())])
        for _ in range(3):
            await history.window(scope, MessageWindow(10))
        await history.window(scope, MessageWindow(10), consistency="cached")
    assert values(metrics, "recuerdo_reads_seconds_count") == {
        "data=messages,operation=tail,tier=database": 1,
        "data=messages,operation=tail,tier=local": 2,
        "data=messages,operation=cached_tail,tier=shared": 1,
    }


async def test_hits_misses_and_fills_are_counted(metrics: Metrics, redis_url: str) -> None:
    scope = fresh_scope()
    async with observed(metrics, redis_url, NO_ROOM) as (history, _, beneath):
        await beneath.append([request(scope, said())])
        for _ in range(3):
            await history.window(scope, MessageWindow(10))
    assert values(metrics, "recuerdo_cache_misses_total") == {
        "data=messages,tier=shared": 1,
        "data=messages,tier=local": 3,
    }
    assert values(metrics, "recuerdo_cache_hits_total") == {"data=messages,tier=shared": 2}
    assert values(metrics, "recuerdo_cache_fills_total") == {"data=messages": 1}
    assert values(metrics, "recuerdo_cache_fills_refused_total") == {}


async def test_fills_that_come_too_late_are_counted(metrics: Metrics, redis_url: str) -> None:
    scope = fresh_scope()
    async with open_history_cache(redis_url) as bare:
        assert bare is not None
        cache = Observation(metrics).cache(bare)
        assert cache is not None
        lease = await cache.read(scope, Version(1, 1), 10)
        await cache.purge([scope])
        snapshot = await LocalHistory(LocalDatabase()).snapshot(scope, 10)
        assert not await cache.fill(scope, lease, snapshot)  # pyright: ignore[reportArgumentType]
    assert values(metrics, "recuerdo_cache_fills_refused_total") == {"data=messages": 1}


async def test_what_the_database_takes_and_does_not_answer_is_counted(metrics: Metrics) -> None:
    class Away(LocalHistory):
        async def count(self, scope: object) -> dict[str, int]:  # pyright: ignore[reportIncompatibleMethodOverride]
            raise DatabaseUnavailable("away")

    repository = Observation(metrics).database(Away(LocalDatabase()))
    await repository.head(fresh_scope())
    with pytest.raises(DatabaseUnavailable):
        await repository.count(fresh_scope())
    assert values(metrics, "recuerdo_database_seconds_count") == {
        "data=messages,operation=head": 1,
        "data=messages,operation=count": 1,
    }
    assert values(metrics, "recuerdo_database_failures_total") == {"data=messages,operation=count": 1}


async def test_reads_at_the_same_time_do_not_mix_their_tiers(metrics: Metrics, redis_url: str) -> None:
    """Each of 50 reads of threads of its own is told once, whatever the others do meanwhile."""
    scopes = [fresh_scope() for _ in range(50)]
    async with observed(metrics, redis_url) as (history, _, beneath):
        await beneath.append([request(scope, said()) for scope in scopes])
        for scope in scopes[:25]:
            await history.window(scope, MessageWindow(10))
        before = values(metrics, "recuerdo_reads_seconds_count")
        await asyncio.gather(*(history.window(scope, MessageWindow(10)) for scope in scopes))
    counts = values(metrics, "recuerdo_reads_seconds_count")
    name = "data=messages,operation=tail,tier={}".format
    assert counts[name("database")] - before[name("database")] == 25
    assert counts[name("local")] == 25


@pytest.mark.parametrize("by_tenant", [False, True])
async def test_tenants_are_told_apart_only_when_that_is_asked_for(by_tenant: bool, redis_url: str) -> None:
    """Not one series names a tenant otherwise."""
    metrics, scope = Metrics(by_tenant=by_tenant), fresh_scope()
    async with observed(metrics, redis_url) as (history, _, _):
        await history.append(scope, [Message.user("a")])
        await history.window(scope, MessageWindow(10))
    assert (scope.tenant in metrics.render().decode()) is by_tenant
    if by_tenant:
        assert values(metrics, "recuerdo_messages_appended_total") == {f"role=user,tenant={scope.tenant}": 1}


class Model:
    """Says two words, and fails or goes on as it is told."""

    name = "test:model"

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error

    async def stream(self, prompt: Sequence[Message]) -> AsyncGenerator[str, None]:
        yield "one"
        if self._error:
            raise self._error
        yield "two"


async def test_model_calls_are_counted_by_how_they_end(metrics: Metrics) -> None:
    def observe(model: Model) -> ChatModel:
        return Observation(metrics).model(model, cache(CharacterTokenizer))

    assert [piece async for piece in observe(Model()).stream([])] == ["one", "two"]
    with pytest.raises(ModelUnavailable):
        _ = [piece async for piece in observe(Model(ModelUnavailable("away"))).stream([])]
    async with aclosing(observe(Model()).stream([])) as pieces:
        await anext(pieces)
    assert observe(Model()).name == "test:model"
    assert values(metrics, "recuerdo_model_calls_total") == {
        "model=test:model,outcome=answered": 1,
        "model=test:model,outcome=ModelUnavailable": 1,
        "model=test:model,outcome=stopped": 1,
    }


async def test_tokens_of_prompts_and_replies_are_counted_by_model(metrics: Metrics) -> None:
    tokenizer = cache(CharacterTokenizer)
    tokenizer()
    model = Observation(metrics).model(Model(), tokenizer)
    _ = [piece async for piece in model.stream([Message.system("12345678"), Message.user("1234")])]
    while len(values(metrics, "recuerdo_model_tokens_total")) < 2:  # noqa: ASYNC110 - a thread counts
        await asyncio.sleep(0.01)
    assert values(metrics, "recuerdo_model_tokens_total") == {
        "direction=input,model=test:model": 3,
        "direction=output,model=test:model": 2,
    }


async def test_no_answer_waits_until_its_tokens_can_be_counted(metrics: Metrics) -> None:
    """The first count would load a vocabulary, which stops the whole process for half a second."""
    loaded = list[bool]()

    @cache
    def load() -> CharacterTokenizer:
        loaded.append(True)
        return CharacterTokenizer()

    _ = [piece async for piece in Observation(metrics).model(Model(), load).stream([Message.user("1234")])]
    await asyncio.sleep(0.1)
    assert not loaded


def test_a_process_that_stops_behind_an_answer_counts_its_tokens_no_more(metrics: Metrics) -> None:
    """Its threads are gone when it would be time to count."""
    failed = list[dict[str, Any]]()
    tokenizer = cache(CharacterTokenizer)
    tokenizer()

    async def answer() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: failed.append(context))
        await loop.shutdown_default_executor()
        _ = [piece async for piece in Observation(metrics).model(Model(), tokenizer).stream([Message.user("1234")])]
        counted = asyncio.Event()
        loop.call_later(0.001, counted.set)
        await counted.wait()

    asyncio.run(answer())
    assert not failed


async def test_what_others_count_is_read_when_somebody_looks(metrics: Metrics) -> None:
    depth, refused, repairs = [3], [1], [4]
    observation = Observation(metrics)
    observation.spool(lambda: depth[0], lambda: refused[0])
    observation.repairs(lambda: repairs[0])
    depth[0] = 5
    assert values(metrics, "recuerdo_spool_depth") == {"": 5}
    assert values(metrics, "recuerdo_spool_refused_total") == {"": 1}
    assert values(metrics, "recuerdo_cache_repairs_total") == {"": 4}


async def test_two_metrics_in_one_process_count_apart(metrics: Metrics) -> None:
    scope = fresh_scope()
    async with observed(Metrics(), None) as (history, _, _):
        await history.append(scope, [Message.user("a")])
    assert values(metrics, "recuerdo_messages_appended_total") == {}


async def test_without_metrics_nothing_is_put_in_between() -> None:
    observation, history, model = Observation(None), LocalHistory(LocalDatabase()), Model()
    reads = CachedHistory(history, HistoryTiers(LocalTier()))
    assert observation.database(history) is history
    assert observation.reads(reads) is reads
    assert observation.model(model, cache(CharacterTokenizer)) is model
    assert observation.cache(None) is None
    observation.spool(lambda: 0, lambda: 0)
    observation.repairs(lambda: 0)
    observation.outages(lambda: 0, lambda: 0)


def test_without_the_library_there_are_no_metrics() -> None:
    script = (
        "import sys; sys.modules['prometheus_client'] = None\n"
        "from recuerdo.observability.metrics import open_metrics\n"
        "from recuerdo.observability.observed import Observation\n"
        "assert open_metrics() is None\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


async def test_what_becomes_of_memories_is_counted(metrics: Metrics) -> None:
    """Saved, ended and refused memories and searches count once each; a memory that waits for approval is not saved."""
    async with Recuerdo.open("memory://", embeddings="none", metrics=metrics) as memory:
        user = memory.user(tenant="acme", user="emi")
        await user.remember("Vivo en Lima.")
        await user.remember("Ya no vivo en Lima.")
        await user.remember("Vivo en Quito.", Source(author="tool"))
        with pytest.raises(InvalidInput):
            await user.add("")
        await user.search("¿Dónde vivo?")
    counted = values(metrics, "recuerdo_memory_events_total")
    assert counted == {
        "event=saved": 1,
        "event=ended": 1,
        "event=quarantined": 1,
        "event=refused": 1,
        "event=searched": 1,
    }
