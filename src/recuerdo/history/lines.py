"""The lines that threads are exported as: JSON, one thing a line, so that no file is too long to be read.

    {"kind":"recuerdo","format":1}
    {"kind":"thread","tenant":"acme","user":"emi","thread":"t-1","title":"Hola","messages":2,...}
    {"kind":"message","seq":1,"role":"user","content":"Hola","id":"...","created_at":"..."}
    {"kind":"message","seq":2,"role":"assistant",...}
    {"kind":"end","threads":1,"messages":2}

A thread's messages follow it, all of them, in their order. `withdrawn` stands where a thread was erased while it was
written. Several exports may follow one another in a file.
"""

import zlib
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple

import msgspec

from recuerdo.core.checks import UNREADABLE
from recuerdo.core.errors import InvalidInput
from recuerdo.core.messages import Message, Record
from recuerdo.core.scope import Scope
from recuerdo.core.thread_metadata import ThreadMetadata
from recuerdo.history.requests import check_object, prepare

FORMAT = 1

LONGEST_LINE = 64 * 2**20
"""Bytes of a line. A longer one is not one of our messages, and would not fit into memory."""


class Begin(msgspec.Struct, frozen=True, tag_field="kind", tag="recuerdo", forbid_unknown_fields=True):
    """The first line of an export."""

    format: int = FORMAT


class ThreadLine(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="thread", forbid_unknown_fields=True):
    """A thread, whose `messages` messages follow."""

    tenant: str
    user: str
    thread: str
    title: str = ""
    metadata: dict[str, Any] = {}
    created_at: datetime
    updated_at: datetime
    messages: int

    @property
    def scope(self) -> Scope:
        """Where the thread belongs. Raises InvalidInput for impossible ids."""
        return Scope(self.tenant, self.user, self.thread)


class MessageLine(Message, frozen=True, kw_only=True, tag_field="kind", tag="message", forbid_unknown_fields=True):
    """A message of the thread above."""


class WithdrawnThread(msgspec.Struct, frozen=True, tag_field="kind", tag="withdrawn", forbid_unknown_fields=True):
    """The thread above was erased while it was written: forget what there is of it."""


class End(msgspec.Struct, frozen=True, tag_field="kind", tag="end", forbid_unknown_fields=True):
    """The last line of an export, so that a file that was cut is recognised."""

    threads: int
    messages: int


class FileMessage(NamedTuple):
    """A message of a file, the number and bytes of its line, and the thread that it belongs to with that one's line."""

    line: int
    size: int
    message: Message
    thread: ThreadLine
    thread_line: int


class Checked(NamedTuple):
    """The content of a whole file: threads and messages to import, and the lines of threads that were withdrawn."""

    threads: int
    messages: int
    withdrawn: frozenset[int]


_Line = Begin | ThreadLine | MessageLine | WithdrawnThread | End
_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[_Line] = msgspec.json.Decoder(_Line)


def write_line(line: Begin | ThreadLine | WithdrawnThread | End) -> bytes:
    """The line, with its end."""
    return _encoder.encode(line) + b"\n"


def write_messages(records: Iterable[Record]) -> bytes:
    """A line for each stored message, without decoding any."""
    return b"".join([b'{"kind":"message",%b\n' % record.json[1:] for record in records])


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """The file's lines, one at a time in memory. Raises InvalidInput where it is cut off, damaged or not ours."""
    number = 1
    try:
        while line := file.readline(LONGEST_LINE + 1):
            if len(line) > LONGEST_LINE:
                raise _wrong(number, f"has more than {LONGEST_LINE} bytes, which no export has")
            yield line
            number += 1
    except (EOFError, OSError, zlib.error) as error:
        raise _wrong(number, f"can't be read ({error}): the file is damaged or cut off. Export it again") from None


def check(lines: Iterable[bytes]) -> Checked:
    """Read a whole file without keeping it. Raises InvalidInput, naming the first line that is wrong."""
    reader = _LineReader()
    for entry in reader.entries(lines):
        _check_message(entry)
    return Checked(reader.threads, reader.messages, frozenset(reader.withdrawn))


def read(lines: Iterable[bytes], withdrawn: Collection[int]) -> Iterator[FileMessage]:
    """The messages of a file that was checked, without those of threads that were withdrawn."""
    return (entry for entry in _LineReader().entries(lines) if entry.thread_line not in withdrawn)


class _LineReader:
    """Follows a file line by line, and knows what may come next."""

    def __init__(self) -> None:
        self.threads = self.messages = 0
        self.withdrawn: set[int] = set()
        self._counted = (0, 0)
        self._begun = False
        self._thread: ThreadLine | None = None
        self._thread_line = 0
        self._seq = 0

    def entries(self, lines: Iterable[bytes]) -> Iterator[FileMessage]:
        number = 0
        for number, text in enumerate(lines, 1):
            match line := _parse(number, text):
                case MessageLine():
                    yield self._message(number, len(text), line)
                case ThreadLine():
                    self._begin_thread(number, line)
                case WithdrawnThread():
                    self._withdraw(number)
                case Begin():
                    self._begin(number, line)
                case End():
                    self._end(number, line)
        if self._begun or number == 0:
            raise _wrong(number + 1, "is missing: the export was cut off before its end. Export again")

    def _begin(self, number: int, line: Begin) -> None:
        if line.format != FORMAT:
            raise _wrong(number, f"is of format {line.format}, and this version reads {FORMAT}. Upgrade Recuerdo")
        if self._begun:
            raise _wrong(number, "begins another export before the one above has ended. Export that again")
        self._begun, self._counted = True, (self.threads, self.messages)

    def _begin_thread(self, number: int, line: ThreadLine) -> None:
        self._check_begun(number)
        self._check_whole(number)
        try:
            _ = line.scope
            check_object("metadata", line.metadata)
            ThreadMetadata.of(line.metadata)
        except InvalidInput as error:
            raise _wrong(number, str(error)) from None
        if None in (line.created_at.tzinfo, line.updated_at.tzinfo):
            raise _wrong(number, "has a time without a time zone. Write it like 2026-11-21T12:00:00Z")
        self._thread, self._thread_line, self._seq = line, number, 0
        self.threads += 1

    def _message(self, number: int, size: int, line: MessageLine) -> FileMessage:
        if self._thread is None:
            raise _wrong(number, "is a message without a preceding thread. Insert the line of its thread")
        self._seq += 1
        if line.seq != self._seq or line.seq > self._thread.messages:
            raise _wrong(
                number, f"has seq {line.seq}, and {self._expected()} should stand here. Export the thread again"
            )
        self.messages += 1
        message = Message(**{name: getattr(line, name) for name in Message.__struct_fields__})
        return FileMessage(number, size, message, self._thread, self._thread_line)

    def _expected(self) -> str:
        assert self._thread is not None  # noqa: S101 - its callers have looked
        return f"seq {self._seq}" if self._seq <= self._thread.messages else "no more message of this thread"

    def _withdraw(self, number: int) -> None:
        if self._thread is None:
            raise _wrong(number, "withdraws a thread, but no thread precedes it")
        self.withdrawn.add(self._thread_line)
        self.threads -= 1
        self.messages -= self._seq
        self._thread = None

    def _end(self, number: int, line: End) -> None:
        self._check_begun(number)
        self._check_whole(number)
        found = (self.threads - self._counted[0], self.messages - self._counted[1])
        if found != (line.threads, line.messages):
            counted = (
                f"counts {line.threads} threads and {line.messages} messages, and there are {found[0]} and {found[1]}"
            )
            raise _wrong(number, f"{counted}. Export again")
        self._begun, self._thread = False, None

    def _check_begun(self, number: int) -> None:
        if not self._begun:
            raise _wrong(
                number, f"is not part of an export: the line {write_line(Begin()).decode().strip()} comes first"
            )

    def _check_whole(self, number: int) -> None:
        thread = self._thread
        if thread is not None and self._seq < thread.messages:
            missing = f"messages {self._seq + 1} to {thread.messages} of the thread in line {self._thread_line}"
            raise _wrong(number, f"comes too early: {missing} are missing. Export again")


def _parse(number: int, text: bytes) -> _Line:
    try:
        return _decoder.decode(text)
    except UNREADABLE as error:
        raise _wrong(number, f"can't be read: {error}. Correct it, or export again") from None


def _check_message(entry: FileMessage) -> None:
    message = entry.message
    if not message.id or message.created_at is None:
        raise _wrong(entry.line, "is a message without its id or its created_at. Export again")
    try:
        prepare(entry.thread.scope, [message], message.created_at)
    except InvalidInput as error:
        raise _wrong(entry.line, f"{error.field.removeprefix('messages[0].')} {error.problem}") from None


def _wrong(number: int, problem: str) -> InvalidInput:
    return InvalidInput(f"line {number}", problem)
