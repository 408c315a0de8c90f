"""Mark and sweep: what of a thread nothing needs once some of its checkpoints go."""

from collections.abc import Callable, Collection, Iterable

from recuerdo.checkpoints.outlines import Outline, decode_body, decode_outline, digests_of, spans_of
from recuerdo.checkpoints.spans import Spans, merged
from recuerdo.core.checkpoints import Doomed, Segment, StoredCheckpoint, Survey

Address = tuple[str, str]
"""A checkpoint's namespace and id."""

DeltaChannels = Callable[[StoredCheckpoint], Collection[str]]
"""The channels of a checkpoint whose values are not in it, but are made of what was written before it."""


def latest(survey: Survey) -> set[Address]:
    """The last checkpoint of each namespace."""
    last: dict[str, str] = {}
    for row in survey.checkpoints:
        last[row.namespace] = max(row.id, last.get(row.namespace, ""))
    return set(last.items())


def all_but(runs: Collection[str], survey: Survey) -> set[Address]:
    """The checkpoints that none of the runs made."""
    return {(row.namespace, row.id) for row in survey.checkpoints if row.run not in runs}


def doomed(survey: Survey, kept: set[Address], deltas: DeltaChannels) -> Doomed:
    """What goes when only these checkpoints are kept, and what they need."""
    kept = kept | _needed(survey, kept, deltas)
    gone = [(row.namespace, row.id) for row in survey.checkpoints if (row.namespace, row.id) not in kept]
    outlines = list(_outlines(survey, set(gone)))
    marked = merged(span for outline in outlines for span in spans_of(outline))
    digests = {digest for outline in outlines for digest in digests_of(outline)}
    unmarked = [segment for segment in survey.segments if not _touches(segment, marked)]
    ends = _ends(survey.segments)
    return Doomed(
        checkpoints=gone,
        segments=[(segment.log, segment.start) for segment in unmarked if ends[segment.log] != segment.start],
        digests=[digest for digest in survey.digests if digest not in digests],
        emptied=[(segment.log, segment.start) for segment in unmarked if ends[segment.log] == segment.start],
    )


def _needed(survey: Survey, kept: set[Address], deltas: DeltaChannels) -> set[Address]:
    """The ancestors that the kept checkpoints' delta channels are made of, up to one that has the value."""
    rows = {(row.namespace, row.id): row for row in survey.checkpoints}
    needed: set[Address] = set()
    for address in kept:
        row = rows[address]
        if not (wanted := set(deltas(row))):
            continue
        wanted -= decode_body(row.body).values.keys()
        while wanted and (row := rows.get((row.namespace, row.parent))) is not None:
            needed.add((row.namespace, row.id))
            wanted -= decode_body(row.body).values.keys()
    return needed


def _outlines(survey: Survey, gone: set[Address]) -> Iterable[Outline]:
    """All that stays, with writes whose checkpoints are still to come."""
    for row in survey.checkpoints:
        if (row.namespace, row.id) not in gone:
            yield from decode_body(row.body).values.values()
    for write in survey.writes:
        if (write.namespace, write.checkpoint) not in gone:
            yield decode_outline(write.body)


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
