"""One replica at a time that hangs while the others go on, as a process does that the system has no time for."""

import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from checker.deployment import Replica

LONGEST = 1.5
"""Seconds after which a replica goes on in any case: the other one may wait for what it holds."""


class Pauses:
    """Pauses replicas for those who ask; two are never paused at the same moment."""

    def __init__(self, replicas: Sequence[Replica]) -> None:
        self._servers = {replica.url: replica.server for replica in replicas}
        self._taken = threading.Lock()

    @contextmanager
    def of(self, url: str, *, wanted: bool = True) -> Generator[None]:
        """The replica hangs within the block, unless somebody else has paused one."""
        if not wanted or not self._taken.acquire(blocking=False):
            yield
            return
        server = self._servers[url]
        server.pause()
        resuming = threading.Timer(LONGEST, server.resume)
        resuming.start()
        try:
            yield
        finally:
            resuming.cancel()
            resuming.join()
            server.resume()
            self._taken.release()
