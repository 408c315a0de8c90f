"""Actions handed to workers: with the context that they refer to, once, retried, and given up in the open."""

import asyncio
from datetime import UTC, datetime

import msgspec
import pytest

from recuerdo import Recuerdo
from recuerdo.actions import Worker
from recuerdo.agents.duties import duties_of
from recuerdo.caching.entries import LocalEntries
from recuerdo.caching.tiered import TieredCache
from recuerdo.contexts.references import ContextReferences
from recuerdo.core.actions import Embed, ExecuteAgent, Query, decode_action, encode_action
from recuerdo.core.contexts import Enrichment, Prompts, RetrievalParameters, context_of
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable
from recuerdo.core.memories import Embedding
from recuerdo.core.scope import Scope

NOW = datetime(2026, 11, 22, tzinfo=UTC)
SCOPE = Scope("acme", "emi", "t-1")


class LengthsEmbedder:
    """A model to which a text means how long it is."""

    name = "lengths"

    async def embed(self, texts):
        return [Embedding(self.name, bytes([len(text)])) for text in texts]


def ids(action_id="a-1", **more):
    whose = {"tenant": SCOPE.tenant, "user": SCOPE.user, "thread": SCOPE.thread}
    return {"action_id": action_id, "task_id": "task-1", "created_at": NOW, **whose, **more}


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
    assert decode_action(encode_action(action)) == action
    assert (action.cache_key is None) == (action.context_reference_key is None)


@pytest.mark.parametrize("change", [{"schema": 2}, {"type": "shell"}, {"tennant": "x"}])
def test_what_is_no_action_of_this_version_is_refused(change):
    body = msgspec.json.decode(encode_action(Query(**ids(), text="x")))
    with pytest.raises(msgspec.ValidationError):
        decode_action(msgspec.json.encode({**body, **change}))


async def test_a_reference_leads_to_its_context_for_its_tenant_and_audience_alone(references):
    key = await references.refer(context(), "query")
    assert len(key) >= 43
    assert await references.resolve("acme", "query", key) == context()
    for tenant, audience, wrong in [("zeta", "query", key), ("acme", "agent", key), ("acme", "query", f"{key}x")]:
        assert await references.resolve(tenant, audience, wrong) is None


async def test_a_worker_acts_with_the_context_and_without_it_with_the_actions_own_fields(references):
    seen = []

    async def look(action, context):
        seen.append(context)
        return action.text

    worker = Worker(references.resolve, {"query": look})
    key = await references.refer(context(prompts=Prompts(system="x")), "query")
    done = await worker.do(Query(**ids("a-1", context_reference_key=key), text="uno"))
    assert (done.context, done.value, worker.without_context) == ("reference", "uno", 0)
    done = await worker.do(Query(**ids("a-2", context_reference_key="gone"), text="dos"))
    assert (done.context, done.value, worker.without_context) == ("action", "dos", 1)
    assert [each and each.prompts.system for each in seen] == ["x", None]


async def test_an_action_takes_effect_once_however_often_it_is_handed_on(references):
    effects = []

    async def look(action, _):
        await asyncio.sleep(0.01)
        effects.append(action.action_id)
        return len(effects)

    worker = Worker(references.resolve, {"query": look})
    results = await asyncio.gather(*[worker.do(Query(**ids(), text="x")) for _ in range(20)])
    assert {each.value for each in results} == {1}
    assert (await worker.do(Query(**ids(), text="x"))).value == 1
    assert effects == ["a-1"]


async def test_what_is_away_is_tried_again_and_then_put_aside(references):
    failures = [2]

    async def look(action, _):
        if failures[0]:
            failures[0] -= 1
            raise DatabaseUnavailable("away")
        return "done"

    worker = Worker(references.resolve, {"query": look}, first_pause=0.001)
    done = await worker.do(Query(**ids("a-1"), text="x"))
    assert (done.value, done.attempts) == ("done", 3)
    failures[0] = 5
    given_up = await worker.do(Query(**ids("a-2"), text="x"))
    assert given_up.error == "DatabaseUnavailable: away"
    assert [letter.action.action_id for letter in worker.dead_letters] == ["a-2"]
    again = await worker.do(Query(**ids("a-2"), text="x"))
    assert again.value == "done", "what was given up may be handed on again"


async def test_what_can_not_be_done_is_not_tried_again(references):
    async def look(action, _):
        raise ValueError("broken")

    worker = Worker(references.resolve, {"query": look})
    given_up = await worker.do(Query(**ids(), text="x"))
    assert (given_up.attempts, given_up.error) == (1, "ValueError: broken")
    with pytest.raises(ConfigurationError, match="embedding"):
        await worker.do(Embed(**ids(), texts=[]))


async def test_three_real_duties_answer_look_up_and_embed(references):
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await memory.library.add("acme", "guia.md", "# Pagos\n\nEl reembolso llega en 5 días.".encode())
        worker = Worker(references.resolve, duties_of(memory.chat, LengthsEmbedder()))
        key = await references.refer(context(retrieval=RetrievalParameters(k=1)), "agent")
        action = ExecuteAgent(**ids("a-1", context_reference_key=key), message="¿Cuándo llega el reembolso?")
        done = [await worker.do(action) for _ in range(2)]
        assert "5 días" in done[0].value["text"]
        assert len(await memory.thread(tenant="acme", user="emi", thread="t-1").read()) == 2
        found = await worker.do(Query(**ids("a-2"), text="reembolso"))
        assert found.value["sources"][0]["title"] == "Pagos"
        vectors = await worker.do(Embed(**ids("a-3"), texts=["uno", "dos"]))
        assert len(vectors.value["vectors"]) == 2
