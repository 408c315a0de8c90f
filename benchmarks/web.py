"""A client that takes as little of the processor as one in Python can: HTTP/1.1 over one connection, kept alive."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

_LIMIT = 2**24


class Client:
    """One connection to a server, for one request at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, headers: Mapping[str, str]) -> None:
        self._reader = reader
        self._writer = writer
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in headers.items())

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, **headers: str) -> AsyncGenerator["Client"]:
        """A connection to the server at `url`, closed behind the block."""
        host, _, port = url.removeprefix("http://").rstrip("/").partition(":")
        reader, writer = await asyncio.open_connection(host, int(port), limit=_LIMIT)
        try:
            yield cls(reader, writer, {"Host": f"{host}:{port}", **headers})
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def get(self, path: str) -> bytes:
        """The body of the answer."""
        return b"".join([piece async for piece in self._ask("GET", path)])

    async def post(self, path: str, body: Any) -> Any:
        """The answer, decoded; None where there is nothing in it."""
        answer = b"".join([piece async for piece in self._ask("POST", path, json.dumps(body).encode())])
        return json.loads(answer) if answer else None

    async def status(self, path: str, body: Any = None) -> tuple[int, float]:
        """The status of the answer, whose body is thrown away, and the seconds of its `Retry-After`; 0 without one."""
        self._send("GET" if body is None else "POST", path, b"" if body is None else json.dumps(body).encode())
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        async for _ in self._body(head):
            pass
        if b"connection: close" in head:
            raise ConnectionResetError
        return int(head.split(None, 2)[1]), float((head.partition(b"retry-after: ")[2].split(None, 1) or [0])[0])

    def stream(self, path: str, body: Any) -> AsyncGenerator[bytes]:
        """The pieces of the answer, as they come."""
        return self._ask("POST", path, json.dumps(body).encode())

    async def _ask(self, method: str, path: str, body: bytes = b"") -> AsyncGenerator[bytes]:
        self._send(method, path, body)
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        failed = int(head.split(None, 2)[1]) >= 400
        pieces = [piece async for piece in self._body(head)] if failed else []
        if failed:
            raise RuntimeError(f"{method} {path}: {head.splitlines()[0].decode()} {b''.join(pieces).decode()}")
        async for piece in self._body(head):
            yield piece

    def _send(self, method: str, path: str, body: bytes) -> None:
        about = f"content-type: application/json\r\ncontent-length: {len(body)}\r\n" if body else ""
        self._writer.write(f"{method} {path} HTTP/1.1\r\n{self._headers}{about}\r\n".encode() + body)

    async def _body(self, head: bytes) -> AsyncGenerator[bytes]:
        if b"transfer-encoding: chunked" in head:
            while size := int(await self._reader.readuntil(b"\r\n"), 16):
                yield (await self._reader.readexactly(size + 2))[:-2]
            await self._reader.readexactly(2)
        elif b"content-length: " in head:
            yield await self._reader.readexactly(int(head.partition(b"content-length: ")[2].split(None, 1)[0]))
