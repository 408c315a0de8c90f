"""mem0's memories in PostgreSQL, as a peer: nothing inferred, no telemetry, and vectors that take no time."""

import os
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from langchain_core.embeddings import Embeddings

if TYPE_CHECKING:
    from mem0 import AsyncMemory

TABLE = "mem0"

Vector = Callable[[str], list[float]]


class _Given(Embeddings):
    def __init__(self, vector: Vector) -> None:
        self._vector = vector

    def embed_query(self, text: str) -> list[float]:
        return self._vector(text)

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._vector(text) for text in texts]


@asynccontextmanager
async def opened(url: str, folder: Path, dims: int, vector: Vector) -> AsyncGenerator["AsyncMemory"]:
    """A memory whose table is there, with the HNSW index that mem0 makes."""
    os.environ |= {"MEM0_TELEMETRY": "false", "MEM0_DIR": str(folder / "mem0")}  # it reads them as it is imported
    from mem0 import AsyncMemory
    from mem0.configs.base import MemoryConfig

    store = {"connection_string": url, "collection_name": TABLE, "embedding_model_dims": dims}
    config = MemoryConfig.model_validate(
        {
            "vector_store": {"provider": "pgvector", "config": store},
            "embedder": {"provider": "langchain", "config": {"model": _Given(vector)}},
            "llm": {"provider": "openai", "config": {"api_key": "none"}},  # it wants one, and never asks it
            "history_db_path": str(folder / "mem0.db"),
        }
    )
    async with AsyncMemory(config) as memory:
        await memory.add("the first one makes the table", user_id="nobody", infer=False)
        yield memory
        memory.vector_store.connection_pool.close()
