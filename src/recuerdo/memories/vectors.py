"""Vectors for memories and queries, from an embedding model that may be missing or fail."""

import logging
from collections.abc import Sequence

from recuerdo.core.memories import Embedding
from recuerdo.core.ports import Embedder

_log = logging.getLogger(__name__)


class Vectors:
    """What stands between the memories and their embedding model: a failure costs vectors, never the call."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder

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

    def _warn(self, count: int, problem: str) -> None:
        _log.warning("The embedding model %s failed on %d texts (%s); they stay without.", self.model, count, problem)
