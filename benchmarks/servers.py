"""The servers of a run: those that the tests start, or the ones that the tests' variables name."""

import os
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from servers.mongodb import running_mongodb
from servers.postgres import fresh_database, running_postgres
from servers.process import ServerProcess, free_port, server_folder
from servers.recuerdo import ApiServer
from servers.valkey import running_valkey

_PATIENCE = 120
_REFERENCE = Path(sys.prefix) / "reference" / "bin" / "langgraph"


@contextmanager
def postgres_url() -> Generator[str]:
    """The URL of an empty database: on a server of our own, or on RECUERDO_TEST_POSTGRES_URL."""
    if url := os.environ.get("RECUERDO_TEST_POSTGRES_URL"):
        with fresh_database(url) as database:
            yield database
        return
    with running_postgres() as server, fresh_database(server.url) as database:
        yield database


@contextmanager
def mongodb_url() -> Generator[str]:
    """The URL of a MongoDB, to which the name of a database is added: one of our own, or RECUERDO_TEST_MONGODB_URL."""
    if url := os.environ.get("RECUERDO_TEST_MONGODB_URL"):
        yield url
        return
    with running_mongodb() as server:
        yield server.url


@contextmanager
def redis_url() -> Generator[str]:
    """The URL of a Redis or Valkey: one of our own, or RECUERDO_TEST_REDIS_URL."""
    if url := os.environ.get("RECUERDO_TEST_REDIS_URL"):
        yield url
        return
    with running_valkey() as server:
        yield server.url


class LangGraphDev(ApiServer):
    """`langgraph dev`: the graphs of a langgraph.json in memory, ten runs at a time.

    It works on a copy, because it keeps what it knows beside the graphs.
    """

    def __init__(self, config: Path, folder: Path) -> None:
        self.port = free_port()
        shutil.copytree(config.parent, folder, dirs_exist_ok=True)
        flags = ["--no-browser", "--no-reload", "--n-jobs-per-worker", "10", "--port", str(self.port)]
        command = ["env", "-C", str(folder), "LANGSMITH_TRACING=false", str(_REFERENCE)]
        self._process = ServerProcess([*command, "dev", *flags, "--config", config.name], folder)

    def start(self) -> None:
        """Start; it imports for half a minute where others are busy."""
        self._process.start(self._is_ready, _PATIENCE)


@contextmanager
def running_langgraph_dev(config: Path) -> Generator[LangGraphDev | None]:
    """`langgraph dev`, ready; None where it is not installed."""
    if not _REFERENCE.exists():
        print("langgraph dev is not here: `make reference` installs it.", file=sys.stderr)
        yield None
        return
    with server_folder() as folder:
        server = LangGraphDev(config, folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()


def resident_kilobytes(server: ApiServer) -> int:
    """How much memory the server's process has in use."""
    status = Path(f"/proc/{server.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


def processor_seconds(server: ApiServer) -> float:
    """How much of the processor all threads of the server's process have had; Linux counts it exactly."""
    threads = Path(f"/proc/{server.pid}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in threads) / 1e9
