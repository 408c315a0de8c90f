"""Contexts of a program that has opened a Recuerdo, without a server."""

from datetime import UTC, datetime
from typing import Any, ClassVar

import pytest

from recuerdo import Owner, Recuerdo, Scope
from recuerdo.core.actions import ActionEnvelope, ExecuteAgent, Queue
from recuerdo.core.contexts import Enrichment, ExecutionContext, Prompts
from recuerdo.core.errors import NotFound

SCOPE = Scope("acme", "emi", "t-1")
IDS: dict[str, Any] = {
    "task_id": "task-1",
    "tenant": "acme",
    "user": "emi",
    "thread": "t-1",
    "created_at": datetime(2026, 11, 24, tzinfo=UTC),
}


class Translate(ActionEnvelope, frozen=True, kw_only=True, tag="translate"):
    queue: ClassVar[Queue] = "agent"
    text: str
    style: str = "plain"

    @property
    def enrichment(self) -> Enrichment:
        return Enrichment(assistant_id="translator", prompts=Prompts(system=self.style))


async def style_of(_: Translate, context: ExecutionContext | None) -> str | None:
    return context.prompts.system if context else None


class Agents:
    """A program's own knowledge of its agents."""

    def __init__(self) -> None:
        self.prompt = "formal"
        self.asked: list[tuple[Owner, str]] = []

    async def enrich(self, owner: Owner, assistant_id: str) -> Enrichment:
        self.asked.append((owner, assistant_id))
        if assistant_id != "translator":
            raise NotFound("assistant", assistant_id)
        return Enrichment(assistant_id=assistant_id, prompts=Prompts(system=self.prompt))


async def test_a_conversation_is_enriched_once_by_a_callable_of_the_programs_own() -> None:
    agents = Agents()
    async with Recuerdo.open("memory://", embeddings="none", enrich=agents.enrich) as memory:
        first = await memory.contexts.get_or_create(SCOPE, "translator")
        agents.prompt = "curt"
        assert await memory.contexts.get_or_create(SCOPE, "translator") == first
        assert agents.asked == [(SCOPE.owner, "translator")]
        await memory.contexts.invalidate_assistant("acme", "translator")
        assert (await memory.contexts.get_or_create(SCOPE, "translator")).prompts.system == "curt"
        with pytest.raises(NotFound):
            await memory.contexts.get_or_create(SCOPE, "nobody")
        assert (await memory.contexts.get_or_create(SCOPE, "recuerdo")).assistant_id


async def test_an_action_is_done_with_the_context_that_it_refers_to_and_else_with_its_own_fields() -> None:
    async with Recuerdo.open("memory://", embeddings="none", enrich=Agents().enrich) as memory:
        context = await memory.contexts.get_or_create(SCOPE, "translator")
        key = await memory.contexts.refer(context, Translate.queue)
        referring = Translate(action_id="a-1", text="hola", context_reference_key=key, **IDS)
        alone = Translate(action_id="a-2", text="hola", style="rude", **IDS)
        lost = Translate(action_id="a-3", text="hola", context_reference_key=f"{key}x", **IDS)
        resolved = [(await memory.contexts.resolve(each)).prompts.system for each in (referring, alone, lost)]
        assert resolved == ["formal", "rude", "plain"]
        memory.worker.register(Translate, style_of)
        done = [await memory.actions.do(each) for each in (referring, alone)]
        assert [(each.context, each.value) for each in done] == [("reference", "formal"), ("action", None)]


async def test_a_key_is_for_one_tenant_and_one_queue() -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        context = await memory.contexts.get_or_create(SCOPE, "recuerdo")
        key = await memory.contexts.refer(context, "query")
        assert await memory.contexts.referred("acme", "query", key) == context
        assert await memory.contexts.referred("acme", "agent", key) is None
        assert await memory.contexts.referred("globex", "query", key) is None
        action = ExecuteAgent(action_id="a-1", message="hola", context_reference_key=key, **IDS)
        assert await memory.contexts.resolve(action) == action.own_context


async def test_an_erasure_takes_contexts_and_keys_with_it() -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        context = await memory.contexts.get_or_create(SCOPE, "recuerdo")
        key = await memory.contexts.refer(context, "agent")
        receipt = await memory.user(tenant="acme", user="emi").erase()
        assert (receipt.complete, receipt.others["contexts"]) == (True, 2)
        assert await memory.contexts.referred("acme", "agent", key) is None
