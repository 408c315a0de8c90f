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
    """A single-node replica set on a port of the loopback, that flushes every commit to disk."""

    disk = None
    """No disk of its own that a test could fill."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        program = Path(sys.executable).with_name("secantusd-py")
        command = [program, "--storage-path", folder / "data", "--port", str(self.port), "--sync-on-commit"]
        self._process = ServerProcess([*command, "--log-level", "WARNING", "--cache-size", "128M"], folder)

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
def running_mongodb() -> Generator[MongoServer]:
    """A new, empty server."""
    with server_folder() as folder:
        server = MongoServer(folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()
