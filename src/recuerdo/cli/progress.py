"""A bar on standard error, where somebody looks; nothing in a log file."""

from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn


class Bar:
    """How far something has come."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def show(self, counts: str, done: float | None = None) -> None:
        """What was done until now, and how much of the total that is."""
        self._progress.update(self._task, counts=counts, completed=done)


@contextmanager
def progress_bar(what: str, total: float | None = None) -> Generator[Bar]:
    """A bar that is complete at `total`, or one that only moves when nobody knows the end."""
    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), TextColumn("{task.fields[counts]}"), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        yield Bar(progress, progress.add_task("", total=total, counts=""))


def say(text: str) -> None:
    """One line on standard error: standard output may be a pipe for data."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(text, markup=False)
