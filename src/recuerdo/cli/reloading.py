"""`recuerdo serve --reload`: restart the server when files of the graphs change, for development."""

import os
import subprocess  # nosec B404
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import typer

from recuerdo.cli.subprocesses import set_by_signals, stop
from recuerdo.core.errors import ConfigurationError
from recuerdo.runs.sources import read_sources

_FLAG = "--reload"
_KINDS = (".py", ".json", ".toml", ".env")
_ELSEWHERE = ("__pycache__", "node_modules", "site-packages", "venv")
_SECONDS_BETWEEN_LOOKS = 0.3

Seen = dict[Path, int]


def serve_reloading(config: str | None) -> None:
    """Run the server as a subprocess, restarted when a file of the graphs changes. Raises ConfigurationError."""
    if config is None:
        raise ConfigurationError("--reload watches the files of your graphs: name their langgraph.json with --config.")
    sources = read_sources(config)
    folders = [(sources.folder / each).resolve() for each in (".", *sources.dependencies)]
    stopped = set_by_signals()
    command = [sys.executable, *(part for part in sys.orig_argv[1:] if part != _FLAG)]
    while not stopped.is_set():
        seen = look(folders)
        with subprocess.Popen(command) as server:  # noqa: S603 - ourselves # nosec B603
            changed = _wait(folders, seen, stopped)
            stop(server)
        if changed:
            typer.echo(f"Starting again: {changed} has changed.")


def look(folders: Iterable[Path]) -> Seen:
    """The relevant files, and when they were last changed."""
    return dict(each for folder in folders for each in _files(folder))


def _files(folder: Path) -> Iterator[tuple[Path, int]]:
    for place, inner, names in os.walk(folder):
        inner[:] = [name for name in inner if name not in _ELSEWHERE and not name.startswith(".")]
        for name in names:
            file = Path(place, name)
            if name.endswith(_KINDS) and file.exists():
                yield file, file.stat().st_mtime_ns


def _wait(folders: Iterable[Path], seen: Seen, stopped: threading.Event) -> Path | None:
    """Wait for a changed file; None when it is time to stop."""
    while not stopped.wait(_SECONDS_BETWEEN_LOOKS):
        now = look(folders)
        if now != seen:
            return next((file for file in {**seen, **now} if seen.get(file) != now.get(file)), None)
    return None
