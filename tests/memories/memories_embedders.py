"""Embedding models for the tests of memories: one that can be switched off and on."""

from collections.abc import Sequence

from recuerdo.adapters.models.embeddings import Usem3Embedder
from recuerdo.core.errors import ModelUnavailable
from recuerdo.core.memories import Embedding


class Switchable:
    """The offline model, with a switch; `asked` holds what it was asked for."""

    def __init__(self, model: Usem3Embedder) -> None:
        self._model = model
        self.works = True
        self.failure: Exception = ModelUnavailable("The embedding model sleeps. Wake it up.")
        self.asked: list[str] = []

    @property
    def name(self) -> str:
        return self._model.name

    async def embed(self, texts: Sequence[str]) -> list[Embedding]:
        self.asked.extend(texts)
        if not self.works:
            raise self.failure
        return await self._model.embed(texts)
