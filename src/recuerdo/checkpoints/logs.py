"""Lists as spans over logs, and the logs of one thread in memory: known elements, and how a list is found in them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from recuerdo.checkpoints.codec import Codec, CodecCache, Entry, Piece
from recuerdo.core.checkpoints import Segment, Span

Spans = list[Span]
LogPosition = tuple[str, int]
"""A position in a log."""

MOST_SPANS = 8


_LOOK_AHEAD = 32
"""How many elements may be gone from a list before those that no key finds are written again."""

_PIECE = 64
"""This many elements are compared together, and if one of them can't be handed out again, all are made anew."""


def places(spans: Iterable[Span]) -> Iterator[LogPosition]:
    """Where each of the elements is."""
    for log, start, end in spans:
        for position in range(start, end):
            yield log, position


def first(spans: Sequence[Span], count: int) -> Spans:
    """The spans of the first `count` elements."""
    kept: Spans = []
    for span in spans:
        if count <= 0:
            break
        kept.append(Span(span.log, span.start, min(span.end, span.start + count)))
        count -= span.end - span.start
    return kept


def alike(one: Sequence[Span], other: Sequence[Span]) -> int:
    """How many elements at the start of both are the same ones of the same logs."""
    count = 0
    for mine, its in zip(one, other, strict=False):
        if (mine.log, mine.start) != (its.log, its.start):
            break
        count += min(mine.end, its.end) - mine.start
        if mine.end != its.end:
            break
    return count


def behind(spans: Sequence[Span], count: int) -> Spans:
    """The spans of all but the first `count` elements."""
    rest: Spans = []
    for span in spans:
        skipped = min(count, span.end - span.start)
        count -= skipped
        if span.start + skipped < span.end:
            rest.append(Span(span.log, span.start + skipped, span.end))
    return rest


def without(spans: Iterable[Span], others: Iterable[Span]) -> Spans:
    """The parts of the spans that none of the others has."""
    taken = merged(others)
    left: Spans = []
    for log, start, end in spans:
        for span in taken:
            if span.log != log or span.end <= start or end <= span.start:
                continue
            if start < span.start:
                left.append(Span(log, start, span.start))
            start = max(start, span.end)
        if start < end:
            left.append(Span(log, start, end))
    return left


def add(spans: Spans, log: str, start: int, end: int) -> None:
    """Put more elements of a log at the end; where they go on from the last ones, they are of one span with these."""
    if spans and spans[-1].log == log and spans[-1].end == start:
        start = spans.pop().start
    spans.append(Span(log, start, end))


def shifted(spans: Sequence[Span], log: str, start: int, distance: int) -> Spans:
    """The spans after all elements of the log from `start` on were put `distance` further on."""
    result: Spans = []
    for span in spans:
        if span.log != log or span.end <= start:
            result.append(span)
            continue
        if span.start < start:
            result.append(Span(log, span.start, start))
        result.append(Span(log, max(span.start, start) + distance, span.end + distance))
    return result


def worth_keeping(spans: Sequence[Span]) -> int:
    """How many of the spans to keep when there are too many; the elements of the others are better written again.

    The last ones are joined as long as that at least doubles what is written, so that an element is written again a
    logarithmic number of times, and in any case down to half of the most spans.
    """
    if len(spans) <= MOST_SPANS:
        return len(spans)
    keep = len(spans) - 1
    joined = spans[keep].end - spans[keep].start
    while keep > 0 and ((span := spans[keep - 1]).end - span.start <= joined or keep > MOST_SPANS // 2):
        joined += span.end - span.start
        keep -= 1
    return keep


def joined(spans: Iterable[Span]) -> Spans:
    """The spans in their order, each joined with the one before where it goes on from that."""
    result: Spans = []
    for span in spans:
        add(result, *span)
    return result


def merged(spans: Iterable[Span]) -> Spans:
    """As few spans as possible with the same elements, sorted, each element once."""
    result: Spans = []
    for span in sorted(spans):
        if result and result[-1].log == span.log and span.start <= result[-1].end:
            result[-1] = Span(span.log, result[-1].start, max(result[-1].end, span.end))
        else:
            result.append(span)
    return result


class Logs:
    """Elements by their logs and positions. A position that was once given is never given again."""

    def __init__(self) -> None:
        self._logs: dict[str, list[Entry | None]] = {}
        self._places: dict[str | bytes, LogPosition] = {}
        self._solid: dict[str, int] = {}
        self._caches: defaultdict[tuple[str, int], CodecCache] = defaultdict(CodecCache)
        self.size = 0

    def missing(self, spans: Iterable[Span]) -> Spans:
        """The parts of the spans whose elements are not known."""
        unknown: Spans = []
        for span in spans:
            if span.end > self._known_upto(span.log):
                entries = self._logs.get(span.log, [])
                if len(entries) < span.end or None in islice(entries, span.start, span.end):
                    unknown.append(span)
        return merged(unknown)

    def learn(self, segment: Segment, entries: Sequence[Entry]) -> None:
        """The elements of a stored segment."""
        known = self._logs.setdefault(segment.log, [])
        known.extend([None] * (segment.end - len(known)))
        for position, entry in enumerate(entries, segment.start):
            if known[position] is None:
                self._put(known, segment.log, position, entry)

    def append(self, log: str, entry: Entry) -> LogPosition:
        """Give the element the next position."""
        known = self._logs.setdefault(log, [])
        known.append(None)
        self._put(known, log, len(known) - 1, entry)
        return log, len(known) - 1

    def shift(self, log: str, start: int, distance: int) -> None:
        """Put the elements from `start` on `distance` further on: the log has grown in between."""
        known = self._logs[log]
        known[start:start] = [None] * distance
        self._solid[log] = min(start, self._solid.get(log, 0))
        for position, entry in enumerate(islice(known, start, None), start):
            if entry is not None and entry.key is not None:
                self._places[entry.key] = log, position

    def entries(self, spans: Iterable[Span]) -> list[Entry]:
        """The elements of the spans, which must be known."""
        found: list[Entry] = []
        for log, start, end in spans:
            found += self._logs[log][start:end]  # pyright: ignore[reportAssignmentType]
        return found

    def pieces(self, spans: Iterable[Span]) -> Iterator[Piece]:
        """The elements of the spans in pieces, each with its part's cache. Spans that touch count as one."""
        for log, start, end in joined(spans):
            while start < end:
                number = start // _PIECE
                stop = min(end, (number + 1) * _PIECE)
                yield Piece(self._logs[log][start:stop], self._caches[log, number])  # pyright: ignore[reportArgumentType]
                start = stop

    def place_of(self, entry: Entry) -> LogPosition | None:
        """Where an element with the key of this one was put last."""
        return None if entry.key is None else self._places.get(entry.key)

    def is_at(self, place: LogPosition, element: Any) -> bool:
        """Whether the element is known to be there."""
        entries = self._logs.get(place[0], ())
        entry = entries[place[1]] if place[1] < len(entries) else None
        return entry is not None and entry.same(element)

    def _known_upto(self, log: str) -> int:
        """Everything before this position is known; it is looked at once only."""
        end = self._solid.get(log, 0)
        entries = self._logs.get(log, [])
        while end < len(entries) and entries[end] is not None:
            end += 1
        self._solid[log] = end
        return end

    def _put(self, known: list[Entry | None], log: str, position: int, entry: Entry) -> None:
        known[position] = entry
        self.size += 1
        if entry.key is not None:
            self._places[entry.key] = log, position


class Finder:
    """Turns one list into spans: elements that the logs have are found there, the others are appended."""

    def __init__(self, logs: Logs, codec: Codec, base: Spans, append: Callable[[Entry], LogPosition]) -> None:
        self._logs = logs
        self._codec = codec
        self._base = base
        self._append = append
        self._coming: Iterator[LogPosition] = iter(())
        self._rest: list[LogPosition] = []
        self._spans: Spans = []

    def find(self, elements: Sequence[Any]) -> Spans:
        """The spans of the list. `base` is the list's former value, usually its start."""
        count = self._codec.alike(self._logs.pieces(first(self._base, len(elements))), elements)
        self._spans = first(self._base, count)
        if count < len(elements):
            self._coming = places(behind(self._base, count))
            for element in islice(elements, count, None):
                log, position = self._place(element)
                add(self._spans, log, position, position + 1)
        if (keep := worth_keeping(self._spans)) < len(self._spans):
            rewritten = self._logs.entries(self._spans[keep:])
            del self._spans[keep:]
            for log, position in map(self._append, rewritten):
                add(self._spans, log, position, position + 1)
        return self._spans

    def _place(self, element: Any) -> LogPosition:
        """Where the element is: after the last one, as in a run that was moved, a little ahead, elsewhere, or new."""
        if self._spans and self._logs.is_at(following := (self._spans[-1].log, self._spans[-1].end), element):
            return following
        if (ahead := self._ahead(element)) is not None:
            return ahead
        entry = self._codec.entry(element)
        known = self._logs.place_of(entry)
        return known if known is not None and self._logs.is_at(known, element) else self._append(entry)

    def _ahead(self, element: Any) -> LogPosition | None:
        """Where the list was, when a few elements went from it."""
        self._rest.extend(islice(self._coming, _LOOK_AHEAD - len(self._rest)))
        for index, place in enumerate(self._rest):
            if self._logs.is_at(place, element):
                del self._rest[: index + 1]
                return place
        return None
