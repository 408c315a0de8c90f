"""A server that answers connection by connection as it is told, and breaks off where a test wants it."""

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from servers.patience import PATIENCE

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n"
END = b"0\r\n\r\n"


def chunk(data: str) -> bytes:
    """A piece of a chunked body."""
    body = data.encode()
    return b"%x\r\n%b\r\n" % (len(body), body)


def answer(status: str, body: str, *headers: str) -> bytes:
    """A whole response, after which the connection is closed."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body.encode())}", "Connection: close", *headers]
    return "\r\n".join([*lines, "", body]).encode()


class ScriptedServer:
    """Gives each connection the next response, as it is, and closes it. `requests` are what came."""

    def __init__(self, responses: Sequence[bytes]) -> None:
        self._responses = [*responses]
        self.requests: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        for response in self._responses:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection, suppress(OSError):
                connection.settimeout(PATIENCE)
                self.requests.append(_read(connection))
                connection.sendall(response)

    def close(self) -> None:
        """Stop listening."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(PATIENCE)


def _read(connection: socket.socket) -> bytes:
    """One request, with the body that its Content-Length announces."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    while len(body) < sum(lengths):
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


@contextmanager
def scripted(*responses: bytes) -> Iterator[ScriptedServer]:
    """A server with these responses, gone behind the block."""
    server = ScriptedServer(responses)
    try:
        yield server
    finally:
        server.close()
