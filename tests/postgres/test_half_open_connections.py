"""Connections that are given up while they are being opened."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

from recuerdo.adapters.postgres.connection import connect
from recuerdo.adapters.postgres.signals import PostgresSignals


class SilentServer:
    """Accepts a connection and never answers, as a server does that hangs."""

    def __init__(self) -> None:
        self.opened, self.closed = asyncio.Event(), asyncio.Event()

    async def __aenter__(self) -> "SilentServer":
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.url = f"postgresql://nobody@127.0.0.1:{self._server.sockets[0].getsockname()[1]}/x"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened.set()
        while await reader.read(1024):
            pass
        self.closed.set()
        writer.close()


async def test_a_connection_that_is_cancelled_while_it_is_opened_is_closed_at_once() -> None:
    """Though its error is kept, and with it the frames that had the connection."""
    async with SilentServer() as server, asyncio.timeout(20):
        connecting = asyncio.create_task(connect(server.url, connect_timeout=60))
        await server.opened.wait()
        connecting.cancel()
        [cancelled] = await asyncio.gather(connecting, return_exceptions=True)
        assert isinstance(cancelled, asyncio.CancelledError)
        await server.closed.wait()


async def test_signals_that_are_closed_while_they_connect_leave_no_connection() -> None:
    async with SilentServer() as server, asyncio.timeout(20):
        database: Any = SimpleNamespace(listens_at=server.url)
        async with PostgresSignals(database).opened() as signals:
            signals.subscribe(lambda _: None)
            await server.opened.wait()
        await server.closed.wait()
        assert cast(Any, signals)._listening.done()
