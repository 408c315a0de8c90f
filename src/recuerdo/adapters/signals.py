"""Signals within one process, and what those of several processes have in common."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress

from recuerdo.concurrency.tasks import stop
from recuerdo.core.errors import DatabaseUnavailable
from recuerdo.core.graph_ports import Signals
from recuerdo.core.identifiers import new_id

_MOST_WORDS = 100
"""That are sent together; PostgreSQL's notifications hold less than 8,000 bytes."""

_PAUSE = 1.0
_log = logging.getLogger(__name__)


class LocalSignals(Signals):
    """The Signals of a database that one process uses; where several do, the others find out when they look."""

    def __init__(self) -> None:
        self._ears: list[Callable[[str], None]] = []

    def tell(self, word: str) -> None:
        for heard in self._ears:
            heard(word)

    def hear(self, heard: Callable[[str], None]) -> None:
        self._ears.append(heard)


class SharedSignals(LocalSignals):
    """The Signals of all processes over a database, through which words are sent and listened for.

    Listening begins with the first who hears. Where `can_listen` is false, processes find out when they look.
    """

    can_listen = True

    def __init__(self) -> None:
        super().__init__()
        self.name = new_id()
        """The sender's name, so that a process does not hear its own words twice."""
        self._unsaid: dict[str, None] = {}
        self._saying: asyncio.Task[None] | None = None
        self._listening: asyncio.Task[None] | None = None

    async def send(self, words: Sequence[str]) -> None:
        """Send the words in the name of this process. Raises DatabaseUnavailable."""
        raise NotImplementedError

    async def listen(self) -> None:
        """Call `arrived` with words as they come, until that fails with DatabaseUnavailable."""
        raise NotImplementedError

    def tell(self, word: str) -> None:
        """Others hear it when it has gone through the database."""
        super().tell(word)
        self._unsaid[word] = None
        if self._saying is None or self._saying.done():
            self._saying = asyncio.create_task(self._say())

    def tell_here(self, words: Sequence[str]) -> None:
        """Tell this process what others were told already."""
        for word in words:
            super().tell(word)

    def arrived(self, teller: str, words: Sequence[str]) -> None:
        """Tell this process what another has said."""
        self.tell_here(words if teller != self.name else ())

    def hear(self, heard: Callable[[str], None]) -> None:
        super().hear(heard)
        if self._listening is None and self.can_listen:
            self._listening = asyncio.create_task(self._listen_for_ever())

    async def aclose(self) -> None:
        """Stop to listen, and send what was told."""
        if self._listening is not None:
            await stop(self._listening)
        if self._saying is not None:
            await asyncio.gather(self._saying, return_exceptions=True)

    async def _say(self) -> None:
        """Say what was told, and meanwhile more."""
        while self._unsaid:
            words = [*self._unsaid][:_MOST_WORDS]
            for word in words:
                del self._unsaid[word]
            with suppress(DatabaseUnavailable):
                await self.send(words)

    async def _listen_for_ever(self) -> None:
        while True:
            try:
                await self.listen()
            except DatabaseUnavailable as error:
                _log.warning("words of other processes come late now: %s", error)
            await asyncio.sleep(_PAUSE)
