"""The `recuerdo` command as a process, for tests of what operators do."""

import os
import subprocess
import sys
from pathlib import Path

from servers import preloaded
from servers.patience import PATIENCE

COMMAND = str(Path(sys.executable).with_name("recuerdo"))
"""The installed program, which starts from nothing; `preloaded.command` is much quicker."""


def environment(**settings: str) -> dict[str, str]:
    """This process's environment without its settings for Recuerdo: the database is `a.db` in the current folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RECUERDO_")}
    return kept | {"COLUMNS": "200", "TERM": "xterm", "RECUERDO_DATABASE_URL": "sqlite:///a.db"} | settings


def run(folder: Path, *arguments: str, said: bytes = b"", **settings: str) -> subprocess.CompletedProcess[bytes]:
    """The finished command."""
    return subprocess.run(
        [preloaded.command(), *arguments],
        cwd=folder,
        env=environment(**settings),
        input=said,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )


def ran(folder: Path, *arguments: str, said: bytes = b"", **settings: str) -> subprocess.CompletedProcess[bytes]:
    """The command, which did what it was told."""
    done = run(folder, *arguments, said=said, **settings)
    assert done.returncode == 0, done.stderr.decode()
    return done


def refused(folder: Path, *arguments: str, said: bytes = b"", **settings: str) -> str:
    """The message of a command that fails: one line, and nothing on standard output."""
    done = run(folder, *arguments, said=said, **settings)
    assert (done.returncode, done.stdout) == (1, b""), done.stderr.decode()
    assert len(done.stderr.splitlines()) == 1, done.stderr.decode()
    return done.stderr.decode()
