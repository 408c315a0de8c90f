"""A memory: one long-term record of a user, across threads."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Literal, NamedTuple, get_args

import msgspec

from recuerdo.core.checks import check_choice, check_skip, check_time, check_whole
from recuerdo.core.scope import Owner, check_id

Kind = Literal["semantic", "episodic", "procedural", "summary"]
Attribute = Literal[
    "name",
    "employer",
    "job",
    "department",
    "team",
    "city",
    "country",
    "email",
    "phone",
    "birthday",
    "age",
    "origin",
    "marital_status",
    "studies",
    "health",
    "allergy",
    "diet",
    "language",
    "family",
    "relative",
    "pet",
    "possession",
    "likes",
    "dislikes",
    "preference",
    "plan",
    "remember",
]
Status = Literal["approved", "proposed", "rejected", "quarantined"]
EndReason = Literal["superseded", "denied", "contradicted", "outdated", "forgotten"]
_CHOICES = {"kind": get_args(Kind), "attribute": get_args(Attribute), "status": get_args(Status)}
"""The values that the fields of a memory may have, where only some have a meaning."""

Action = Literal[
    "remembered",
    "added",
    "updated",
    "deleted",
    "undone",
    "proposed",
    "approved",
    "rejected",
    "expired",
    "imported",
    "summarised",
]


FORGETTING: tuple[Action, ...] = ("deleted", "expired")
"""Actions that leave nothing of a memory behind, not even in earlier changes."""


class Fact(msgspec.Struct, frozen=True):
    """Something that a user said of themselves: which attribute, its value, and the user's own words."""

    attribute: Attribute
    value: str
    text: str


class Denial(msgspec.Struct, frozen=True):
    """Something that a user said to be so no longer, in their words; no value means whatever value there was.

    No attribute means all that is known of the user.
    """

    attribute: Attribute | None
    value: str | None
    text: str


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a memory comes from: the message, who said it, what extracted it; `by` is who proposed it to a tenant."""

    thread: str | None = None
    seq: int | None = None
    author: str = "user"
    extractor: str = "manual"
    by: str | None = None

    @property
    def place(self) -> tuple[str | None, int] | None:
        """The thread and the seq of the message, or None if the memory comes from none."""
        return (self.thread, self.seq) if self.seq else None


class Ending(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a memory holds no longer: what took it back, and the memory `by` that stands in its place, if one does."""

    reason: EndReason
    by: str | None = None
    source: Source | None = None


class Review(msgspec.Struct, frozen=True, omit_defaults=True):
    """A decision about a memory's status. `by` is a user, or `gate` for the quality gate."""

    by: str
    at: datetime
    reason: str | None = None


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """One long-term record. `text` is in the user's own language and words; times are aware, UTC.

    It holds from `valid_from` (None: since it was made) until before `valid_until`, and is used only while it is
    approved and before `expires_at`; a use puts that off to `refresh` seconds later. `trust` runs from 0 (hearsay) to
    1 (the user's own statement). A `pinned` one stands in every prompt, and no retention policy takes it.
    """

    id: str
    owner: Owner
    text: str
    kind: Kind = "semantic"
    attribute: Attribute | None = None
    value: str | None = None
    source: Source = Source()
    trust: float = 1.0
    status: Status = "approved"
    review: Review | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    ending: Ending | None = None
    expires_at: datetime | None = None
    refresh: int | None = None
    pinned: bool = False
    created_at: datetime
    updated_at: datetime

    @property
    def began_at(self) -> datetime:
        """Since when it holds, or held."""
        return self.valid_from or self.created_at

    def holds(self, at: datetime) -> bool:
        """Whether it was true and could be used at that time."""
        return (
            self.status == "approved"
            and self.began_at <= at
            and (self.valid_until is None or at < self.valid_until)
            and (self.expires_at is None or at < self.expires_at)
        )


class MemoryQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which memories of an owner to list, the latest first; `before` is the id that the last page ended with.

    The first `skip` of those that match are left out.

    `holding_at` leaves those that hold at that time, see Memory.holds; `since` and `until` those that were made at that
    time or later, and before that time.
    """

    limit: int = 50
    before: str | None = None
    skip: int = 0
    kind: Kind | None = None
    attribute: Attribute | None = None
    status: Status | None = None
    holding_at: datetime | None = None
    thread: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    pinned: bool | None = None

    def check(self, most: int) -> None:
        """Raise InvalidInput for a query that no memory can meet, and for a limit beyond `most`."""
        check_whole("limit", self.limit, 1, most)
        if self.skip != 0:
            check_skip(self.skip)
        for field, choices in _CHOICES.items():
            if (value := getattr(self, field)) is not None:
                check_choice(field, value, choices)
        if self.before is not None:
            check_id("before", self.before)
        for field, time in (("since", self.since), ("until", self.until), ("as_of", self.holding_at)):
            if time is not None:
                check_time(field, time)

    def matches(self, memory: Memory) -> bool:
        """Whether the memory is wanted, wherever it stands in the order."""
        return (
            self.kind in (None, memory.kind)
            and self.attribute in (None, memory.attribute)
            and self.status in (None, memory.status)
            and self.pinned in (None, memory.pinned)
            and self.thread in (None, memory.source.thread)
            and (self.since is None or self.since <= memory.created_at)
            and (self.until is None or memory.created_at < self.until)
            and (self.holding_at is None or memory.holds(self.holding_at))
        )


class LedgerState(NamedTuple):
    """Where an owner's memories stand: `version` grows with each change, `epoch` when all of them are erased."""

    epoch: int
    version: int


class MemoryEntry(msgspec.Struct, frozen=True):
    """One memory in a change: as it was, and as it is since; None where there was or is none."""

    before: Memory | None
    after: Memory | None

    @property
    def memory_id(self) -> str:
        """The id of the memory."""
        memory = self.after or self.before
        return memory.id if memory else ""


class MemoryChange(msgspec.Struct, frozen=True, kw_only=True):
    """One change of an owner's memories. `version` is the ledger's after it, and names the change.

    `undoes` is the version of the change that this one took back, `undone` says that it was taken back itself.
    """

    version: int = 0
    at: datetime
    action: Action
    entries: list[MemoryEntry]
    undoes: int | None = None
    undone: bool = False


def ledger_name(owner: Owner) -> str:
    """The name under which a database keeps the owner's ledger. It outlives the memories, and is a digest."""
    tenant, user = owner.tenant.encode(), owner.user.encode()
    return sha256(b"%d:%b%d:%b" % (len(tenant), tenant, len(user), user)).hexdigest()


class MemoryHit(NamedTuple):
    """A memory that a search found. Scores order the hits of one search and mean nothing across searches."""

    memory: Memory
    score: float


class Embedding(NamedTuple):
    """A memory's vector as little-endian 32-bit floats, unit length, and the name of the model that made it."""

    model: str
    vector: bytes


def write_memory(memory: Memory | None) -> str | None:
    """The memory as JSON, for changes and exports; None stays None."""
    return None if memory is None else msgspec.json.encode(memory).decode()


def read_memory(owner: Owner, written: str | bytes | None) -> Memory | None:
    """The memory that was written. It is the owner's in whose place it stands, whatever it says itself.

    Raises msgspec.DecodeError.
    """
    if written is None:
        return None
    fields = _decoder.decode(written)
    return Memory(owner=owner, **{name: getattr(fields, name) for name in fields.__struct_fields__})


def in_order(memories: Iterable[Memory], attributes: Sequence[Attribute]) -> list[Memory]:
    """The first of the memories for each attribute, in the order of the attributes."""
    first: dict[Attribute | None, Memory] = {}
    for memory in memories:
        first.setdefault(memory.attribute, memory)
    return [*filter(None, map(first.get, attributes))]


_NAMED = [each for each in msgspec.structs.fields(Memory) if each.name != "owner"]
_Written = msgspec.defstruct(
    "Memory",
    [(each.name, each.type) if each.required else (each.name, each.type, each.default) for each in _NAMED],
    kw_only=True,
)
_decoder: msgspec.json.Decoder[msgspec.Struct] = msgspec.json.Decoder(_Written)
