"""`recuerdo serve --workers`: several server processes that accept connections from one listening socket."""

import subprocess  # nosec B404
import sys

import typer

from recuerdo.app.settings import Settings
from recuerdo.cli.serving import listen
from recuerdo.cli.subprocesses import set_by_signals, stop
from recuerdo.core.errors import ConfigurationError

_SECONDS_BETWEEN_LOOKS = 0.2
_SHARED = ("postgresql://", "mongodb://", "mongodb+srv://")


def serve_with_workers(settings: Settings) -> None:
    """Run `settings.workers` server processes until a signal ends them.

    A process that was killed is replaced. One that exits on its own could not start or failed for a reason that its
    successor would share, so that all end with its status. Raises ConfigurationError, also for a database that
    belongs to one process.
    """
    if not settings.database_url.startswith(_SHARED):
        raise ConfigurationError(
            "Several workers need a database that processes share, and SQLite is best used by one server. Set "
            "RECUERDO_DATABASE_URL (or --database-url) to a PostgreSQL or a MongoDB, or leave --workers at 1."
        )
    stopped = set_by_signals()
    with listen(settings.host, settings.port) as listener:
        command = [sys.executable, *sys.orig_argv[1:], "--listener", str(listener.fileno())]

        def started() -> subprocess.Popen[bytes]:
            return subprocess.Popen(command, pass_fds=[listener.fileno()])  # noqa: S603 - ourselves # nosec B603

        workers = [started() for _ in range(settings.workers)]
        try:
            while not stopped.wait(_SECONDS_BETWEEN_LOOKS):
                for place, worker in enumerate(workers):
                    status = worker.poll()
                    if status is not None and status >= 0:
                        raise typer.Exit(status or 1)
                    if status is not None:
                        typer.echo(f"A worker was killed by signal {-status} and is started again.")
                        workers[place] = started()
        finally:
            stop(*workers)
