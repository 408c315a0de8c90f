"""An embedding model without a model: how often each letter stands in a text."""

from langchain_core.embeddings import Embeddings

DIMS = 26


class Letters(Embeddings):
    """Counts of a..z; `calls` holds what was asked."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.calls.append(texts)
        return [_counts(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        self.calls.append([text])
        return _counts(text)


def _counts(text: str) -> list[float]:
    return [float(text.lower().count(chr(ord("a") + place))) for place in range(DIMS)]
