"""What searches of histories read and answer, and the ports that they need."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from recuerdo.core.messages import Message, Record
from recuerdo.core.scope import Owner
from recuerdo.core.threads import Head, Version


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


class PassageRepository(Protocol):
    """What searches of histories read: messages of many threads at once, and the vectors that were made of them.

    Vectors leave with their message, whoever erases it, and are never brought back.
    """

    async def heads(self, owner: Owner, thread: str | None = None) -> dict[str, Head]:
        """The heads of the owner's living threads, or of this one alone."""
        ...

    async def read(self, owner: Owner, since: Mapping[str, Version], model: str, limit: int) -> list[StoredPassage]:
        """The first `limit` messages behind these versions, thread by thread, each thread's in order of their seqs.

        Of a thread that is in another epoch by now there are none.
        """
        ...

    async def archived(self, owner: Owner, threads: Collection[str]) -> set[MessagePlace]:
        """Where the archived messages of these threads stand."""
        ...

    async def get_many(self, owner: Owner, places: Collection[MessagePlace]) -> dict[MessagePlace, Record]:
        """The messages at these places, as far as they are still there."""
        ...

    async def keep(self, owner: Owner, vectors: Sequence[PassageVector]) -> None:
        """Keep the vectors of those messages that are still there, one of each model."""
        ...


class HistorySearch(Protocol):
    """Finds messages by what they say."""

    async def search(self, owner: Owner, query: str, *, limit: int = 10, thread: str | None = None) -> list[MessageHit]:
        """The owner's messages that most likely hold what the query looks for, best first; see History.search."""
        ...
