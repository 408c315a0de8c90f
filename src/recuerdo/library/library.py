"""The documents of tenants: add, list, remove and search them."""

import asyncio
import hashlib
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recuerdo.concurrency.confined import ConfinedProcessDied, Confinement, ConfinementExceeded, run_confined
from recuerdo.concurrency.lru import LruCache
from recuerdo.core.contexts import EmbeddingParameters, RetrievalParameters
from recuerdo.core.errors import InvalidInput, ModelUnavailable, NotFound, needing
from recuerdo.core.graph_ports import LibraryRepository
from recuerdo.core.identifiers import derived_id
from recuerdo.core.library import DEFAULT_COLLECTION, Access, Chunk, ChunkHit, LibraryDocument, StoredChunk
from recuerdo.core.memories import Embedding
from recuerdo.core.ports import Clock, Embedder
from recuerdo.core.scope import check_id
from recuerdo.library.reading import kind_of_file
from recuerdo.library.reading_process import ReadDocument, Refused

if TYPE_CHECKING:
    from recuerdo.searching.chunks import ChunkIndex

MOST_BYTES = 20 * 2**20
MOST_HITS = 100
RERANKS = ("diverse",)
"""The methods of re-ranking."""

_LONGEST_QUERY = 8_000
_MOST_TENANTS = 20
_BYTES_OF_A_NUMBER = 4
_READER = "recuerdo.library.reading_process"
_MOST_READERS = 2
"""Documents that are read at the same moment: each may take `_MOST_MEMORY` bytes."""

_MOST_MEMORY = 2**30
_answer_decoder = msgspec.json.Decoder[ReadDocument | Refused](ReadDocument | Refused)


class Added(NamedTuple):
    """The stored document; `changed` is False if it was already stored, and `replaced` if it is the first one."""

    document: LibraryDocument
    changed: bool
    replaced: bool = False


class _LibraryQuery(NamedTuple):
    query: str
    embedding: Embedding | None
    limit: int
    wanted: Collection[str]
    least: float
    diverse: bool


class _TenantLibrary(NamedTuple):
    """A version of a tenant's library, in memory."""

    version: int
    documents: dict[str, LibraryDocument]
    chunks: Sequence[StoredChunk]
    found_by: "ChunkIndex | None"


class Library:
    """The documents of all tenants. Each call acts on one tenant's."""

    def __init__(self, repository: LibraryRepository, embedder: Embedder | None, clock: Clock) -> None:
        self._repository = repository
        self._embedder = embedder
        self._clock = clock
        self._libraries: LruCache[str, _TenantLibrary] = LruCache(_MOST_TENANTS)
        self._looking: dict[str, asyncio.Lock] = {}
        self._readers = asyncio.Semaphore(_MOST_READERS)

    async def add(
        self,
        tenant: str,
        source: str,
        content: bytes,
        *,
        collection: str = DEFAULT_COLLECTION,
        access: Access = "tenant",
        title: str | None = None,
    ) -> Added:
        """Add a file, or replace the one of the same source. An unchanged file is skipped.

        The extension of `source` determines the file type. Raises InvalidInput.
        """
        for field, value in (("source", source), ("collection", collection)):
            check_id(field, value)
        if len(content) > MOST_BYTES:
            raise InvalidInput("content", f"has {len(content)} bytes, and may have {MOST_BYTES}; split it")
        document_id = derived_id(tenant, collection, source)
        digest = hashlib.sha256(content).hexdigest()
        known = next((each for each in await self._repository.select(tenant) if each.id == document_id), None)
        if known and (known.digest, known.access, title or known.title) == (digest, access, known.title):
            return Added(known, changed=False)
        readable = await self._read_document(source, content)
        document = LibraryDocument(
            id=document_id,
            title=title or readable.title,
            collection=collection,
            access=access,
            source=source,
            digest=digest,
            size=readable.size,
            chunks=len(readable.chunks),
            created_at=self._clock(),
        )
        await self._repository.put(tenant, document, await self._embedded(document, readable.chunks))
        return Added(document, changed=True, replaced=known is not None)

    async def documents(self, tenant: str, *, public_only: bool = False) -> list[LibraryDocument]:
        """The tenant's documents, the latest first."""
        found = await self._repository.select(tenant)
        return [each for each in found if each.access == "public" or not public_only]

    async def document(
        self, tenant: str, document_id: str, *, public_only: bool = False
    ) -> tuple[LibraryDocument, list[Chunk]]:
        """A document and the chunks that it was split into, in their order. Raises NotFound."""
        for each in await self.documents(tenant, public_only=public_only):
            if each.id == document_id:
                return each, [stored.chunk for stored in await self._repository.chunks(tenant, [document_id])]
        raise NotFound("document", document_id)

    async def remove(self, tenant: str, document_id: str) -> None:
        """Remove a document. Raises NotFound."""
        if not await self._repository.remove(tenant, document_id):
            raise NotFound("document", document_id)

    async def search(
        self,
        tenant: str,
        query: str,
        *,
        limit: int = 5,
        public_only: bool = False,
        collections: Collection[str] = (),
        threshold: float | None = None,
        rerank: str | None = None,
    ) -> list[ChunkHit]:
        """The chunks that most likely answer the query, best first.

        `public_only` searches what the anonymous user may see, `threshold` is a minimum score, and the `rerank`
        `diverse` demotes or drops a chunk that repeats a better one. Raises InvalidInput.
        """
        if not 1 <= limit <= MOST_HITS:
            raise InvalidInput("limit", f"must be from 1 to {MOST_HITS}")
        self.check(RetrievalParameters(rerank=rerank))
        async with self._looking.setdefault(tenant, asyncio.Lock()):
            version = await self._repository.version(tenant)  # a small query tells whether what is cached is current
            tenant_library = self._libraries.get(tenant)
            if tenant_library is None or tenant_library.version != version:
                tenant_library = await self._read(tenant, version, tenant_library)
                self._libraries.put(tenant, tenant_library)
        self._looking.pop(tenant, None)
        if tenant_library.found_by is None or not query.strip():
            return []
        query = query[:_LONGEST_QUERY]
        embedding = await self._embedding(query)
        wanted = _wanted(tenant_library, public_only, collections)
        asked = _LibraryQuery(query, embedding, limit, wanted, threshold or 0.0, rerank is not None)
        return await asyncio.to_thread(_search, tenant_library, tenant_library.found_by, asked)

    def check(self, wanted: RetrievalParameters) -> None:
        """Raises InvalidInput for invalid parameters."""
        if wanted.rerank not in (None, *RERANKS):
            raise InvalidInput("retrieval.rerank", f"must be one of {', '.join(RERANKS)}, or be left out")
        for name in wanted.collections:
            check_id("retrieval.collections", name)

    async def check_embedding(self, wanted: EmbeddingParameters) -> None:
        """Raises InvalidInput for an embedding other than that of the documents."""
        if wanted == EmbeddingParameters():
            return
        name = self._embedder.name if self._embedder else None
        if self._embedder is None or wanted.model not in (None, name):
            raise InvalidInput(
                "embedding.model", f"must be {name or 'left out'}: it is set for all documents, by RECUERDO_EMBEDDINGS"
            )
        [embedding] = await self._embedder.embed(["a"])
        if wanted.dimensions not in (None, size := len(embedding.vector) // _BYTES_OF_A_NUMBER):
            raise InvalidInput("embedding.dimensions", f"must be {size}, which the vectors of {name} have")

    async def _read_document(self, source: str, content: bytes) -> ReadDocument:
        """Read it in a process of its own, so that no document takes the time or memory of others."""
        kind_of_file(source)
        limits = _confinement(len(content))
        async with self._readers:
            try:
                written = await run_confined(_READER, source.encode() + b"\0" + content, limits)
            except ConfinementExceeded as error:
                raise InvalidInput(
                    "content", f"can't be read within {error.limit}; split it, or send its text"
                ) from None
            except ConfinedProcessDied as error:
                raise InvalidInput("content", f"can't be read: the reader died ({error})") from error
        answer = _answer_decoder.decode(written)
        if isinstance(answer, Refused):
            raise InvalidInput(answer.field, answer.problem)
        return answer

    async def _read(self, tenant: str, version: int, known: _TenantLibrary | None) -> _TenantLibrary:
        """Read new documents; unchanged ones are kept."""
        known = known or _TenantLibrary(0, {}, (), None)
        documents = {each.id: each for each in await self._repository.select(tenant)}
        same = {name for name, each in documents.items() if known.documents.get(name) == each}
        kept = [number for number, each in enumerate(known.chunks) if each.document in same]
        chunks = [*(known.chunks[number] for number in kept)]
        chunks += await self._repository.chunks(tenant, documents.keys() - same)
        if not chunks:
            return _TenantLibrary(version, documents, (), None)
        with needing("Searching documents", "offline"):
            from recuerdo.searching.chunks import ChunkIndex
        titles = [documents[each.document].title for each in chunks]
        model = self._embedder.name if self._embedder else None
        index = await asyncio.to_thread(ChunkIndex, chunks, titles, model, known=known.found_by, kept=kept)
        return _TenantLibrary(version, documents, chunks, index)

    async def _embedded(self, document: LibraryDocument, chunks: Sequence[Chunk]) -> list[StoredChunk]:
        """Without vectors if the model is down: such chunks are found by their words."""
        lines = [f"{document.title}. {chunk.heading}. {chunk.text}" for chunk in chunks]
        embeddings: Sequence[Embedding | None] = [None] * len(chunks)
        if self._embedder is not None and lines:
            with suppress(ModelUnavailable):
                embeddings = await self._embedder.embed(lines)
        return [StoredChunk(document.id, *each) for each in zip(chunks, embeddings, strict=True)]

    async def _embedding(self, query: str) -> Embedding | None:
        if self._embedder is None:
            return None
        try:
            [embedding] = await self._embedder.embed([query])
        except ModelUnavailable:
            return None
        return embedding


def _confinement(size: int) -> Confinement:
    """Return the limits for reading so many bytes: a book of a thousand pages is read in a quarter of it.

    The process has a low priority: on a busy machine it waits for the processor most of the time.
    """
    cpu_seconds = 10 + 5 * (size >> 20)
    return Confinement(cpu_seconds, _MOST_MEMORY, 20.0 * cpu_seconds)


def _wanted(tenant_library: _TenantLibrary, public_only: bool, collections: Collection[str]) -> set[str]:
    """The ids of the documents to search."""
    return {
        each.id
        for each in tenant_library.documents.values()
        if (each.access == "public" or not public_only) and (not collections or each.collection in collections)
    }


def _search(tenant_library: _TenantLibrary, index: "ChunkIndex", asked: _LibraryQuery) -> list[ChunkHit]:
    texts = [each.chunk.text for each in tenant_library.chunks] if asked.diverse else None
    found = index.search(asked.query, asked.embedding, asked.wanted, asked.limit, least=asked.least, texts=texts)
    return [
        ChunkHit(document=tenant_library.documents[stored.document], chunk=stored.chunk, score=round(each.score, 4))
        for each in found
        for stored in (tenant_library.chunks[each.number],)
    ]
