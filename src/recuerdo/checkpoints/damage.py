"""Finding all damaged rows of checkpoints, for operators: `recuerdo db check --deep`."""

from collections.abc import AsyncGenerator, Iterator
from typing import Any, NamedTuple

import msgspec

from recuerdo.checkpoints.logs import Spans, merged
from recuerdo.checkpoints.outlines import (
    Outline,
    check_value,
    decode_body,
    decode_metadata,
    decode_outline,
    decode_segment,
    digests_of,
    spans_of,
)
from recuerdo.checkpoints.thread import uncovered
from recuerdo.core.checkpoints import CheckpointFound, CheckpointQuery, Generation, Span
from recuerdo.core.errors import Damaged, DamagedRow
from recuerdo.core.graph_ports import CheckpointRepository
from recuerdo.core.scope import Owner, Scope

_PAGE = 100
_ELEMENTS = 1000
_DIGESTS = 64


class InspectedCheckpoints(NamedTuple):
    """A step of a check: the number of checkpoints read, or a damage and its owner."""

    checkpoints: int = 0
    owner: Owner | None = None
    damage: Damaged | None = None


class CheckpointCheck:
    """Reads every checkpoint, write, segment and value, and keeps none of them."""

    def __init__(self, repository: CheckpointRepository) -> None:
        self._repository = repository

    async def run(self) -> AsyncGenerator[InspectedCheckpoints]:
        """The inspected pieces, and each damage as it is found."""
        page = await self._repository.owners(None, _PAGE)
        while page:
            for owner in page:
                try:
                    async for each in self._check(owner):
                        yield each
                except Damaged as error:  # the database itself can't read them
                    yield InspectedCheckpoints(owner=owner, damage=error)
            page = await self._repository.owners(None, _PAGE, page[-1])

    async def _check(self, owner: Owner) -> AsyncGenerator[InspectedCheckpoints]:
        threads: dict[str, _References] = {}
        async for found in self._found(CheckpointQuery(owner, limit=_PAGE)):
            references = threads.setdefault(found.thread, _References(found.generation))
            for damage in references.add(found):
                yield InspectedCheckpoints(owner=owner, damage=damage)
            yield InspectedCheckpoints(checkpoints=1)
        for thread, references in threads.items():
            for damage in await self._damaged_contents(owner.thread(thread), references):
                yield InspectedCheckpoints(owner=owner, damage=damage)

    async def _found(self, query: CheckpointQuery) -> AsyncGenerator[CheckpointFound]:
        while page := await self._repository.select(query):
            for found in page:
                yield found
            last = page[-1]
            query = query._replace(after=(last.checkpoint.id, last.thread, last.checkpoint.namespace))

    async def _damaged_contents(self, scope: Scope, references: "_References") -> list[DamagedRow]:
        """The damaged and missing contents; read again where the thread was pruned meanwhile."""
        while damages := [each async for each in self._contents(scope, references)]:
            now: _References | None = None
            async for found in self._found(CheckpointQuery(scope.owner, scope.thread, limit=_PAGE)):
                now = now or _References(found.generation)
                list(now.add(found))  # its damage is known
            if now is None or now.generation == references.generation:
                return damages if now else []
            references = now
        return []

    async def _contents(self, scope: Scope, references: "_References") -> AsyncGenerator[DamagedRow]:
        seen: set[tuple[str, int]] = set()
        for span in _pieces(merged(references.spans)):
            found = await self._repository.contents(references.generation, scope, [span], [])
            if uncovered([span], found.segments):
                yield DamagedRow("log of checkpoints", f"{scope.thread} {span.log} from {span.start} on")
            for segment in found.segments:
                if (segment.log, segment.start) not in seen:
                    seen.add((segment.log, segment.start))
                    try:
                        decode_segment(scope.thread, segment, _count)
                    except DamagedRow as damage:
                        yield damage
        digests = sorted(references.digests)
        for start in range(0, len(digests), _DIGESTS):
            wanted = digests[start : start + _DIGESTS]
            values = (await self._repository.contents(references.generation, scope, [], wanted)).values
            for digest in wanted:
                try:
                    check_value(scope.thread, digest, values.get(digest, b""))
                except DamagedRow as damage:
                    yield damage


class _References:
    """The contents that the checkpoints of a thread refer to, in this generation."""

    def __init__(self, generation: Generation) -> None:
        self.generation = generation
        self.spans: Spans = []
        self.digests: set[bytes] = set()

    def add(self, found: CheckpointFound) -> Iterator[DamagedRow]:
        """Follow all outlines of the checkpoint. Those that can't be read are damage."""
        outlines: list[Outline] = []
        try:
            outlines += decode_body(found.checkpoint).values.values()
            decode_metadata(found.checkpoint)
        except DamagedRow as damage:
            yield damage
        for write in found.writes:
            try:
                outlines.append(decode_outline(write))
            except DamagedRow as damage:
                yield damage
        for outline in outlines:
            self.digests.update(digests_of(outline))
            self.spans = merged([*self.spans, *spans_of(outline)])


def _pieces(spans: Spans) -> Iterator[Span]:
    for log, start, end in spans:
        for first in range(start, end, _ELEMENTS):
            yield Span(log, first, min(end, first + _ELEMENTS))


def _count(data: bytes, size: int) -> list[Any]:
    """The elements of a segment, whatever they are. Raises msgspec.DecodeError for bytes that hold another number."""
    return msgspec.msgpack.decode(b"\xdd" + size.to_bytes(4, "big") + data)
