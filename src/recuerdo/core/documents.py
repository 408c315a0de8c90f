"""Documents: what the LangGraph API keeps (assistants, threads, runs, schedules), and actions that are handed over.

They are stored as JSON with what finds it.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, Literal, NamedTuple, TypeVar, cast

import msgspec

from recuerdo.core.checks import UNREADABLE
from recuerdo.core.conditions import check_depth
from recuerdo.core.errors import DamagedRow

T = TypeVar("T")

DocumentKind = Literal[
    "assistant",
    "version",
    "thread",
    "run",
    "result",
    "cron",
    "agent_action",
    "embedding_action",
    "query_action",
    "memory_action",
    "dead_action",
    "spending",
    "erasure",
    "mark",
]


_ANY_ID = re.compile(rb'"(?:run|thread|assistant|cron)_id":"([^"\\\\]{1,64})"')


def reader(kind: DocumentKind, type_: type[T]) -> Callable[[bytes], T]:
    """Decodes the bodies of documents of this kind. Raises DamagedRow for one that can't be read, with its id."""
    decode = msgspec.json.Decoder(type_).decode

    def read(body: bytes) -> T:
        try:
            return decode(body)
        except UNREADABLE:
            found = _ANY_ID.search(body)
            raise DamagedRow(kind, found[1].decode(errors="replace") if found else "?") from None

    return read


class DocumentKey(NamedTuple):
    """Which document of an owner."""

    kind: DocumentKind
    id: str


class Document(NamedTuple):
    """One row: `body` is the entity as JSON.

    `group` is what it is changed together with: a run's thread, a version's assistant. An `open` document is unfinished
    work, and `due` says when it has to be looked at again: its lease ends, its time has come, or it expires.
    """

    kind: DocumentKind
    id: str
    group: str
    body: bytes
    open: bool = False
    due: datetime | None = None

    @property
    def key(self) -> DocumentKey:
        return DocumentKey(self.kind, self.id)


class Decision(NamedTuple, Generic[T]):
    """The outcome of a decision: its result, the documents to write, and those to remove.

    With `erase` every document of the group is removed before the others are written. A `fleeting` write is visible to
    all at once, and may be lost if the database crashes in that second. The `signals` are sent with the
    commit.
    """

    result: T
    put: Sequence[Document] = ()
    delete: Sequence[DocumentKey] = ()
    erase: bool = False
    fleeting: bool = False
    signals: Sequence[str] = ()


class DocumentQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which documents of a kind, and in which order.

    `where` is contained in the body (objects by their keys, lists by their elements), `like` are texts that fields
    contain regardless of case, `sort_by` names a field of the body; documents that are alike in it come by their ids.
    Raises InvalidInput for a `where` that is nested too deep.
    """

    where: dict[str, Any] = {}
    like: Mapping[str, str] = {}
    ids: Sequence[str] | None = None
    group: str | None = None
    sort_by: str = "created_at"
    descending: bool = True
    limit: int = 10
    offset: int = 0

    def __post_init__(self) -> None:
        for field, wanted in self.where.items():
            check_depth(field, wanted)


LISTED: frozenset[DocumentKind] = frozenset(("assistant", "cron", "thread"))
"""Kinds of which owners have thousands, which are listed in the order in which they were made."""


def contains(value: object, wanted: object) -> bool:
    """Whether JSON holds other JSON, as PostgreSQL's `@>` has it: objects by their keys, lists by their elements."""
    if isinstance(wanted, dict):
        held = cast(dict[str, object], value) if isinstance(value, dict) else None
        return held is not None and all(
            key in held and contains(held[key], part) for key, part in cast(dict[str, object], wanted).items()
        )
    if isinstance(wanted, list):
        elements = cast(list[object], value) if isinstance(value, list) else None
        return elements is not None and all(
            any(contains(element, part) for element in elements) for part in cast(list[object], wanted)
        )
    return type(value) is type(wanted) and value == wanted


def fitting(documents: Iterable[Document], query: DocumentQuery) -> list[Document]:
    """All documents that match the query's `where` and `like`, in its order."""
    bodies = [(each, msgspec.json.decode(each.body)) for each in documents]
    found = [(each, body.get(query.sort_by)) for each, body in bodies if matches(body, query)]
    found.sort(key=lambda each: (each[1] is not None, each[1], each[0].id), reverse=query.descending)
    return [document for document, _ in found]


def matches(body: dict[str, Any], query: DocumentQuery) -> bool:
    """Whether a decoded body fits the query's `where` and `like`."""
    return contains(body, query.where) and all(
        text.casefold() in str(body.get(field) or "").casefold() for field, text in query.like.items()
    )
