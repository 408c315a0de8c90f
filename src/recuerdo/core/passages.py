"""Passages that searches of histories read, and their hits."""

from typing import NamedTuple

from recuerdo.core.messages import Message, Record


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
