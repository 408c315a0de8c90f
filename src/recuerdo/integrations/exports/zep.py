"""Zep's data, as its API gives it: `messages` of threads or sessions, and `edges` of the graph with their `fact`s."""

from collections import defaultdict
from datetime import datetime

import msgspec

from recuerdo.core.identifiers import derived_id
from recuerdo.core.messages import Message, Role
from recuerdo.integrations.exports.shapes import (
    ExportedConversation,
    ExportedFact,
    ForeignExport,
    ReadingOptions,
    at_text,
    read_json,
    said,
)

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}


class _ZepMessage(msgspec.Struct):
    content: str
    role: str = "user"
    role_type: str | None = None
    name: str | None = None
    uuid: str | None = None
    created_at: str | None = None
    thread_id: str | None = None
    session_id: str | None = None


class _ZepThread(msgspec.Struct):
    messages: list[_ZepMessage] = []
    thread_id: str | None = None
    session_id: str | None = None


class _ZepEdge(msgspec.Struct):
    fact: str
    uuid: str | None = None
    created_at: str | None = None
    valid_at: str | None = None
    invalid_at: str | None = None
    expired_at: str | None = None


class _ZepData(msgspec.Struct):
    messages: list[_ZepMessage] = []
    threads: list[_ZepThread] = []
    sessions: list[_ZepThread] = []
    edges: list[_ZepEdge] = []
    facts: list[_ZepEdge] = []
    thread_id: str | None = None
    session_id: str | None = None


def read(data: bytes, name: str, reading: ReadingOptions) -> ForeignExport:
    """See read_export."""
    found = read_json(data, _ZepData)
    loose = _ZepThread(found.messages, found.thread_id, found.session_id)
    said_in: dict[str, list[_ZepMessage]] = defaultdict(list)
    for thread in (loose, *found.threads, *found.sessions):
        for message in thread.messages:
            ids = (message.thread_id, message.session_id, thread.thread_id, thread.session_id)
            said_in[next((each for each in ids if each), name)].append(message)
    conversations = [ExportedConversation(each, "", _messages(each, said_in[each])) for each in said_in]
    conversations = [each for each in conversations if each.messages]
    facts = [_fact(edge) for edge in (*found.edges, *found.facts) if edge.fact.strip()]
    kept = sum(len(each.messages) for each in conversations)
    return ForeignExport(conversations, facts, sum(map(len, said_in.values())) - kept)


def _messages(conversation: str, messages: list[_ZepMessage]) -> list[Message]:
    at: datetime | None = None
    found: list[Message] = []
    for number, each in enumerate(messages):
        at = at_text(each.created_at) or at
        role = _ROLES.get((each.role_type or each.role).lower())
        if role is not None and each.content.strip():
            message_id = each.uuid or derived_id("zep", conversation, str(number), each.content)
            about = {"service": "zep", "conversation": conversation}
            found.append(said(role, each.content.strip(), message_id, at, name=each.name, **about))
    return found


def _fact(edge: _ZepEdge) -> ExportedFact:
    since = at_text(edge.valid_at) or at_text(edge.created_at)
    until = at_text(edge.invalid_at) or at_text(edge.expired_at)
    return ExportedFact(edge.uuid or derived_id("zep", edge.fact), edge.fact.strip(), since, until)
