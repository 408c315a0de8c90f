"""Connections: how many there may be, and how long each may take to send its request."""

import asyncio
import time
from collections import Counter
from typing import Any, cast

from recuerdo.server.caller_limits import CallerLimits, network_of

_PAUSE = 1.0
"""Seconds between two looks at all connections."""


def _refused(status: bytes, detail: bytes) -> bytes:
    body = b'{"detail": "' + detail + b'"}'
    head = b"HTTP/1.1 %b\r\nContent-Type: application/json\r\nContent-Length: %d\r\n" % (status, len(body))
    return head + b"Retry-After: 1\r\nConnection: close\r\n\r\n" + body


_TOO_MANY = _refused(b"503 Service Unavailable", b"Too many connections are open. Try again in a second.")
_TOO_SLOW = _refused(b"408 Request Timeout", b"The request did not arrive in time. Send it again, and faster.")


_HEAD = "head"


class _OpenConnection:
    """A connection, and since when a part of a request is awaited from it."""

    def __init__(self, protocol: Any, transport: asyncio.Transport, address: str) -> None:
        self.protocol = protocol
        self.transport = transport
        self.address = address
        self._awaited: object = _HEAD
        self._since = time.monotonic()

    @property
    def is_between_requests(self) -> bool:
        """Whether no request is worked on, so that an answer would be its own."""
        return self.protocol.cycle is None or self.protocol.cycle.response_complete

    def is_too_slow(self, now: float, limits: CallerLimits) -> bool:
        """Whether a head or a body has been awaited for too long. uvicorn itself closes idle connections."""
        cycle, awaited, seconds = self.protocol.cycle, None, limits.header
        if not self.is_between_requests:
            awaited, seconds = cycle if cycle.more_body else None, limits.body
        elif cycle is None or self.protocol.timeout_keep_alive_task is None:
            awaited = _HEAD
        if awaited is not self._awaited:
            self._awaited, self._since = awaited, now
        return awaited is not None and now - self._since > seconds


class ConnectionGuard:
    """Refuses connections beyond the limits, or `most`, and closes those whose request does not arrive in time."""

    def __init__(self, limits: CallerLimits, *, most: int) -> None:
        if most < limits.connections:  # of what there is, no address gets more than half
            by_address = min(limits.connections_per_address, max(1, most / 2))
            limits = limits._replace(connections=most, connections_per_address=by_address)
        self._limits = limits
        self._open: dict[asyncio.Transport, _OpenConnection] = {}
        self._by_address: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._open)

    def guarding(self, protocol: type[Any]) -> type[asyncio.Protocol]:
        """uvicorn's protocol of HTTP, whose connections this guard monitors."""
        guard = self

        class GuardedConnection(protocol):
            """One connection, as long as it speaks HTTP."""

            def connection_made(self, transport: asyncio.Transport) -> None:
                super().connection_made(transport)  # pyright: ignore[reportUnknownMemberType]
                guard.admit(self, transport)

        return cast(type[asyncio.Protocol], GuardedConnection)

    def admit(self, protocol: Any, transport: asyncio.Transport) -> None:
        """Monitor the connection, or close it at once when there are too many."""
        peer = transport.get_extra_info("peername")
        address = network_of(str(peer[0])) if peer else ""
        if self._is_full(address):
            self.forget_closed()
        if self._is_full(address):
            transport.write(_TOO_MANY)
            transport.close()
            return
        self._open[transport] = _OpenConnection(protocol, transport, address)
        self._by_address[address] += 1

    def _is_full(self, address: str) -> bool:
        limits = self._limits
        return len(self._open) >= limits.connections or self._by_address[address] >= limits.connections_per_address

    def forget_closed(self) -> None:
        """Forget connections that have closed."""
        for each in [each for each in self._open.values() if each.transport.is_closing()]:
            del self._open[each.transport]
            self._by_address[each.address] -= 1
        self._by_address = +self._by_address

    async def run(self) -> None:
        """Close connections that take too long, until cancelled."""
        while True:
            await asyncio.sleep(_PAUSE)
            self.look(time.monotonic())

    def look(self, now: float) -> None:
        """Close connections that take too long. One that has become a WebSocket is no longer monitored."""
        self.forget_closed()
        for each in [*self._open.values()]:
            is_http = each.transport.get_protocol() is each.protocol
            if is_http and each.is_too_slow(now, self._limits):
                if each.is_between_requests:
                    each.transport.write(_TOO_SLOW)
                each.transport.close()
