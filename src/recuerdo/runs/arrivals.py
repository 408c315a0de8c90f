"""Who waits for the next run of a thread."""

import asyncio
from weakref import WeakValueDictionary

from recuerdo.core.scope import Owner


class Arrivals:
    """Wakes those of this process who wait. Nobody has to say that they wait no more."""

    def __init__(self) -> None:
        self._expected: WeakValueDictionary[tuple[Owner, str], asyncio.Event] = WeakValueDictionary()

    def expect(self, owner: Owner, thread_id: str) -> asyncio.Event:
        """Set when the next run of the thread is made here."""
        return self._expected.setdefault((owner, thread_id), asyncio.Event())

    def ring(self, owner: Owner, thread_id: str) -> None:
        """A run was made."""
        waiting = self._expected.pop((owner, thread_id), None)
        if waiting is not None:
            waiting.set()
