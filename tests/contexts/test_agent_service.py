"""The agent-management service, against a real HTTP server that fails, goes away and comes back."""

import asyncio

import pytest

from recuerdo.adapters.http import AgentService, enrichment
from recuerdo.adapters.redis import RedisCache, RedisEntries
from recuerdo.caching.tiered import TieredCache
from recuerdo.contexts import Contexts
from recuerdo.core.errors import AgentsUnavailable, ConfigurationError, NotFound
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import Owner, Scope
from recuerdo.history.history import utc_now
from servers.agents import running_agents

OWNER = Owner("acmé", "emi")


@pytest.fixture
def agents():
    with running_agents() as server:
        server.agents["support"] = {"version": 2, "prompts": {"system": "Be kind."}, "retrieval": {"k": 3}}
        yield server


@pytest.fixture
async def service(agents):
    async with AgentService.open(agents.url, "s3cret") as service:
        yield service


async def test_an_agent_is_what_the_service_says(service, agents):
    agent = await service.enrich(OWNER, "support")
    assert (agent.assistant_id, agent.version, agent.prompts.system, agent.retrieval.k) == ("support", 2, "Be kind.", 3)
    [(_, headers)] = agents.questions
    assert headers["Authorization"] == "Bearer s3cret"
    assert (headers["X-Recuerdo-Tenant"], headers["X-Recuerdo-User"]) == ("acm%C3%A9", "emi")


async def test_an_agent_that_did_not_change_is_not_sent_again(service, agents):
    first = await service.enrich(OWNER, "support")
    assert await service.enrich(OWNER, "support") == first
    assert agents.unchanged == 1
    agents.agents["support"]["version"] = 3
    assert (await service.enrich(OWNER, "support")).version == 3


async def test_a_question_is_asked_again_until_it_is_answered(service, agents):
    agents.statuses = [503, 500]
    assert (await service.enrich(OWNER, "support")).version == 2
    assert len(agents.questions) == 3


async def test_an_agent_that_is_not_there_is_not_found(service, agents):
    with pytest.raises(NotFound):
        await service.enrich(OWNER, "a/../b?c")
    assert agents.questions[0][0] == "a/../b?c"


@pytest.mark.parametrize("trouble", ["gone", "failing", "nonsense", "redirecting", "slow", "dripping"])
async def test_while_the_service_is_away_what_it_said_before_is_used(service, agents, trouble, monkeypatch):
    monkeypatch.setattr(
        "recuerdo.adapters.http.enrichment.TIMEOUT_SECONDS", 10.0 if trouble not in ("slow", "dripping") else 0.5
    )
    await service.enrich(OWNER, "support")
    agents.agents["support"] = {"version": "nonsense"}
    match trouble:
        case "gone":
            agents.stop()
        case "failing":
            agents.statuses = [503] * 100
        case "redirecting":
            agents.statuses = [302] * 100
        case "slow":
            agents.delay = 1.5
        case "dripping":
            agents.agents["support"], agents.delay_of_bytes = {"version": 3}, 0.1
        case _:
            pass
    agent = await service.enrich(OWNER, "support")
    assert (agent.version, agent.stale) == (2, True)
    with pytest.raises(AgentsUnavailable):
        await service.enrich(Owner("other", "emi"), "support")


async def test_a_service_that_does_not_answer_is_not_asked_all_the_time(service, agents):
    await service.enrich(OWNER, "support")
    agents.statuses = [503] * 1000
    await asyncio.gather(*[service.enrich(OWNER, "support") for _ in range(50)])
    asked = len(agents.questions)
    for _ in range(50):
        assert (await service.enrich(OWNER, "support")).stale
    assert len(agents.questions) - asked < 50


async def test_an_address_of_another_kind_is_refused():
    with pytest.raises(ConfigurationError, match="RECUERDO_AGENTS_URL"):
        async with AgentService.open("file:///etc/passwd"):
            pass


SECONDS = 60.0
"""Longer than anything here takes on a busy machine: whoever is impatient enriches for himself."""


@pytest.mark.parametrize("flushed", [False, True])
async def test_a_thousand_messages_of_a_hundred_conversations_are_a_hundred_enrichments(
    agents, redis_url, monkeypatch, flushed
):
    """Over two replicas, with the service killed and restarted in between; with the cache flushed, twice as many."""
    tenant = f"tenant-{new_id()}"
    monkeypatch.setattr(enrichment, "TIMEOUT_SECONDS", SECONDS)

    async def say(contexts, number):
        thread = number % 100
        context = await contexts.get_or_create(Scope(tenant, f"u-{thread % 7}", f"t-{thread}"), "support")
        assert context.prompts.system == "Be kind."

    async with (
        AgentService.open(agents.url) as service,
        RedisCache.open(redis_url) as one,
        RedisCache.open(redis_url) as two,
    ):
        entries = [RedisEntries(each, lease=SECONDS) for each in (one, two)]
        caches = [TieredCache(each, deadline=SECONDS, retry_seconds=SECONDS) for each in entries]
        replicas = [Contexts(cache, service, utc_now) for cache in caches]
        for number in range(100):
            await say(replicas[number % 2], number)
        before = len(agents.questions)
        agents.stop()
        for number in range(400):
            await say(replicas[(number // 100) % 2], number)
        agents.start()
        if flushed:
            await replicas[0].invalidate_tenant(tenant)
        await asyncio.gather(*[say(replicas[(n // 3) % 2], n) for n in range(500)])
        assert before == 100
        assert len(agents.questions) == (200 if flushed else 100)
