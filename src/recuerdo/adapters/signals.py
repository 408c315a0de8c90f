"""Signals within one process, and what those of several processes have in common."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Self

from recuerdo.concurrency.tasks import stop
from recuerdo.core.errors import DatabaseUnavailable
from recuerdo.core.graph_ports import Signals
from recuerdo.core.identifiers import new_id

_MOST_SIGNALS = 100
"""The number of names in one notification; PostgreSQL's hold less than 8,000 bytes."""

_PAUSE = 1.0
_log = logging.getLogger(__name__)


class LocalSignals(Signals):
    """The Signals of a database that one process uses; where several do, the others find out when they look."""

    can_listen = True

    def __init__(self) -> None:
        self._subscribers: list[Callable[[str], None]] = []

    def publish(self, signal: str) -> None:
        for subscriber in self._subscribers:
            subscriber(signal)

    def subscribe(self, subscriber: Callable[[str], None]) -> None:
        self._subscribers.append(subscriber)


class SharedSignals(LocalSignals):
    """The Signals of all processes over a database, through which signals are sent and listened for.

    Listening begins with the first subscriber. Where `can_listen` is false, processes find out when they look.
    """

    def __init__(self) -> None:
        super().__init__()
        self.name = new_id()
        """The sender's name, so that a process does not receive its own signals twice."""
        self._unsent: dict[str, None] = {}
        self._sending: asyncio.Task[None] | None = None
        self._listening: asyncio.Task[None] | None = None
        self._is_closing = False

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[Self]:
        """These signals, until the end of the block."""
        try:
            yield self
        finally:
            await self.aclose()

    async def send(self, signals: Sequence[str]) -> None:
        """Send the signals in the name of this process. Raises DatabaseUnavailable."""
        raise NotImplementedError

    async def listen(self) -> None:
        """Call `receive` with signals as they come, until that fails with DatabaseUnavailable."""
        raise NotImplementedError

    def publish(self, signal: str) -> None:
        """Others receive it when it has gone through the database."""
        super().publish(signal)
        self._unsent[signal] = None
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send_all())

    def publish_here(self, signals: Sequence[str]) -> None:
        """Publish within this process only: the others have the signals already."""
        for signal in signals:
            super().publish(signal)

    def receive(self, sender: str, signals: Sequence[str]) -> None:
        """Tell this process what another has sent."""
        self.publish_here(signals if sender != self.name else ())

    def subscribe(self, subscriber: Callable[[str], None]) -> None:
        super().subscribe(subscriber)
        if self._listening is None and self.can_listen:
            self._listening = asyncio.create_task(self._listen_for_ever())

    async def aclose(self) -> None:
        """Stop listening, and send what was published."""
        self._is_closing = True
        if self._listening is not None:
            await stop(self._listening)
        if self._sending is not None:
            await asyncio.gather(self._sending, return_exceptions=True)

    async def _send_all(self) -> None:
        """Send what was published, and meanwhile more.

        Signals that can't be sent are replaced by the empty one: the other processes look for changes when the database
        is back.
        """
        while self._unsent:
            signals = [*self._unsent][:_MOST_SIGNALS]
            for signal in signals:
                del self._unsent[signal]
            try:
                await self.send(signals)
            except DatabaseUnavailable:
                if self._is_closing:
                    return
                self._unsent = {"": None}
                await asyncio.sleep(_PAUSE)

    async def _listen_for_ever(self) -> None:
        while True:
            try:
                await self.listen()
            except DatabaseUnavailable as error:
                _log.warning("signals of other processes come late now: %s", error)
            await asyncio.sleep(_PAUSE)
