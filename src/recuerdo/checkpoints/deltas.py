"""Channels whose values are not in a checkpoint, but are made of the writes since one that had them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from recuerdo.checkpoints.codec import Codec
from recuerdo.checkpoints.outlines import Outline, ValueReader, decode_body, decode_metadata, decode_outline
from recuerdo.core.checkpoints import (
    CheckpointFound,
    CheckpointQuery,
    Generation,
    KnownRange,
    StoredCheckpoint,
    StoredWrite,
)
from recuerdo.core.graph_ports import CheckpointRepository
from recuerdo.core.scope import Scope

_COUNTERS = "counters_since_delta_snapshot"
_PAGE = 64
_MOST = 500


class Delta(NamedTuple):
    """The parts of a channel's value: one that was saved as a whole, when there is one, and later writes."""

    writes: list[tuple[str, str, Any]]
    seeds: Sequence[Any] = ()


class ChannelWrites(NamedTuple):
    """The writes to one channel that lead to a checkpoint, oldest first, and the value that they start from."""

    writes: list[tuple[StoredWrite, Outline]]
    seed: Outline | None

    def outlines(self) -> Iterator[Outline]:
        """The outlines of the writes and of the seed."""
        yield from (outline for _, outline in self.writes)
        if self.seed is not None:
            yield self.seed

    def delta(self, reader: ValueReader) -> Delta:
        """The values of the writes and of the seed."""
        values = reader.values([outline for _, outline in self.writes])
        writes = [(write.task, write.channel, value) for (write, _), value in zip(self.writes, values, strict=True)]
        return Delta(writes, [] if self.seed is None else [reader.value(self.seed)])


class Ancestor(NamedTuple):
    """A checkpoint, as far as the values of delta channels are made of it."""

    parent: str
    writes: list[tuple[StoredWrite, Outline]]
    values: Mapping[str, Outline]

    @classmethod
    def of(cls, found: CheckpointFound) -> "Ancestor":
        """The ancestor that a row holds."""
        writes = [(write, decode_outline(write)) for write in found.writes]
        return cls(found.checkpoint.parent, writes, decode_body(found.checkpoint).values)


class LatestCheckpoints(NamedTuple):
    """The latest checkpoints of a namespace, for the next turn, which asks whether they still look like that."""

    mark: KnownRange
    rows: dict[str, Ancestor]


class Ancestors:
    """A checkpoint and its ancestors, the nearest first: those that are kept, and others read in pages."""

    def __init__(
        self, repository: CheckpointRepository, scope: Scope, namespace: str, kept: LatestCheckpoints | None
    ) -> None:
        self._repository = repository
        self._scope = scope
        self._namespace = namespace
        self._kept = kept
        self._rows: dict[str, Ancestor] = {}
        self._latest: CheckpointFound | None = None
        self._last = ""

    async def latest(self) -> CheckpointFound | None:
        """The latest of all that is kept and new, which is read now."""
        if self._kept is not None:
            self._latest = await self._refresh(self._kept)
        return self._latest

    async def begin(self, checkpoint: str) -> tuple[Generation, str] | None:
        """The generation, and the parent of the checkpoint; without an id of the latest. None when it is not there."""
        latest = self._latest or await self.latest()
        if latest is not None and (known := self._rows.get(checkpoint or latest.checkpoint.id)) is not None:
            return latest.generation, known.parent
        found = await self._repository.load(self._scope, self._namespace, checkpoint or None)
        if found is None:
            return None
        if latest is None or latest.generation != found.generation:
            self._kept, self._rows = None, {}
        return found.generation, found.checkpoint.parent

    async def find(self, checkpoint: str) -> Ancestor | None:
        """The ancestor with this id; None after the first one, and where a part of the past was pruned."""
        if checkpoint and checkpoint not in self._rows:
            await self._read(checkpoint)
        self._last = checkpoint
        return self._rows.get(checkpoint)

    @property
    def kept(self) -> LatestCheckpoints:
        """The checkpoints to keep: everything since the ancestor that was asked for last."""
        if self._kept is None or self._kept.mark.since != self._last or len(self._kept.rows) >= _MOST:
            return LatestCheckpoints(KnownRange(self._last), {})
        return self._kept

    async def _refresh(self, kept: LatestCheckpoints) -> CheckpointFound | None:
        """Read the new checkpoints, or all where others have changed known ones; returns the latest."""
        recent = await self._repository.recent(self._scope, self._namespace, kept.mark, _MOST)
        known = kept.rows if recent.are_known else {}
        self._rows = known | {row.checkpoint.id: Ancestor.of(row) for row in recent.rows}
        self._kept = LatestCheckpoints(recent.mark, self._rows)
        return next(iter(recent.rows), None)

    async def _read(self, checkpoint: str) -> None:
        """The checkpoint, and those before it, most of which are ancestors of it."""
        if (found := await self._repository.load(self._scope, self._namespace, checkpoint)) is not None:
            before = await self._repository.select(
                CheckpointQuery(self._scope.owner, self._scope.thread, self._namespace, before=checkpoint, limit=_PAGE)
            )
            self._rows = {row.checkpoint.id: Ancestor.of(row) for row in (found, *before)}


async def trails(ancestors: Ancestors, parent: str, channels: Sequence[str]) -> dict[str, ChannelWrites]:
    """The writes and the seed of each channel, for a checkpoint with this parent."""
    writes: dict[str, list[tuple[StoredWrite, Outline]]] = {channel: [] for channel in channels}
    seeds: dict[str, Outline] = {}
    while len(seeds) < len(writes) and (found := await ancestors.find(parent)) is not None:
        for write, outline in reversed(found.writes):
            if write.channel in writes and write.channel not in seeds:
                writes[write.channel].append((write, outline))
        for channel in channels:
            if channel in found.values:
                seeds.setdefault(channel, found.values[channel])
        parent = found.parent
    return {channel: ChannelWrites(writes[channel][::-1], seeds.get(channel)) for channel in channels}


def delta_channels(codec: Codec, row: StoredCheckpoint) -> set[str]:
    """LangGraph counts in the metadata how long ago each delta channel's value was saved as a whole."""
    if not codec.may_have(row.metadata, _COUNTERS):
        return set()
    counters: dict[str, Any] | None = codec.unpack(decode_metadata(row)).get(_COUNTERS)
    return set(counters or ())
