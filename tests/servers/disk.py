"""Where the tests' files are: in memory where there is room; and a small disk that a test fills up."""

import errno
import os
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from io import RawIOBase
from pathlib import Path

_MEMORY = Path("/dev/shm")
_ROOM = 8 * 2**30
"""Bytes that must be free there: a whole run on six processes takes less than half of it."""

_PIECE = bytes(2**16)


def keep_files_in_memory() -> None:
    """Let temporary files be where writing and flushing them costs nothing: a run writes 20 GB.

    A killed process loses none of them; a machine that fails would, and no test asks for that. A folder that TMPDIR
    names stays.
    """
    if "TMPDIR" in os.environ or not _has_room():
        return
    folder = _MEMORY / f"recuerdo-tests-{os.getuid()}"
    folder.mkdir(mode=0o755, exist_ok=True)
    if folder.stat().st_uid == os.getuid():
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)


def _has_room() -> bool:
    try:
        free = os.statvfs(_MEMORY)
        memory = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    except OSError:
        return False
    available = int(memory["MemAvailable"].split()[0]) * 1024
    return min(free.f_bavail * free.f_frsize, available) >= _ROOM


class Disk:
    """A file system of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ballast = path / "ballast"

    def fill(self) -> None:
        """Take all the room that is left."""
        with self._ballast.open("ab", buffering=0) as ballast:
            for piece in (_PIECE, _PIECE[:4096]):
                while _fits(ballast, piece):
                    pass

    def make_room(self) -> None:
        """Give back what `fill` took."""
        self._ballast.unlink(missing_ok=True)


@contextmanager
def own_disk(path: Path, megabytes: int | None) -> Generator[Disk | None]:
    """A new disk at the path; None without a size, and where this user may not mount one."""
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "tmpfs", str(path)]
    if megabytes is None or subprocess.run(mount, capture_output=True).returncode:
        yield None
        return
    try:
        yield Disk(path)
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)


def _fits(file: RawIOBase, piece: bytes) -> bool:
    try:
        return file.write(piece) == len(piece)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        return False
