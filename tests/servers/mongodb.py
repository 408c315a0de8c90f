"""A server that speaks MongoDB's protocol, from the `secantusdb` wheel, always in a process of its own."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pymongo
from pymongo.errors import PyMongoError

from servers.process import Server, ServerProcess, free_port, server_folder


class MongoServer(Server):
    """On a port of the loopback, flushing every commit to disk: a replica set of one, or a server without any."""

    disk = None
    """No disk of its own that a test could fill."""

    def __init__(self, folder: Path, *, standalone: bool = False) -> None:
        self.port = free_port()
        program = Path(sys.executable).with_name("secantusd-py")
        command = [program, "--storage-path", folder / "data", "--port", str(self.port), "--sync-on-commit"]
        # In a smaller cache, large messages that a transaction holds leave no room, and the server stands still.
        command += ["--log-level", "WARNING", "--cache-size", "1G", *(["--standalone"] if standalone else [])]
        self._process = ServerProcess(command, folder)

    @property
    def url(self) -> str:
        return f"mongodb://127.0.0.1:{self.port}/"

    def _is_ready(self) -> bool:
        client: pymongo.MongoClient[dict[str, Any]] = pymongo.MongoClient(self.url, serverSelectionTimeoutMS=200)
        try:
            client.admin.command("ping")
        except PyMongoError:
            return False
        finally:
            client.close()
        return True


@contextmanager
def running_mongodb(*, standalone: bool = False) -> Generator[MongoServer]:
    """A new, empty server: with transactions, or `standalone` without."""
    with server_folder() as folder:
        server = MongoServer(folder, standalone=standalone)
        server.start()
        try:
            yield server
        finally:
            server.stop()
