"""`recuerdo serve` as a real process on a fixed port, which a test kills and starts again."""

import http.client
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from servers.preloaded import RECUERDO
from servers.process import Server, free_port, recuerdo_process, server_folder

COMMAND = (RECUERDO,)


class ApiServer(Server):
    """A server of the LangGraph API on a port of this machine."""

    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        return self._process.pid

    def _is_ready(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/ok")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()


class RecuerdoServer(ApiServer):
    """One replica; settings are those of the environment, e.g. `database_url`, `more` are flags."""

    def __init__(
        self, folder: Path, command: Sequence[str] = COMMAND, more: Sequence[str] = (), **settings: str
    ) -> None:
        self.port = free_port()
        self.log = folder / "server.log"
        flags = ["serve", "--port", str(self.port), "--spool", str(folder / "spool"), *more]
        self._process = recuerdo_process([*command, *flags], folder, **settings)


@contextmanager
def running_recuerdo(
    command: Sequence[str] = COMMAND, more: Sequence[str] = (), **settings: str
) -> Generator[RecuerdoServer]:
    """A new replica, ready."""
    with server_folder() as folder:
        server = RecuerdoServer(folder, command, more, **settings)
        server.start()
        try:
            yield server
        finally:
            server.stop()
