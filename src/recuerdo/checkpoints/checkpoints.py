"""The checkpoints of graphs: the work of a saver, without LangGraph."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from recuerdo.checkpoints.codec import Codec, Division, Elements
from recuerdo.checkpoints.deltas import Ancestors, Delta, delta_channels, trails
from recuerdo.checkpoints.logs import Spans, without
from recuerdo.checkpoints.outlines import (
    EMPTY,
    Listed,
    Outline,
    PackedCheckpoint,
    SharingReader,
    ValueReader,
    check_value,
    decode_body,
    decode_metadata,
    decode_outline,
    digests_of,
    spans_of,
)
from recuerdo.checkpoints.sweeping import Address, all_but, doomed, latest
from recuerdo.checkpoints.thread import CheckpointThread, HistoryEpoch, log_of
from recuerdo.concurrency.lru import LruCache
from recuerdo.core.checkpoints import (
    CheckpointFound,
    CheckpointQuery,
    Generation,
    Holder,
    Span,
    StoredCheckpoint,
    StoredWrite,
    Survey,
    SweptRows,
)
from recuerdo.core.errors import DatabaseUnavailable
from recuerdo.core.graph_ports import CheckpointRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import Append

_MOST_ELEMENTS = 100_000
_FEWEST_ELEMENTS = 400
"""A thread counts as this many elements at least, so that there are never more than 250."""
_ATTEMPTS = 5


class Place(NamedTuple):
    """Where a checkpoint is, or is to be: without an id it is the latest of its namespace."""

    scope: Scope
    namespace: str = ""
    id: str = ""


class Write(NamedTuple):
    """One value that a task writes; a `place` below 0 is special, and may be written again."""

    place: int
    channel: str
    value: Any


class HistoryChannel(NamedTuple):
    """The channel whose new elements go to the thread's history, how they are appended there, and in which epoch."""

    channel: str
    append: Callable[[Sequence[Any]], Sequence[Append]]
    epoch: HistoryEpoch | None = None


class NewCheckpoint(NamedTuple):
    """A checkpoint as it is saved: `changed` are the channels with new values, `rest` is all but its values.

    With a `holder` it is saved only as long as its run is that start's own.
    """

    id: str
    parent: str
    run: str
    values: Mapping[str, Any]
    versions: Mapping[str, Any]
    changed: Collection[str]
    rest: Any
    metadata: Any
    history: HistoryChannel | None = None
    holder: Holder | None = None


class Checkpoint(NamedTuple):
    """A checkpoint as it is read; `writes` are of (task, channel, value)."""

    place: Place
    parent: str
    values: dict[str, Any]
    versions: dict[str, Any]
    rest: Any
    metadata: Any
    writes: list[tuple[str, str, Any]]


class Checkpoints:
    """Saves and reads checkpoints over a repository; one object serves all owners and threads of a process.

    Each call brings the codec of its saver.
    """

    def __init__(
        self, repository: CheckpointRepository, changed: Callable[[Sequence[Scope]], Awaitable[None]] | None = None
    ) -> None:
        self._repository = repository
        self._changed = changed
        self._threads = LruCache[Scope, CheckpointThread](_MOST_ELEMENTS, keeps_latest=True)

    async def get(self, codec: Codec, place: Place) -> Checkpoint | None:
        """The checkpoint there; None when there is none."""
        for _ in range(_ATTEMPTS):
            found = await self._found(place)
            if found is None:
                if not place.namespace and not place.id:  # erased meanwhile, by a retention job
                    self._threads.pop(place.scope)
                return None
            body = decode_body(found.checkpoint)
            outlines = [*body.values.values(), *map(decode_outline, found.writes)]
            if (values := await self._fetch(codec, place.scope, found.generation, outlines)) is not None:
                thread = self._thread(place.scope, found.generation)
                thread.remember(place.namespace, found.checkpoint.id, body, found.writes)
                return _checkpoint(codec, place.scope, found, body, ValueReader(codec, thread.logs, values))
        raise DatabaseUnavailable(_INCOMPLETE)

    async def stored(self, place: Place) -> CheckpointFound | None:
        """The checkpoint there as it is stored: as long as that is equal, so is what `get` makes of it."""
        return await self._repository.load(place.scope, place.namespace, place.id or None)

    async def list(
        self, codec: Codec, query: CheckpointQuery, matches: Callable[[Any], bool] = lambda _: True
    ) -> AsyncGenerator[Checkpoint]:
        """The checkpoints that match, with metadata that `matches` is true of, the latest first.

        A value that does not change from one to the next is the same object in both.
        """
        readers: dict[Scope, SharingReader] = {}
        while page := await self._repository.select(query):
            for found in page:
                if matches(codec.unpack(decode_metadata(found.checkpoint))):
                    scope = query.owner.thread(found.thread)
                    if (checkpoint := await self._listed(codec, scope, found, readers)) is not None:
                        yield checkpoint
            last = page[-1]
            query = query._replace(after=(last.checkpoint.id, last.thread, last.checkpoint.namespace))

    async def deltas(self, codec: Codec, place: Place, channels: Sequence[str]) -> dict[str, Delta]:
        """The parts of the values of delta channels at the checkpoint, without its own writes."""
        for _ in range(_ATTEMPTS):
            known = self._known(place.scope)
            ancestors = (
                known.ancestors(place.namespace)
                if known
                else Ancestors(self._repository, place.scope, place.namespace, None)
            )
            if (begun := await ancestors.begin(place.id)) is None:
                return {channel: Delta([]) for channel in channels}
            generation, parent = begun
            made_of = await trails(ancestors, parent, channels)
            outlines = [outline for trail in made_of.values() for outline in trail.outlines()]
            if (values := await self._fetch(codec, place.scope, generation, outlines)) is not None:
                thread = self._thread(place.scope, generation)
                thread.keep(place.namespace, ancestors.kept)
                reader = ValueReader(codec, thread.logs, values)
                return {channel: trail.delta(reader) for channel, trail in made_of.items()}
        raise DatabaseUnavailable(_INCOMPLETE)

    async def put(self, codec: Codec, scope: Scope, namespace: str, new: NewCheckpoint) -> None:
        """Save the checkpoint as its values are at the moment of the call.

        Raises LeaseLost for its holder, and EpochChanged when its history is in another epoch.
        """
        metadata, rest = codec.pack(new.metadata), codec.pack(new.rest)
        wanted = [channel for channel in new.values if channel in new.versions]
        thread = self._warm(scope, namespace, new.parent, wanted)
        if thread is None:
            new = new._replace(values={channel: _frozen(codec, new.values[channel]) for channel in wanted})
            thread = await self._warmed(codec, scope, namespace, new.parent, wanted)
        parent = thread.body(namespace, new.parent) or EMPTY
        values: dict[str, Outline] = {}
        for channel, version in new.versions.items():
            base = parent.values.get(channel)
            if channel not in new.changed and parent.carried(channel, version):
                if base is not None:
                    values[channel] = base
            elif channel in new.values:
                log = log_of(namespace, channel)
                values[channel] = thread.outline(codec, log, new.values[channel], base)
        body = PackedCheckpoint(rest, dict(new.versions), values)
        if new.history is not None:
            channel = new.history.channel
            written = thread.written(namespace, new.parent, channel)
            if messages := new.history.append(gained(thread, parent, body, channel, written)):
                thread.draft.messages.extend(messages)
                if new.history.epoch is not None:
                    thread.draft.epochs.add(new.history.epoch)
        row = StoredCheckpoint(namespace, new.id, new.parent, new.run, b"", metadata)
        thread.draft.checkpoints[namespace, new.id] = row, body
        thread.remember(namespace, new.id, body)
        await thread.commit(new.holder)

    async def put_writes(
        self, codec: Codec, place: Place, task: str, path: str, writes: Sequence[Write], holder: Holder | None = None
    ) -> None:
        """Save a task's writes at a checkpoint; existing ones stay, unless their place is special. See put."""
        if not writes:
            return
        thread = self._known(place.scope)
        if thread is None:
            writes = [write._replace(value=_frozen(codec, write.value)) for write in writes]
            thread = await self._warmed(codec, place.scope, place.namespace, place.id, [])
        body = thread.body(place.namespace, place.id) or EMPTY
        for write in writes:
            base = body.values.get(write.channel)
            if base is not None and thread.logs.missing(spans_of(base)):
                base = None
            outline = thread.outline(codec, log_of(place.namespace, write.channel), write.value, base)
            row = StoredWrite(place.namespace, place.id, task, write.place, path, write.channel, b"")
            thread.write(row, outline)
        await thread.commit(holder)

    async def delete(self, scope: Scope) -> None:
        """Remove all checkpoints of the thread."""
        await self._quiet(scope)
        await self._repository.erase(scope)
        self._threads.pop(scope)

    async def copy(self, scope: Scope, target: str) -> None:
        """Copy the thread's checkpoints to the thread `target`. Raises ThreadExists when that has some."""
        await self._quiet(scope)
        await self._quiet(scope.owner.thread(target))
        await self._repository.copy(scope, target)
        self._threads.pop(scope.owner.thread(target))

    async def keep_latest(self, codec: Codec, scope: Scope) -> None:
        """Remove all checkpoints but the last of each namespace, and its parts."""
        await self._sweep(codec, scope, latest)

    async def delete_runs(self, codec: Codec, owner: Owner, runs: Collection[str]) -> None:
        """Remove the checkpoints that these runs made, but for those that others are made of."""
        for thread in await self._repository.threads_of(owner, list(runs)):
            await self._sweep(codec, owner.thread(thread), lambda survey: all_but(runs, survey))

    async def aclose(self) -> None:
        """Wait for everything that is under way."""
        for thread in self._threads.values():
            await thread.settled()

    async def _sweep(self, codec: Codec, scope: Scope, keep: Callable[[Survey], set[Address]]) -> None:
        def decide(survey: Survey) -> SweptRows:
            return doomed(survey, keep(survey), lambda row: delta_channels(codec, row))

        await self._quiet(scope)
        await self._repository.sweep(scope, decide)
        self._threads.pop(scope)

    async def _listed(
        self, codec: Codec, scope: Scope, found: CheckpointFound, readers: dict[Scope, SharingReader]
    ) -> Checkpoint | None:
        body = decode_body(found.checkpoint)
        outlines = [*body.values.values(), *map(decode_outline, found.writes)]
        values = await self._fetch(codec, scope, found.generation, outlines)
        if values is None:
            return await self.get(codec, Place(scope, found.checkpoint.namespace, found.checkpoint.id))
        thread = self._thread(scope, found.generation)
        reader = readers.get(scope)
        if reader is None or reader.logs is not thread.logs:
            reader = readers[scope] = SharingReader(codec, thread.logs, {})
        reader.know(values)
        return _checkpoint(codec, scope, found, body, reader)

    async def _found(self, place: Place) -> CheckpointFound | None:
        """The row there. With delta channels the latest brings its ancestors along, which are asked for next."""
        thread = None if place.id else self._known(place.scope)
        if thread is None or not thread.keeps(place.namespace):
            return await self._repository.load(place.scope, place.namespace, place.id or None)
        return await thread.latest(place.namespace)

    async def _fetch(
        self, codec: Codec, scope: Scope, generation: Generation, outlines: Sequence[Outline]
    ) -> dict[bytes, bytes] | None:
        """See that the outlines' elements are known, and return their values; None when some are gone."""
        spans = [span for outline in outlines for span in spans_of(outline)]
        digests = {digest for outline in outlines for digest in digests_of(outline)}
        values: dict[bytes, bytes] = {}
        thread = self._thread(scope, generation)
        while thread.is_tentative(spans):
            await thread.settled()
            thread = self._thread(scope, generation)
        missing = thread.logs.missing(spans)
        if missing or digests:
            contents = await self._repository.contents(generation, scope, missing, list(digests))
            values = contents.values
            for digest, value in values.items():
                check_value(scope.thread, digest, value)
            thread = self._thread(scope, generation)
            if thread.is_tentative(spans):
                return None
            thread.learn(codec, contents.segments)
        return None if thread.logs.missing(spans) or digests - values.keys() else values

    def _warm(self, scope: Scope, namespace: str, parent: str, channels: Sequence[str]) -> CheckpointThread | None:
        """The thread, when all is known that new values of the channels are compared with."""
        thread = self._known(scope)
        body = thread.body(namespace, parent) if thread else None
        if thread is None or body is None:
            return None
        spans = [span for channel in channels if channel in body.values for span in spans_of(body.values[channel])]
        return None if thread.logs.missing(spans) else thread

    async def _warmed(
        self, codec: Codec, scope: Scope, namespace: str, parent: str, channels: Sequence[str]
    ) -> CheckpointThread:
        """The thread, completed from the database. A parent that is absent counts as none."""
        for _ in range(_ATTEMPTS):
            found = await self._repository.load(scope, namespace, parent or None)
            if found is None:
                return self._known(scope) or self._thread(scope, None)
            body = decode_body(found.checkpoint)
            outlines = [body.values[channel] for channel in channels if channel in body.values]
            outlines += map(decode_outline, found.writes)
            if await self._fetch(codec, scope, found.generation, outlines) is not None:
                thread = self._thread(scope, found.generation)
                thread.remember(namespace, found.checkpoint.id, body, found.writes)
                return thread
        raise DatabaseUnavailable(_INCOMPLETE)

    def _known(self, scope: Scope) -> CheckpointThread | None:
        thread = self._threads.peek(scope)
        return None if thread is None or thread.over else thread

    def _thread(self, scope: Scope, generation: Generation | None) -> CheckpointThread:
        """The known part of the thread in this generation."""
        thread = self._known(scope)
        if thread is None or thread.generation not in (None, generation):
            thread = CheckpointThread(self._repository, scope, generation, self._changed)
        self._threads.put(scope, thread, max(thread.size, _FEWEST_ELEMENTS))
        return thread

    async def _quiet(self, scope: Scope) -> None:
        if (thread := self._threads.peek(scope)) is not None:
            await thread.settled()


_INCOMPLETE = (
    "The checkpoint changes while it is read, or parts of it are lost. Try again; if it stays so, restore a backup."
)


def _checkpoint(
    codec: Codec, scope: Scope, found: CheckpointFound, body: PackedCheckpoint, reader: ValueReader
) -> Checkpoint:
    row = found.checkpoint
    return Checkpoint(
        place=Place(scope, row.namespace, row.id),
        parent=row.parent,
        values={channel: reader.channel(channel, outline) for channel, outline in body.values.items()},
        versions=dict(body.versions),  # callers may change them, and the row is kept
        rest=codec.unpack(body.rest),
        metadata=codec.unpack(decode_metadata(row)),
        writes=[(write.task, write.channel, reader.value(decode_outline(write))) for write in found.writes],
    )


def _frozen(codec: Codec, value: Any) -> Any:
    """A copy of the value, for this caller alone."""
    match codec.divide(value):
        case None:
            return codec.unpack(codec.pack(value))
        case Elements(elements, alone):
            copies = [codec.entry(element).thaw() for element in elements]
            return copies[0] if alone else copies
        case Division(form, parts):
            return codec.compose(form, [_frozen(codec, part) for _, part in parts])


def gained(
    thread: CheckpointThread, before: PackedCheckpoint, body: PackedCheckpoint, channel: str, written: Iterable[Outline]
) -> list[Any]:
    """The elements that the channel's value has and had not before, at the parent, where these were `written`.

    A checkpoint holds no value of a DeltaChannel but now and then: it gains what was written at the parent, and the
    elements of a value that was never written before, such as the first input of a thread.
    """
    new, old = body.values.get(channel), before.values.get(channel)
    spans: Spans = []
    if isinstance(new, Listed):
        spans = without(new.spans, old.spans if isinstance(old, Listed) else [])
    elif channel in body.versions and not before.carried(channel, body.versions[channel]):
        for outline in written:
            spans += spans_of(outline)
        for log, start, end in spans_of(new) if new else ():
            appended = thread.draft.appended.get(log)
            if appended is not None and end > appended.start:
                spans.append(Span(log, max(start, appended.start), end))
    return [entry.thaw() for entry in thread.logs.entries(spans)]
