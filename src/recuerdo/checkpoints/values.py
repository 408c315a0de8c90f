"""Outlines turned back into values."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from recuerdo.checkpoints.codec import Codec
from recuerdo.checkpoints.logs import Logs
from recuerdo.checkpoints.outlines import Alone, Composite, Inline, Listed, Outline, Shared
from recuerdo.checkpoints.spans import Spans, alike, behind
from recuerdo.concurrency.garbage import few_collections


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
        spans = [span for outline in outlines if isinstance(outline, Listed | Alone) for span in outline.spans]
        with few_collections():
            elements = iter(self._codec.thaw(self.logs.pieces(spans)))
        return [self._taken(outline, elements) for outline in outlines]

    def _taken(self, outline: Outline, elements: Iterator[Any]) -> Any:
        match outline:
            case Listed(spans):
                return list(islice(elements, sum(span.end - span.start for span in spans)))
            case Alone():
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
                with few_collections():
                    return self._codec.thaw(self.logs.pieces(spans))
            case Alone(spans):
                return self.logs.entries(spans)[0].thaw()
            case Composite(form, parts):
                return self._codec.compose(form, [self.value(part) for part in parts])


class SharingReader(ValueReader):
    """For a list of checkpoints: an element that stays where it was in a channel's list is made once for all."""

    def __init__(self, codec: Codec, logs: Logs, values: Mapping[bytes, bytes]) -> None:
        super().__init__(codec, logs, values)
        self._last: dict[str, tuple[Spans, list[Any]]] = {}

    def channel(self, channel: str, outline: Outline) -> Any:
        """See ValueReader."""
        if not isinstance(outline, Listed):
            return self.value(outline)
        spans, made = self._last.get(channel, ([], []))
        count = alike(spans, outline.spans)
        elements = made[:count] + self.value(Listed(behind(outline.spans, count)))
        self._last[channel] = outline.spans, elements.copy()
        return elements
