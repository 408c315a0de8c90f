"""Execution contexts over each choice of tiers: enriched once, the same everywhere, never revived, never foreign."""

import asyncio
from contextlib import AsyncExitStack
from datetime import UTC, datetime

import msgspec
import pytest

from recuerdo.adapters.redis import RedisCache, RedisEntries
from recuerdo.caching.tiered import LocalEntries, TieredCache
from recuerdo.contexts import Contexts
from recuerdo.contexts.contexts import _key
from recuerdo.core.caches import Life
from recuerdo.core.contexts import Enrichment, Limits, ModelParameters, Prompts, RetrievalParameters
from recuerdo.core.errors import AgentsUnavailable, Forbidden, InvalidInput, NotFound
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import Scope
from servers.proxy import running_proxy

DEADLINE = 5.0
NOW = datetime(2026, 11, 22, tzinfo=UTC)


class Source:
    """Knows one assistant, whose prompt anybody may change; counts how often it is asked."""

    def __init__(self):
        self.asked = []
        self.prompt = "v1"
        self.error = None
        self.stale = False
        self.metadata = {}
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def enrich(self, owner, assistant_id):
        self.asked.append((owner, assistant_id))
        prompt = self.prompt
        await self.may_answer.wait()
        if self.error is not None:
            raise self.error
        return Enrichment(
            assistant_id=assistant_id,
            version=3,
            prompts=Prompts(system=prompt),
            model=ModelParameters(name="offline", temperature=0.5),
            metadata=self.metadata,
            stale=self.stale,
        )


class Watch:
    def __init__(self):
        self.seen = []

    def resolved(self, context, age):
        self.seen.append(("resolved", context.assistant_id, age >= 0))

    def enriched(self, tenant, outcome):
        self.seen.append(("enriched", outcome))

    def invalidated(self, tenant, what):
        self.seen.append(("invalidated", what))


@pytest.fixture
def source():
    return Source()


@pytest.fixture(params=["in process", "redis", "both", "trusting"])
async def tiers(request):
    async with AsyncExitStack() as stack:
        if request.param == "in process":
            alone = TieredCache(LocalEntries(), local_bytes=0, deadline=DEADLINE)
            yield alone, alone
            return
        url = request.getfixturevalue("redis_url")
        room, trust = (0 if request.param == "redis" else 2**20), (0.05 if request.param == "trusting" else 0.0)
        caches = [await stack.enter_async_context(RedisCache.open(url)) for _ in range(2)]
        yield [TieredCache(RedisEntries(each), local_bytes=room, trust=trust, deadline=DEADLINE) for each in caches]


@pytest.fixture
def here(tiers, source):
    return Contexts(tiers[0], source, lambda: NOW)


@pytest.fixture
def there(tiers, source):
    return Contexts(tiers[1], source, lambda: NOW)


@pytest.fixture
def scope():
    return Scope(f"tenant-{new_id()}", "emi", "t-1")


async def test_first_messages_that_come_together_are_enriched_once(here, there, scope, source):
    """All of them have come before the lease of the first is over, on a busy machine as well."""
    source.may_answer.clear()
    waiting = [asyncio.create_task(here.get_or_create(scope, "agent")) for _ in range(100)]
    await asyncio.sleep(0.05)
    source.may_answer.set()
    contexts = await asyncio.gather(*waiting)
    assert {context.fingerprint for context in contexts} == {contexts[0].fingerprint}
    assert await there.get_or_create(scope, "agent") == contexts[0]
    assert source.asked == [(scope.owner, "agent")]


async def test_a_context_says_whose_it_is_and_what_the_assistant_is_configured_with(here, scope):
    context = await here.get_or_create(scope, "agent", tier="gold", session="s-1")
    assert (context.scope, context.tier, context.session) == (scope, "gold", "s-1")
    assert (context.assistant_id, context.assistant_version, context.prompts.system) == ("agent", 3, "v1")
    assert context.created_at == NOW
    assert (await here.get_or_create(scope, "agent")).tier is None, "a tier is the credential's of one request"


async def test_each_user_thread_and_assistant_has_a_context_of_its_own(here, scope, source):
    scopes = [
        Scope(scope.tenant, "emi", "a:b"),
        Scope(scope.tenant, "emi:a", "b"),
        Scope(f"{scope.tenant}:emi", "a", "b"),
    ]
    found = [await here.get_or_create(each, agent) for each in scopes for agent in ("x", "y")]
    assert [(context.scope, context.assistant_id) for context in found] == [(s, a) for s in scopes for a in ("x", "y")]
    assert len(source.asked) == 6


@pytest.mark.parametrize("what", ["one", "assistant", "tenant"])
async def test_what_is_invalidated_is_enriched_anew_on_every_replica_and_nothing_else(here, there, scope, source, what):
    other_thread, stranger = Scope(scope.tenant, "emi", "t-2"), Scope(f"{scope.tenant}:x", "emi", "t-1")
    everything = [(scope, "agent"), (scope, "other"), (other_thread, "agent"), (stranger, "agent")]
    for each in everything:
        await here.get_or_create(*each)
        await there.get_or_create(*each)
    source.prompt = "v2"
    if what == "one":
        await there.invalidate(scope, "agent")
    elif what == "assistant":
        await there.invalidate_assistant(scope.tenant, "agent")
    else:
        await there.invalidate_tenant(scope.tenant)
    prompts = [(await replica.get_or_create(*each)).prompts.system for replica in (here, there) for each in everything]
    expected = {
        "one": ["v2", "v1", "v1", "v1"],
        "assistant": ["v2", "v1", "v2", "v1"],
        "tenant": ["v2", "v2", "v2", "v1"],
    }
    assert prompts == expected[what] * 2


@pytest.mark.parametrize("what", ["one", "assistant", "tenant"])
async def test_an_enrichment_that_began_before_an_invalidation_is_not_kept(here, there, scope, source, what):
    source.may_answer.clear()
    slow = asyncio.create_task(here.get_or_create(scope, "agent"))
    while not source.asked:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.01)
    source.prompt = "v2"
    if what == "one":
        await there.invalidate(scope, "agent")
    elif what == "assistant":
        await there.invalidate_assistant(scope.tenant, "agent")
    else:
        await there.invalidate_tenant(scope.tenant)
    source.may_answer.set()
    assert (await slow).prompts.system == "v1"
    for replica in (here, there):
        assert (await replica.get_or_create(scope, "agent")).prompts.system == "v2"


async def test_headers_set_what_is_known_and_the_setting_stays(here, there, scope):
    headers = {"X-Recuerdo-Temperature": "0.2", "X-Recuerdo-Locale": "es-AR", "X-Whatever": "1", "Host": "x"}
    context = await here.get_or_create(scope, "agent", headers)
    assert (context.model.temperature, context.model.name) == (0.2, "offline")
    assert context.metadata["locale"] == "es-AR"
    assert await there.get_or_create(scope, "agent") == context
    updated = await there.update(scope, "agent", {"x-recuerdo-window": "7"})
    assert updated is not None
    assert (updated.limits, updated.model.temperature) == (Limits(window=7), 0.2)
    assert await here.get_or_create(scope, "agent") == updated


async def test_an_update_makes_no_context_and_brings_none_back(here, there, scope):
    assert await here.update(scope, "agent", {"x-recuerdo-window": "7"}) is None
    await here.get_or_create(scope, "agent")
    await there.invalidate(scope, "agent")
    assert await here.update(scope, "agent", {"x-recuerdo-window": "7"}) is None
    assert (await here.get_or_create(scope, "agent")).limits.window is None


async def test_what_a_role_may_not_set_is_refused_and_nothing_changes(here, scope):
    headers = {"X-Recuerdo-Model": "openai:gpt-5", "X-Recuerdo-Collections": "a, b"}
    for header, value in headers.items():
        with pytest.raises(Forbidden, match=header):
            await here.get_or_create(scope, "agent", {header: value})
    assert (await here.get_or_create(scope, "agent")).model.name == "offline"
    context = await here.get_or_create(scope, "agent", headers, role="operator")
    assert (context.model.name, context.retrieval) == ("openai:gpt-5", RetrievalParameters(collections=("a", "b")))


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("X-Recuerdo-Temperature", "hot"),
        ("X-Recuerdo-Temperature", "3"),
        ("X-Recuerdo-Temperature", "nan"),
        ("X-Recuerdo-Window", "0"),
        ("X-Recuerdo-Window", "²"),
        ("X-Recuerdo-Locale", ""),
        ("X-Recuerdo-Channel", "x" * 1001),
    ],
)
async def test_a_header_that_makes_no_sense_is_named(scope, source, header, value):
    contexts = Contexts(TieredCache(LocalEntries(), local_bytes=0), source, lambda: NOW)
    with pytest.raises(InvalidInput, match=header):
        await contexts.get_or_create(scope, "agent", {header: value})


async def test_a_context_that_is_too_large_says_so_and_is_not_kept(here, scope, source):
    source.metadata = {"text": "x" * 70_000}
    with pytest.raises(InvalidInput, match=r"takes 7\d{4} bytes, and may take 65536"):
        await here.get_or_create(scope, "agent")
    source.metadata = {}
    assert (await here.get_or_create(scope, "agent")).metadata == {}


async def test_an_error_of_the_source_is_the_callers_and_is_not_kept(here, scope, source):
    for error in (NotFound("assistant", "agent"), AgentsUnavailable("away")):
        source.error = error
        with pytest.raises(type(error)):
            await here.get_or_create(scope, "agent")
    source.error = None
    assert (await here.get_or_create(scope, "agent")).prompts.system == "v1"


async def test_what_a_source_said_before_it_went_away_is_used_and_not_kept(here, there, scope, source):
    source.stale = True
    assert (await here.get_or_create(scope, "agent")).stale
    source.stale = False
    source.prompt = "v2"
    assert (await there.get_or_create(scope, "agent")).prompts.system == "v2"


async def test_a_context_of_another_version_of_ours_is_made_anew(here, tiers, scope, source):
    context = await here.get_or_create(scope, "agent")
    odd = msgspec.json.encode({**msgspec.to_builtins(context), "schema": 2})
    await tiers[0].set(_key(scope, "agent"), (odd,))
    source.prompt = "v2"
    assert (await here.get_or_create(scope, "agent")).prompts.system == "v2"
    assert (await here.get_or_create(scope, "agent")).prompts.system == "v2"
    assert len(source.asked) == 2


async def test_a_context_slides_within_its_longest_life(scope, source):
    now = [0.0]
    entries = LocalEntries(lives={"context": Life(1.0, 2.5)}, clock=lambda: now[0])
    contexts = Contexts(TieredCache(entries, local_bytes=0), source, lambda: NOW)
    for now[0] in (0.0, 0.9, 1.8, 2.4):
        await contexts.get_or_create(scope, "agent", {"x-recuerdo-window": "5"} if now[0] > 1 else {})
    assert len(source.asked) == 1
    now[0] = 2.6
    assert (await contexts.get_or_create(scope, "agent")).limits.window is None
    assert len(source.asked) == 2


async def test_without_the_shared_cache_conversations_go_on(redis_url, scope, source):
    port = int(redis_url.rpartition(":")[2].partition("/")[0])
    with running_proxy(port) as proxy:
        async with RedisCache.open(f"redis://127.0.0.1:{proxy.port}/0") as cache:
            contexts = Contexts(TieredCache(RedisEntries(cache), deadline=0.5), source, lambda: NOW)
            await contexts.get_or_create(scope, "agent")
            proxy.cut()
            source.prompt = "v2"
            found = await asyncio.gather(*[contexts.get_or_create(scope, "agent") for _ in range(100)])
            assert {context.prompts.system for context in found} == {"v2"}
            assert len(source.asked) <= 3, "those who ask at the same time share an enrichment"
            changed = await contexts.get_or_create(scope, "agent", {"x-recuerdo-window": "5"})
            assert changed.limits.window == 5


async def test_what_becomes_of_contexts_is_told(scope, source):
    watch = Watch()
    contexts = Contexts(TieredCache(LocalEntries(), local_bytes=0), source, lambda: NOW, watch=watch)
    await contexts.get_or_create(scope, "agent")
    await contexts.get_or_create(scope, "agent")
    await contexts.invalidate(scope, "agent")
    await contexts.invalidate_assistant(scope.tenant, "agent")
    await contexts.invalidate_tenant(scope.tenant)
    source.error = AgentsUnavailable("away")
    with pytest.raises(AgentsUnavailable):
        await contexts.get_or_create(scope, "agent")
    resolved, kinds = ("resolved", "agent", True), ("one", "assistant", "tenant")
    invalidated = [("invalidated", kind) for kind in kinds]
    assert watch.seen == [("enriched", "fresh"), resolved, resolved, *invalidated, ("enriched", "AgentsUnavailable")]


async def test_a_fingerprint_tells_what_an_agent_runs_with_and_not_who_asks(here, scope):
    other = Scope(scope.tenant, "ana", "t-9")
    mine, hers = await here.get_or_create(scope, "agent"), await here.get_or_create(other, "agent", session="s")
    assert mine.fingerprint == hers.fingerprint
    changed = await here.get_or_create(scope, "agent", {"X-Recuerdo-Temperature": "0.1"})
    assert changed.fingerprint != mine.fingerprint
