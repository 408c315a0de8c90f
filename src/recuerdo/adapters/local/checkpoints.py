"""CheckpointRepository over dicts."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from operator import attrgetter
from typing import Any

import msgspec

from recuerdo.adapters.local.connection import LocalDatabase, page_of_owners
from recuerdo.adapters.local.history import append_unseen
from recuerdo.core.checkpoints import (
    CheckpointBatch,
    CheckpointFound,
    CheckpointQuery,
    CommitRefused,
    Committed,
    Contents,
    Decide,
    Generation,
    Holder,
    KnownRange,
    RecentCheckpoints,
    Segment,
    Span,
    StoredCheckpoint,
    StoredWrite,
    Survey,
    SurveyedWrite,
)
from recuerdo.core.documents import DocumentKey
from recuerdo.core.errors import LeaseLost, ThreadExists
from recuerdo.core.graph_ports import CheckpointRepository
from recuerdo.core.scope import Owner, Scope

_Place = tuple[str, str]
"""The namespace and the id of a checkpoint."""

_start = attrgetter("start")


@dataclass
class _StoredThreadCheckpoints:
    """The checkpoints of one thread. The segments of a log are in the order of their starts."""

    generation: Generation
    checkpoints: dict[_Place, StoredCheckpoint] = field(default_factory=dict[_Place, StoredCheckpoint])
    writes: dict[_Place, dict[tuple[str, int], StoredWrite]] = field(
        default_factory=dict[_Place, dict[tuple[str, int], StoredWrite]]
    )
    logs: dict[str, list[Segment]] = field(default_factory=dict[str, list[Segment]])
    values: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])

    def end(self, log: str) -> int:
        """The position after the last element of the log."""
        segments = self.logs.get(log)
        return segments[-1].end if segments else 0

    def writes_at(self, place: _Place) -> list[StoredWrite]:
        """The writes at a checkpoint, in their order."""
        return sorted(self.writes.get(place, {}).values(), key=attrgetter("order"))


class LocalCheckpoints(CheckpointRepository):
    """The checkpoints of graphs, in this process."""

    def __init__(self, database: LocalDatabase) -> None:
        self._database = database
        self._threads: dict[Scope, _StoredThreadCheckpoints] = {}
        self._keys = count(1)

    async def load(self, scope: Scope, namespace: str, checkpoint: str | None) -> CheckpointFound | None:
        thread = self._threads.get(scope)
        if thread is None:
            return None
        if checkpoint is None:
            checkpoint = max((id_ for name, id_ in thread.checkpoints if name == namespace), default="")
        row = thread.checkpoints.get((namespace, checkpoint))
        return _found(scope, thread, row) if row else None

    async def contents(
        self, generation: Generation, scope: Scope, spans: Sequence[Span], digests: Sequence[bytes]
    ) -> Contents:
        thread = self._threads.get(scope)
        if thread is None or thread.generation.key != generation.key:
            return Contents([], {})
        segments = {(segment.log, segment.start): segment for span in spans for segment in _touched(thread, span)}
        values = {digest: thread.values[digest] for digest in digests if digest in thread.values}
        return Contents([segments[place] for place in sorted(segments)], values)

    async def select(self, query: CheckpointQuery) -> list[CheckpointFound]:
        found = [
            (scope, thread, row)
            for scope, thread in self._threads.items()
            if scope.owner == query.owner and query.thread in (None, scope.thread)
            for row in thread.checkpoints.values()
            if _matches(query, scope.thread, row)
        ]
        found.sort(key=lambda each: (each[0].thread, each[2].namespace))
        found.sort(key=lambda each: each[2].id, reverse=True)
        return [_found(*each) for each in found[: query.limit]]

    async def recent(self, scope: Scope, namespace: str, known: KnownRange, limit: int) -> RecentCheckpoints:
        thread = self._threads.get(scope)
        if thread is None:
            return RecentCheckpoints([], known, are_known=False)
        are_known = _digest(thread, namespace, known.since, known.below) == known.digest
        since = known.below if are_known else known.since
        rows = [row for row in thread.checkpoints.values() if row.namespace == namespace and row.id >= since]
        rows.sort(key=attrgetter("id"), reverse=True)
        found = [_found(scope, thread, row) for row in rows[:limit]]
        below = rows[0].id if rows else ""
        return RecentCheckpoints(
            found, KnownRange(known.since, below, _digest(thread, namespace, known.since, below)), are_known
        )

    async def commit(self, batch: CheckpointBatch) -> Committed | CommitRefused:
        if not all(self._holds(batch.scope, holder) for holder in batch.holders):
            raise LeaseLost
        thread = self._threads.get(batch.scope)
        generation = thread.generation if thread else None
        heads = {segment.log: thread.end(segment.log) if thread else 0 for segment in batch.segments}
        if generation != batch.generation or any(segment.start != heads[segment.log] for segment in batch.segments):
            return CommitRefused(generation, heads)
        epoch = None
        if batch.messages is not None:  # first: it may be refused
            epoch = append_unseen(self._database, batch.messages, batch.epochs)
        if thread is None:
            thread = self._threads[batch.scope] = self._new()
        _write(thread, batch)
        return Committed(thread.generation, epoch)

    async def erase(self, scope: Scope) -> None:
        self._threads.pop(scope, None)

    async def erase_all(self, owner: Owner) -> int:
        gone = [scope for scope in self._threads if scope.owner == owner]
        for scope in gone:
            del self._threads[scope]
        return len(gone)

    async def copy(self, scope: Scope, target: str) -> bool:
        thread, copy = self._threads.get(scope), scope.owner.thread(target)
        if thread is None:
            return False
        if copy in self._threads:
            raise ThreadExists(target)
        made = self._threads[copy] = self._new()
        made.checkpoints |= thread.checkpoints
        made.writes |= {place: dict(writes) for place, writes in thread.writes.items()}
        made.logs |= {log: list(segments) for log, segments in thread.logs.items()}
        made.values |= thread.values
        return True

    async def sweep(self, scope: Scope, decide: Decide) -> None:
        thread = self._threads.get(scope)
        if thread is None:
            return
        gone = decide(_survey(thread))
        for place in gone.checkpoints:
            thread.checkpoints.pop(place, None)
            thread.writes.pop(place, None)
        emptied, removed = set(gone.emptied), set(gone.segments)
        for log, segments in thread.logs.items():
            thread.logs[log] = [
                segment._replace(data=b"") if (log, segment.start) in emptied else segment
                for segment in segments
                if (log, segment.start) not in removed
            ]
        for digest in gone.digests:
            thread.values.pop(digest, None)
        key, sweeps = thread.generation
        thread.generation = Generation(key, sweeps + 1)

    async def threads_of(self, owner: Owner, runs: Sequence[str]) -> list[str]:
        wanted = {run for run in runs if run}
        return sorted(
            scope.thread
            for scope, thread in self._threads.items()
            if scope.owner == owner and any(row.run in wanted for row in thread.checkpoints.values())
        )

    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        return page_of_owners({scope.owner for scope in self._threads if tenant in (None, scope.tenant)}, limit, after)

    def _new(self) -> _StoredThreadCheckpoints:
        return _StoredThreadCheckpoints(Generation(next(self._keys), 0))

    def _holds(self, scope: Scope, holder: Holder) -> bool:
        document = self._database.documents.get(scope.owner, {}).get(DocumentKey("run", holder.run))
        run: dict[str, Any] = msgspec.json.decode(document.body) if document else {}
        return (run.get("token"), run.get("status")) == (holder.token, "running")


def _found(scope: Scope, thread: _StoredThreadCheckpoints, row: StoredCheckpoint) -> CheckpointFound:
    return CheckpointFound(scope.thread, thread.generation, row, thread.writes_at((row.namespace, row.id)))


def _touched(thread: _StoredThreadCheckpoints, span: Span) -> Iterable[Segment]:
    segments = thread.logs.get(span.log, [])
    first = bisect_right(segments, span.start, key=_start) - 1
    return (segment for segment in segments[first:] if segment.start < span.end) if first >= 0 else ()


def _matches(query: CheckpointQuery, thread: str, row: StoredCheckpoint) -> bool:
    if query.after is not None:
        after_id, *after = query.after
        if row.id > after_id or (row.id == after_id and (thread, row.namespace) <= tuple(after)):
            return False
    return (
        query.namespace in (None, row.namespace)
        and query.id in (None, row.id)
        and (query.before is None or row.id < query.before)
    )


def _digest(thread: _StoredThreadCheckpoints, namespace: str, since: str, below: str) -> int:
    places = sorted(
        place for place in {*thread.checkpoints, *thread.writes} if place[0] == namespace and since <= place[1] < below
    )
    return hash((thread.generation, *((thread.checkpoints.get(at), *thread.writes_at(at)) for at in places)))


def _write(thread: _StoredThreadCheckpoints, batch: CheckpointBatch) -> None:
    for segment in batch.segments:
        thread.logs.setdefault(segment.log, []).append(segment)
    for digest, value in batch.values.items():
        thread.values.setdefault(digest, value)
    for row in batch.checkpoints:
        thread.checkpoints[row.namespace, row.id] = row
    for write in batch.writes:
        writes = thread.writes.setdefault((write.namespace, write.checkpoint), {})
        if write.place < 0 or (write.task, write.place) not in writes:
            writes[write.task, write.place] = write


def _survey(thread: _StoredThreadCheckpoints) -> Survey:
    return Survey(
        checkpoints=[*thread.checkpoints.values()],
        writes=[
            SurveyedWrite(write.namespace, write.checkpoint, write.body)
            for writes in thread.writes.values()
            for write in writes.values()
        ],
        segments=[segment._replace(data=b"") for segments in thread.logs.values() for segment in segments],
        digests=[*thread.values],
    )
