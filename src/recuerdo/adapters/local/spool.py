"""Appends on this machine's disk, until the database has them."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from recuerdo.adapters.latency_gate import LatencyGate
from recuerdo.adapters.local.segments import NotTakenBack, Position, Segments
from recuerdo.core.errors import OutcomeUnknown, SpoolUnavailable
from recuerdo.core.threads import Append

DEFAULT_BYTES = 256 * 2**20

_FEW_BYTES = 2**16
"""What is written so quickly that no other thread is worth waking."""

T = TypeVar("T")

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Append)


class _PendingWrite(NamedTuple):
    request: Append
    frame: bytes
    written: asyncio.Future[None]


class _SpooledAppend(NamedTuple):
    request: Append
    size: int
    place: Position


class FileSpool:
    """The Spool over files in a folder. Appends that wait at the same moment share one flush to disk."""

    def __init__(self, segments: Segments, most_bytes: int) -> None:
        self._segments = segments
        self._most_bytes = most_bytes
        self._waiting: list[_PendingWrite] = []
        self._writer: asyncio.Task[None] | None = None
        self._latency = LatencyGate()
        self._kept = deque(
            _SpooledAppend(_decoder.decode(frame), len(frame), place) for place, frame in segments.recover()
        )
        self._bytes = sum(kept.size for kept in self._kept)
        self._arrival = asyncio.Event()

    @classmethod
    @asynccontextmanager
    async def open(
        cls, folder: str | Path, *, make: bool = True, most_bytes: int = DEFAULT_BYTES
    ) -> AsyncGenerator["FileSpool"]:
        """Open the folder with what an earlier process left, and make it when it is absent and `make` says so.

        Raises ConfigurationError when another process uses it, and when it is absent and not to be made, and
        SpoolUnavailable when the disk refuses it.
        """
        try:
            segments = await asyncio.to_thread(Segments, Path(folder), make)
        except OSError as error:
            raise SpoolUnavailable(
                f"The spool {folder} can't be opened: {error.strerror}. Let this process write there, or name another "
                "folder with RECUERDO_SPOOL."
            ) from error
        try:
            spool = cls(segments, most_bytes)
            yield spool
            if spool._writer is not None:
                await spool._writer
        finally:
            await asyncio.to_thread(segments.close)

    @property
    def depth(self) -> int:
        """See Spool."""
        return len(self._kept)

    async def put(self, request: Append) -> None:
        """See Spool."""
        frame = _encoder.encode(request)
        if self._bytes + len(frame) > self._most_bytes:
            raise SpoolUnavailable("The spool is full: the database has been away for too long. Try again later.")
        self._bytes += len(frame)
        waiting = _PendingWrite(request, frame, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_waiting())
        await asyncio.shield(waiting.written)

    async def oldest(self, limit: int) -> list[Append]:
        """See Spool."""
        while not self._kept:
            self._arrival.clear()
            await self._arrival.wait()
        return [kept.request for kept, _ in zip(self._kept, range(limit), strict=False)]

    async def done(self, count: int) -> None:
        """See Spool."""
        done = [self._kept.popleft() for _ in range(count)]
        self._bytes -= sum(kept.size for kept in done)
        await self._on_disk(partial(self._segments.done, done[-1].place))

    async def _write_waiting(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            frames = [waiting.frame for waiting in batch]
            try:
                places = await self._on_disk(
                    partial(self._segments.write, frames), brief=sum(map(len, frames)) <= _FEW_BYTES
                )
            except OSError as error:
                self._refuse(batch, error)
            else:
                self._keep(batch, places)
        self._writer = None

    async def _on_disk(self, work: Callable[[], T], *, brief: bool = True) -> T:
        if brief and self._latency.is_quick:
            return self._latency.run(work)
        return await asyncio.to_thread(self._latency.run, work)

    def _keep(self, batch: Sequence[_PendingWrite], places: Sequence[Position]) -> None:
        for waiting, place in zip(batch, places, strict=True):
            self._kept.append(_SpooledAppend(waiting.request, len(waiting.frame), place))
            waiting.written.set_result(None)
        self._arrival.set()

    def _refuse(self, batch: Sequence[_PendingWrite], error: OSError) -> None:
        for waiting in batch:
            self._bytes -= len(waiting.frame)
            problem = f"The spool can't be written: {error.strerror}. Make room on its disk, or bring its folder back."
            kind = OutcomeUnknown if isinstance(error, NotTakenBack) else SpoolUnavailable
            waiting.written.set_exception(kind(problem))
            waiting.written.exception()
