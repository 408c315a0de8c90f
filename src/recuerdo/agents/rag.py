"""The agents that look things up, as a graph of LangGraph: START -> orchestrator -> public or private agent -> END.

A run says something by `{"message": "..."}` or by messages, and finds the answer in the state: `response`,
`current_agent`, `retrieved_context`, `relevance_score`. The chat stores the messages; a checkpointer may also keep the
state, where messages have the same ids.
`recuerdo.rag` has the same graph for use without Recuerdo's server.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.constants import TAG_HIDDEN
from langgraph.graph import END, START, MessagesState, StateGraph

from recuerdo.agents.chat import Chat
from recuerdo.agents.graph import ChatAsModel, context_in, epoch_in, scope_in, turn_in
from recuerdo.agents.layers import relevance_of, retrieved, sources_of
from recuerdo.agents.orchestrator import Agent, choose, seen_by
from recuerdo.agents.turns import CheckNotErased
from recuerdo.concurrency.lru import LruCache
from recuerdo.contexts import Contexts
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.errors import InvalidInput
from recuerdo.core.identifiers import derived_id
from recuerdo.core.library import ChunkHit
from recuerdo.core.scope import Scope

NODES: tuple[Agent, ...] = ("public_agent", "private_agent")


class AnswerState(MessagesState, total=False):
    """The state: what was said, and of the latest question what was remembered and looked up, and its sources.

    A `message` that a run is given becomes the last of the messages. `relevance_score` is that of the best source, from
    0 to 1, and 0 without any; `response` is the answer's text and `current_agent` the node that gave it.
    """

    message: str
    user_memories: list[dict[str, Any]]
    memory_context: str
    retrieved_context: str
    relevance_score: float
    current_agent: str
    response: str
    sources: list[dict[str, Any]]
    metadata: dict[str, Any]


class AnswerContext(NamedTuple):
    """The chat that answers a run of the graph, and the scope of its thread."""

    chat: Chat
    scope: Scope
    context: ExecutionContext | None
    check_not_erased: CheckNotErased | None = None


Find = Callable[[RunnableConfig], Awaitable[AnswerContext]]
"""Finds the assistant of a run with this config. Both nodes of a run ask."""


def create_graph_builder(
    chat: Chat, contexts: Contexts | None = None, check_not_erased: CheckNotErased | None = None
) -> StateGraph[AnswerState]:
    """The graph, not compiled: give it a checkpointer and a store of your own, or none.

    A run's `configurable` names the thread: `tenant_id`, `user_id` and `thread_id`, and `assistant_id` if an assistant
    is configured.
    """

    async def find(config: RunnableConfig) -> AnswerContext:
        context = await context_in(contexts, config)
        check = partial(check_not_erased, config) if check_not_erased else None
        return AnswerContext(chat, scope_in(config), context, check)

    return graph_builder(find)


def graph_builder(find: Find) -> StateGraph[AnswerState]:
    """The graph over whatever `find` finds."""
    nodes = _Nodes(find)
    graph = _HidingGraph(AnswerState)
    graph.add_node("orchestrator", nodes.orchestrate)  # pyright: ignore[reportUnknownMemberType]
    for name in NODES:
        graph.add_node(name, nodes.answer)  # pyright: ignore[reportUnknownMemberType]
        graph.add_edge(name, END)
    graph.add_edge(START, "orchestrator")
    graph.add_conditional_edges("orchestrator", _chosen, [*NODES])
    return graph


class _HidingGraph(StateGraph[AnswerState]):
    """A graph whose orchestrator is hidden from streams, as LangGraph hides its own nodes: readers see agents alone."""

    def compile(self, *arguments: Any, **more: Any) -> Any:
        compiled: Any = super().compile(*arguments, **more)  # pyright: ignore[reportUnknownMemberType]
        compiled.nodes["orchestrator"].tags = [TAG_HIDDEN]
        return compiled


_MOST_UNDER_WAY = 1_000


class _Nodes:
    """The graph's nodes. They hold the hits for the answering agent, because a state may come from outside."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._looked_up: LruCache[tuple[Scope, str | None, str], list[ChunkHit]] = LruCache(_MOST_UNDER_WAY)

    async def orchestrate(self, state: AnswerState, config: RunnableConfig) -> dict[str, Any]:
        """Remember, look up, and choose who answers."""
        given = _given(state, config)
        said = _question({**state, "messages": [*state.get("messages", []), *given]})
        text = str(said.text)
        chat, scope, context, _ = await self._find(config)
        found, memories = await asyncio.gather(chat.look_up(scope, text, context), chat.recalled(scope, text))
        self._looked_up.put((scope, said.id, text), found)
        agent = choose(scope.owner, found)
        seen = seen_by(agent, found)
        return {
            "messages": given,
            "message": "",
            "user_memories": [{"id": each.id, "text": each.text} for each in memories],
            "memory_context": "\n".join(each.text for each in memories),
            "retrieved_context": retrieved(seen),
            "relevance_score": relevance_of(seen),
            "current_agent": agent,
            "response": "",
            "sources": sources_of(seen),
            "metadata": {"agent": agent},
        }

    async def answer(self, state: AnswerState, config: RunnableConfig) -> dict[str, Any]:
        """Answer as the agent that was chosen: documents are looked up as its user may see them."""
        said = _question(state)
        chat, scope, context, check_not_erased = await self._find(config)
        found = self._looked_up.pop((scope, said.id, str(said.text)))
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
            check_not_erased=check_not_erased,
        )
        reply = await model.ainvoke([said], {"run_name": agent})
        metadata = {**reply.response_metadata, "agent": agent}
        return {
            "messages": [AIMessage(reply.content, id=reply.id, response_metadata=metadata)],
            "response": str(reply.text),
            "current_agent": agent,
            "retrieved_context": retrieved(seen),
            "relevance_score": relevance_of(seen),
            "sources": sources_of(seen),
            "metadata": metadata,
        }


def _given(state: AnswerState, config: RunnableConfig) -> list[AnyMessage]:
    """The `message` of a run as one of the messages; under the same id when the node is executed once more."""
    text: Any = state.get("message")
    if not text:
        return []
    if not isinstance(text, str):
        raise InvalidInput("message", "must be a text")
    return [HumanMessage(text, id=derived_id(turn_in(config), "message"))]


def _question(state: AnswerState) -> AnyMessage:
    said = state.get("messages", [])[-1:]
    if not said or said[0].type != "human":
        raise InvalidInput("messages", "must end with what the user says; or give it as `message`")
    return said[0]


def _chosen(state: AnswerState) -> Agent:
    agent = state.get("metadata", {}).get("agent")
    return "private_agent" if agent == "private_agent" else "public_agent"
