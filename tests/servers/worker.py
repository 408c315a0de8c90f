"""`recuerdo worker` as a real process, which a test kills and starts again."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from servers.process import Server, recuerdo_process, server_folder
from servers.recuerdo import COMMAND


class WorkerServer(Server):
    """One worker; settings are those of the environment, e.g. `database_url`."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.log = folder / "server.log"
        self.log.touch()
        self._process = recuerdo_process([*COMMAND, "worker"], folder, **settings)
        self._starts = 0

    def start(self) -> None:
        """See Server."""
        self._starts += 1
        super().start()

    def _is_ready(self) -> bool:
        return self.log.read_text("utf-8").count("Working on") == self._starts


@contextmanager
def running_worker(**settings: str) -> Generator[WorkerServer]:
    """A new worker, ready."""
    with server_folder() as folder:
        worker = WorkerServer(folder, **settings)
        worker.start()
        try:
            yield worker
        finally:
            worker.stop()
