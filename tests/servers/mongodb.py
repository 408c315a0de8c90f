"""A server that speaks MongoDB's protocol, from the `secantusdb` wheel, always in a process of its own."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pymongo
from pymongo.errors import PyMongoError

from servers.process import ServerProcess, free_port, server_folder


class MongoServer:
    """A single-node replica set on a port of the loopback, that flushes every commit to disk."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        program = Path(sys.executable).with_name("secantusd-py")
        command = [program, "--storage-path", folder / "data", "--port", str(self.port), "--sync-on-commit"]
        self._process = ServerProcess([*command, "--log-level", "WARNING", "--cache-size", "128M"], folder)

    @property
    def url(self) -> str:
        return f"mongodb://127.0.0.1:{self.port}/"

    def start(self) -> None:
        """Start, on the same port and data as before."""
        self._process.start(self._is_ready)

    def stop(self) -> None:
        """Shut down."""
        self._process.stop()

    def kill(self) -> None:
        """kill -9."""
        self._process.kill()

    def restart(self) -> None:
        """Stop and start."""
        self.stop()
        self.start()

    def pause(self) -> None:
        """Let it hang."""
        self._process.pause()

    def resume(self) -> None:
        """Let it go on."""
        self._process.resume()

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
