"""Outlines, which say in a checkpoint's or a write's row where a value is, and how they are turned back into values.

Stored rows are sealed: each begins with a byte that MessagePack never uses, and a checksum. Rows that were written
before this was introduced have no seal, and are read as they are. Values are stored under their digests instead.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import islice
from typing import Any, TypeVar

import msgspec

from recuerdo.checkpoints.codec import Codec
from recuerdo.checkpoints.logs import Logs, Spans, alike, behind
from recuerdo.concurrency.garbage import garbage_collection_paused
from recuerdo.core.checkpoints import Segment, Span, StoredCheckpoint, StoredWrite, SurveyedWrite
from recuerdo.core.errors import DamagedRow


class Inline(msgspec.Struct, frozen=True, array_like=True, tag=0):
    """A small value, packed."""

    data: bytes


class Shared(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """A value that is stored once per thread, by the digest of its packed form."""

    digest: bytes


class Listed(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """A list: spans over logs."""

    spans: Spans


class SingleElement(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """One element of a log, in no list."""

    spans: Spans


class Composite(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """A value with parts that have outlines of their own; the codec knows the form."""

    form: bytes
    parts: list["Outline"]


Outline = Inline | Shared | Listed | SingleElement | Composite


class PackedCheckpoint(msgspec.Struct, frozen=True, array_like=True):
    """A checkpoint's row: the channels' versions and values, and all the rest, packed."""

    rest: bytes
    versions: dict[str, Any]
    values: dict[str, Outline]

    def carried(self, channel: str, version: Any) -> bool:
        """Whether a later checkpoint with this version of the channel has the same value of it."""
        return channel in self.versions and self.versions[channel] == version

    def moved(self, move: Callable[[Spans], Spans]) -> "PackedCheckpoint":
        """The row with other spans."""
        values = {channel: moved(outline, move) for channel, outline in self.values.items()}
        return PackedCheckpoint(self.rest, self.versions, values)


EMPTY = PackedCheckpoint(b"", {}, {})

_encoder = msgspec.msgpack.Encoder()
_body_decoder = msgspec.msgpack.Decoder(PackedCheckpoint)
_outline_decoder: msgspec.msgpack.Decoder[Outline] = msgspec.msgpack.Decoder(Outline)


_SEAL = b"\xc1"
_SEALED_FROM = 5
_DIGEST_BYTES = 16
_E = TypeVar("_E")


def sealed(data: bytes) -> bytes:
    """The data as they are stored."""
    return _SEAL + zlib.crc32(data).to_bytes(4, "big") + data


def _unsealed(data: bytes) -> bytes:
    """The data of before they were stored. Raises ValueError when they have changed since."""
    content = data[_SEALED_FROM:]
    is_whole = zlib.crc32(content) == int.from_bytes(data[1:_SEALED_FROM], "big")
    is_sealed = data[:1] == _SEAL
    if is_whole != is_sealed:  # and where only the first byte has changed the rest tells
        raise ValueError("not what was stored")
    return content if is_sealed else data


def encode(row: PackedCheckpoint | Outline) -> bytes:
    """A row's body."""
    return sealed(_encoder.encode(row))


def decode_body(row: StoredCheckpoint) -> PackedCheckpoint:
    """Decode a checkpoint's row. Raises DamagedRow."""
    try:
        return _body_decoder.decode(_unsealed(row.body))
    except (ValueError, RecursionError):  # and msgspec's are ValueErrors
        raise DamagedRow("checkpoint", row.id) from None


def decode_metadata(row: StoredCheckpoint) -> bytes:
    """A checkpoint's metadata, packed. Raises DamagedRow."""
    try:
        return _unsealed(row.metadata)
    except ValueError:
        raise DamagedRow("checkpoint", row.id) from None


def decode_segment(thread: str, segment: Segment, entries: Callable[[bytes, int], list[_E]]) -> list[_E]:
    """Decode a segment's elements with `entries`. Raises DamagedRow."""
    try:
        return entries(_unsealed(segment.data), segment.size) if segment.data else []
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise DamagedRow("log of checkpoints", f"{thread} {segment.log} from {segment.start} on") from None


def value_digest(value: bytes) -> bytes:
    """The digest under which a shared value is stored."""
    return blake2b(value, digest_size=_DIGEST_BYTES).digest()


def check_value(thread: str, digest: bytes, value: bytes) -> None:
    """Raises DamagedRow unless the value is that of the digest."""
    if value_digest(value) != digest:
        raise DamagedRow("value of a checkpoint", f"{thread} {digest.hex()}")


def decode_outline(write: StoredWrite | SurveyedWrite) -> Outline:
    """Decode a write's row. Raises DamagedRow, which names the checkpoint."""
    try:
        return _outline_decoder.decode(_unsealed(write.body))
    except (ValueError, RecursionError):
        raise DamagedRow("write at the checkpoint", write.checkpoint) from None


def spans_of(outline: Outline) -> Iterator[Span]:
    """All spans that the outline leads to."""
    match outline:
        case Listed(spans) | SingleElement(spans):
            yield from spans
        case Composite(_, parts):
            for part in parts:
                yield from spans_of(part)
        case _:
            pass


def digests_of(outline: Outline) -> Iterator[bytes]:
    """The digests of all shared values that the outline leads to."""
    if isinstance(outline, Shared):
        yield outline.digest
    elif isinstance(outline, Composite):
        for part in outline.parts:
            yield from digests_of(part)


def moved(outline: Outline, move: Callable[[Spans], Spans]) -> Outline:
    """The outline with other spans."""
    match outline:
        case Listed(spans):
            return Listed(move(spans))
        case SingleElement(spans):
            return SingleElement(move(spans))
        case Composite(form, parts):
            return Composite(form, [moved(part, move) for part in parts])
        case _:
            return outline


class ValueReader:
    """Makes values of outlines, new ones for each caller; all elements and values must be known."""

    def __init__(self, codec: Codec, logs: Logs, values: Mapping[bytes, bytes]) -> None:
        self._codec = codec
        self._values = dict(values)
        self.logs = logs

    def know(self, values: Mapping[bytes, bytes]) -> None:
        """More values by their digests."""
        self._values.update(values)

    def channel(self, channel: str, outline: Outline) -> Any:
        """The value of the channel."""
        del channel
        return self.value(outline)

    def values(self, outlines: Sequence[Outline]) -> list[Any]:
        """The values of many outlines, whose elements are made all together."""
        spans = [span for outline in outlines if isinstance(outline, Listed | SingleElement) for span in outline.spans]
        with garbage_collection_paused():
            elements = iter(self._codec.thaw(self.logs.pieces(spans)))
        return [self._taken(outline, elements) for outline in outlines]

    def _taken(self, outline: Outline, elements: Iterator[Any]) -> Any:
        match outline:
            case Listed(spans):
                return list(islice(elements, sum(span.end - span.start for span in spans)))
            case SingleElement():
                return next(elements)
            case _:
                return self.value(outline)

    def value(self, outline: Outline) -> Any:
        """The value."""
        match outline:
            case Inline(data):
                return self._codec.unpack(data)
            case Shared(digest):
                return self._codec.unpack(self._values[digest])
            case Listed(spans):
                with garbage_collection_paused():
                    return self._codec.thaw(self.logs.pieces(spans))
            case SingleElement(spans):
                return self.logs.entries(spans)[0].thaw()
            case Composite(form, parts):
                return self._codec.compose(form, [self.value(part) for part in parts])


class SharingReader(ValueReader):
    """For a list of checkpoints: an element that stays where it was in a channel's list is made once for all."""

    def __init__(self, codec: Codec, logs: Logs, values: Mapping[bytes, bytes]) -> None:
        super().__init__(codec, logs, values)
        self._last: dict[str, tuple[Spans, list[Any]]] = {}

    def channel(self, channel: str, outline: Outline) -> Any:
        if not isinstance(outline, Listed):
            return self.value(outline)
        spans, made = self._last.get(channel, ([], []))
        count = alike(spans, outline.spans)
        elements = made[:count] + self.value(Listed(behind(outline.spans, count)))
        self._last[channel] = outline.spans, elements.copy()
        return elements
