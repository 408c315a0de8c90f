"""Workers of one process: with the context that actions refer to, and the three real duties."""

import asyncio
import threading

import msgspec
import pytest
from acting import NOW, SCOPE, ids, query, working_over

from recuerdo import Recuerdo
from recuerdo.agents.action_handlers import action_handlers
from recuerdo.app.workers import working_alone
from recuerdo.caching.tiered import LocalEntries, TieredCache
from recuerdo.contexts.references import ContextReferences
from recuerdo.core.actions import DomainAction, Embed, ExecuteAgent, Query, parse_queues
from recuerdo.core.contexts import Enrichment, Prompts, RetrievalParameters, context_of
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.memories import Embedding
from recuerdo.observability.metrics import Metrics
from recuerdo.observability.observed import CountedActions


class LengthsEmbedder:
    """A model to which a text means how long it is."""

    name = "lengths"

    async def embed(self, texts):
        return [Embedding(self.name, bytes([len(text)])) for text in texts]


@pytest.fixture
def references():
    return ContextReferences(TieredCache(LocalEntries(), local_bytes=0, alone=True))


def context(**parts):
    return context_of(SCOPE, Enrichment(assistant_id="support", **parts), NOW)


@pytest.mark.parametrize(
    "action",
    [
        ExecuteAgent(**ids(context_reference_key="k", metadata={"a": 1}), message="hola"),
        Embed(**ids(), texts=["uno", "dos"]),
        Query(**ids(), text="¿?", collections=("faq",)),
    ],
)
def test_an_action_is_the_same_behind_its_json(action):
    assert msgspec.json.decode(msgspec.json.encode(action), type=DomainAction) == action


@pytest.mark.parametrize("change", [{"schema": 2}, {"type": "shell"}, {"tennant": "x"}])
def test_what_is_no_action_of_this_version_is_refused(change):
    body = msgspec.to_builtins(query())
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**body, **change}, DomainAction)


def test_queues_are_named_by_a_text():
    assert parse_queues("all") == ("agent", "embedding", "query", "memory")
    assert parse_queues("none") == ()
    assert parse_queues("query, agent") == ("agent", "query")
    with pytest.raises(ConfigurationError, match="no queue 'qeury'"):
        parse_queues("agent,qeury")


async def test_a_reference_leads_to_its_context_for_its_tenant_and_audience_alone(references):
    key = await references.refer(context(), "query")
    assert len(key) >= 43
    assert await references.resolve("acme", "query", key) == context()
    for tenant, queue, wrong in [("zeta", "query", key), ("acme", "agent", key), ("acme", "query", f"{key}x")]:
        assert await references.resolve(tenant, queue, wrong) is None


async def test_a_worker_acts_with_the_context_and_without_it_with_the_actions_own_fields(references):
    seen, metrics = [], Metrics()

    async def look(action, context):
        seen.append(context)
        return action.text

    async with working_over("memory://") as (actions, worker, *_):
        worker.resolve, worker.watch = references.resolve, CountedActions(metrics)
        worker.take("query", look)
        key = await references.refer(context(prompts=Prompts(system="x")), "query")
        done = await actions.do(query("a-1", text="uno", context_reference_key=key))
        assert (done.context, done.value) == ("reference", "uno")
        done = await actions.do(query("a-2", text="dos", context_reference_key="gone"))
        assert (done.context, done.value) == ("action", "dos")
    assert [each and each.prompts.system for each in seen] == ["x", None]
    shown = metrics.render().decode()
    assert 'recuerdo_actions_without_context_total{queue="query"} 1.0' in shown
    assert 'recuerdo_actions_total{outcome="done",queue="query"} 2.0' in shown
    assert 'recuerdo_actions_waiting{queue="query"} 0.0' in shown


async def test_three_real_duties_answer_look_up_and_embed(references):
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await memory.library.add("acme", "guia.md", "# Pagos\n\nEl reembolso llega en 5 días.".encode())
        memory.worker.resolve = references.resolve
        for queue, do in action_handlers(lambda: memory.chat, LengthsEmbedder(), memory.actions.result).items():
            memory.worker.take(queue, do)
        key = await references.refer(context(retrieval=RetrievalParameters(k=1)), "agent")
        action = ExecuteAgent(**ids("a-1", context_reference_key=key), message="¿Cuándo llega el reembolso?")
        done = [await memory.actions.do(action) for _ in range(2)]
        assert "5 días" in done[0].value["text"]
        assert len(await memory.thread(tenant="acme", user="emi", thread="t-1").read()) == 2
        found = await memory.actions.do(query("a-2", text="reembolso"))
        assert found.value["sources"][0]["title"] == "Pagos"
        vectors = await memory.actions.do(Embed(**ids("a-3"), texts=["uno", "dos"]))
        assert len(vectors.value["vectors"]) == 2


async def test_closing_waits_for_what_this_process_has_handed_over(tmp_path):
    """As the program's last line may be what handed it over."""
    done = []

    async def look(action, _):
        done.append(action.action_id)

    async with Recuerdo.open(f"sqlite:///{tmp_path / 'r.db'}", embeddings="none") as memory:
        memory.worker.take("query", look)
        for number in range(5):
            await memory.actions.enqueue(query(f"a-{number}"))
        await memory.actions.enqueue(query("later", text="x"), after=3600)
    assert sorted(done) == [f"a-{number}" for number in range(5)]


async def test_a_worker_loads_what_its_first_answer_would_wait_for():
    """The model of embeddings has a thread of its own from its first use on."""
    before = set(threading.enumerate())
    opening = Recuerdo.open("memory://", embeddings="offline")
    async with opening as memory, working_alone(memory, ["agent"], concurrency=1):
        for _ in range(600):
            if new := [each.name for each in set(threading.enumerate()) - before if "usem3" in each.name]:
                break
            await asyncio.sleep(0.05)
        assert new
