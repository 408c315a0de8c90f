"""Where a value is: an outline says it in a checkpoint's or a write's row, and holds little of the value itself."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from recuerdo.checkpoints.spans import Spans
from recuerdo.core.checkpoints import Span, StoredCheckpoint, StoredWrite, SurveyedWrite
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


class Alone(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """One element of a log, in no list."""

    spans: Spans


class Composite(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """A value with parts that have outlines of their own; the codec knows the form."""

    form: bytes
    parts: list["Outline"]


Outline = Inline | Shared | Listed | Alone | Composite


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


def encode(row: PackedCheckpoint | Outline) -> bytes:
    """A row's body."""
    return _encoder.encode(row)


def decode_body(row: StoredCheckpoint) -> PackedCheckpoint:
    """What a checkpoint's row says. Raises DamagedRow."""
    try:
        return _body_decoder.decode(row.body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise DamagedRow("checkpoint", row.id) from None


def decode_outline(write: StoredWrite | SurveyedWrite) -> Outline:
    """What a write's row says. Raises DamagedRow, which names the checkpoint."""
    try:
        return _outline_decoder.decode(write.body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise DamagedRow("write at the checkpoint", write.checkpoint) from None


def spans_of(outline: Outline) -> Iterator[Span]:
    """All spans that the outline leads to."""
    match outline:
        case Listed(spans) | Alone(spans):
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
        case Alone(spans):
            return Alone(move(spans))
        case Composite(form, parts):
            return Composite(form, [moved(part, move) for part in parts])
        case _:
            return outline
