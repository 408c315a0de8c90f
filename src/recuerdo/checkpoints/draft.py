"""What one thread is about to commit, and how it is sent."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recuerdo.checkpoints.outlines import Outline, PackedCheckpoint, digests_of, encode, moved, sealed, spans_of
from recuerdo.checkpoints.spans import Spans, shifted
from recuerdo.core.checkpoints import (
    CheckpointBatch,
    Generation,
    Holder,
    Segment,
    Span,
    StoredCheckpoint,
    StoredWrite,
)
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Append


class NewElements(NamedTuple):
    """New elements of a log, from `start` on."""

    start: int
    packed: list[bytes]


class HistoryEpoch:
    """The epoch of a thread's history that one writer appends in: whichever its first append finds, if none is named.

    `expected` is None for any and 0 for a history that does not exist yet.
    """

    __slots__ = ("expected",)

    def __init__(self, expected: int | None = None) -> None:
        self.expected = expected


class Draft:
    """Rows that are committed together; their outlines may still move."""

    def __init__(self) -> None:
        self.checkpoints: dict[tuple[str, str], tuple[StoredCheckpoint, PackedCheckpoint]] = {}
        self.writes: dict[tuple[str, str, str, int], tuple[StoredWrite, Outline]] = {}
        self.appended: dict[str, NewElements] = {}
        self.values: dict[bytes, bytes] = {}
        self.messages: list[Append] = []
        self.epochs: set[HistoryEpoch] = set()
        self.holders: set[Holder] = set()

    def __bool__(self) -> bool:
        return bool(self.checkpoints or self.writes)

    def checkpoint(self, row: StoredCheckpoint, body: PackedCheckpoint) -> None:
        """Save the checkpoint, in the place of another with its id."""
        self.checkpoints[row.namespace, row.id] = row, body

    def write(self, row: StoredWrite, outline: Outline) -> None:
        """Save the write; of two in the same place the first one holds, unless the place is special."""
        key = row.namespace, row.checkpoint, row.task, row.place
        if row.place < 0 or key not in self.writes:
            self.writes[key] = row, outline

    def append(self, log: str, position: int, packed: bytes) -> None:
        """Save the element, which follows the last one of its log."""
        self.appended.setdefault(log, NewElements(position, [])).packed.append(packed)

    def shift(self, log: str, start: int, distance: int) -> None:
        """Follow elements of the log, those from `start` on, that were put `distance` further on."""

        def move(spans: Spans) -> Spans:
            return shifted(spans, log, start, distance)

        for key, (row, body) in self.checkpoints.items():
            self.checkpoints[key] = row, body.moved(move)
        for key, (write, outline) in self.writes.items():
            self.writes[key] = write, moved(outline, move)
        if log in self.appended and self.appended[log].start >= start:
            self.appended[log] = self.appended[log]._replace(start=self.appended[log].start + distance)

    def outlines(self) -> Iterator[Outline]:
        """The outlines of all values."""
        for _, body in self.checkpoints.values():
            yield from body.values.values()
        for _, outline in self.writes.values():
            yield outline

    def spans(self) -> Spans:
        """Everything in logs that must be there already."""
        found: Spans = []
        for outline in self.outlines():
            for log, start, end in spans_of(outline):
                if log in self.appended:
                    end = min(end, self.appended[log].start)
                if start < end:
                    found.append(Span(log, start, end))
        return found

    def digests(self) -> set[bytes]:
        """The values that must be there already."""
        return {digest for outline in self.outlines() for digest in digests_of(outline)} - self.values.keys()

    def batch(self, scope: Scope, generation: Generation | None) -> CheckpointBatch:
        """The rows as they are stored."""
        return CheckpointBatch(
            scope=scope,
            generation=generation,
            checkpoints=[
                row._replace(body=encode(body), metadata=sealed(row.metadata))
                for row, body in self.checkpoints.values()
            ],
            writes=[row._replace(body=encode(outline)) for row, outline in self.writes.values()],
            segments=[
                Segment(log, start, len(packed), sealed(b"".join(packed)))
                for log, (start, packed) in self.appended.items()
            ],
            values=self.values,
            messages=joined(self.messages),
            epochs=sorted({epoch.expected for epoch in self.epochs if epoch.expected is not None}),
            holders=sorted(self.holders),
        )


def joined(requests: Sequence[Append]) -> Append | None:
    """One append of all messages, each id once; None when there are none."""
    if not requests:
        return None
    messages = {message.id: message for request in reversed(requests) for message in reversed(request.messages)}
    title = next((request.title for request in requests if request.title), "")
    return requests[-1]._replace(messages=list(messages.values())[::-1], title=title)
