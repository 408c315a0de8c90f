"""One connection to a Redis that all callers share: redis-py's way to send a command takes longer than the command."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

from redis.asyncio import Connection, Redis
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import NoScriptError, ResponseError

from recuerdo.concurrency.coalescer import SingleFlight

Part = bytes | str | int


class Read(NamedTuple):
    """A reply, which is an exception when the server refused the command, and where the next one begins."""

    reply: Any
    end: int


def packed(parts: Sequence[Part]) -> bytes:
    """The command as it is sent."""
    pieces = [b"*%d\r\n" % len(parts)]
    for part in parts:
        text = part.encode() if isinstance(part, str) else part if isinstance(part, bytes) else b"%d" % part
        pieces.append(b"$%d\r\n%b\r\n" % (len(text), text))
    return b"".join(pieces)


def read(data: bytes, start: int) -> Read | None:
    """The reply that begins there, or None while its end has not come."""
    line_end = data.find(b"\r\n", start)
    if line_end < 0:
        return None
    return _READERS[data[start]](data, data[start + 1 : line_end], line_end + 2)


def _text(data: bytes, length: bytes, start: int) -> Read | None:
    if length == b"-1":
        return Read(None, start)
    end = start + int(length)
    return Read(data[start:end], end + 2) if len(data) >= end + 2 else None


def _list(data: bytes, length: bytes, start: int) -> Read | None:
    items: list[Any] = []
    for _ in range(int(length)):
        if data[start : start + 1] == b"$" and (line_end := data.find(b"\r\n", start)) > 0:
            size = int(data[start + 1 : line_end])  # as _text, without a call for each of many messages
            text, start = line_end + 2, line_end + 4 + size if size >= 0 else line_end + 2
            items.append(data[text : text + size] if size >= 0 else None)
        elif (found := read(data, start)) is not None:
            item, start = found
            items.append(item)
        else:
            return None
    return Read(items, start) if start <= len(data) else None


def _number(data: bytes, digits: bytes, start: int) -> Read:
    return Read(int(digits), start)


def _word(data: bytes, word: bytes, start: int) -> Read:
    return Read(word, start)


def _nothing(data: bytes, rest: bytes, start: int) -> Read:
    return Read(None, start)


def _error(data: bytes, text: bytes, start: int) -> Read:
    message = text.decode(errors="replace")
    return Read((NoScriptError if message.startswith("NOSCRIPT") else ResponseError)(message), start)


_READERS: dict[int, Callable[[bytes, bytes, int], Read | None]] = {
    ord("$"): _text,
    ord("*"): _list,
    ord(":"): _number,
    ord("+"): _word,
    ord("-"): _error,
    ord("_"): _nothing,
}


TIMEOUT_SECONDS = 0.5
"""Seconds without a word, after a caller who has gone and whose reply is still to come, that end the connection."""

_NOT_THE_ONE = ("READONLY", "LOADING", "MASTERDOWN")
"""Answers of a server that is no longer, or not yet, the one to ask: another may be at the address by now."""


class Wire:
    """Sends the commands of all callers over one connection, which redis-py opens, and opens anew when it is lost."""

    def __init__(self, client: Redis) -> None:
        self._pool = cast(Any, client).connection_pool
        self._opening: SingleFlight[_ReplyQueue] = SingleFlight()
        self._connection: Connection | None = None
        self._line: _ReplyQueue | None = None

    async def ask(self, parts: Sequence[Part]) -> Any:
        """The reply to a command. Raises redis-py's errors, and OSError. It is never sent twice."""
        line = self._line or await self._open()
        return await line.send(parts)

    async def ask_all(self, commands: Sequence[Sequence[Part]]) -> list[Any]:
        """The replies to several, in one round trip; what the server refused is an exception among them."""
        line = self._line or await self._open()
        return await asyncio.gather(*[line.send(parts) for parts in commands], return_exceptions=True)

    async def aclose(self) -> None:
        """Close the connection, and give back to the pool what is left of it."""
        self._line, connection, self._connection = None, self._connection, None
        if connection is not None:
            await connection.disconnect(nowait=True)
            await self._pool.release(connection)

    async def _open(self) -> "_ReplyQueue":
        return await self._opening.run(None, self._connect)

    async def _connect(self) -> "_ReplyQueue":
        await self.aclose()
        self._connection = connection = await self._pool.get_connection()
        self._line = _ReplyQueue(connection._writer.transport, self._lost)
        return self._line

    def _lost(self) -> None:
        self._line = None


class _ReplyQueue(asyncio.Protocol):
    """Hands each command its reply, in their order.

    A caller that goes away leaves its place in the queue, so that no caller gets the reply to another's command.
    """

    def __init__(self, transport: asyncio.Transport, lost: Callable[[], None]) -> None:
        self._transport = transport
        self._lost = lost
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[asyncio.Future[Any]] = deque()
        self._unread = b""
        self._times_heard = 0
        transport.set_protocol(self)

    def send(self, parts: Sequence[Part]) -> asyncio.Future[Any]:
        """The reply to come."""
        reply = self._loop.create_future()
        reply.add_done_callback(self._reply_done)
        self._waiting.append(reply)
        self._transport.write(packed(parts))
        return reply

    def data_received(self, data: bytes) -> None:
        self._times_heard += 1
        data = self._unread + data
        start = 0
        while start < len(data) and (found := read(data, start)):
            reply, start = found
            self._answer(reply)
        self._unread = data[start:]

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost()
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_exception(Disconnected("the connection was lost"))
        self._waiting.clear()

    def _answer(self, reply: Any) -> None:
        waiting = self._waiting.popleft()
        if isinstance(reply, ResponseError) and str(reply).startswith(_NOT_THE_ONE):
            self._abort()
        if waiting.done():
            return
        if isinstance(reply, Exception):
            waiting.set_exception(reply)
        else:
            waiting.set_result(reply)

    def _reply_done(self, reply: asyncio.Future[Any]) -> None:
        if reply.cancelled() and reply in self._waiting:
            self._loop.call_later(TIMEOUT_SECONDS, self._check_silence, reply, self._times_heard)

    def _check_silence(self, reply: asyncio.Future[Any], times_heard: int) -> None:
        if reply not in self._waiting:
            return
        if times_heard == self._times_heard:
            self._abort()
        else:
            self._loop.call_later(TIMEOUT_SECONDS, self._check_silence, reply, self._times_heard)

    def _abort(self) -> None:
        """A half-open connection never says that it is lost."""
        self._lost()
        self._transport.abort()
