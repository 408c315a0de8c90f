"""Lists as spans over logs: pure functions."""

from collections.abc import Iterable, Iterator, Sequence

from recuerdo.core.checkpoints import Span

Spans = list[Span]
Place = tuple[str, int]
"""A position in a log."""

MOST_SPANS = 8


def places(spans: Iterable[Span]) -> Iterator[Place]:
    """Where each of the elements is."""
    for log, start, end in spans:
        for position in range(start, end):
            yield log, position


def size(spans: Iterable[Span]) -> int:
    """How many elements there are."""
    return sum(span.end - span.start for span in spans)


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
    """The same elements in the same order, with spans that go on where the one before ends made one."""
    result: Spans = []
    for span in spans:
        add(result, *span)
    return result


def merged(spans: Iterable[Span]) -> Spans:
    """The same elements in as few spans as possible, sorted and each once."""
    result: Spans = []
    for span in sorted(spans):
        if result and result[-1].log == span.log and span.start <= result[-1].end:
            result[-1] = Span(span.log, result[-1].start, max(result[-1].end, span.end))
        else:
            result.append(span)
    return result
