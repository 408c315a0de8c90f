"""Brief transactions in the event loop's own thread: most are over before another thread would be awake."""

import sqlite3
from collections.abc import Callable

from recuerdo.adapters.latency_gate import LatencyGate
from recuerdo.adapters.sqlite.failures import is_busy, translate
from recuerdo.adapters.sqlite.workers import T, Work

_TURNS_UNTIL_OTHERS = 8
"""Before every eighth transaction other tasks have their turn. Who wants to write too can join its batch then."""

_TURNS_UNTIL_WORKER = 200
"""Of so many one goes to a worker, whose connection also brings the log into the file."""


class Busy(Exception):
    """Somebody else holds the lock, and nothing was done: only a worker may wait for it."""


class InlineExecutor:
    """A connection of the event loop's thread, for use while the disk is quick."""

    def __init__(self, connect: Callable[[], sqlite3.Connection], latency: LatencyGate) -> None:
        self._connect = connect
        self._latency = latency
        self._connection: sqlite3.Connection | None = None
        self._turns = 0

    def opens(self) -> bool:
        """Whether the brief transaction that comes now may be done here, where it holds up everybody else."""
        self._turns += 1
        return self._latency.is_quick and self._turns % _TURNS_UNTIL_WORKER != 0

    @property
    def lets_others_go_first(self) -> bool:
        """Whether it is time that other tasks have their turn before the next transaction."""
        return self._turns % _TURNS_UNTIL_OTHERS == _TURNS_UNTIL_OTHERS - 1

    def run(self, work: Work[T]) -> T:
        """The result of `work`, at once. Raises Busy, or DatabaseUnavailable for the driver's other failures."""
        try:
            if self._connection is None:
                self._connection = self._connect()
            return work(self._connection)
        except Exception as error:
            if is_busy(error):
                raise Busy from error
            raise translate(error) from error

    def close(self) -> None:
        """Close the connection; the next use would open another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
