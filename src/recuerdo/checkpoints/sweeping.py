"""Mark and sweep: the rows of a thread that nothing refers to once some of its checkpoints are removed."""

from collections.abc import Callable, Collection, Iterable
from itertools import islice

from recuerdo.checkpoints.logs import LogPosition, Spans, merged
from recuerdo.checkpoints.outlines import Outline, decode_body, decode_outline, digests_of, spans_of
from recuerdo.core.checkpoints import Segment, StoredCheckpoint, Survey, SweptRows

Address = tuple[str, str]
"""A checkpoint's namespace and id."""

_LOOKED_AT_TOGETHER = 100

DeltaChannels = Callable[[StoredCheckpoint], Collection[str]]
"""The channels of a checkpoint whose values are not in it, but are made of earlier writes."""


def latest(survey: Survey) -> set[Address]:
    """The last checkpoint of each namespace."""
    last: dict[str, str] = {}
    for row in survey.checkpoints:
        last[row.namespace] = max(row.id, last.get(row.namespace, ""))
    return set(last.items())


def all_but(runs: Collection[str], survey: Survey) -> set[Address]:
    """The checkpoints that none of the runs made."""
    return {(row.namespace, row.id) for row in survey.checkpoints if row.run not in runs}


def doomed(survey: Survey, kept: set[Address], deltas: DeltaChannels) -> SweptRows:
    """The rows to remove when only these checkpoints are kept, and the rows that they need."""
    kept = kept | _needed(survey, kept, deltas)
    gone = [(row.namespace, row.id) for row in survey.checkpoints if (row.namespace, row.id) not in kept]
    segments, digests = _unneeded(survey, set(gone))
    ends = _ends(survey.segments) if segments else {}
    return SweptRows(
        checkpoints=gone,
        segments=[place for place in segments if ends[place[0]] != place[1]],
        digests=digests,
        emptied=[place for place in segments if ends[place[0]] == place[1]],
    )


def _unneeded(survey: Survey, gone: set[Address]) -> tuple[list[LogPosition], list[bytes]]:
    """The segments and values that nothing leads to that stays. It looks no further when everything is needed."""
    segments, digests = survey.segments, survey.digests
    outlines = iter(_outlines(survey, gone))
    while (segments or digests) and (some := list(islice(outlines, _LOOKED_AT_TOGETHER))):
        marked = merged(span for outline in some for span in spans_of(outline))
        needed = {digest for outline in some for digest in digests_of(outline)}
        segments = [segment for segment in segments if not _touches(segment, marked)]
        digests = [digest for digest in digests if digest not in needed]
    return [(segment.log, segment.start) for segment in segments], digests


def _needed(survey: Survey, kept: set[Address], deltas: DeltaChannels) -> set[Address]:
    """The ancestors that the kept checkpoints' delta channels are made of, up to one that has the value."""
    made_of_others = [
        (row, wanted) for row in survey.checkpoints if (row.namespace, row.id) in kept and (wanted := set(deltas(row)))
    ]
    rows = {(row.namespace, row.id): row for row in survey.checkpoints} if made_of_others else {}
    needed: set[Address] = set()
    for row, wanted in made_of_others:
        wanted -= decode_body(row).values.keys()
        while wanted and (row := rows.get((row.namespace, row.parent))) is not None:
            needed.add((row.namespace, row.id))
            wanted -= decode_body(row).values.keys()
    return needed


def _outlines(survey: Survey, gone: set[Address]) -> Iterable[Outline]:
    """All that stays, the latest first, which lead to most; with writes whose checkpoints are still to come."""
    for row in reversed(survey.checkpoints):
        if (row.namespace, row.id) not in gone:
            yield from decode_body(row).values.values()
    for write in reversed(survey.writes):
        if (write.namespace, write.checkpoint) not in gone:
            yield decode_outline(write)


def _ends(segments: Iterable[Segment]) -> dict[str, int]:
    """The start of the last segment of each log."""
    ends: dict[str, int] = {}
    for segment in segments:
        ends[segment.log] = max(segment.start, ends.get(segment.log, 0))
    return ends


def _touches(segment: Segment, marked: Spans) -> bool:
    """Whether one of the spans, which are sorted and apart, has an element of the segment."""
    low, high = 0, len(marked)
    while low < high:
        middle = (low + high) // 2
        if (marked[middle].log, marked[middle].end) <= (segment.log, segment.start):
            low = middle + 1
        else:
            high = middle
    return low < len(marked) and marked[low].log == segment.log and marked[low].start < segment.end
