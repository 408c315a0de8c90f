"""The built-in agent as a graph of LangGraph: the chat, behind the interfaces that its clients know."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from functools import partial
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import agenerate_from_stream
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph
from msgspec.structs import replace

from recuerdo.agents.chat import Chat
from recuerdo.agents.events import Finished, Token
from recuerdo.agents.replies import reply_id
from recuerdo.agents.turns import CheckNotErased
from recuerdo.contexts import Contexts
from recuerdo.core.contexts import ExecutionContext
from recuerdo.core.errors import DuplicateMessage, InvalidInput
from recuerdo.core.identifiers import derived_id, new_id
from recuerdo.core.messages import Message
from recuerdo.core.scope import Scope, owner_in


class Conversation(MessagesState):
    """The graph's state: the messages."""


class ChatAsModel(BaseChatModel):
    """One turn of the chat as an answer of a chat model, so that readers of the graph's stream see the words arrive."""

    chat: Any
    scope: Any
    context: Any
    turn_id: str
    found: Any = None
    expected_epoch: Any = None
    check_not_erased: Any = None

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
        """The reply in pieces. A message that was edited after it was stored gets a new id."""
        message = Message.user(cast(Any, messages[-1].content), id=messages[-1].id or new_id())
        try:
            async for piece in self._pieces(message):
                yield piece
        except DuplicateMessage:
            async for piece in self._pieces(replace(message, id=derived_id(message.id, self.turn_id))):
                yield piece

    async def _pieces(self, message: Message) -> AsyncGenerator[ChatGenerationChunk]:
        stream = self.chat.stream(
            self.scope,
            message,
            expected_epoch=self.expected_epoch,
            context=self.context,
            found=self.found,
            turn_id=self.turn_id,
            check_not_erased=self.check_not_erased,
        )
        id_ = reply_id(message.id, self.turn_id)
        async with aclosing(stream) as events:
            async for event in events:
                if isinstance(event, Token):
                    yield ChatGenerationChunk(message=AIMessageChunk(content=event.text, id=id_))
                elif isinstance(event, Finished):
                    metadata = {"model_name": event.reply.model, "history": event.reply.history}
                    last = AIMessageChunk(content="", id=id_, response_metadata=metadata, chunk_position="last")
                    yield ChatGenerationChunk(message=last)


def chat_graph(
    chat: Chat, contexts: Contexts | None = None, check_not_erased: CheckNotErased | None = None
) -> StateGraph[Conversation]:
    """The graph: one node, in which the chat answers the last message and remembers both, as its assistant does."""

    async def answer(state: Conversation, config: RunnableConfig) -> dict[str, Any]:
        said = state["messages"][-1] if state.get("messages") else None
        if said is None or said.type != "human":
            raise InvalidInput("messages", "must end with what the user says")
        model = ChatAsModel(
            chat=chat,
            scope=scope_in(config),
            context=await context_in(contexts, config),
            turn_id=turn_in(config),
            expected_epoch=epoch_in(config),
            check_not_erased=partial(check_not_erased, config) if check_not_erased else None,
        )
        reply = await model.ainvoke([said])
        return {"messages": [AIMessage(reply.content, id=reply.id, response_metadata=reply.response_metadata)]}

    graph: StateGraph[Conversation] = StateGraph(Conversation)
    graph.add_node("chat", answer)  # pyright: ignore[reportUnknownMemberType]
    graph.add_edge(START, "chat")
    graph.add_edge("chat", END)
    return graph


async def context_in(contexts: Contexts | None, config: RunnableConfig) -> ExecutionContext | None:
    """Return the execution context of the run's assistant, if it has one."""
    assistant = config.get("configurable", {}).get("assistant_id")
    return await contexts.get_or_create(scope_in(config), assistant) if contexts and assistant else None


def scope_in(config: RunnableConfig) -> Scope:
    """The thread that a run is about. Raises InvalidInput without a user or a thread."""
    configurable = config.get("configurable", {})
    if not configurable.get("thread_id"):
        raise InvalidInput("thread_id", "is missing: pass config={'configurable': {'thread_id': ...}}")
    return owner_in(configurable).thread(str(configurable["thread_id"]))


def epoch_in(config: RunnableConfig) -> int | None:
    """Return the thread's epoch that the run's caller expects, if the caller gave one."""
    return config.get("configurable", {}).get("expected_epoch")


def turn_in(config: RunnableConfig) -> str:
    """The node's task: the same when it is executed once more, another one from another checkpoint."""
    return config.get("configurable", {}).get("checkpoint_ns") or new_id()
