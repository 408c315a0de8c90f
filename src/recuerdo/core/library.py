"""The library: documents that agents look things up in, in chunks that can be found and cited."""

from datetime import datetime
from typing import Literal, NamedTuple

import msgspec

from recuerdo.core.checks import UNREADABLE
from recuerdo.core.errors import DamagedRow
from recuerdo.core.memories import Embedding

Access = Literal["public", "tenant"]
"""A document is visible to all of its tenant, including the anonymous user, or to the tenant's known users alone."""

DEFAULT_COLLECTION = "default"


class LibraryDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One document of a tenant. `source` says where it comes from; in a collection there is one of each source.

    `digest` is the SHA-256 of its bytes, `size` how many characters its text has.
    """

    id: str
    title: str
    collection: str = DEFAULT_COLLECTION
    access: Access = "tenant"
    source: str
    digest: str
    size: int
    chunks: int
    created_at: datetime


_decoder = msgspec.json.Decoder(LibraryDocument)


def read_library_document(body: bytes | str) -> LibraryDocument:
    """The document of stored JSON. Raises DamagedRow."""
    try:
        return _decoder.decode(body)
    except UNREADABLE:
        raise DamagedRow("document", "?") from None


class Chunk(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a document: the characters `start` to `end` of its text, below the headings `heading`."""

    number: int
    heading: str
    text: str
    start: int
    end: int


class StoredChunk(NamedTuple):
    """A chunk of a document, and its vector when there is an embedding model."""

    document: str
    chunk: Chunk
    embedding: Embedding | None


class ChunkHit(msgspec.Struct, frozen=True, kw_only=True):
    """A chunk that a search found. The score is 0 to 1, and means the same in every search."""

    document: LibraryDocument
    chunk: Chunk
    score: float
