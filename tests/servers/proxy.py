"""A TCP proxy in front of one server, which a test slows down, cuts off, or lets hang, and heals again."""

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Literal

_PIECE = 65536

State = Literal["open", "cut", "hanging"]


class Proxy:
    """Passes bytes on between a port of its own and the server's, in a thread of its own.

    `slow` lets every piece wait. `cut` resets the connections that there are, and new ones as they come. `hang` makes
    them half-open: nothing comes through any more, and nobody is told. `cut_answers_to` lets a request through, and
    resets its connection when the answer comes.
    """

    def __init__(self, upstream: int) -> None:
        self.port = 0
        self._upstream = upstream
        self._state: State = "open"
        self._delay = 0.0
        self._unanswered: bytes | None = None
        self._cuts_once = False
        self.cuts = 0
        self._links: dict[asyncio.Task[None], _Link] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=lambda: self._loop.run_until_complete(self._serve()), daemon=True)
        self._is_listening = threading.Event()
        self._end = asyncio.Event()

    def slow(self, seconds: float) -> None:
        """Hold every piece back for some seconds, in both directions."""
        self._delay = seconds

    def cut_answers_to(self, word: bytes | None, *, once: bool = False) -> None:
        """Reset a connection when the answer comes to something sent that has this word in it; None: no more.

        `cuts` counts them.
        """
        self._unanswered = word
        self._cuts_once = once

    def cut(self) -> None:
        """Reset all connections."""
        self._become("cut")

    def hang(self) -> None:
        """Swallow what is sent, on old connections and on new ones."""
        self._become("hanging")

    def heal(self) -> None:
        """Pass everything on again. A connection of which something was swallowed is reset: it can't be whole again."""
        self._delay = 0.0
        self._unanswered = None
        self._become("open")

    def start(self) -> None:
        """Listen on a free port of the loopback."""
        self._thread.start()
        self._is_listening.wait()

    def stop(self) -> None:
        """Reset all connections and be gone."""
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()
        self._loop.close()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._is_listening.set()
        await self._end.wait()
        server.close()
        for link in self._links.values():
            link.reset()
        await asyncio.gather(*self._links, return_exceptions=True)

    def _become(self, state: State) -> None:
        done = threading.Event()

        def change() -> None:
            self._state = state
            for link in self._links.values():
                if state == "cut" or (state == "open" and link.has_swallowed):
                    link.reset()
            done.set()

        self._loop.call_soon_threadsafe(change)
        done.wait()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._state == "cut":
            writer.transport.abort()
            return
        task = asyncio.current_task()
        assert task is not None
        link = self._links[task] = _Link(writer)
        try:
            with suppress(OSError):
                theirs, to_server = await asyncio.open_connection("127.0.0.1", self._upstream)
                link.ends.append(to_server)
                pumps = (self._pump(link, reader, to_server), self._pump(link, theirs, writer))
                await asyncio.gather(*pumps, return_exceptions=True)
        finally:
            link.reset()
            del self._links[task]

    async def _pump(self, link: "_Link", source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while piece := await source.read(_PIECE):
                await asyncio.sleep(self._delay)
                if sink is not link.client and self._unanswered is not None and self._unanswered in piece:
                    link.is_doomed = True
                    if self._cuts_once:
                        self._unanswered = None
                elif sink is link.client and link.is_doomed:
                    self.cuts += 1
                    link.reset()
                    return
                if self._state == "hanging":
                    link.has_swallowed = True
                elif not link.has_swallowed:
                    sink.write(piece)
                    await sink.drain()
            if self._state == "open":
                sink.write_eof()
            else:
                link.has_swallowed = True
                await link.was_reset.wait()
        except OSError:
            link.reset()


class _Link:
    """A client's connection and ours to the server."""

    def __init__(self, client: asyncio.StreamWriter) -> None:
        self.client = client
        self.ends = [client]
        self.has_swallowed = False
        self.is_doomed = False
        self.was_reset = asyncio.Event()

    def reset(self) -> None:
        self.was_reset.set()
        for end in self.ends:
            end.transport.abort()


@contextmanager
def running_proxy(upstream: int) -> Generator[Proxy]:
    """A proxy in front of that port of the loopback, gone behind the block."""
    proxy = Proxy(upstream)
    proxy.start()
    try:
        yield proxy
    finally:
        proxy.stop()
