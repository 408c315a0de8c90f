"""Server-sent events: their wire format, and the reply of a chat that may come in several attempts.

The format is the one of https://html.spec.whatwg.org/multipage/server-sent-events.html.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from recuerdo.client.answers import ChatAnswerData, ChatStartData
from recuerdo.client.problems import error_of_event

_LINE_END = re.compile(rb"\r\n|\n|\r")


class ServerEvent(NamedTuple):
    """One event: its name, its data as JSON has it, and the id from which a stream can be continued, or ""."""

    event: str
    data: Any
    id: str = ""


class EventReader:
    """Makes events of the bytes of a stream. `run_id` and `last_id` say where another stream can continue it."""

    def __init__(self) -> None:
        self.run_id = ""
        self.last_id = ""
        self.reconnect()

    def note(self, headers: Mapping[str, str]) -> None:
        """Keep the run that a response names, if it does. `headers` finds names in any case."""
        if place := headers.get("Content-Location"):
            self.run_id = place.rpartition("/")[2]

    def reconnect(self) -> None:
        """Drop the pieces of an event that was cut off."""
        self._pieces: list[bytes] = []
        self._after_return = False
        self._name = ""
        self._data: list[bytes] = []
        self._id = self.last_id

    def feed(self, piece: bytes) -> Iterator[ServerEvent]:
        """The events that are whole now. Comments are left out."""
        if self._after_return and piece.startswith(b"\n"):
            piece = piece[1:]
        if not piece:
            return
        self._after_return = piece.endswith(b"\r")
        first, *rest = _LINE_END.split(piece)
        self._pieces.append(first)
        for following in rest:
            line = b"".join(self._pieces)
            self._pieces = [following]
            if (event := self._take(line)) is not None:
                yield event

    def _take(self, line: bytes) -> ServerEvent | None:
        if not line:
            return self._whole()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"event":
            self._name = value.decode("utf-8", "replace")
        elif name == b"data":
            self._data.append(value)
        elif name == b"id" and b"\0" not in value:
            self._id = value.decode("utf-8", "replace")
        return None

    def _whole(self) -> ServerEvent | None:
        name, data = self._name, b"\n".join(self._data)
        self._name, self._data = "", []
        self.last_id = self._id
        return ServerEvent(name or "message", msgspec.json.decode(data), self.last_id) if data else None


class ReplyReader:
    """Makes the parts of a reply of its events, over several attempts: nothing that was passed on is repeated.

    An attempt that says the same again continues where the last one broke off. One that says something else begins
    with a second ChatStartData: the text so far does not count.
    """

    def __init__(self) -> None:
        self.is_whole = False
        self._said = ""
        self._start: ChatStartData | None = None
        self._is_repeating = False
        self._repeated = ""

    def begin(self) -> None:
        """Another attempt begins."""
        self._is_repeating = self._start is not None
        self._repeated = ""

    def feed(self, event: ServerEvent) -> Iterator[ChatStartData | str | ChatAnswerData]:
        """The parts that are new with this event. Raises the error that it tells."""
        if event.event == "metadata":
            start = msgspec.convert(event.data, ChatStartData)
            if not self._is_repeating:
                yield start
            self._start = start
        elif event.event == "token":
            yield from self._text(str(event.data["text"]))
        elif event.event == "done":
            answer = msgspec.convert(event.data, ChatAnswerData)
            yield from self._rest(answer)
            self.is_whole = True
            yield answer
        elif event.event == "error":
            raise error_of_event(event.data)

    def _text(self, piece: str) -> Iterator[ChatStartData | str]:
        if not self._is_repeating:
            self._said += piece
            yield piece
            return
        self._repeated += piece
        if self._said.startswith(self._repeated):
            return
        self._is_repeating = False
        if self._repeated.startswith(self._said):
            new, self._said = self._repeated[len(self._said) :], self._repeated
            yield new
        else:
            yield from self._anew(self._repeated)

    def _rest(self, answer: ChatAnswerData) -> Iterator[ChatStartData | str]:
        """The end of the whole reply, after the text so far: one that was stored meanwhile may come without pieces."""
        if not self._is_repeating:
            return
        text = answer.reply.text
        if not text.startswith(self._said):
            yield from self._anew(text)
        elif text != self._said:
            yield text[len(self._said) :]

    def _anew(self, text: str) -> Iterator[ChatStartData | str]:
        if self._start is not None:
            yield self._start
        self._said = text
        yield text
