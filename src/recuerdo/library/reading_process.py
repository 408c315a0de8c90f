"""The process that reads one document: its name, a NUL character and its content come in, its chunks go out as JSON."""

import sys

import msgspec

from recuerdo.concurrency.confine import confine
from recuerdo.core.errors import InvalidInput
from recuerdo.core.library import Chunk
from recuerdo.library.chunking import chunks_of
from recuerdo.library.reading import read

MOST_CHUNKS = 50_000
"""Each is embedded: a document of one-word sections would keep the model busy for an hour."""


MOST_CHARACTERS = 40 * 2**20
"""The longest text that a file may unfold to: a PDF can hold its text compressed."""


class ReadDocument(msgspec.Struct, tag=True):
    """A document's title, the characters of its text, and its chunks."""

    title: str
    size: int
    chunks: list[Chunk]


class Refused(msgspec.Struct, tag=True):
    """Why it can't be read."""

    field: str
    problem: str


def read_document(source: str, content: bytes) -> ReadDocument:
    """Read and split a document, here and now. Raises InvalidInput."""
    readable = read(source, content)
    if len(readable.text) > MOST_CHARACTERS:
        raise InvalidInput("content", f"unfolds to {len(readable.text)} characters, and may to {MOST_CHARACTERS}")
    chunks = chunks_of(readable.text)
    if len(chunks) > MOST_CHUNKS:
        raise InvalidInput("content", f"has {len(chunks)} parts, and may have {MOST_CHUNKS}; split it")
    return ReadDocument(readable.title, len(readable.text), chunks)


def main() -> None:
    """Answer standard input on standard output."""
    confine()
    source, _, content = sys.stdin.buffer.read().partition(b"\0")
    try:
        answer = read_document(source.decode(), content)
    except InvalidInput as error:
        answer = Refused(error.field, error.problem)
    sys.stdout.buffer.write(msgspec.json.encode(answer))


if __name__ == "__main__":
    main()
