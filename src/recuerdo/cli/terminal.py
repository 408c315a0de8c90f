"""Shared parts of the commands: opening and asking, tables, JSON, progress, and files of exports."""

import asyncio
import gzip
import os
import shutil
import sys
import tempfile
import unicodedata
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

import msgspec
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from recuerdo.core.errors import ConfigurationError

_UNBROKEN = ("id", "when", "action", "memory", "made", "about", "collection")
"""Columns whose cells are copied into other commands, or are one word: never broken over two lines."""

Opened = TypeVar("Opened")
T = TypeVar("T")


def ask(opening: AbstractAsyncContextManager[Opened], question: Callable[[Opened], Awaitable[T]]) -> T:
    """Open something, await one call on it, close it, and return the result."""

    async def asked() -> T:
        async with opening as opened:
            return await question(opened)

    return asyncio.run(asked())


def print_json(value: Any) -> None:
    """Print the value as indented JSON."""
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")
    sys.stdout.flush()


def print_outcome(json: bool, outcome: Mapping[str, Any], sentence: str) -> None:
    """Print how a command ended: with `json` as an object on standard output, else as a sentence on standard error."""
    if json:
        print_json(outcome)
    else:
        say(sentence)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under their headings. Long cells are folded, never cut."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column in _UNBROKEN)
    for row in rows:
        table.add_row(*(Text(printable(str(cell))) for cell in row))
    Console().print(table)


def print_found(json: bool, found: Any, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print the results: as JSON with `json`, else as a table."""
    if json:
        print_json(found)
    else:
        print_table(columns, rows)


def counted(number: int, one: str, many: str | None = None) -> str:
    """The number of things, in words: `1 message`, `2 messages`."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def minute(moment: datetime) -> str:
    """A time as tables show it."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def printable(text: str) -> str:
    """Replace control characters, which could change the terminal."""
    return "".join(sign if sign in "\n\t" or unicodedata.category(sign) != "Cc" else "\ufffd" for sign in text)


def say(text: str) -> None:
    """Print a line to standard error, because standard output may be a pipe for data."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(text, markup=False)


class ProgressBar:
    """A progress bar."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def show(self, counts: str, done: float | None = None) -> None:
        """Update the text, and how much of the total is done."""
        self._progress.update(self._task, counts=counts, completed=done)


@contextmanager
def progress_bar(what: str, total: float | None = None) -> Generator[ProgressBar]:
    """A bar on standard error, if that is a terminal; without `total` it only shows activity."""
    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), TextColumn("{task.fields[counts]}"), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        yield ProgressBar(progress, progress.add_task("", total=total, counts=""))


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
