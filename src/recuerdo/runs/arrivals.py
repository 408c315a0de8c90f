"""Who waits for something new on a thread: the next run, or a state that somebody has written."""

import asyncio
from weakref import WeakValueDictionary

from recuerdo.core.scope import Owner


class Arrivals:
    """Wakes those of this process who wait. Nobody has to say that they wait no more."""

    def __init__(self) -> None:
        self._expected: WeakValueDictionary[tuple[Owner, str], asyncio.Event] = WeakValueDictionary()

    def expect(self, owner: Owner, thread_id: str) -> asyncio.Event:
        """Set when something new comes to the thread here."""
        return self._expected.setdefault((owner, thread_id), asyncio.Event())

    def ring(self, owner: Owner, thread_id: str) -> None:
        """A run was made, or a state written."""
        waiting = self._expected.pop((owner, thread_id), None)
        if waiting is not None:
            waiting.set()
