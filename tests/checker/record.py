"""The clients' operations and their answers: the history that is judged."""

import math
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from recuerdo.core.threads import NOWHERE, Version


class Seen(NamedTuple):
    """One message of an answer."""

    seq: int
    id: str
    text: str
    archived: bool = False


@dataclass(frozen=True, kw_only=True)
class Operation:
    """Something that a client asked for. `ended` is infinite when it was never told what became of it.

    `began` is when the first of its tries was sent, `ended` when an answer was there.
    """

    client: str
    thread: str
    began: float
    ended: float = math.inf

    @property
    def is_acknowledged(self) -> bool:
        return self.ended < math.inf


@dataclass(frozen=True, kw_only=True)
class Appended(Operation):
    """`texts` are nobody else's. `seqs`, `ids` and `version` are the receipt's."""

    texts: tuple[str, ...]
    seqs: tuple[int, ...] = ()
    ids: tuple[str, ...] = ()
    version: Version = NOWHERE


@dataclass(frozen=True, kw_only=True)
class Read(Operation):
    """A page of the newest `limit` messages, archived ones included; the version NOWHERE: there is no such thread."""

    limit: int
    version: Version
    messages: tuple[Seen, ...]
    is_cached: bool = False
    min_version: Version = NOWHERE


@dataclass(frozen=True, kw_only=True)
class Window(Operation):
    """The messages that a model would be shown; always a strong read."""

    limit: int
    messages: tuple[Seen, ...]


@dataclass(frozen=True, kw_only=True)
class Erased(Operation):
    """A clear, whose version is that of the empty thread, or a delete, which has none."""

    version: Version = NOWHERE
    is_delete: bool = False


@dataclass(frozen=True, kw_only=True)
class Archived(Operation):
    """Messages first..last were marked, or not any more."""

    first: int
    last: int
    archived: bool


@dataclass(frozen=True, kw_only=True)
class Forked(Operation):
    """The messages 1..at_seq were copied into the thread `target`, which nobody writes to."""

    target: str
    at_seq: int


Outcome = Literal["stored", "not stored", "unknown"]
"""The answer to a client that wanted something stored."""


@dataclass(frozen=True, kw_only=True)
class Said(Operation):
    """One try to say something that has a word of its own. Tries of the same word have the same key.

    `way` is how it was said, `why` what a refusal said. Only where the outcome is `stored` may there be a version.
    """

    word: str
    way: str
    outcome: Outcome = "unknown"
    why: str = ""
    key: str | None = None
    version: Version = NOWHERE


@dataclass(frozen=True, kw_only=True)
class ErasedUser(Operation):
    """Everything of a user was erased, and a look afterwards found nothing if it `is_complete`."""

    is_complete: bool = False


@dataclass(frozen=True, kw_only=True)
class Looked(Operation):
    """The user's data that was shown, as words by place.

    `said` are the user's own messages of one thread at its `version`; their texts are the words. The places were
    looked at one after the other: memories before the messages that they come from.
    """

    shown: Mapping[str, frozenset[str]]
    version: Version = NOWHERE
    said: tuple[Seen, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Waited(Operation):
    """A run without a thread, which answers with its word, and what waiting for it has answered."""

    word: str
    status: int = 0
    answer: Any = None


@dataclass(frozen=True, kw_only=True)
class Bound(Operation):
    """A connection to a session, in a thread if one was `asked` for; `told` is where it is, None: it was refused."""

    session: str
    asked: str | None = None
    told: str | None = None


@dataclass
class Record:
    """Everything, as it came; clients of several threads add to it."""

    operations: list[Operation] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, operation: Operation) -> None:
        with self._lock:
            self.operations.append(operation)

    def of(self, kind: type) -> Iterable:
        """The operations of that kind, by the time that they began."""
        return sorted((each for each in self.operations if isinstance(each, kind)), key=lambda each: each.began)
