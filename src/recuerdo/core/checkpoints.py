"""A checkpoint: LangGraph's snapshot of a graph's state, as it is stored.

The elements of a list are stored in logs, which only grow: a log is a sequence of elements, stored in
segments, and a list is some spans of it. So a list that many checkpoints share is stored once. The
content of a checkpoint, a write, a segment or a value is bytes here; `recuerdo.checkpoints` decodes them.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import Append

_FIRST_TICK = datetime.fromisoformat("1582-10-15T00:00:00+00:00")


class Generation(NamedTuple):
    """Identifies a thread's stored checkpoints apart from later additions: while it stays, nothing was removed.

    `key` is never reused: a thread that is deleted and made again has another. `sweeps` counts the removals.
    """

    key: int
    sweeps: int


class StoredCheckpoint(NamedTuple):
    """One checkpoint of a namespace: `id`s sort by their time; `run` is the run that made it, or empty."""

    namespace: str
    id: str
    parent: str
    run: str
    body: bytes
    metadata: bytes


def made_at(checkpoint_id: str) -> datetime | None:
    """When a checkpoint was made. LangGraph's ids are UUIDs version 6, which tell; None of others."""
    try:
        uuid = UUID(checkpoint_id)
    except ValueError:
        return None
    if uuid.version != 6:
        return None
    ticks = (uuid.int >> 80) << 12 | (uuid.int >> 64) & 0xFFF
    return _FIRST_TICK + timedelta(microseconds=ticks // 10)


class StoredWrite(NamedTuple):
    """One value that a task wrote at a checkpoint. A `place` below 0 is special, and may be written again."""

    namespace: str
    checkpoint: str
    task: str
    place: int
    path: str
    channel: str
    body: bytes

    @property
    def order(self) -> tuple[str, str, int]:
        """Where it stands among the writes of its checkpoint."""
        return self.path, self.task, self.place


class Segment(NamedTuple):
    """The `size` elements of a log from `start` on, as they were appended together."""

    log: str
    start: int
    size: int
    data: bytes

    @property
    def end(self) -> int:
        """The position after the last element."""
        return self.start + self.size


class Span(NamedTuple):
    """The elements `start` up to `end`, which it does not include, of a log."""

    log: str
    start: int
    end: int


class Holder(NamedTuple):
    """A start of a run, which may write as long as the run's row has its token and is `running`."""

    run: str
    token: int


class CheckpointBatch(NamedTuple):
    """Rows of one thread that are committed together, all or nothing.

    `generation` is the thread's state as the writer saw it, None of a thread that does not exist. `values` are by their
    digests. `messages` go to the thread's history, except those whose ids it has already; that history must be in each
    of the `epochs`, 0 for one that does not exist. The runs of all `holders` must still be theirs.
    """

    scope: Scope
    generation: Generation | None
    checkpoints: Sequence[StoredCheckpoint] = ()
    writes: Sequence[StoredWrite] = ()
    segments: Sequence[Segment] = ()
    values: Mapping[bytes, bytes] = {}
    messages: Append | None = None
    epochs: Sequence[int] = ()
    holders: Sequence[Holder] = ()


class Committed(NamedTuple):
    """The batch is durable. `epoch` is that of the history that has its messages; None of a batch without any."""

    generation: Generation
    epoch: int | None = None


class CommitRefused(NamedTuple):
    """Nothing was written: the thread is in another generation, or its logs have grown.

    `heads` are the positions after the last elements of the logs that the batch meant to append to.
    """

    generation: Generation | None
    heads: Mapping[str, int]


class CheckpointFound(NamedTuple):
    """A checkpoint, its writes in their order, and whose it is."""

    thread: str
    generation: Generation
    checkpoint: StoredCheckpoint
    writes: list[StoredWrite]


class Contents(NamedTuple):
    """The segments that hold some spans, in the order of their starts, and values by their digests.

    Contents that are gone are left out.
    """

    segments: list[Segment]
    values: dict[bytes, bytes]


class CheckpointQuery(NamedTuple):
    """Which checkpoints of an owner: None means any. The latest ids come first, below `before`."""

    owner: Owner
    thread: str | None = None
    namespace: str | None = None
    id: str | None = None
    before: str | None = None
    limit: int = 100
    after: tuple[str, str, str] | None = None  # the id, thread and namespace where the last page ended


class KnownRange(NamedTuple):
    """The known part of a namespace: its checkpoints from `since` up to but without `below`.

    `digest` stands for these rows and their writes: it changes with any of them.
    """

    since: str
    below: str = ""
    digest: int = 0


class RecentCheckpoints(NamedTuple):
    """The latest checkpoints of a namespace, newest first.

    If `are_known`, the caller's known range is unchanged, and `rows` begins where that range ends. `mark` is the range
    to pass next time: all but the latest checkpoint, whose writes may still be coming.
    """

    rows: list[CheckpointFound]
    mark: KnownRange
    are_known: bool


class SurveyedWrite(NamedTuple):
    """The part of a write that sweeps look at."""

    namespace: str
    checkpoint: str
    body: bytes


class Survey(NamedTuple):
    """Everything of a thread but the contents of its logs and values: segments come without their data."""

    checkpoints: list[StoredCheckpoint]
    writes: list[SurveyedWrite]
    segments: list[Segment]
    digests: list[bytes]


class SweptRows(NamedTuple):
    """Rows that a sweep removes: checkpoints by namespace and id, with their writes; segments by log and start."""

    checkpoints: Sequence[tuple[str, str]]
    segments: Sequence[tuple[str, int]]
    digests: Sequence[bytes]
    emptied: Sequence[tuple[str, int]] = ()  # these stay without their data, so that no position is used again


Decide = Callable[[Survey], SweptRows]
"""Decides which rows of a thread are removed; a pure function, called while the thread is locked."""
