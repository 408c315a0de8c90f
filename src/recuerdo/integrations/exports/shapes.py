"""The shape that all exports are read into, and readers of JSON, archives and times. Oddities are InvalidInput."""

import math
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from io import BytesIO
from typing import Any, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

import msgspec

from recuerdo.core.errors import InvalidInput
from recuerdo.core.messages import Message, Role

T = TypeVar("T")

MOST_BYTES = 512 * 2**20
"""How large an export may be, unpacked: it is read as a whole."""


class ReadingOptions(NamedTuple):
    """How to read an export, where it does not say so itself.

    `me` is the name under which its owner speaks, `of` the id of the one user whose facts are wanted, and `dates` the
    order of numbers in dates. Times without a zone are in the `zone`, or in this machine's.
    """

    me: str | None = None
    of: str | None = None
    dates: str | None = None
    zone: ZoneInfo | None = None


class ExportedConversation(NamedTuple):
    """A conversation; the messages in their order, each with its time and an id that another export of it has too."""

    id: str
    title: str
    messages: Sequence[Message]


class ExportedFact(NamedTuple):
    """A fact that a service has remembered of its user. It holds from `since` until `until`, where known."""

    id: str
    text: str
    since: datetime | None
    until: datetime | None = None


class ForeignExport(NamedTuple):
    """The content of an export; `skipped` counts entries without text: media, calls of tools, notices."""

    conversations: Sequence[ExportedConversation] = ()
    facts: Sequence[ExportedFact] = ()
    skipped: int = 0


def read_json(data: bytes, type_: type[T]) -> T:
    """The JSON as that type. Raises InvalidInput that says where it is not so."""
    try:
        return msgspec.json.decode(data, type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput("FILE", f"is not an export of this service: {error}") from None


def unpacked(data: bytes, *patterns: str) -> list[bytes]:
    """The members of an archive whose name matches the first pattern that any matches; else the data itself.

    Raises InvalidInput.
    """
    if not data.startswith(b"PK\x03\x04"):
        return [_bounded(data)]
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = sorted(archive.namelist())
            matches = ([name for name in names if fnmatchcase(name.rpartition("/")[2], each)] for each in patterns)
            found = next(filter(None, matches), None)
            if found is None:
                raise InvalidInput("FILE", f"is an archive without {patterns[0]}")
            members, most = list[bytes](), MOST_BYTES
            for name in found:
                with archive.open(name) as member:
                    members.append(_bounded(member.read(most + 1), most))
                most -= len(members[-1])
            return members
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError) as error:
        raise InvalidInput("FILE", f"is an archive that can't be read: {error}") from None


def said(role: Role, text: str, message_id: str, at: datetime | None, **about: Any) -> Message:
    """A message with where it comes from."""
    name: str | None = about.pop("name", None)
    content = text.replace("\x00", "")
    return Message(role=role, content=content, id=message_id, created_at=at, name=name, metadata={"imported": about})


def at_second(seconds: float | None) -> datetime | None:
    """The time, from seconds since 1970. Raises InvalidInput."""
    if seconds is None:
        return None
    try:
        if not math.isfinite(seconds):
            raise ValueError
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        raise InvalidInput("FILE", f"has a time that can't be: {seconds}") from None


def at_text(text: str | None) -> datetime | None:
    """The time, from ISO 8601; without a zone it is UTC. Raises InvalidInput."""
    if not text:
        return None
    try:
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInput("FILE", f"has a time that can't be read: {text[:40]!r}") from None


def _bounded(data: bytes, most: int = MOST_BYTES) -> bytes:
    if len(data) > most:
        raise InvalidInput("FILE", f"has more than {MOST_BYTES // 2**20} MB; split it")
    return data
