"""Entries of the audit log: who did what, and when, without texts or secrets."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple, get_args

import msgspec

from recuerdo.core.checks import UNREADABLE
from recuerdo.core.errors import DamagedRow, InvalidInput

AuditAction = Literal[
    "assistant.changed",
    "assistant.created",
    "assistant.deleted",
    "assistant.shared",
    "audit.lost",
    "audit.read",
    "authentication.failed",
    "document.added",
    "document.removed",
    "document.replaced",
    "key.created",
    "key.revoked",
    "key.rotated",
    "memories.exported",
    "memory.approved",
    "memory.rejected",
    "role.refused",
    "tenant.erased",
    "thread.deleted",
    "user.erased",
    "user.read",
    "user.signed_in",
    "user.signed_out",
    "visitor.claimed",
]
"""The recorded actions. `audit.lost` says how many entries of this process could not be stored."""

AUDIT_ACTIONS: tuple[str, ...] = get_args(AuditAction)

SERVER_TENANT = ""
"""The tenant of entries that are of none, such as a credential that was refused. No tenant of users has this name."""

LEAST_AUDIT_TIME = timedelta(days=30)
"""For so long every entry is kept, whatever a retention policy says."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class AuditEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that an actor did, or was refused.

    `actor` is the user of the credential, empty without authentication. `target` is the id of what it was
    done to: a key, a memory, a user. `details` are short words, never texts that a user has written.
    """

    id: str
    at: datetime
    tenant: str
    actor: str
    action: str
    role: str = ""
    target: str | None = None
    address: str | None = None
    request_id: str | None = None
    details: Mapping[str, str] = {}

    @property
    def cursor(self) -> str:
        """Where a page goes on after this entry."""
        return f"{(self.at - _EPOCH) // _MICROSECOND}.{self.id}"


class AuditPlace(NamedTuple):
    """The time and the id of an entry: entries are listed by both, the latest first."""

    at: datetime
    id: str

    @classmethod
    def parse(cls, cursor: str) -> "AuditPlace":
        """The place that a cursor names. Raises InvalidInput."""
        microseconds, _, entry_id = cursor.partition(".")
        try:
            return cls(_EPOCH + int(microseconds) * _MICROSECOND, entry_id)
        except (ValueError, OverflowError):
            raise InvalidInput("before", "must be the `next` of the page before") from None


class AuditQuery(NamedTuple):
    """Which entries: the latest `limit` after `before`, from `since` on and before `until`, by an actor, of an action.

    None is any. The first `skip` of them are left out.
    """

    limit: int = 100
    before: AuditPlace | None = None
    since: datetime | None = None
    until: datetime | None = None
    actor: str | None = None
    action: str | None = None
    skip: int = 0


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(AuditEntry)


def write_entry(entry: AuditEntry) -> bytes:
    """The entry as JSON."""
    return _encoder.encode(entry)


def read_entry(body: bytes | str) -> AuditEntry:
    """The entry of what `write_entry` wrote. Raises DamagedRow."""
    try:
        return _decoder.decode(body)
    except UNREADABLE:
        raise DamagedRow("entry of the audit log", "?") from None
