"""The offline model behind our own port."""

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence

from recuerdo.agents.offline.answers import answer
from recuerdo.agents.offline.reading import PromptMessage, read
from recuerdo.core.messages import Message

MODEL_NAME = "offline"

_PIECE = re.compile(r"\s*\S+\s*")


class OfflineModel:
    """Answers from what the prompt holds and from nothing else: no network, no weights, and the same answer always.

    It knows the prompts of `recuerdo.agents.prompts` and repeats facts, quotes what was said, or admits that it does
    not know. It is a `recuerdo.core.ports.ChatModel`.
    """

    @property
    def name(self) -> str:
        """`offline`: people are shown that no large model speaks."""
        return MODEL_NAME

    async def stream(self, prompt: Sequence[Message]) -> AsyncGenerator[str, None]:
        """The reply, word by word."""
        for piece in pieces([PromptMessage(message.role, message.text, message.created_at) for message in prompt]):
            yield piece
            await asyncio.sleep(0)


def pieces(entries: Sequence[PromptMessage]) -> list[str]:
    """The reply to a prompt in words that are to be joined as they are."""
    return _PIECE.findall(answer(read(entries)))
