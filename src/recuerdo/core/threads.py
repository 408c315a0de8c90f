"""A thread: one conversation, its version, and what an append asks for and answers."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Literal, NamedTuple, Self, TypeVar

import msgspec

from recuerdo.core.errors import AlreadyErased, EpochChanged, IdempotencyConflict, InvalidInput
from recuerdo.core.identifiers import measured
from recuerdo.core.messages import Record, Role
from recuerdo.core.scope import Scope, check_id

_T = TypeVar("_T")

Durability = Literal["sync", "async"]

Consistency = Literal["strong", "cached"]
"""The consistency of a read: `strong` sees every append that was acknowledged before it, on any replica."""

_VERSION = re.compile(r"[0-9]{1,18}\.[0-9]{1,18}")
"""No database counts further."""


class Version(NamedTuple):
    """How far a thread has come: versions of one thread compare, a later write is greater.

    `epoch` comes from a sequence that is never reused and changes when the thread is cleared or deleted;
    `seq` is the last message's. (0, 0) is the version of a thread that does not exist.
    """

    epoch: int
    seq: int

    def __str__(self) -> str:
        return f"{self.epoch}.{self.seq}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """The version that `str` wrote. Raises InvalidInput for anything else."""
        if _VERSION.fullmatch(text) is None:
            raise InvalidInput("version", f"{text[:40]!r} is not a version; it looks like '7.42'")
        epoch, _, seq = text.partition(".")
        return cls(int(epoch), int(seq))


NOWHERE = Version(0, 0)
"""The version of a thread that does not exist."""


class Thread(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation as lists show it.

    `title` is the start of the first thing that the user said, until the thread is renamed. It is `archived` while its
    latest message is. `metadata` is what a program says of it, such as its agent and its channel.
    """

    id: str
    version: Version
    title: str = ""
    metadata: dict[str, Any] = {}
    archived: bool = False
    created_at: datetime
    updated_at: datetime

    @property
    def message_count(self) -> int:
        """How many messages the thread has: its seqs are 1..n without a gap."""
        return self.version.seq


class NewMessage(NamedTuple):
    """A message that is ready to be inserted: what rows are searched by, the JSON body and its checksum.

    Without a checksum, as from the spool of an earlier version, reads can't tell whether the body is what it was.
    """

    id: str
    role: Role
    created_at: datetime
    body: bytes
    checksum: int | None = None


class Append(NamedTuple):
    """One request to append. `fingerprint` tells whether a repeated idempotency key has the same body."""

    scope: Scope
    messages: Sequence[NewMessage]
    appended_at: datetime
    title: str = ""
    idempotency_key: str | None = None
    fingerprint: bytes = b""
    expected_epoch: int | None = None


class PriorAppend(NamedTuple):
    """An idempotency key as it is stored: the fingerprint of the body, and the seqs that it got."""

    fingerprint: bytes
    first_seq: int
    ids: list[str]


class Appended(NamedTuple):
    """The receipt of an append: the messages' ids, the seq of the first, and the thread's version just after it.

    `replayed` says that the idempotency key was known and nothing was written again. An append with the durability
    `async` has no seqs yet: its `first_seq` is 0 and its version (0, 0). `revision` is the thread's, as in its Head;
    None: not known.
    """

    version: Version
    first_seq: int
    ids: list[str]
    replayed: bool = False
    durability: Durability = "sync"
    revision: int | None = None

    @property
    def seqs(self) -> range:
        """The seqs of the appended messages, in order; none while they are not known."""
        return range(self.first_seq, self.first_seq + len(self.ids)) if self.first_seq else range(0)

    @property
    def last_seq(self) -> int:
        """The seq of the last appended message, or 0."""
        return self.seqs[-1] if self.seqs else 0


SPENT_KEYS_KEPT = timedelta(hours=24)
"""How long the idempotency keys of a thread are remembered after it was cleared or deleted, at least."""


def spent_digest(scope: Scope, key: str) -> bytes:
    """The digest that is kept of an idempotency key when its thread is cleared or deleted: the key may be personal."""
    return sha256(measured(scope.tenant, scope.user, scope.thread, key)).digest()


def admit(request: Append, head: Version, prior: PriorAppend | None, *, is_spent: bool = False) -> Appended | None:
    """Decide an append inside its transaction, in the one way that all databases share.

    `head` is the locked thread's version and `prior` what is stored under the request's idempotency key; `is_spent`
    says that the key was used in an epoch of the thread that has ended. Returns the receipt of a repeated request, or
    None when the messages are to be inserted at `head.seq + 1`. Raises EpochChanged, IdempotencyConflict or
    AlreadyErased.
    """
    if request.expected_epoch is not None:
        check_epochs([request.expected_epoch], head.epoch)
    if prior is None:
        if is_spent:
            raise AlreadyErased(request.idempotency_key or "")
        return None
    if prior.fingerprint != request.fingerprint:
        raise IdempotencyConflict(request.idempotency_key or "")
    last_seq = prior.first_seq + len(prior.ids) - 1
    return Appended(Version(head.epoch, last_seq), prior.first_seq, prior.ids, replayed=True)


def admit_replacement(
    request: Append, head: Version, prior: PriorAppend | None, *, is_spent: bool = False
) -> Appended | None:
    """Decide the replacement of a conversation as `admit` does an append.

    A repeated request answers with its receipt, although its first attempt has ended the epoch that it expects.
    """
    asked = request if prior is None else request._replace(expected_epoch=None)
    return admit(asked, head, prior, is_spent=is_spent)


def check_epochs(expected: Iterable[int | None], actual: int) -> None:
    """Raise EpochChanged unless the thread is in all of these epochs; 0 is that of a thread that does not exist.

    None is any epoch.
    """
    for epoch in expected:
        if epoch is not None and epoch != actual:
            raise EpochChanged(epoch, actual)


def by_thread(batch: Iterable[Append]) -> dict[Scope, list[Append]]:
    """The requests of each thread, in their order."""
    groups: dict[Scope, list[Append]] = {}
    for request in batch:
        groups.setdefault(request.scope, []).append(request)
    return groups


MOST_READ_BYTES = 16 * 2**20
"""How many bytes of messages one read returns, beyond which it stops after the message that fills them."""


class MessageQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which messages of a thread to read: seqs between `after` and `before` (both exclusive), and filters.

    With `after` the page holds the first `limit` matches after it, else the last `limit` before `before`;
    either way in the order of their seqs, and without the first `skip` from there. No `roles` and no `ids` mean all,
    `archived` None means both. `since` is inclusive, `until` exclusive. The page ends early after the message with
    which its bodies have `most_bytes`.
    """

    limit: int = 50
    before: int | None = None
    after: int | None = None
    skip: int = 0
    roles: frozenset[Role] = frozenset()
    ids: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None
    archived: bool | None = False
    most_bytes: int = MOST_READ_BYTES


class Page(NamedTuple):
    """Messages of one committed state of a thread, oldest first.

    `more` says that the limit cut matches off, or that the bytes may have done so.
    """

    version: Version
    records: list[Record]
    more: bool


class Head(NamedTuple):
    """The state that a thread is in: as long as it stays, nothing that a read of the thread answers changes.

    `revision` counts what changes messages in place, which is archiving; the epoch and the seqs stay as they are then.
    """

    version: Version
    revision: int


NAMELESS = "~"
"""The user of tombstones that have lost their names."""

ABSENT = Head(NOWHERE, 0)
"""The head of a thread that does not exist."""


class Tail(NamedTuple):
    """The newest part of a thread that a window is made of, oldest first: no archived and no system messages.

    `system` is the newest system message that is not archived. `complete` says that nothing older is left,
    and `is_full` that no more bytes may be read at once: whatever the limit, a tail has no more messages.
    """

    head: Head
    system: Record | None
    records: list[Record]
    complete: bool
    is_full: bool = False

    @classmethod
    def empty(cls) -> Self:
        """The tail of a thread that does not exist."""
        return cls(ABSENT, None, [], complete=True)


class Snapshot(NamedTuple):
    """The newest part of a thread as it was at one head: every message from some seq to the last, whatever its role.

    `system` is the newest system message that is not archived, wherever it stands.
    """

    head: Head
    system: Record | None
    records: list[Record]

    @classmethod
    def empty(cls) -> Self:
        """The snapshot of a thread that does not exist."""
        return cls(ABSENT, None, [])


class Lease(NamedTuple):
    """The right to fill a cache entry, which the next change of the thread ends. Without a token another reader has it.

    `is_unknown` says that the entry can't be determined at this moment: it may be found if it is asked for again.
    """

    token: bytes | None
    is_unknown: bool = False


class AppendedRecords(NamedTuple):
    """Messages that were committed after a thread's others, by which caches extend their entries.

    `revision` is the thread's before them: a cache with another revision has missed an archiving. None: not known.
    """

    scope: Scope
    epoch: int
    records: list[Record]
    revision: int | None = None


BEGINNING = ""
"""The mark before all changes; see ChangedThreads."""


class ChangedThreads(NamedTuple):
    """Threads that were changed, each with the head it has now, and the mark to ask for what comes after them.

    Marks are the repository's own: they tell commits apart, and never go by a clock.
    """

    heads: dict[Scope, Head]
    mark: str


class HeadChanges(NamedTuple):
    """The heads of an owner's threads that were changed since a mark; ABSENT for threads that are gone.

    Without `since` they are all that the owner has. `mark` asks for what comes after them; None where the database
    can't tell what has changed.
    """

    heads: dict[str, Head]
    since: str | None = None
    mark: str | None = None


def encode_place(at: datetime, rest: str) -> str:
    """The opaque text of a place in a list that is ordered by times."""
    return urlsafe_b64encode(f"{at.astimezone(UTC).isoformat()} {rest}".encode()).decode().rstrip("=")


def decode_place(text: str, make: Callable[[datetime, str], _T]) -> _T:
    """The place that `make` makes of the two parts. Raises InvalidInput unless its `str` is this text."""
    with suppress(ValueError, OverflowError):
        at, _, rest = urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode().partition(" ")
        place = make(datetime.fromisoformat(at), rest)
        if str(place) == text:
            return place
    raise InvalidInput("cursor", "was not given out by a list; start again without one")


class ThreadCursor(NamedTuple):
    """A place in a list of threads: after the thread `id` that was changed at `updated_at`.

    It names a place and not a count, so that a thread which changes between two pages moves no other thread.
    `str` makes the opaque text that callers pass back.
    """

    updated_at: datetime
    id: str

    def __str__(self) -> str:
        return encode_place(self.updated_at, self.id)

    @classmethod
    def parse(cls, text: str) -> Self:
        """The cursor that `str` wrote. Raises InvalidInput for anything else."""
        return decode_place(text, cls._of)

    @classmethod
    def _of(cls, updated_at: datetime, thread: str) -> Self:
        check_id("cursor", thread)
        return cls(updated_at, thread)

    def precedes(self, thread: Thread) -> bool:
        """Whether the thread comes after this place: changed earlier, or at the same time with a greater id."""
        return (thread.updated_at, self.id) < (self.updated_at, thread.id)


def number_in(mark: str) -> int:
    """The number that a mark of changes is, with BEGINNING before all. Raises InvalidInput for another one."""
    if mark == BEGINNING:
        return 0
    if not (mark.isascii() and mark.isdigit()):
        raise InvalidInput("since", "is a mark of another database; start again without one")
    return int(mark)


class ThreadPage(NamedTuple):
    """Threads of one owner, the latest changed first. `cursor` asks for the next page; None at the end."""

    threads: list[Thread]
    cursor: str | None

    @classmethod
    def cut(cls, threads: list[Thread], limit: int) -> Self:
        """The page of `limit` threads, given those and one more where there is one."""
        page = threads[:limit]
        last = page[-1] if len(threads) > limit else None
        return cls(page, str(ThreadCursor(last.updated_at, last.id)) if last else None)
