"""Any LangChain chat model behind our port."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk

from recuerdo.adapters.models.failures import unavailable
from recuerdo.adapters.models.messages import to_chat
from recuerdo.core.errors import ModelUnavailable
from recuerdo.core.messages import Message

PATIENCE = 90.0
"""Seconds without a piece after which a model counts as silent."""


class LangChainModel:
    """A chat model of LangChain's as a `recuerdo.core.ports.ChatModel`.

    Whatever the provider or the network does wrong becomes ModelUnavailable.
    """

    def __init__(self, model: BaseChatModel, name: str) -> None:
        self._model = model
        self.name = name

    async def stream(self, prompt: Sequence[Message]) -> AsyncGenerator[str, None]:
        """The reply in pieces, as they come; closing it early closes the connection. Raises ModelUnavailable."""
        try:
            async with aclosing(self._chunks(prompt)) as chunks:
                while (text := await self._next(chunks)) is not None:
                    if text:
                        yield text
        except ModelUnavailable:
            raise
        except Exception as error:
            raise unavailable(self.name, error) from None

    def _chunks(self, prompt: Sequence[Message]) -> AsyncGenerator[AIMessageChunk, None]:
        return cast(AsyncGenerator[AIMessageChunk, None], self._model.astream(to_chat(prompt)))

    async def _next(self, chunks: AsyncGenerator[AIMessageChunk, None]) -> str | None:
        async with asyncio.timeout(PATIENCE):
            chunk = await anext(chunks, None)
        return None if chunk is None else str(chunk.text)
