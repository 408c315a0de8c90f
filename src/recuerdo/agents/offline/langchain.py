"""The offline model as LangChain knows chat models, so that graphs take it like any other."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from recuerdo.agents.offline.answers import MODEL_NAME, pieces
from recuerdo.agents.offline.conversation import PromptMessage, has_images
from recuerdo.core.checks import read_time
from recuerdo.core.messages import Role

_METADATA = {"model_name": MODEL_NAME, "model_provider": "recuerdo"}
_ROLES: dict[str, Role] = {"human": "user", "ai": "assistant", "system": "system"}


class OfflineChatModel(BaseChatModel):
    """The OfflineModel behind LangChain's interface. It streams word by word."""

    @property
    def _llm_type(self) -> str:
        return "recuerdo-offline"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        reply = AIMessage(content="".join(_reply(messages)), response_metadata=dict(_METADATA))
        return ChatResult(generations=[ChatGeneration(message=reply)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        return map(_chunk, _reply(messages))

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for piece in await asyncio.to_thread(_reply, messages):
            yield _chunk(piece)
            await asyncio.sleep(0)


def _reply(messages: list[BaseMessage]) -> list[str]:
    return pieces([_entry(message) for message in messages])


def _entry(message: BaseMessage) -> PromptMessage:
    shown = not isinstance(message.content, str) and has_images(message.content)
    said_at = read_time(message.additional_kwargs.get("created_at"))
    return PromptMessage(_ROLES.get(message.type, "tool"), str(message.text), said_at, has_images=shown)


def _chunk(piece: str) -> ChatGenerationChunk:
    return ChatGenerationChunk(message=AIMessageChunk(content=piece, response_metadata=dict(_METADATA)))
