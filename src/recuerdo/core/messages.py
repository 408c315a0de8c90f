"""A message: one entry of a thread, in memory and as the JSON that is stored and served."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any, Literal, NamedTuple, Self, TypeVar, cast
from zlib import crc32

import msgspec

from recuerdo.core.checks import UNREADABLE
from recuerdo.core.errors import DamagedMessage

_Row = TypeVar("_Row", bound=Sequence[Any])

Role = Literal["system", "user", "assistant", "tool"]
Part = dict[str, Any]
Content = str | list[Part]

ROLES: tuple[Role, ...] = ("system", "user", "assistant", "tool")


class ToolCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tool that the assistant wants to be called: the `id` is what the result will refer to."""

    id: str
    name: str
    args: dict[str, Any] = {}


class Message(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One entry of a thread.

    `content` is a text, or a list of parts, each a dict with a `type` (`{"type": "text", "text": ...}`,
    `{"type": "image_url", ...}`), as the chat APIs have it. An appended message also has its `id`, its `seq` (1 for
    the first of the thread) and `created_at` (aware, UTC); a new one may leave them to the history.
    """

    role: Role
    content: Content
    id: str = ""
    seq: int = 0
    name: str | None = None
    tool_calls: list[ToolCall] = []
    tool_call_id: str | None = None
    created_at: datetime | None = None
    metadata: dict[str, Any] = {}
    archived: bool = False

    @classmethod
    def system(cls, content: Content, **fields: Any) -> Self:
        """Instructions to the model. A window keeps exactly one."""
        return cls(role="system", content=content, **fields)

    @classmethod
    def user(cls, content: Content, **fields: Any) -> Self:
        """A message of the user's."""
        return cls(role="user", content=content, **fields)

    @classmethod
    def assistant(cls, content: Content, *, tool_calls: Sequence[ToolCall] = (), **fields: Any) -> Self:
        """A reply of the model, and the tools that it calls."""
        return cls(role="assistant", content=content, tool_calls=list(tool_calls), **fields)

    @classmethod
    def tool(cls, content: Content, *, tool_call_id: str, **fields: Any) -> Self:
        """The result of the tool call `tool_call_id`."""
        return cls(role="tool", content=content, tool_call_id=tool_call_id, **fields)

    @property
    def text(self) -> str:
        """The words of the content: the text itself, or its text parts, one a line."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(str(part["text"]) for part in self.content if part.get("type") == "text" and "text" in part)


_ROLE_START = len(b'{"role":"')
_SYSTEM_START = b'{"role":"system"'


class Record(NamedTuple):
    """A stored message that is not decoded yet: most reads only pass it on."""

    seq: int
    archived: bool
    body: bytes

    @property
    def role(self) -> Role:
        """The message's role, which `encode` writes first."""
        return cast(Role, self.body[_ROLE_START : self.body.index(b'"', _ROLE_START)].decode())

    @property
    def is_system(self) -> bool:
        """Whether the role is `system`."""
        return self.body.startswith(_SYSTEM_START)

    @property
    def json(self) -> bytes:
        """The message as JSON, with what the row knows beside the body."""
        return b'{"seq":%d,%b%b' % (self.seq, b'"archived":true,' if self.archived else b"", self.body[1:])


encode: Callable[[Message], bytes] = msgspec.json.Encoder().encode
"""The JSON body of a message as it is stored: fields at their defaults are left out."""

decode: Callable[[bytes], Message] = msgspec.json.Decoder(Message).decode
"""The message of one JSON body. Raises msgspec.ValidationError when it is not one."""

checksum_of: Callable[[bytes], int] = crc32
"""The checksum that is stored next to a body, to detect damage."""

_decode_list = msgspec.json.Decoder(list[Message]).decode


def join(records: Sequence[Record]) -> bytes:
    """A JSON array of the records, without decoding any of them."""
    bodies: list[bytes] = []
    for seq, archived, body in records:
        bodies.append((b'{"seq":%d,"archived":true,%b' if archived else b'{"seq":%d,%b') % (seq, body[1:]))
    return b"[%b]" % b",".join(bodies)


def decode_all(records: Sequence[Record]) -> list[Message]:
    """The messages of many records, in one pass."""
    return _decode_list(join(records))


_body = itemgetter(2)
_checksum = itemgetter(3)
_record = cast(Callable[[type[Record], tuple[int, bool, bytes]], Record], tuple.__new__)
"""The C function behind a NamedTuple's constructor, called directly because every message read needs it."""


def rows_within(rows: Iterable[_Row], most_bytes: int, body: int) -> tuple[list[_Row], bool]:
    """The first rows, up to and including the one with which their bodies reach `most_bytes`, and whether one did.

    `body` is the index of the body in a row. No later row is fetched.
    """
    found: list[_Row] = []
    for row in rows:
        found.append(row)
        text = row[body]
        most_bytes -= len(text) if isinstance(text, bytes | str) else 0  # whatever damage has made of it
        if most_bytes <= 0:
            return found, True
    return found, False


def verified(thread: str, epoch: int, rows: Iterable[Sequence[Any]]) -> list[Record]:
    """The records of stored rows: seq, archived, body, checksum.

    Raises DamagedMessage for the first body that is not what was appended. A row of a version that kept no checksums
    must at least be a message.
    """
    rows = list(rows)
    try:
        are_sound = [*map(crc32, map(_body, rows))] == [*map(_checksum, rows)]
    except TypeError:  # damage may have changed the type as well
        are_sound = False
    if not are_sound:
        _check_one_by_one(thread, epoch, rows)
    return [_record(Record, (seq, bool(archived), body)) for seq, archived, body, _ in rows]


def _check_one_by_one(thread: str, epoch: int, rows: Iterable[Sequence[Any]]) -> None:
    for seq, _, body, checksum in rows:
        if not isinstance(body, bytes):
            raise DamagedMessage(thread, epoch, seq, "its body is not a message")
        if checksum is None:
            try:
                decode(body)
            except UNREADABLE:
                raise DamagedMessage(thread, epoch, seq, "its body is not a message") from None
        elif crc32(body) != checksum:
            raise DamagedMessage(thread, epoch, seq, "its body does not match its checksum")
