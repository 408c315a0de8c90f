"""What may become of an action that is handed over: decisions, each a function of its row.

waiting -> working -> done | dead. A start gives the row a new token and a lease; what an older token asks for changes
nothing. What is done is kept for a while, so that handing the action over again does not do it again; what is dead is a
document of its own kind, in which operators find it.
"""

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from recuerdo.core.actions import ActionResult, Audience, DomainAction
from recuerdo.core.documents import Decision, Document, DocumentKey, DocumentKind
from recuerdo.core.scope import Owner

T = TypeVar("T")

KINDS: dict[Audience, DocumentKind] = {
    "agent": "agent_action",
    "embedding": "embedding_action",
    "query": "query_action",
    "memory": "memory_action",
}
"""The documents of each queue: each is looked through on its own."""

DEAD: DocumentKind = "dead_action"


class Handover(msgspec.Struct, frozen=True, kw_only=True):
    """An action's row, which is the truth about it.

    `due` is when it may be begun, when its lease is over, or when it is forgotten. Of a `dead` one it is when it died.
    """

    payload: DomainAction
    status: Literal["waiting", "working", "done", "dead"] = "waiting"
    created_at: datetime
    due: datetime
    attempts: int = 0
    token: int = 0
    result: ActionResult | None = None

    @property
    def is_open(self) -> bool:
        return self.status in ("waiting", "working")


Change = Callable[[Handover | None], tuple[T, Handover | None]]
"""A decision on a row: its result, and the row as it is then; None removes it."""

_TOKEN_BITS = 53
"""Tokens are random: one that the database has forgotten in a crash is never given out again."""

read_handover = msgspec.json.Decoder(Handover).decode
_encode = msgspec.json.Encoder().encode


class Place(NamedTuple):
    """Where an action's row is: alive in its queue, or among the dead."""

    owner: Owner
    audience: Audience
    action_id: str

    @classmethod
    def of(cls, action: DomainAction) -> "Place":
        return cls(action.owner, action.audience, action.action_id)

    @property
    def group(self) -> str:
        return group_of(self.action_id)

    @property
    def keys(self) -> Sequence[DocumentKey]:
        return [DocumentKey(KINDS[self.audience], self.action_id), DocumentKey(DEAD, self.action_id)]


def group_of(action_id: str) -> str:
    """What the row is changed together with: it alone."""
    return f"action {action_id}"


def on_row(
    keys: Sequence[DocumentKey], change: Change[T], words: Sequence[str] = ()
) -> Callable[[Sequence[Document]], Decision[T]]:
    """A decision on documents, made of one on the action's row, which has one of the keys.

    The words are told when it changes the row.
    """

    def decide(documents: Sequence[Document]) -> Decision[T]:
        rows = [document for document in documents if document.key in keys]
        found = read_handover(rows[0].body) if rows else None
        result, after = change(found)
        if after is found:
            return Decision(result)
        put = [_document(after)] if after is not None else []
        gone = [row.key for row in rows if row.key not in [new.key for new in put]]
        return Decision(result, put, gone, fleeting=after is not None and after.status == "working", words=words)

    return decide


def _document(row: Handover) -> Document:
    kind = DEAD if row.status == "dead" else KINDS[row.payload.audience]
    name = row.payload.action_id
    return Document(kind, name, group_of(name), _encode(row), row.is_open, row.due)


def handed_over(new: Handover) -> Change[bool]:
    """Take it, unless it is there; what is dead begins again. Whether it was taken."""

    def change(found: Handover | None) -> tuple[bool, Handover]:
        return (True, new) if found is None or found.status == "dead" else (False, found)

    return change


def begun(now: datetime, lease_until: datetime) -> Change[Handover | None]:
    """Give the row to whoever asks, if it is due; one that is done and due is forgotten."""

    def change(found: Handover | None) -> tuple[Handover | None, Handover | None]:
        if found is None or found.due > now or found.status == "dead":
            return None, found
        if found.status == "done":
            return None, None
        started = replace(
            found, status="working", due=lease_until, attempts=found.attempts + 1, token=secrets.randbits(_TOKEN_BITS)
        )
        return started, started

    return change


def changed(token: int, **changes: Any) -> Change[bool]:
    """Change the row if it is still held with this token; whether it was."""

    def change(found: Handover | None) -> tuple[bool, Handover | None]:
        if found is None or found.status != "working" or found.token != token:
            return False, found
        return True, replace(found, **changes)

    return change


def revived(now: datetime) -> Change[Handover | None]:
    """Let a dead one begin again, with all its attempts; None of what is not dead."""

    def change(found: Handover | None) -> tuple[Handover | None, Handover | None]:
        if found is None or found.status != "dead":
            return None, found
        again = replace(found, status="waiting", due=now, attempts=0, result=None)
        return again, again

    return change
