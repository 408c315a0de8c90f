"""What commands share: running a coroutine, and printing tables, JSON, progress and notes."""

import asyncio
import sys
import unicodedata
from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any, TypeVar

import msgspec
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

_UNBROKEN = ("id", "action", "memory")
"""Columns that are copied into other commands, and therefore never broken over two lines."""

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


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under their headings. Long cells are folded, never cut."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column in _UNBROKEN)
    for row in rows:
        table.add_row(*(Text(printable(str(cell))) for cell in row))
    Console().print(table)


def printable(text: str) -> str:
    """Replace control characters, which could change the terminal."""
    return "".join(sign if sign in "\n\t" or unicodedata.category(sign) != "Cc" else "\ufffd" for sign in text)


def say(text: str) -> None:
    """Print a line to standard error, because standard output may be a pipe for data."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(text, markup=False)


class Bar:
    """A progress bar."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def show(self, counts: str, done: float | None = None) -> None:
        """Update the text, and how much of the total is done."""
        self._progress.update(self._task, counts=counts, completed=done)


@contextmanager
def progress_bar(what: str, total: float | None = None) -> Generator[Bar]:
    """A bar on standard error, if that is a terminal; without `total` it only shows activity."""
    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), TextColumn("{task.fields[counts]}"), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        yield Bar(progress, progress.add_task("", total=total, counts=""))
