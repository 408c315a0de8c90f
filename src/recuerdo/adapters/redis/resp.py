"""Commands and replies as they go between a client and a Redis, in its protocol RESP, as far as scripts need it."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from redis.exceptions import NoScriptError, ResponseError

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
