"""The metadata of a thread: what a program says about a conversation, such as its agent and its channel.

Databases keep it as JSON beside the thread, and find threads by its fields. A field is a digest of one value and of
where it stands, so that all databases compare alike, whatever they think of numbers and of Unicode, and no value is too
long for an index.
"""

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple, Self, cast

import msgspec

from recuerdo.core.checks import UNREADABLE
from recuerdo.core.conditions import check_depth
from recuerdo.core.errors import DamagedRow, InvalidInput

MOST_METADATA_BYTES = 16 * 1024
"""Bytes of a thread's metadata as JSON: lists of threads carry it."""

MOST_METADATA_FIELDS = 128
"""Keys and elements of lists in a thread's metadata, at all levels: each is an entry of an index."""

AGENT_ID = "agent_id"
CHANNEL = "channel"
"""The keys that have filters of their own over HTTP."""

_BYTES_OF_A_FIELD = 16
_ELEMENT = 0
"""In a path, any element of a list."""

Path = tuple[str | int, ...]
_encode = msgspec.json.Encoder(order="sorted").encode


class ThreadMetadata(NamedTuple):
    """Metadata as it is stored: JSON whose keys are sorted, and its fields."""

    text: str
    fields: frozenset[bytes]

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> Self:
        """The metadata to store. Raises InvalidInput for more than the bounds allow."""
        text = _encode(metadata).decode()
        size = len(text.encode())
        if size > MOST_METADATA_BYTES:
            raise InvalidInput(
                "metadata", f"would have {size} bytes as JSON, and a thread keeps {MOST_METADATA_BYTES}; leave some out"
            )
        found = [*_places((), metadata)]
        if len(found) > MOST_METADATA_FIELDS:
            raise InvalidInput(
                "metadata",
                f"would have {len(found)} keys and elements of lists, and a thread keeps {MOST_METADATA_FIELDS};"
                " leave some out",
            )
        return cls(text, frozenset(map(_digest, found)))


def check_metadata(metadata: Mapping[str, Any]) -> None:
    """Raise InvalidInput for metadata that no thread keeps: it is nested too deep, or beyond the bounds."""
    check_depth("metadata", metadata)
    ThreadMetadata.of(metadata)


NO_METADATA = ThreadMetadata("{}", frozenset())
"""The empty metadata."""


def read_metadata(thread_id: str, text: str) -> dict[str, Any]:
    """The metadata that was stored as this text. Raises DamagedRow."""
    if text == NO_METADATA.text:
        return {}
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except UNREADABLE:
        raise DamagedRow("thread", thread_id) from None


def wanted_fields(metadata: Mapping[str, Any]) -> frozenset[bytes]:
    """The fields of threads whose metadata holds this: objects by their keys, lists by their elements.

    Raises InvalidInput for objects in lists, of which fields can't tell which belong together.
    """
    check_metadata(metadata)
    if any(_ELEMENT in path and isinstance(value, dict | list) for path, value in _places((), metadata)):
        raise InvalidInput("metadata", "lists that are looked for hold texts, numbers, booleans and null only")
    return ThreadMetadata.of(metadata).fields


def _places(path: Path, value: object) -> Iterator[tuple[Path, object]]:
    """Each value with the path of keys that leads to it; an object or a list stands there in name only."""
    if isinstance(value, Mapping):
        if path:
            yield path, {}
        for key, inner in cast(Mapping[str, object], value).items():
            yield from _places((*path, key), inner)
    elif isinstance(value, list):
        yield path, []
        for inner in cast(list[object], value):
            yield from _places((*path, _ELEMENT), inner)
    else:
        yield path, value


def _digest(place: tuple[Path, object]) -> bytes:
    return blake2b(_encode(place), digest_size=_BYTES_OF_A_FIELD).digest()
