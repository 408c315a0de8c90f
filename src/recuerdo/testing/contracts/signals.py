"""Signals: what wakes waiting tasks, in one process and in several."""

import asyncio

from recuerdo.core.graph_ports import Signals
from recuerdo.core.identifiers import new_id
from recuerdo.testing.contracts import AsNewTenant


class SignalContract(AsNewTenant):
    """Needs the fixtures `signals` and `other`: those of two processes over one database.

    Both are the same where processes can't reach each other.
    """

    async def test_signal_to_all(self, signals: Signals, other: Signals) -> None:
        """A published word reaches every subscriber, those of other processes included."""
        word, near, far = new_id(), asyncio.Event(), asyncio.Event()
        signals.subscribe(lambda heard: near.set() if heard == word else None)
        other.subscribe(lambda heard: far.set() if heard in ("", word) else None)
        await self._until_others_listen(signals, other)
        far.clear()
        signals.publish(word)
        assert near.is_set()
        await far.wait()

    async def test_signals_in_a_burst(self, signals: Signals, other: Signals) -> None:
        """Of many words that are published together none gets lost."""
        words, missing, all_came = {new_id() for _ in range(1000)}, set[str](), asyncio.Event()

        def note(word: str) -> None:
            missing.discard(word)
            if not missing:
                all_came.set()

        await self._until_others_listen(signals, other)
        missing |= words
        other.subscribe(note)
        for word in words:
            signals.publish(word)
        await all_came.wait()

    async def test_own_signals_once(self, signals: Signals, other: Signals) -> None:
        """A process that publishes a word receives it once, and not again from the database."""
        word, last = new_id(), new_id()
        received: list[str] = []
        ended = asyncio.Event()
        signals.subscribe(received.append)
        signals.subscribe(lambda heard: ended.set() if heard == last else None)
        await self._until_others_listen(other, signals)
        signals.publish(word)
        other.publish(last)
        await ended.wait()
        assert received.count(word) == 1

    async def _until_others_listen(self, signals: Signals, other: Signals) -> None:
        """Publish until the other receives it: what was published before it listened is lost."""
        word, listens = new_id(), asyncio.Event()
        other.subscribe(lambda heard: listens.set() if heard == word else None)
        while not listens.is_set():
            signals.publish(word)
            await asyncio.sleep(0.05)
