"""A blocking client of one Redis, for tens of thousands of schedules: a third of the cost of a full one."""

import socket
from urllib.parse import urlsplit


class RedisError(Exception):
    """The server refused the command."""


class Resp:
    """One connection; commands are answered before the next one goes out."""

    def __init__(self, url, database):
        address = urlsplit(url)
        self._socket = socket.create_connection((address.hostname, address.port or 6379))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._input = self._socket.makefile("rb")
        self._hashes = {}
        if address.password:
            self.command("AUTH", *([address.username] if address.username else []), address.password)
        self.command("SELECT", database)

    def script(self, text, keys, arguments):
        """Run a Lua script."""
        if text not in self._hashes:
            self._hashes[text] = self.command("SCRIPT", "LOAD", text)
        return self.command("EVALSHA", self._hashes[text], len(keys), *keys, *arguments)

    def command(self, *parts):
        encoded = [part if isinstance(part, bytes) else str(part).encode() for part in parts]
        self._socket.sendall(
            b"*%d\r\n%b" % (len(encoded), b"".join([b"$%d\r\n%b\r\n" % (len(part), part) for part in encoded]))
        )
        return self._answer()

    def close(self):
        self._input.close()
        self._socket.close()

    def _answer(self):
        line = self._input.readline()
        kind, rest = line[:1], line[1:-2]
        if kind == b"$":
            return None if rest == b"-1" else self._input.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return [self._answer() for _ in range(int(rest))]
        if kind == b":":
            return int(rest)
        if kind == b"+":
            return rest
        raise RedisError(line.decode())
