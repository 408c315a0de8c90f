"""The life of an action: decisions, each a function of its row.

waiting -> working -> done | dead. A start gives the row a new token and a lease; a change with an older token has
no effect. A finished action is kept for a while, so that handing it over again does not execute it twice; a dead one is
a document of its own kind, in which operators find it.

A row is read by processes that don't know the kind of its action: a program's own, or one of a later version.
"""

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from recuerdo.core.actions import (
    BUILTIN_TYPES,
    ActionEnvelope,
    ActionResult,
    DomainAction,
    ForeignAction,
    Queue,
    UnknownAction,
)
from recuerdo.core.documents import Decision, Document, DocumentKey, DocumentKind, reader
from recuerdo.core.scope import Owner
from recuerdo.core.tracing import NO_REQUEST, RequestTrace, current_request

T = TypeVar("T")

KINDS: dict[Queue, DocumentKind] = {
    "agent": "agent_action",
    "embedding": "embedding_action",
    "query": "query_action",
    "memory": "memory_action",
}
"""The documents of each queue: each is looked through on its own."""

DEAD: DocumentKind = "dead_action"


DEATHS_BEFORE_ISOLATION = 2
"""How often the process of an action may die, beside others, before it is done alone: once is an accident."""


class ActionRecord(msgspec.Struct, frozen=True, kw_only=True, rename={"body": "payload"}):
    """An action's row, which is the truth about it.

    `due` is when it may begin, when its lease ends, or when its result is removed; of a `dead` one, when it died.
    `attempts` counts how often it was begun, and `deaths` the attempts whose process died while it executed other
    actions too: any of them may have been the cause, so that these attempts do not count against this action. One that
    is `alone` is executed without others beside it. `passes` counts how often workers found it and did not know its
    kind. `request` is what enqueued it.
    """

    body: msgspec.Raw
    audience: Queue | None = None
    status: Literal["waiting", "working", "done", "dead"] = "waiting"
    created_at: datetime
    due: datetime
    attempts: int = 0
    deaths: int = 0
    alone: bool = False
    passes: int = 0
    token: int = 0
    result: ActionResult | None = None
    request: RequestTrace = NO_REQUEST

    @classmethod
    def of(cls, action: ActionEnvelope | ForeignAction, created_at: datetime, due: datetime) -> "ActionRecord":
        """A new one."""
        body = action.body if isinstance(action, ForeignAction) else msgspec.Raw(_encode(action))
        request = current_request.get()
        return cls(body=body, audience=action.queue, created_at=created_at, due=due, request=request)

    def repeats(self, action: ActionEnvelope | ForeignAction) -> bool:
        """Whether the caller asks for the same again: what a server adds to an action may differ."""
        return _asked_for(self.body) == _asked_for(ActionRecord.of(action, self.created_at, self.due).body)

    @property
    def is_open(self) -> bool:
        return self.status in ("waiting", "working")

    @property
    def type(self) -> str:
        """Which kind of action it is."""
        return _read_named(self.body).type

    @property
    def action_id(self) -> str:
        return _read_named(self.body).action_id

    @property
    def queue(self) -> Queue:
        return self.audience or _QUEUE_OF[self.type]

    @property
    def payload(self) -> DomainAction | UnknownAction:
        """The action itself; of other kinds than Recuerdo's what all have."""
        try:
            return _read_own(self.body)
        except msgspec.ValidationError:
            return _read_any(self.body)

    @property
    def tries(self) -> int:
        """The attempts that count."""
        return self.attempts - self.deaths

    @property
    def deaths_by_now(self) -> int:
        """Its deaths beside others, if its lease is over."""
        return self.deaths + (self.status == "working" and not self.alone)

    @property
    def needs_isolation(self) -> bool:
        """Whether it may be what its processes die of, so that it has to be done alone."""
        return self.deaths_by_now >= DEATHS_BEFORE_ISOLATION


_ADDED = ("task_id", "created_at", "context_reference_key", "metadata", "system_prompt")
"""The fields of an action that do not say what is asked for, or that a server sets."""


def _asked_for(body: msgspec.Raw) -> dict[str, Any]:
    return {name: value for name, value in msgspec.json.decode(body).items() if name not in _ADDED}


class _Named(msgspec.Struct):
    """The fields that tell actions apart."""

    type: str
    action_id: str


_QUEUE_OF: dict[str, Queue] = {type_: kind.queue for type_, kind in BUILTIN_TYPES.items()}
"""For rows that were written before they named their queue."""

Change = Callable[[ActionRecord | None], tuple[T, ActionRecord | None]]
"""A decision on a row: its result, and the row as it is then; None removes it."""

Matches = Callable[[ActionRecord], bool]
"""Whether a row is the one that is meant: several actions may have had its id."""

_TOKEN_BITS = 53
"""Tokens are random: one that the database has forgotten in a crash is never given out again."""

read_handover = reader("agent_action", ActionRecord)
_read_own = msgspec.json.Decoder(DomainAction).decode
_read_any = msgspec.json.Decoder(UnknownAction).decode
_read_named = msgspec.json.Decoder(_Named).decode
_encode = msgspec.json.Encoder().encode


class RecordLocation(NamedTuple):
    """Where an action's row is: alive in its queue, or among the dead."""

    owner: Owner
    queue: Queue
    action_id: str

    @classmethod
    def of(cls, action: ActionEnvelope | ForeignAction) -> "RecordLocation":
        return cls(action.owner, action.queue, action.action_id)

    @property
    def group(self) -> str:
        return group_of(self.action_id)

    @property
    def keys(self) -> Sequence[DocumentKey]:
        return [DocumentKey(KINDS[self.queue], self.action_id), DocumentKey(DEAD, self.action_id)]


def group_of(action_id: str) -> str:
    """The group of the row, which is changed alone."""
    return f"action {action_id}"


def on_row(
    keys: Sequence[DocumentKey], change: Change[T], signals: Sequence[str] = ()
) -> Callable[[Sequence[Document]], Decision[T]]:
    """A decision on documents, made of one on the action's row, which has one of the keys.

    The signals are sent when it changes the row.
    """

    def decide(documents: Sequence[Document]) -> Decision[T]:
        rows = [document for document in documents if document.key in keys]
        found = read_handover(rows[0].body) if rows else None
        result, after = change(found)
        if after is found:
            return Decision(result)
        put = [_document(after)] if after is not None else []
        gone = [row.key for row in rows if row.key not in [new.key for new in put]]
        return Decision(result, put, gone, fleeting=after is not None and after.status == "working", signals=signals)

    return decide


def _document(row: ActionRecord) -> Document:
    kind = DEAD if row.status == "dead" else KINDS[row.queue]
    name = row.action_id
    return Document(kind, name, group_of(name), _encode(row), row.is_open, row.due)


def enqueued(new: ActionRecord) -> Change[bool]:
    """Queue the action unless its row exists; a dead one is queued again. Returns whether it was queued."""

    def change(found: ActionRecord | None) -> tuple[bool, ActionRecord]:
        return (True, new) if found is None or found.status == "dead" else (False, found)

    return change


def offered(new: ActionRecord, replaces: Matches) -> Change[ActionRecord]:
    """The action's row: the new one where there is none, or in place of one that is dead or to be replaced."""

    def change(found: ActionRecord | None) -> tuple[ActionRecord, ActionRecord]:
        stands = new if found is None or found.status == "dead" or replaces(found) else found
        return stands, stands

    return change


def withdrawn(matches: Matches) -> Change[ActionRecord | None]:
    """Remove one that is not done yet, if it matches. Its worker, if it has one, loses its lease."""

    def change(found: ActionRecord | None) -> tuple[ActionRecord | None, ActionRecord | None]:
        if found is None or not found.is_open or not matches(found):
            return None, found
        return found, None

    return change


def begun(now: datetime, lease_until: datetime, *, alone: bool = False) -> Change[ActionRecord | None]:
    """Give the row to the caller, if it is due; one that is done and due is removed.

    One that needs isolation is given only to a worker that executes nothing else.
    """

    def change(found: ActionRecord | None) -> tuple[ActionRecord | None, ActionRecord | None]:
        if found is None or found.due > now or found.status == "dead":
            return None, found
        if found.status == "done":
            return None, None
        if found.needs_isolation and not alone:
            return None, found
        started = replace(
            found,
            status="working",
            due=lease_until,
            attempts=found.attempts + 1,
            deaths=found.deaths_by_now,
            alone=alone,
            token=secrets.randbits(_TOKEN_BITS),
        )
        return started, started

    return change


def changed(token: int, **changes: Any) -> Change[bool]:
    """Change the row if it is still held with this token. Returns whether it was."""

    def change(found: ActionRecord | None) -> tuple[bool, ActionRecord | None]:
        if found is None or found.status != "working" or found.token != token:
            return False, found
        return True, replace(found, **changes)

    return change


def revived(now: datetime) -> Change[ActionRecord | None]:
    """Queue a dead action again, with all its attempts; None if it is not dead."""

    def change(found: ActionRecord | None) -> tuple[ActionRecord | None, ActionRecord | None]:
        if found is None or found.status != "dead":
            return None, found
        again = replace(found, status="waiting", due=now, attempts=0, deaths=0, alone=False, passes=0, result=None)
        return again, again

    return change
