"""Whether a stored message is read back as it was written."""

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, cast
from zlib import crc32

import msgspec

from recuerdo.core.errors import DamagedMessage
from recuerdo.core.messages import Record, decode

_body = itemgetter(2)
_checksum = itemgetter(3)
_record = cast(Callable[[type[Record], tuple[int, bool, bytes]], Record], tuple.__new__)
"""What a NamedTuple calls itself, behind a function of Python's: all that is read goes through it."""


def checksum_of(body: bytes) -> int:
    """What is stored beside a body, to know whether it is read back as it was written: its CRC-32."""
    return crc32(body)


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
            raise DamagedMessage(thread, epoch, seq, "its body is no message")
        if checksum is None:
            try:
                decode(body)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                raise DamagedMessage(thread, epoch, seq, "its body is no message") from None
        elif crc32(body) != checksum:
            raise DamagedMessage(thread, epoch, seq, "its body does not match its checksum")
