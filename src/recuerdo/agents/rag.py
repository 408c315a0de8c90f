"""The agents that look things up, as a graph of LangGraph: START -> orchestrator -> public or private agent -> END.

The chat stores the messages; a checkpointer may also keep the state, where messages have the same ids.
`recuerdo.rag` has the same graph for use without Recuerdo's server.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph

from recuerdo.agents.chat import Chat
from recuerdo.agents.graph import ChatAsModel, HeldRun, context_in, epoch_in, scope_in, turn_in
from recuerdo.agents.lookup import sources_of
from recuerdo.agents.orchestrator import Agent, choose, seen_by
from recuerdo.contexts import Contexts
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.errors import InvalidInput
from recuerdo.core.library import ChunkHit
from recuerdo.core.scope import Scope

NODES: tuple[Agent, ...] = ("public_agent", "private_agent")


class Answering(MessagesState, total=False):
    """The state: what was said, and of the latest question what was remembered and looked up, and its sources."""

    user_memories: list[dict[str, Any]]
    memory_context: str
    retrieved_context: str
    sources: list[dict[str, Any]]
    metadata: dict[str, Any]


class Means(NamedTuple):
    """The chat that answers a run of the graph, and the scope of its thread."""

    chat: Chat
    scope: Scope
    context: ExecutionContext | None
    held: Callable[[], Awaitable[object]] | None = None


Find = Callable[[RunnableConfig], Awaitable[Means]]
"""Finds out what a run with this config answers with. Both nodes of a run ask."""


def create_graph_builder(
    chat: Chat, contexts: Contexts | None = None, held: HeldRun | None = None
) -> StateGraph[Answering]:
    """The graph, not compiled: give it a checkpointer and a store of your own, or none.

    A run's `configurable` names the thread: `tenant_id`, `user_id` and `thread_id`, and `assistant_id` if an assistant
    is configured.
    """

    async def find(config: RunnableConfig) -> Means:
        context = await context_in(contexts, config)
        return Means(chat, scope_in(config), context, partial(held, config) if held else None)

    return graph_builder(find)


def graph_builder(find: Find) -> StateGraph[Answering]:
    """The graph over whatever `find` finds."""
    nodes = _Nodes(find)
    graph: StateGraph[Answering] = StateGraph(Answering)
    graph.add_node("orchestrator", nodes.orchestrate)  # pyright: ignore[reportUnknownMemberType]
    for name in NODES:
        graph.add_node(name, nodes.answer)  # pyright: ignore[reportUnknownMemberType]
        graph.add_edge(name, END)
    graph.add_edge(START, "orchestrator")
    graph.add_conditional_edges("orchestrator", _chosen, [*NODES])
    return graph


_MOST_UNDER_WAY = 1_000


class _Nodes:
    """The graph's nodes. They hold the hits for the answering agent, because a state may come from outside."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._looked_up: OrderedDict[tuple[Scope, str | None, str], list[ChunkHit]] = OrderedDict()

    async def orchestrate(self, state: Answering, config: RunnableConfig) -> dict[str, Any]:
        """Remember, look up, and choose who answers."""
        said = _question(state)
        text = str(said.text)
        chat, scope, context, _ = await self._find(config)
        found, memories = await asyncio.gather(chat.look_up(scope, text, context), chat.recalled(scope, text))
        self._looked_up[scope, said.id, text] = found
        if len(self._looked_up) > _MOST_UNDER_WAY:
            self._looked_up.popitem(last=False)
        agent = choose(scope.owner, found)
        seen = seen_by(agent, found)
        return {
            "user_memories": [{"id": each.id, "text": each.text} for each in memories],
            "memory_context": "\n".join(each.text for each in memories),
            "retrieved_context": "\n\n".join(_cited(number, hit) for number, hit in enumerate(seen, 1)),
            "sources": sources_of(seen),
            "metadata": {"agent": agent},
        }

    async def answer(self, state: Answering, config: RunnableConfig) -> dict[str, Any]:
        """Answer as the agent that was chosen: documents are looked up as its user may see them."""
        said = _question(state)
        chat, scope, context, held = await self._find(config)
        found = self._looked_up.pop((scope, said.id, str(said.text)), None)
        if found is None:
            found = await chat.look_up(scope, str(said.text), context)
        agent: Agent = _chosen(state)
        seen = seen_by("public_agent" if scope.owner.is_anonymous else agent, found)
        model = ChatAsModel(
            chat=chat,
            scope=scope,
            context=context,
            turn_id=turn_in(config),
            found=seen,
            expected_epoch=epoch_in(config),
            held=held,
        )
        reply = await model.ainvoke([said])
        metadata = {**reply.response_metadata, "agent": agent}
        return {
            "messages": [AIMessage(reply.content, id=reply.id, response_metadata=metadata)],
            "sources": sources_of(seen),
            "metadata": metadata,
        }


def _question(state: Answering) -> AnyMessage:
    said = state.get("messages", [])[-1:]
    if not said or said[0].type != "human":
        raise InvalidInput("messages", "must end with what the user says")
    return said[0]


def _chosen(state: Answering) -> Agent:
    agent = state.get("metadata", {}).get("agent")
    return "private_agent" if agent == "private_agent" else "public_agent"


def _cited(number: int, hit: ChunkHit) -> str:
    return f"[{number}] {hit.document.title}: {hit.chunk.text}"
