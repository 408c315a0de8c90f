"""Appends on this machine's disk, until the database has them."""

import asyncio
import fcntl
import os
import re
import struct
import sys
import time
import zlib
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from recuerdo.adapters.rows import LONGEST_INLINE_SECONDS
from recuerdo.core.checks import UNREADABLE
from recuerdo.core.errors import ConfigurationError, DamagedRow, OutcomeUnknown, SpoolUnavailable
from recuerdo.core.ports import Spool
from recuerdo.core.threads import Append

SEGMENT_BYTES = 4 * 2**20
"""A file of this size is closed, so that what is done can be deleted. It has its place on the disk from the start:
a file that grows takes longer to flush."""

_HEADER = struct.Struct(">II")
_PROGRESS = struct.Struct(">QQ")
_CHECKSUM = struct.Struct(">I")
_NUMBER = re.compile(r"[0-9]{8,}")


class RollbackFailed(OSError):
    """Frames that could not be flushed may still be in the log."""


class Position(NamedTuple):
    """A place between two frames: the number of the segment, and bytes from its start."""

    segment: int
    offset: int


class Segments:
    """The files of one folder, for one process at a time.

    A frame is its length, its CRC-32 and its bytes, at least one; what a crash tore off at the end of a segment is no
    frame. How far the frames are done with is kept beside them, safe against a killed process but not against a power
    cut: readers must accept a frame that comes twice.
    """

    def __init__(self, folder: Path, make: bool) -> None:
        if make:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        elif not folder.exists():
            raise ConfigurationError(f"There is no spool {folder}.")
        self._folder = folder
        self._lock = _lock(folder / "lock")
        self._progress = os.open(folder / "progress", os.O_RDWR | os.O_CREAT, 0o600)
        numbers = self._numbers()
        self._file, self._end = self._begin(max([self._read_progress().segment, *numbers]) + 1)
        self._oldest = min(numbers, default=self._end.segment)

    def recover(self) -> list[tuple[Position, bytes]]:
        """The frames of earlier processes that are not done, each with the place after it."""
        done = self._read_progress()
        frames = [
            (Position(number, offset), frame)
            for number in self._numbers()
            for offset, frame in _frames(self._path(number).read_bytes())
        ]
        return [(position, frame) for position, frame in frames if position > done]

    def write(self, frames: Sequence[bytes]) -> list[Position]:
        """Append the frames and flush them to disk. Raises OSError, and then none is in the log; or RollbackFailed."""
        if self._end.offset >= SEGMENT_BYTES or not os.fstat(self._file).st_nlink:  # a file without a name is lost
            former = self._file
            self._file, self._end = self._begin(self._end.segment + 1)
            os.close(former)
        before, places = self._end, list[Position]()
        try:
            for frame in frames:
                self._write_frame(frame)
                places.append(self._end)
            os.fdatasync(self._file)
        except OSError:
            self._end = before
            self._take_back(before)
            raise
        return places

    def _take_back(self, to: Position) -> None:
        try:
            os.ftruncate(self._file, to.offset)
            os.lseek(self._file, to.offset, os.SEEK_SET)
        except OSError as error:
            raise RollbackFailed(*error.args) from error

    def done(self, position: Position) -> None:
        """Everything before the position is done with: segments that hold nothing else are deleted."""
        with suppress(OSError):  # on a full disk, where deleting makes room: what is met twice is committed once
            stored = _PROGRESS.pack(*position)
            os.pwrite(self._progress, stored + _CHECKSUM.pack(zlib.crc32(stored)), 0)
        for number in range(self._oldest, position.segment):
            self._path(number).unlink(missing_ok=True)
        self._oldest = position.segment

    def close(self) -> None:
        """Give the folder free, without files where nothing is left to do."""
        os.ftruncate(self._file, self._end.offset)
        if not self.recover():
            for number in self._numbers():
                self._path(number).unlink()
        for descriptor in (self._file, self._progress, self._lock):
            os.close(descriptor)

    def _write_frame(self, frame: bytes) -> None:
        data = memoryview(_HEADER.pack(len(frame), zlib.crc32(frame)) + frame)
        self._end = Position(self._end.segment, self._end.offset + len(data))
        while data:
            data = data[os.write(self._file, data) :]

    def _begin(self, number: int) -> tuple[int, Position]:
        """Make a segment whose number was never used, unless by a try that failed; its name is safe on disk, too."""
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            file = os.open(self._path(number), os.O_RDWR | os.O_CREAT, 0o600)
            try:
                os.fsync(folder)
            except OSError:
                os.close(file)
                raise
        finally:
            os.close(folder)
        if sys.platform == "linux":
            with suppress(OSError):  # it grows, then
                os.posix_fallocate(file, 0, SEGMENT_BYTES)
        return file, Position(number, 0)

    def _read_progress(self) -> Position:
        """One that is not what was written counts as none: then frames that are done with come again."""
        data = os.pread(self._progress, _PROGRESS.size + _CHECKSUM.size, 0)
        stored, checksum = data[: _PROGRESS.size], data[_PROGRESS.size :]
        is_whole = len(stored) == _PROGRESS.size and checksum == _CHECKSUM.pack(zlib.crc32(stored))
        return Position(*_PROGRESS.unpack(stored)) if is_whole else Position(0, 0)

    def _numbers(self) -> list[int]:
        return sorted(int(path.stem) for path in self._folder.glob("*.log") if _NUMBER.fullmatch(path.stem))

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:08}.log"


def _frames(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The whole frames from the start on, each with the offset after it."""
    offset = 0
    while offset + _HEADER.size <= len(data):
        length, checksum = _HEADER.unpack_from(data, offset)
        frame = data[offset + _HEADER.size : offset + _HEADER.size + length]
        if not frame or len(frame) < length or zlib.crc32(frame) != checksum:
            return
        offset += _HEADER.size + length
        yield offset, frame


def _lock(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise ConfigurationError(
            f"Another process uses the spool {path.parent}. Give each process its own folder with RECUERDO_SPOOL."
        ) from None
    return descriptor


DEFAULT_BYTES = 256 * 2**20

_FEW_BYTES = 2**16
"""Up to this many bytes are written on the event loop, because waking a thread takes longer."""

T = TypeVar("T")

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Append)


def _append_of(place: Position, frame: bytes) -> Append:
    try:
        return _decoder.decode(frame)
    except UNREADABLE:
        raise DamagedRow("append in the spool", f"{place.segment}/{place.offset}") from None


class _PendingWrite(NamedTuple):
    request: Append
    frame: bytes
    written: asyncio.Future[None]


class _SpooledAppend(NamedTuple):
    request: Append
    size: int
    place: Position


class FileSpool(Spool):
    """The Spool over files in a folder. Appends that wait at the same moment share one flush to disk."""

    def __init__(self, segments: Segments, most_bytes: int) -> None:
        self._segments = segments
        self._most_bytes = most_bytes
        self._waiting: list[_PendingWrite] = []
        self._writer: asyncio.Task[None] | None = None
        self._last_seconds = 0.0
        self._kept = deque(
            _SpooledAppend(_append_of(place, frame), len(frame), place) for place, frame in segments.recover()
        )
        self._bytes = sum(kept.size for kept in self._kept)
        self._arrival = asyncio.Event()

    @classmethod
    @asynccontextmanager
    async def open(
        cls, folder: str | Path, *, make: bool = True, most_bytes: int = DEFAULT_BYTES
    ) -> AsyncGenerator["FileSpool"]:
        """Open the folder with what an earlier process left, and make it when it is absent and `make` says so.

        Raises ConfigurationError when another process uses it, and when it is absent and not to be made,
        SpoolUnavailable when the disk refuses it, and DamagedRow for what no version of ours has written.
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
        return len(self._kept)

    async def put(self, request: Append) -> None:
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
        while not self._kept:
            self._arrival.clear()
            await self._arrival.wait()
        return [kept.request for kept, _ in zip(self._kept, range(limit), strict=False)]

    async def done(self, count: int) -> None:
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
        """Brief work is done at once while the disk is quick; after slow work other threads do it, until some is."""
        if brief and self._last_seconds < LONGEST_INLINE_SECONDS:
            return self._timed(work)
        return await asyncio.to_thread(self._timed, work)

    def _timed(self, work: Callable[[], T]) -> T:
        start = time.perf_counter()
        try:
            return work()
        finally:
            self._last_seconds = time.perf_counter() - start

    def _keep(self, batch: Sequence[_PendingWrite], places: Sequence[Position]) -> None:
        for waiting, place in zip(batch, places, strict=True):
            self._kept.append(_SpooledAppend(waiting.request, len(waiting.frame), place))
            waiting.written.set_result(None)
        self._arrival.set()

    def _refuse(self, batch: Sequence[_PendingWrite], error: OSError) -> None:
        for waiting in batch:
            self._bytes -= len(waiting.frame)
            problem = f"The spool can't be written: {error.strerror}. Make room on its disk, or bring its folder back."
            kind = OutcomeUnknown if isinstance(error, RollbackFailed) else SpoolUnavailable
            waiting.written.set_exception(kind(problem))
            waiting.written.exception()
