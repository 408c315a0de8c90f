"""The built-in agent as a graph of LangGraph: the chat, behind the interfaces that its clients know."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import agenerate_from_stream
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph

from recuerdo.agents.chat import Chat
from recuerdo.agents.events import Finished, Token
from recuerdo.contexts import Contexts
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.errors import DuplicateMessage, InvalidInput
from recuerdo.core.library import ChunkHit
from recuerdo.core.messages import Message
from recuerdo.core.scope import Owner, Scope


class Conversation(MessagesState):
    """What the graph keeps: what was said."""


class ChatAsModel(BaseChatModel):
    """One turn of the chat as an answer of a chat model, so that whoever streams the graph sees its words come."""

    chat: Any
    scope: Any
    context: Any
    found: Any = None

    @property
    def _llm_type(self) -> str:
        return "recuerdo-chat"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError("the chat answers asynchronously: use ainvoke or astream")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return await agenerate_from_stream(self._astream(messages))

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        async with aclosing(_turn(self.chat, self.scope, messages[-1], self.context, self.found)) as pieces:
            async for piece in pieces:
                yield ChatGenerationChunk(message=piece)


def chat_graph(chat: Chat, contexts: Contexts | None = None) -> StateGraph[Conversation]:
    """The graph: one node, in which the chat answers the last message and remembers both, as its assistant does."""

    async def answer(state: Conversation, config: RunnableConfig) -> dict[str, Any]:
        said = state["messages"][-1] if state.get("messages") else None
        if said is None or said.type != "human":
            raise InvalidInput("messages", "must end with what the user says")
        model = ChatAsModel(chat=chat, scope=scope_in(config), context=await context_in(contexts, config))
        reply = await model.ainvoke([said])
        return {"messages": [AIMessage(reply.content, id=reply.id, response_metadata=reply.response_metadata)]}

    graph: StateGraph[Conversation] = StateGraph(Conversation)
    graph.add_node("chat", answer)  # pyright: ignore[reportUnknownMemberType]
    graph.add_edge(START, "chat")
    graph.add_edge("chat", END)
    return graph


async def context_in(contexts: Contexts | None, config: RunnableConfig) -> ExecutionContext | None:
    """What the run's assistant is configured with."""
    assistant = config.get("configurable", {}).get("assistant_id")
    return await contexts.get_or_create(scope_in(config), assistant) if contexts and assistant else None


def scope_in(config: RunnableConfig) -> Scope:
    """The thread that a run is about."""
    configurable = config.get("configurable", {})
    return Owner(configurable["tenant"], configurable["user"]).thread(configurable["thread_id"])


async def _turn(
    chat: Chat, scope: Scope, said: BaseMessage, context: ExecutionContext | None, found: Sequence[ChunkHit] | None
) -> AsyncGenerator[AIMessageChunk]:
    """The reply in pieces. A message that a broken run has stored already is said again under a new id."""
    message = Message.user(cast(Any, said.content), id=said.id or "")
    try:
        async for piece in _pieces(chat, scope, message, context, found):
            yield piece
    except DuplicateMessage:
        async for piece in _pieces(chat, scope, Message.user(cast(Any, said.content)), context, found):
            yield piece


async def _pieces(
    chat: Chat, scope: Scope, message: Message, context: ExecutionContext | None, found: Sequence[ChunkHit] | None
) -> AsyncGenerator[AIMessageChunk]:
    async with aclosing(chat.stream(scope, message, context=context, found=found)) as events:
        async for event in events:
            if isinstance(event, Token):
                yield AIMessageChunk(content=event.text)
            elif isinstance(event, Finished):
                metadata = {"model_name": event.reply.model, "history": event.reply.history}
                yield AIMessageChunk(content="", response_metadata=metadata, chunk_position="last")
