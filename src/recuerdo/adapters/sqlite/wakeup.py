"""Bells that other threads ring to wake an event loop."""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol


class Wakeup(Protocol):
    """Rung from any thread, it is answered in the event loop; one answer may do for several rings."""

    def ring(self) -> None: ...

    def take_down(self) -> None:
        """Nobody may ring any more, and nobody answers."""
        ...


def open_wakeup(loop: asyncio.AbstractEventLoop, answer: Callable[[], None]) -> Wakeup:
    """A pipe where the loop can watch one (not on Windows): it costs half of `call_soon_threadsafe`."""
    try:
        return _PipeWakeup(loop, answer)
    except NotImplementedError:
        return _LoopWakeup(loop, answer)


class _PipeWakeup:
    def __init__(self, loop: asyncio.AbstractEventLoop, answer: Callable[[], None]) -> None:
        self._loop = loop
        self._answer = answer
        self._ears, self._rope = os.pipe()
        try:
            loop.add_reader(self._ears, self._hear)
            os.set_blocking(self._rope, False)
        except BaseException:
            self._close()
            raise

    def ring(self) -> None:
        with suppress(BlockingIOError):  # full: it rings already
            os.write(self._rope, b"!")

    def take_down(self) -> None:
        self._loop.remove_reader(self._ears)
        self._close()

    def _hear(self) -> None:
        os.read(self._ears, 4096)
        self._answer()

    def _close(self) -> None:
        os.close(self._ears)
        os.close(self._rope)


class _LoopWakeup:
    def __init__(self, loop: asyncio.AbstractEventLoop, answer: Callable[[], None]) -> None:
        self._loop = loop
        self._answer = answer

    def ring(self) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._answer)

    def take_down(self) -> None:
        pass
