"""The offline model as LangChain knows chat models, so that graphs and chats take it like any other."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from recuerdo.agents.offline.answers import answer
from recuerdo.agents.offline.conversation import Conversation, Turn
from recuerdo.agents.offline.words import LONGEST
from recuerdo.agents.prompts import recalled_memories

MODEL_NAME = "offline"

_PIECE = re.compile(r"\s*\S+\s*")
_METADATA = {"model_name": MODEL_NAME, "model_provider": "recuerdo"}
_LONGEST_TURN = 4_000


class OfflineChatModel(BaseChatModel):
    """Answers from what the prompt holds and from nothing else: no network, no weights, and the same answer always.

    It knows the prompts of `recuerdo.agents.prompts` and repeats facts, quotes what was said, or admits that it does
    not know. It streams word by word.
    """

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
        reply = AIMessage(content=answer(read(messages)), response_metadata=dict(_METADATA))
        return ChatResult(generations=[ChatGeneration(message=reply)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        return map(_chunk, _PIECE.findall(answer(read(messages))))

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in self._stream(messages, stop):
            yield chunk
            await asyncio.sleep(0)


def read(messages: Sequence[BaseMessage]) -> Conversation:
    """What a prompt holds: the last human message is the current one, what stands before it is the history."""
    current = max((index for index, entry in enumerate(messages) if entry.type == "human"), default=len(messages))
    system = next((str(entry.text) for entry in messages if entry.type == "system"), "")
    turns = (_turn(entry) for entry in messages[:current])
    return Conversation(
        message=str(messages[current].text)[:LONGEST] if current < len(messages) else "",
        turns=[turn for turn in turns if turn is not None and turn.text.strip()],
        memories=recalled_memories(system),
    )


def _turn(entry: BaseMessage) -> Turn | None:
    said_at = _time(entry.additional_kwargs.get("created_at"))
    if entry.type == "human":
        return Turn("user", str(entry.text)[:_LONGEST_TURN], said_at)
    return Turn("assistant", str(entry.text)[:_LONGEST_TURN], said_at) if entry.type == "ai" else None


def _time(text: object) -> datetime | None:
    try:
        time = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return time if time.tzinfo else None


def _chunk(piece: str) -> ChatGenerationChunk:
    return ChatGenerationChunk(message=AIMessageChunk(content=piece, response_metadata=dict(_METADATA)))
