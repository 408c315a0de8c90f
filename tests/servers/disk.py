"""A small disk that a test fills up and makes room on: a file system in memory, which takes root to mount."""

import errno
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from io import RawIOBase
from pathlib import Path

_PIECE = bytes(2**16)


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
