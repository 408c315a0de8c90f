"""Threads over HTTP: listings with filters, and their answers."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, NamedTuple

import msgspec
from fastapi import Depends, Query
from pydantic import Field, model_validator

from recuerdo.core.checks import UNREADABLE
from recuerdo.core.errors import InvalidInput
from recuerdo.core.messages import Message, Role
from recuerdo.core.passages import TimedQuery, UserMessages
from recuerdo.core.thread_metadata import AGENT_ID, CHANNEL
from recuerdo.core.threads import Thread, ThreadPage
from recuerdo.server.schemas import Body, Limit, Skip, Time

Roles = Annotated[Sequence[Role], Query(alias="role", description="Only these roles; may be repeated.")]
Since = Annotated[Time | None, Query(description="Only messages made at this time or later.")]
Until = Annotated[Time | None, Query(description="Only messages made before this time.")]
IncludeArchived = Annotated[bool, Query(description="Archived messages as well.")]


class ThreadUpdateBody(Body):
    """The title that a thread is given, 1 to 80 characters in one line, and changes to its metadata.

    Of the metadata, keys that are null are taken away, and those that are not named stay.
    """

    title: str | None = None
    metadata: Annotated[dict[str, Any] | None, Field(min_length=1)] = None

    @model_validator(mode="after")
    def _says_something(self) -> "ThreadUpdateBody":
        if self.title is None and self.metadata is None:
            raise ValueError("needs a title or metadata")
        return self


class ThreadListing(NamedTuple):
    """Which threads of an owner to list, in the words of `History.threads`."""

    limit: int
    cursor: str | None
    skip: int
    metadata: dict[str, Any]


def _listing(
    limit: Limit = 50,
    cursor: Annotated[str | None, Query(description="The cursor of the page before.")] = None,
    skip: Skip = 0,
    agent_id: Annotated[str | None, Query(description="Only threads whose metadata has this `agent_id`.")] = None,
    channel: Annotated[str | None, Query(description="Only threads whose metadata has this `channel`.")] = None,
    metadata: Annotated[
        str | None,
        Query(
            description="Only threads whose metadata has this: a JSON object, of any own fields.",
            json_schema_extra={"contentMediaType": "application/json"},
        ),
    ] = None,
) -> ThreadListing:
    wanted = _object(metadata) if metadata is not None else {}
    named = {AGENT_ID: agent_id, CHANNEL: channel}
    return ThreadListing(
        limit, cursor, skip, wanted | {name: value for name, value in named.items() if value is not None}
    )


Listing = Annotated[ThreadListing, Depends(_listing)]


def _object(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except UNREADABLE:
        raise InvalidInput("metadata", 'must be a JSON object, e.g. {"case":"A-7"}') from None


def _timed(
    limit: Limit = 50,
    cursor: Annotated[str | None, Query(description="The cursor of the page before.")] = None,
    skip: Skip = 0,
    roles: Roles = (),
    since: Since = None,
    until: Until = None,
    include_archived: IncludeArchived = False,
) -> TimedQuery:
    archived = None if include_archived else False
    return TimedQuery.of(cursor, roles, limit=limit, skip=skip, since=since, until=until, archived=archived)


Timed = Annotated[TimedQuery, Depends(_timed)]


class ThreadEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A thread as lists show it.

    `title` is the start of the first thing that the user said, until the thread is renamed. It is `archived` while its
    latest message is. `metadata` is what programs say of it, such as its agent and its channel.
    """

    id: str
    title: str
    metadata: dict[str, Any]
    archived: bool
    version: str
    message_count: int
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, thread: Thread, **more: Any) -> Any:
        fields = {name: getattr(thread, name) for name in ThreadEntry.__struct_fields__ if name != "version"}
        return cls(version=str(thread.version), **fields, **more)


class ThreadDetail(ThreadEntry, frozen=True, kw_only=True):
    """A thread with the number of its messages by role, archived ones included."""

    counts: dict[Role, int]


class ThreadList(msgspec.Struct, frozen=True):
    """Threads, the latest changed first. `cursor` asks for the next page; null at the end."""

    threads: list[ThreadEntry]
    cursor: str | None

    @classmethod
    def of(cls, page: ThreadPage) -> "ThreadList":
        return cls([ThreadEntry.of(thread) for thread in page.threads], page.cursor)


class SaidMessage(msgspec.Struct, frozen=True):
    """A message and the thread that it stands in."""

    thread_id: str
    message: Message


class MessageList(msgspec.Struct, frozen=True):
    """Messages of all threads, the latest made first. `cursor` asks for the next page; null at the end."""

    messages: list[SaidMessage]
    cursor: str | None

    @classmethod
    def of(cls, page: UserMessages) -> "MessageList":
        return cls([SaidMessage(*each) for each in page.messages], page.cursor)
