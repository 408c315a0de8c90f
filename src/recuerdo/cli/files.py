"""Files of exports: compressed by extension, private to their owner, and written completely or not at all."""

import gzip
import os
import shutil
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from recuerdo.core.errors import ConfigurationError

STANDARD = "-"
"""Standard input or output instead of a file."""


class InputFile:
    """A file that can be read again from its start."""

    def __init__(self, file: BinaryIO, compressed: bool) -> None:
        self._file = file
        self._compressed = compressed
        self.size = file.seek(0, os.SEEK_END)

    @property
    def place(self) -> int:
        """The number of bytes read so far, out of `size`."""
        return self._file.tell()

    def from_start(self) -> BinaryIO:
        """The content, uncompressed."""
        self._file.seek(0)
        return cast(BinaryIO, gzip.GzipFile(fileobj=self._file)) if self._compressed else self._file


@contextmanager
def written(name: str) -> Generator[BinaryIO]:
    """Write a file, readable by its owner only, that replaces an existing one when the block succeeds."""
    if name == STANDARD:
        yield sys.stdout.buffer
        sys.stdout.flush()
        return
    path = Path(name)
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as part:
            try:
                with _compressed_by(path, cast(BinaryIO, part)) as file:
                    yield file
                part.flush()
                os.fsync(part.fileno())
                os.replace(part.name, path)
            except BaseException:
                os.unlink(part.name)
                raise
    except OSError as error:
        raise ConfigurationError(
            f"Can't write {name}: {error.strerror}. Free some space, or name another file."
        ) from None


@contextmanager
def source(name: str) -> Generator[InputFile]:
    """Open a file. Standard input is copied to a temporary file, so that it can be read again."""
    if name == STANDARD:
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
            yield InputFile(cast(BinaryIO, copy), compressed=False)
        return
    with _opened(name) as file:
        yield InputFile(file, _is_compressed(Path(name)))


def _opened(name: str) -> BinaryIO:
    try:
        return Path(name).open("rb")
    except OSError as error:
        raise ConfigurationError(f"Can't read {name}: {error.strerror}. Name another file.") from None


@contextmanager
def _compressed_by(path: Path, file: BinaryIO) -> Generator[BinaryIO]:
    if not _is_compressed(path):
        yield file
        return
    with gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=6, mtime=0) as compressed:
        yield cast(BinaryIO, compressed)


def _is_compressed(path: Path) -> bool:
    return path.suffix == ".gz"
