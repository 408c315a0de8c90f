"""What a channel has at a checkpoint and had not at the one before."""

from collections.abc import Iterable, Iterator
from typing import Any

from recuerdo.checkpoints.outlines import Listed, Outline, PackedCheckpoint, spans_of
from recuerdo.checkpoints.spans import Spans, without
from recuerdo.checkpoints.thread import CheckpointThread
from recuerdo.core.checkpoints import Span


def gained(
    thread: CheckpointThread, before: PackedCheckpoint, body: PackedCheckpoint, channel: str, written: Iterable[Outline]
) -> list[Any]:
    """The elements that the channel's value has and had not before, at the parent, where these were `written`.

    A checkpoint holds no value of a DeltaChannel but now and then: it gains what was written at the parent, and the
    elements of a value that nobody wrote before, as the first input of a thread.
    """
    new, old = body.values.get(channel), before.values.get(channel)
    if isinstance(new, Listed):
        spans = without(new.spans, old.spans if isinstance(old, Listed) else [])
    elif channel not in body.versions or before.carried(channel, body.versions[channel]):
        spans: Spans = []
    else:
        spans = [span for outline in written for span in spans_of(outline)]
        spans += _fresh(thread, spans_of(new) if new else iter(()))
    return [entry.thaw() for entry in thread.logs.entries(spans)]


def _fresh(thread: CheckpointThread, spans: Iterator[Span]) -> Iterator[Span]:
    """The parts of the spans that the draft brings."""
    for log, start, end in spans:
        if log in thread.draft.appended and end > thread.draft.appended[log].start:
            yield Span(log, max(start, thread.draft.appended[log].start), end)
