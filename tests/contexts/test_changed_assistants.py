"""Assistants of our own database: what they are configured with, and how soon a change is seen."""

import asyncio
from contextlib import AsyncExitStack

import pytest
from msgspec.structs import replace

from recuerdo import Recuerdo
from recuerdo.app.graphs import hosting
from recuerdo.contexts.assistants import enrichment_of
from recuerdo.core.contexts import Limits, ModelParameters
from recuerdo.core.errors import CacheUnavailable, InvalidInput, NotFound
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import Owner
from recuerdo.observability.metrics import Metrics
from recuerdo.runs.assistants import own_assistant
from servers.proxy import running_proxy

SUPPORT = "5bd9c2a6-5b0f-4d3c-9d0f-0f2f8f6f1a01"


def configured(**context):
    return enrichment_of(replace(own_assistant("recuerdo"), context=context))


def test_parts_of_a_context_are_taken_and_the_rest_is_for_the_graph():
    enrichment = configured(
        model={"name": "openai:gpt-5", "temperature": 0}, limits={"window": 5}, metadata={"team": "a"}, tone="warm"
    )
    assert enrichment.model == ModelParameters(name="openai:gpt-5", temperature=0)
    assert enrichment.limits == Limits(window=5)
    assert enrichment.metadata == {"name": "recuerdo", "team": "a"}


def test_a_model_and_a_prompt_may_be_written_as_templates_of_langgraph_do():
    enrichment = configured(model="openai:gpt-5", system_prompt="Be brief.")
    assert (enrichment.model.name, enrichment.prompts.system) == ("openai:gpt-5", "Be brief.")


@pytest.mark.parametrize("part", [{"limits": {"windw": 5}}, {"model": {"temperature": "hot"}}, {"prompts": 7}])
def test_a_part_that_can_not_be_understood_is_named(part):
    with pytest.raises(InvalidInput, match=rf"\$\.{next(iter(part))}"):
        configured(**part)


@pytest.fixture
def owner():
    return Owner(f"tenant-{new_id()}", "emi")


async def replicas(stack, database, *urls):
    found = []
    for url in urls:
        memory = await stack.enter_async_context(Recuerdo.open(database, cache=url, embeddings="none"))
        hosted = await stack.enter_async_context(hosting(memory))
        found.append(hosted)
    return found


async def test_a_changed_assistant_is_seen_by_the_next_message_on_every_replica(tmp_path, redis_url, owner):
    """By its id and by its graph's name; also when it goes back to an older version, and when it is removed."""
    async with AsyncExitStack() as stack:
        here, there = await replicas(stack, f"sqlite:///{tmp_path}/a.db", redis_url, redis_url)
        own = own_assistant("recuerdo").assistant_id

        async def prompts():
            return {
                (await replica.contexts.get_or_create(owner.thread("t-1"), name)).prompts.system
                for replica in (here, there)
                for name in (own, "recuerdo")
            }

        assert await prompts() == {None}
        changed = await here.runs.assistants.update(owner, own, {"context": {"prompts": {"system": "v2"}}})
        assert await prompts() == {"v2"}
        await there.runs.assistants.update(owner, own, {"context": {"prompts": {"system": "v3"}}})
        assert await prompts() == {"v3"}
        await here.runs.assistants.set_latest(owner, own, changed.version)
        assert await prompts() == {"v2"}
        await there.runs.assistants.delete(owner, own)
        assert await prompts() == {None}


async def test_an_assistant_that_is_removed_is_not_found_at_the_next_message(tmp_path, redis_url, owner):
    async with AsyncExitStack() as stack:
        here, there = await replicas(stack, f"sqlite:///{tmp_path}/a.db", redis_url, redis_url)
        await here.runs.assistants.create(owner, SUPPORT, "recuerdo", {})
        assert (await there.contexts.get_or_create(owner.thread("t-1"), SUPPORT)).assistant_version == 1
        await here.runs.assistants.delete(owner, SUPPORT)
        with pytest.raises(NotFound):
            await there.contexts.get_or_create(owner.thread("t-1"), SUPPORT)


@pytest.mark.parametrize("database", ["postgres_url", "mongodb_url"])
async def test_without_a_shared_cache_a_change_reaches_other_replicas_a_moment_later(request, database, owner):
    """Changes of an assistant, the contexts that somebody invalidates, and the removal of an assistant."""
    url = request.getfixturevalue(database)
    async with AsyncExitStack() as stack:
        here, there = await replicas(stack, url, None, None)
        await here.runs.assistants.create(owner, SUPPORT, "recuerdo", {})
        thread = owner.thread("t-1")

        async def until(holds):
            async with asyncio.timeout(20):
                while not holds(await there.contexts.get_or_create(thread, SUPPORT)):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)

        await until(lambda context: context.assistant_version == 1)
        await here.runs.assistants.update(owner, SUPPORT, {"context": {"prompts": {"system": "v2"}}})
        await until(lambda context: context.assistant_version == 2)
        await asyncio.sleep(0.5)  # a change is told twice: before it is stored, and behind it
        await there.contexts.get_or_create(thread, SUPPORT, {"X-Recuerdo-Temperature": "0.5"})
        assert (await there.contexts.get_or_create(thread, SUPPORT)).model.temperature == 0.5
        await here.contexts.invalidate(thread, SUPPORT)
        await until(lambda context: context.model.temperature is None)
        await here.runs.assistants.delete(owner, SUPPORT)
        with pytest.raises(NotFound):
            await until(lambda _: False)


async def test_while_nobody_could_be_told_no_assistant_is_changed(tmp_path, redis_url, owner):
    port = int(redis_url.rpartition(":")[2].partition("/")[0])
    with running_proxy(port) as proxy:
        async with AsyncExitStack() as stack:
            [here] = await replicas(stack, "memory://", f"redis://127.0.0.1:{proxy.port}/0")
            await here.runs.assistants.create(owner, SUPPORT, "recuerdo", {})
            proxy.cut()
            with pytest.raises(CacheUnavailable):
                await here.runs.assistants.update(owner, SUPPORT, {"context": {"prompts": {"system": "v2"}}})
            assert (await here.runs.assistants.get(owner, SUPPORT)).version == 1
            assert (await here.contexts.get_or_create(owner.thread("t-1"), SUPPORT)).prompts.system is None


async def test_metrics_show_one_enrichment_a_conversation(owner):
    metrics = Metrics()
    async with Recuerdo.open("memory://", embeddings="none") as memory, hosting(memory, metrics=metrics) as hosted:
        for number in range(30):
            await hosted.contexts.get_or_create(owner.thread(f"t-{number % 3}"), "recuerdo")
    shown = metrics.render().decode()
    assert 'recuerdo_context_enrichments_total{outcome="fresh"} 3.0' in shown
    assert "recuerdo_context_bytes_count 30.0" in shown
    assert "recuerdo_context_age_seconds_count 30.0" in shown


async def test_metrics_of_contexts_and_sessions_tell_tenants_apart_when_asked_to(owner, redis_url):
    metrics = Metrics(by_tenant=True)
    memory = Recuerdo.open("memory://", embeddings="none", cache=redis_url, metrics=metrics)
    async with memory as opened, hosting(opened, metrics=metrics) as hosted:
        await hosted.contexts.get_or_create(owner.thread("t-1"), "recuerdo")
        await hosted.contexts.get_or_create(owner.thread("t-1"), "recuerdo")
        await hosted.contexts.invalidate(owner.thread("t-1"), "recuerdo")
        session = new_id()
        await hosted.sessions.bind(owner, session)
        await hosted.sessions.bind(owner, session)
    shown = [line for line in metrics.render().decode().splitlines() if "context" in line or 'data="session"' in line]
    samples = [line for line in shown if not line.startswith("#")]
    assert {line.partition("{")[0] for line in samples} >= {
        "recuerdo_cache_hits_total",
        "recuerdo_cache_misses_total",
        "recuerdo_context_bytes_count",
        "recuerdo_context_enrichments_total",
        "recuerdo_context_invalidations_total",
    }
    assert any('data="session"' in line for line in samples)
    assert [line for line in samples if f'tenant="{owner.tenant}"' not in line and "actions" not in line] == []
