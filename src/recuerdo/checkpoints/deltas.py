"""Channels whose values are not in a checkpoint, but are made of what was written since one that had them."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from recuerdo.checkpoints.outlines import Outline, decode_body, decode_outline
from recuerdo.checkpoints.values import Reader
from recuerdo.core.checkpoints import CheckpointFound, CheckpointQuery, StoredWrite
from recuerdo.core.ports import CheckpointRepository
from recuerdo.core.scope import Scope

_PAGE = 64
_MOST = 500


class Delta(NamedTuple):
    """What a channel's value is made of: a value that was saved as a whole, when there is one, and later writes."""

    writes: list[tuple[str, str, Any]]
    seeds: Sequence[Any] = ()


class Trail(NamedTuple):
    """Of one channel the writes that lead to a checkpoint, oldest first, and the value that they start from."""

    writes: list[tuple[StoredWrite, Outline]]
    seed: Outline | None

    def outlines(self) -> Iterator[Outline]:
        """Where all of it is."""
        yield from (outline for _, outline in self.writes)
        if self.seed is not None:
            yield self.seed

    def delta(self, reader: Reader) -> Delta:
        """What they say."""
        values = reader.values([outline for _, outline in self.writes])
        writes = [(write.task, write.channel, value) for (write, _), value in zip(self.writes, values, strict=True)]
        return Delta(writes, [] if self.seed is None else [reader.value(self.seed)])


class Ancestors:
    """A checkpoint and its ancestors, the nearest first, read in pages."""

    def __init__(self, repository: CheckpointRepository, scope: Scope, namespace: str) -> None:
        self._repository = repository
        self._scope = scope
        self._namespace = namespace
        self._rows: dict[str, CheckpointFound] = {}
        self.last = ""
        """The ancestor that was asked for last."""

    async def read_since(self, checkpoint: str) -> None:
        """Read the latest rows, down to that checkpoint, in one go."""
        latest = CheckpointQuery(self._scope.owner, self._scope.thread, self._namespace, since=checkpoint)
        self._rows = {row.checkpoint.id: row for row in await self._repository.select(latest._replace(limit=_MOST))}

    async def first(self, checkpoint: str) -> CheckpointFound | None:
        """The checkpoint to begin with; without an id the latest."""
        known = self._rows.get(checkpoint)
        return known or await self._repository.load(self._scope, self._namespace, checkpoint or None)

    async def find(self, checkpoint: str) -> CheckpointFound | None:
        """The ancestor with this id; None behind the first one, and where a part of the past was pruned."""
        if checkpoint and checkpoint not in self._rows:
            await self._read(checkpoint)
        self.last = checkpoint
        return self._rows.get(checkpoint)

    async def _read(self, checkpoint: str) -> None:
        """The checkpoint, and those before it, most of which are ancestors of it."""
        if (found := await self._repository.load(self._scope, self._namespace, checkpoint)) is not None:
            before = await self._repository.select(
                CheckpointQuery(self._scope.owner, self._scope.thread, self._namespace, before=checkpoint, limit=_PAGE)
            )
            self._rows = {row.checkpoint.id: row for row in (found, *before)}


async def trails(ancestors: Ancestors, parent: str, channels: Sequence[str]) -> dict[str, Trail]:
    """What each of the channels is made of, for a checkpoint with this parent."""
    writes: dict[str, list[tuple[StoredWrite, Outline]]] = {channel: [] for channel in channels}
    seeds: dict[str, Outline] = {}
    while len(seeds) < len(writes) and (found := await ancestors.find(parent)) is not None:
        for write in reversed(found.writes):
            if write.channel in writes and write.channel not in seeds:
                writes[write.channel].append((write, decode_outline(write.body)))
        values = decode_body(found.checkpoint.body).values
        seeds.update({channel: values[channel] for channel in channels if channel in values and channel not in seeds})
        parent = found.checkpoint.parent
    return {channel: Trail(writes[channel][::-1], seeds.get(channel)) for channel in channels}
