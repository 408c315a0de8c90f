"""Messages of many threads at once: passages that searches read, their hits, and an owner's messages by time."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, Self

import msgspec

from recuerdo.core.messages import Message, Record, Role
from recuerdo.core.threads import MOST_READ_BYTES, decode_place, encode_place


class MessageHit(NamedTuple):
    """A message that a search found. Scores order the hits of one search and mean nothing across searches."""

    message: Message
    thread: str
    seq: int
    score: float


class MessagePlace(NamedTuple):
    """One message: the one with this seq in this epoch of the owner's thread."""

    thread: str
    epoch: int
    seq: int


class StoredPassage(NamedTuple):
    """A message and the vector that was made of it, as it was kept; None while there is none of the asked model."""

    place: MessagePlace
    record: Record
    vector: bytes | None


class PassageVector(NamedTuple):
    """A vector to keep beside the message it was made of. Its bytes mean what `model` says."""

    place: MessagePlace
    model: str
    vector: bytes


class TimedPlace(NamedTuple):
    """A place in an owner's messages by time. Places compare: a later one is greater.

    Of messages that were made at one moment the thread whose epoch began later comes later. `str` makes the opaque text
    that callers pass back.
    """

    created_at: datetime
    epoch: int
    seq: int

    def __str__(self) -> str:
        return encode_place(self.created_at, f"{self.epoch}.{self.seq}")

    @classmethod
    def parse(cls, text: str) -> Self:
        """The place that `str` wrote. Raises InvalidInput for anything else."""
        return decode_place(text, cls._of)

    @classmethod
    def _of(cls, created_at: datetime, version: str) -> Self:
        epoch, _, seq = version.partition(".")
        if max(int(epoch), int(seq)) >= 2**63:
            raise OverflowError
        return cls(created_at, int(epoch), int(seq))


MOST_AHEAD = timedelta(minutes=10)
"""How far a message's own time may lie after its append before its thread is marked as dated ahead."""

LATEST_THREADS = (256, 4096, None)
"""The numbers of threads, those that changed last, among which messages are looked for by time: first of few, then of
all."""


class TimedQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which of an owner's messages to read, over all threads, the latest made first.

    Those before the place `cursor`, without the first `skip` of them. No `roles` mean all, `archived` None means both.
    `since` is inclusive, `until` exclusive. The page ends early after the message with which its bodies have
    `most_bytes`.
    """

    limit: int = 50
    cursor: TimedPlace | None = None
    skip: int = 0
    roles: frozenset[Role] = frozenset()
    since: datetime | None = None
    until: datetime | None = None
    archived: bool | None = False
    most_bytes: int = MOST_READ_BYTES

    @property
    def changed_since(self) -> datetime | None:
        """Threads last changed before this time can match only if they are marked as dated ahead; None if any can."""
        begin = datetime.min.replace(tzinfo=UTC) + MOST_AHEAD
        return None if self.since is None or self.since < begin else self.since - MOST_AHEAD

    @classmethod
    def of(cls, cursor: str | None, roles: Collection[Role], **others: Any) -> Self:
        """The query for the page that a cursor asks for, as lists give it out. Raises InvalidInput."""
        return cls(cursor=None if cursor is None else TimedPlace.parse(cursor), roles=frozenset(roles), **others)


class TimedRecord(NamedTuple):
    """A stored message, where it stands, and when it was made."""

    place: MessagePlace
    created_at: datetime
    record: Record

    @property
    def timed_place(self) -> TimedPlace:
        """Where it stands among the owner's messages."""
        return TimedPlace(self.created_at, self.place.epoch, self.place.seq)


class TimedPage(NamedTuple):
    """Messages of an owner, the latest made first.

    `more` says that the limit cut matches off, or that the bytes may have done so.
    """

    found: list[TimedRecord]
    more: bool

    def is_settled(self, others: datetime | None) -> bool:
        """Whether nothing is missing, if threads that were not looked at have only messages from before `others`."""
        return others is None or (self.more and self.found[-1].created_at >= others)


class ThreadMessage(NamedTuple):
    """A message and the thread that it stands in."""

    thread: str
    message: Message


class UserMessages(NamedTuple):
    """Messages of one user, the latest made first. `cursor` asks for the next page; None at the end."""

    messages: list[ThreadMessage]
    cursor: str | None
