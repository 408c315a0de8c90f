"""Vectors for memories and queries, from an embedding model that may be missing, slow, or fail."""

import asyncio
import logging
from collections.abc import Sequence

from recuerdo.core.memories import Embedding, Memory
from recuerdo.core.ports import Embedder, MemoryRepository, MemoryWithVector

_log = logging.getLogger(__name__)

AT_A_TIME = 32
"""Memories that get their vectors together, while a search waits for them."""


class MemoryVectors:
    """Calls the embedding model for memories: if the model fails, vectors are missing, but no call fails."""

    def __init__(self, repository: MemoryRepository, embedder: Embedder | None) -> None:
        self._repository = repository
        self._embedder = embedder
        self._under_way: set[asyncio.Task[None]] = set()

    @property
    def model(self) -> str | None:
        """The embedding model's name, or None when there is no model."""
        return self._embedder.name if self._embedder else None

    async def of(self, texts: Sequence[str]) -> list[Embedding] | None:
        """One embedding a text; None without a model, and when it fails."""
        if self._embedder is None or not texts:
            return None
        try:
            embeddings = await self._embedder.embed(texts)
        except Exception as error:  # whatever a model's client raises: words alone still find memories
            self._warn(len(texts), type(error).__name__)
            return None
        if len(embeddings) != len(texts):
            self._warn(len(texts), f"{len(embeddings)} embeddings came back")
            return None
        return embeddings

    def embed_later(self, memories: list[Memory]) -> list[Memory]:
        """Give the memories, which are returned, their vectors in the background; words find them until then."""
        if self._embedder is not None and memories:
            task = asyncio.create_task(self._embed_quietly(memories))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)
        return memories

    async def make(self, memories: Sequence[Memory]) -> list[MemoryWithVector]:
        """Give the memories their vectors now, and return them; none while the model fails."""
        embeddings = await self.of([memory.text for memory in memories])
        made = [MemoryWithVector(*pair) for pair in zip(memories, embeddings or (), strict=False)]
        for memory, embedding in made:
            if embedding is not None:
                await self._repository.embed(memory, embedding)
        return made

    async def flush(self) -> None:
        """Wait for the background."""
        await asyncio.gather(*self._under_way)

    async def _embed_quietly(self, memories: Sequence[Memory]) -> None:
        try:
            await self.make(memories)
        except Exception as error:  # the next search catches up
            self._warn(len(memories), type(error).__name__)

    def _warn(self, count: int, problem: str) -> None:
        _log.warning("The embedding model %s failed on %d texts (%s); they stay without.", self.model, count, problem)
