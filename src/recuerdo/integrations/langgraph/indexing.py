"""The index of a store's items: texts of their fields, as vectors, as words, or as both."""

import asyncio
import math
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from struct import pack
from typing import Any, NamedTuple, TypeVar

from langchain_core.embeddings import Embeddings
from langgraph.store.base import IndexConfig, PutOp, ensure_embeddings, get_text_at_path

from recuerdo.core.errors import ConfigurationError, InvalidInput
from recuerdo.core.items import IndexEntry

_WHOLE = "$"
_LONGEST_PATH = 255

T = TypeVar("T")


class Field(NamedTuple):
    """A searchable text of an item, and its field."""

    path: str
    text: str


class Indexing:
    """Makes entries of fields, and vectors of queries, as an `IndexConfig` says.

    Without one, nothing is compared by vectors; without `words`, nothing by words.
    """

    def __init__(self, config: IndexConfig | None, *, words: bool) -> None:
        self._embeddings: Embeddings | None = ensure_embeddings(config.get("embed")) if config else None
        self._dims = config.get("dims") if config else None
        self._paths = (config.get("fields") if config else None) or [_WHOLE]
        self._words = words

    def fields(self, op: PutOp) -> list[Field]:
        """The fields of the item that are to be searched."""
        if op.value is None or op.index is False or not (self._embeddings or self._words):
            return []
        paths = self._paths if op.index is None else op.index
        found = {field.path: field for path in paths for field in _fields(op.value, path)}
        return list(found.values())

    async def entries(self, fields: Sequence[Sequence[Field]]) -> list[list[IndexEntry]]:
        """The entries of several items, embedded in one call of the model. Raises ConfigurationError."""
        vectors = await self._embed({field.text for each in fields for field in each})
        return [
            [IndexEntry(field.path, field.text if self._words else "", vectors.get(field.text, b"")) for field in each]
            for each in fields
        ]

    async def query_vectors(self, queries: Iterable[str | None]) -> dict[str | None, bytes]:
        """The vectors of the queries. Raises ConfigurationError."""
        texts = list(dict.fromkeys(query for query in queries if query))
        if self._embeddings is None:
            return {}
        numbers = await together([self._embeddings.aembed_query(text) for text in texts])
        return {text: self._vector(each) for text, each in zip(texts, numbers, strict=True)}

    def words(self, query: str | None) -> str:
        """The words to search by; none unless that was asked for."""
        return query or "" if self._words else ""

    async def _embed(self, texts: Iterable[str]) -> dict[str, bytes]:
        given = list(texts)
        if self._embeddings is None or not given:
            return {}
        numbers = await self._embeddings.aembed_documents(given)
        return {text: self._vector(each) for text, each in zip(given, numbers, strict=True)}

    def _vector(self, numbers: Sequence[float]) -> bytes:
        if self._dims is not None and len(numbers) != self._dims:
            raise ConfigurationError(
                f"The embedding has {len(numbers)} dimensions, and the store's index says {self._dims}. "
                "Set `dims` to what the model makes."
            )
        length = math.hypot(*numbers)
        if not math.isfinite(length):
            raise ConfigurationError("The embedding has NaN or an infinity. Use another model.")
        return pack(f"<{len(numbers)}f", *[number / length for number in numbers] if length else numbers)


async def opened_index(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration with embeddings that can be asked. Raises ConfigurationError where there are none.

    A user's own embeddings are asked for the vector of a word, because they are untried.
    """
    embed = config.get("embed")
    if embed is None:
        raise ConfigurationError("store.index needs `embed`: 'provider:model', or './file.py:function'.")
    try:
        opened: Any = {**config, "embed": ensure_embeddings(embed)}
        if not isinstance(embed, str):
            await Indexing(opened, words=False).query_vectors(["recuerdo"])
    except ConfigurationError as error:
        raise ConfigurationError(f"store.index.embed can't be used: {error}") from error
    except Exception as error:  # of whichever provider or function is asked
        raise ConfigurationError(
            f"store.index.embed can't be used: {type(error).__name__}: {error}. Write 'provider:model' for a provider "
            "whose package and key are there, or './file.py:function' for a function of your own, which takes a list "
            "of texts and returns a vector for each."
        ) from error
    return opened


async def together(awaitables: Sequence[Awaitable[T]]) -> list[T]:
    """Their results; one alone needs no task."""
    return [await each for each in awaitables] if len(awaitables) < 2 else await asyncio.gather(*awaitables)


def _fields(value: Mapping[str, Any], path: str) -> list[Field]:
    if len(path) > _LONGEST_PATH:
        raise InvalidInput("index", f"a path has {_LONGEST_PATH} characters at most")
    texts = get_text_at_path(value, path)
    return [Field(f"{path}.{place}" if len(texts) > 1 else path, text) for place, text in enumerate(texts)]
