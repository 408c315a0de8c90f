"""The offline model behind our own port."""

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from functools import lru_cache

from recuerdo.agents.offline.answers import answer
from recuerdo.agents.offline.conversation import Hear, PromptMessage, has_images, read
from recuerdo.core.messages import Message
from recuerdo.memories.extract import listen

MODEL_NAME = "offline"

_MOST_HEARD = 256
"""Texts whose facts are kept."""

_PIECE = re.compile(r"\s*\S+\s*")


class OfflineModel:
    """Answers from what the prompt holds and from nothing else: no network, no weights, and the same answer always.

    It knows the prompts of `recuerdo.agents.prompts` and repeats facts, quotes what was said, or admits that it does
    not know. It is a `recuerdo.core.ports.ChatModel`.
    """

    def __init__(self) -> None:
        self._hear = lru_cache(_MOST_HEARD)(listen)  # a window is seen again with each turn

    @property
    def name(self) -> str:
        """`offline`: people are shown that no large model speaks."""
        return MODEL_NAME

    async def stream(self, prompt: Sequence[Message]) -> AsyncGenerator[str, None]:
        """The reply, word by word."""
        for piece in await asyncio.to_thread(pieces, entries(prompt), self._hear):
            yield piece
            await asyncio.sleep(0)


def entries(prompt: Sequence[Message]) -> list[PromptMessage]:
    """The messages of a prompt, as they are parsed."""
    return [
        PromptMessage(
            message.role,
            message.text,
            message.created_at,
            not isinstance(message.content, str) and has_images(message.content),
        )
        for message in prompt
    ]


def pieces(entries: Sequence[PromptMessage], hear: Hear = listen) -> list[str]:
    """The reply to a prompt in words that are to be joined as they are."""
    return _PIECE.findall(answer(read(entries), hear))
