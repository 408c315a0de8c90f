"""One thread's checkpoints, as far as a process knows them, and writing new ones: drafts, committed in their order."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple
from weakref import ref

from recuerdo.checkpoints.codec import Codec, Division, Elements, Entry
from recuerdo.checkpoints.deltas import Ancestors, LatestCheckpoints
from recuerdo.checkpoints.logs import Finder, LogPosition, Logs, Spans, shifted
from recuerdo.checkpoints.outlines import (
    EMPTY,
    Composite,
    Inline,
    Listed,
    Outline,
    PackedCheckpoint,
    Shared,
    SingleElement,
    decode_outline,
    decode_segment,
    digests_of,
    encode,
    moved,
    sealed,
    spans_of,
    value_digest,
)
from recuerdo.concurrency.garbage import garbage_collection_paused
from recuerdo.concurrency.lru import LruCache
from recuerdo.core.checkpoints import (
    CheckpointBatch,
    CheckpointFound,
    CommitRefused,
    Committed,
    Generation,
    Holder,
    Segment,
    Span,
    StoredCheckpoint,
    StoredWrite,
)
from recuerdo.core.errors import Conflict, DatabaseUnavailable, EpochChanged
from recuerdo.core.graph_ports import CheckpointRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Append

LARGEST_INLINE = 256
"""Bytes: a larger value is stored once per thread, however many checkpoints have it."""

_MOST_BODIES = 64
_ATTEMPTS = 8
_Written = dict[tuple[str, str, int], tuple[str, Outline]]
"""By their order: the channel and the value."""

_PASSES = 5
"""Of the event loop: in so many a graph that was told that one checkpoint is saved asks to save the next."""


class NewElements(NamedTuple):
    """New elements of a log, from `start` on."""

    start: int
    packed: list[bytes]


@dataclass(eq=False, slots=True)
class HistoryEpoch:
    """The epoch of a thread's history that one writer appends in: whichever its first append finds, if none is named.

    `expected` is None for any and 0 for a history that does not exist yet.
    """

    expected: int | None = None


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

    def write(self, row: StoredWrite, outline: Outline) -> None:
        """Save the write; of two in the same place the first one holds, unless the place is special."""
        key = row.namespace, row.checkpoint, row.task, row.place
        if row.place < 0 or key not in self.writes:
            self.writes[key] = row, outline

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
            messages=one_append(self.messages) if self.messages else None,
            epochs=sorted({epoch.expected for epoch in self.epochs if epoch.expected is not None}),
            holders=sorted(self.holders),
        )


def one_append(requests: Sequence[Append]) -> Append:
    """One append of all messages, each id once."""
    messages = {message.id: message for request in reversed(requests) for message in reversed(request.messages)}
    title = next((request.title for request in requests if request.title), "")
    return requests[-1]._replace(messages=list(messages.values())[::-1], title=title)


class CheckpointThread:
    """The logs of one thread, its latest checkpoints, and the drafts that wait to be committed.

    Everything is planned in the moment of the call, before anything is awaited, so that what a graph changes later is
    not in it; commits follow one after the other. One that fails ends this object: what was planned after it can't
    stand either.
    """

    def __init__(
        self,
        repository: CheckpointRepository,
        scope: Scope,
        generation: Generation | None,
        changed: Callable[[Sequence[Scope]], Awaitable[None]] | None = None,
    ) -> None:
        self._repository = repository
        self._changed = changed
        self._scope = scope
        self._bodies = LruCache[tuple[str, str], PackedCheckpoint](_MOST_BODIES)
        self._written = LruCache[tuple[str, str], _Written](_MOST_BODIES)
        self.draft = Draft()
        """The rows that the next commit will write."""
        self._sent: Draft | None = None
        self._waiting: list[asyncio.Future[None]] = []
        self._sending: asyncio.Task[None] | None = None
        self._suspect = False
        self.generation = generation
        self.logs = Logs()
        self._kept = LruCache[str, LatestCheckpoints](_MOST_BODIES)
        self._just_read: tuple[str, ref[asyncio.Task[Any]], Ancestors] | None = None
        self.over = False
        """Whether it must not be used for anything new."""

    def body(self, namespace: str, checkpoint: str) -> PackedCheckpoint | None:
        """The checkpoint's row, if it is known; a thread's first checkpoint follows an empty one."""
        return self._bodies.get((namespace, checkpoint)) if checkpoint else EMPTY

    def remember(
        self, namespace: str, checkpoint: str, body: PackedCheckpoint, writes: Iterable[StoredWrite] = ()
    ) -> None:
        """Keep the row of a checkpoint, and its writes: others are likely to follow it."""
        self._bodies.put((namespace, checkpoint), body)
        for write in writes:
            self._note(write, decode_outline(write))

    def write(self, row: StoredWrite, outline: Outline) -> None:
        """Put a task's write into the draft."""
        self.draft.write(row, outline)
        self._note(row, outline)

    def written(self, namespace: str, checkpoint: str, channel: str) -> list[Outline]:
        """The writes of tasks to the channel at a checkpoint whose row is known, in the order that counts."""
        written = self._written.peek((namespace, checkpoint)) or {}
        return [outline for _, (name, outline) in sorted(written.items()) if name == channel]

    @property
    def size(self) -> int:
        """How much is known: elements of logs, and checkpoints that are kept."""
        return self.logs.size + sum(len(kept.rows) for kept in self._kept.values())

    def keeps(self, namespace: str) -> bool:
        """Whether it keeps checkpoints that the values of the namespace's delta channels were made of."""
        return self._kept.peek(namespace) is not None

    def keep(self, namespace: str, kept: LatestCheckpoints) -> None:
        """Keep them in mind."""
        self._kept.put(namespace, kept)

    async def latest(self, namespace: str) -> CheckpointFound | None:
        """The latest checkpoint of the namespace, read with its ancestors: who reads it asks for these next."""
        ancestors = Ancestors(self._repository, self._scope, namespace, self._kept.peek(namespace))
        task = asyncio.current_task()
        self._just_read = None if task is None else (namespace, ref(task), ancestors)
        return await ancestors.latest()

    def ancestors(self, namespace: str) -> Ancestors:
        """Those that this very task has just read, once, if nothing was written from here since; else the kept ones."""
        noted, self._just_read = self._just_read, None
        if noted is not None and (noted[0], noted[1]()) == (namespace, asyncio.current_task()):
            return noted[2]
        return Ancestors(self._repository, self._scope, namespace, self._kept.peek(namespace))

    def learn(self, codec: Codec, segments: Iterable[Segment]) -> None:
        """Decode the elements of stored segments; those that were taken away are empty. Raises DamagedRow."""
        with garbage_collection_paused():
            for segment in segments:
                if segment.data:
                    self.logs.learn(segment, decode_segment(self._scope.thread, segment, codec.entries))

    def outline(self, codec: Codec, log: str, value: Any, base: Outline | None = None) -> Outline:
        """Put the value's new elements into the draft. `base` is its former value, whose elements must be known."""
        match codec.divide(value):
            case None:
                data = codec.pack(value)
                if len(data) <= LARGEST_INLINE:
                    return Inline(data)
                digest = value_digest(data)
                self.draft.values[digest] = data
                return Shared(digest)
            case Elements(elements, alone):
                known = base.spans if isinstance(base, Listed) and not alone else []
                spans = Finder(self.logs, codec, known, partial(self._append, codec, log)).find(elements)
                return SingleElement(spans) if alone else Listed(spans)
            case Division(form, parts):
                old = (
                    base.parts if isinstance(base, Composite) and len(base.parts) == len(parts) else [None] * len(parts)
                )
                return Composite(
                    form,
                    [
                        self.outline(codec, log_beside(log, name), part, before)
                        for (name, part), before in zip(parts, old, strict=True)
                    ],
                )

    async def commit(self, holder: Holder | None = None) -> None:
        """Returns when the draft is durable. Everything that is drafted meanwhile makes up the next commit."""
        self._just_read = None
        if holder is not None:
            self.draft.holders.add(holder)
        told: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(told)
        if self._sending is None:
            self._sending = asyncio.create_task(self._drain())
        await told

    def is_tentative(self, spans: Iterable[Span]) -> bool:
        """Whether the spans reach uncommitted elements: another process may have put others there."""
        for log, _, end in spans:
            for draft in (self.draft, self._sent):
                if draft is not None and log in draft.appended and end > draft.appended[log].start:
                    return True
        return False

    async def settled(self) -> None:
        """Wait until nothing is under way."""
        while self._sending is not None:
            with suppress(Exception):
                await asyncio.shield(self._sending)

    def _note(self, row: StoredWrite, outline: Outline) -> None:
        """Cache a write; it may arrive before its checkpoint's own row."""
        place = row.namespace, row.checkpoint
        written = self._written.peek(place) or {}
        written.setdefault(row.order, (row.channel, outline))
        self._written.put(place, written)

    def _append(self, codec: Codec, log: str, entry: Entry) -> LogPosition:
        packed = codec.packed(entry)
        place = self.logs.append(log, entry)
        self.draft.appended.setdefault(log, NewElements(place[1], [])).packed.append(packed)
        return place

    async def _drain(self) -> None:
        failure: BaseException | None = None
        try:
            while waiting := self._waiting:
                self._sent, self.draft, self._waiting = self.draft, Draft(), []
                if failure is None:
                    try:
                        await self._send(self._sent)
                    except Exception as error:
                        failure, self.over = error, True
                for told in waiting:
                    if told.done():
                        continue  # cancelled
                    if failure is None:
                        told.set_result(None)
                    else:
                        told.set_exception(failure)
                        told.exception()  # retrieved, so that asyncio does not warn when no caller waits any more
                self._sent = None
                for _ in range(_PASSES if self._waiting else 0):  # for more: a graph's next checkpoint follows at once
                    await asyncio.sleep(0)
        finally:
            self._sending = self._sent = None

    async def _send(self, draft: Draft) -> None:
        for _ in range(_ATTEMPTS):
            if self._suspect:
                await self._verify(draft)
            outcome = await self._repository.commit(draft.batch(self._scope, self.generation))
            if isinstance(outcome, Committed):
                self.generation = outcome.generation
                for epoch in draft.epochs:
                    epoch.expected = outcome.epoch
                if draft.messages and self._changed is not None:
                    await self._changed([self._scope])
                return
            self._continue_behind(draft, outcome)
        raise DatabaseUnavailable("Other processes write to the thread without a pause. Try again.", retry_after=0.1)

    def _continue_behind(self, draft: Draft, refused: CommitRefused) -> None:
        """Go on after what others have written."""
        known, now = self.generation, refused.generation
        if known is not None and known != now:
            self.over = self._suspect = True
            if now is None or now.key != known.key:
                for epoch in draft.epochs:
                    if epoch.expected is not None:  # to clear the history erases the checkpoints as well
                        raise EpochChanged(epoch.expected, None)
                raise Conflict("The thread was deleted while a run wrote to it. Start the run again.")
        self.generation = now
        for log, end in refused.heads.items():
            start = draft.appended[log].start if log in draft.appended else end
            if end > start:
                self._shift(draft, log, start, end - start)

    def _shift(self, draft: Draft, log: str, start: int, distance: int) -> None:
        self.logs.shift(log, start, distance)
        for each in (draft, self.draft):
            each.shift(log, start, distance)

        def move(spans: Spans) -> Spans:
            return shifted(spans, log, start, distance)

        for key, body in zip([*self._bodies], self._bodies.values(), strict=True):
            self._bodies.put(key, body.moved(move))
        for written in self._written.values():
            written.update({order: (channel, moved(outline, move)) for order, (channel, outline) in written.items()})

    async def _verify(self, draft: Draft) -> None:
        """A sweep came in between: check that the rows that the draft refers to are still there."""
        if self.generation is None:
            return
        spans, digests = draft.spans(), draft.digests()
        found = await self._repository.contents(self.generation, self._scope, spans, list(digests))
        if uncovered(spans, found.segments) or digests - found.values.keys():
            raise Conflict(
                "The thread was pruned while a run wrote to it. Start the run again from its last checkpoint."
            )


def log_of(namespace: str, channel: str) -> str:
    """The log of a channel's elements. A subgraph's is its own; elements of others are found there."""
    return f"{namespace}|{channel}" if namespace else channel


def log_beside(log: str, name: str | None) -> str:
    """The log of a part with that name in a value of the log's channel: that of the channel with this name."""
    if name is None:
        return log
    namespace, bar, _ = log.rpartition("|")
    return f"{namespace}{bar}{name}"


def uncovered(spans: Iterable[Span], segments: Sequence[Segment]) -> bool:
    """Whether some element of the spans is in none of the segments, which come in the order of their starts."""
    for log, start, end in spans:
        for segment in segments:
            if segment.log == log and segment.data and segment.start <= start < segment.end:
                start = segment.end
        if start < end:
            return True
    return False
