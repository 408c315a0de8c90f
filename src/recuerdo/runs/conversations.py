"""Conversations of the history as runs see them: a thread is one thing, wherever it began.

Runs keep a document of each of their threads, whose metadata is also the conversation's. A thread that began
with a message, of the library, of `/v1`, or of a program's own saver, has no such document until a run comes: it is
shown as one that is idle, and nothing is written for that.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

from msgspec.structs import replace

from recuerdo.core.documents import Document, DocumentQuery, fitting, reader
from recuerdo.core.errors import InvalidInput, NotFound
from recuerdo.core.graph_ports import DocumentRepository
from recuerdo.core.runs import AgentThread
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.thread_metadata import wanted_fields
from recuerdo.core.threads import Thread, ThreadPage
from recuerdo.runs.lifecycle import thread_document

MOST_CONVERSATIONS = 1000
"""Conversations without a run that a search looks at: the latest changed, of those that have the wanted metadata."""

_decode = reader("thread", AgentThread)


class MissingThreads(NamedTuple):
    """Threads as documents, and how many of them a search of the stored documents does not find."""

    documents: Sequence[Document]
    beyond: int


NONE_MISSING = MissingThreads((), 0)


class ConversationHistory(Protocol):
    """The part of the history service that runs need: see `recuerdo.history.History`."""

    async def thread(self, scope: Scope) -> Thread:
        """The thread. Raises NotFound."""
        ...

    async def threads(self, owner: Owner, *, limit: int, metadata: Mapping[str, Any] | None) -> ThreadPage:
        """The owner's threads with this metadata, the latest changed first."""
        ...

    async def update_metadata(self, scope: Scope, changes: Mapping[str, Any], *, create: bool) -> Thread:
        """Merge into the thread's metadata. Raises NotFound or InvalidInput."""
        ...

    async def delete(self, scope: Scope) -> None:
        """Erase the thread. Raises NotFound."""
        ...


class ThreadsOfHistory:
    """The conversations of a history, beside the documents that runs keep of threads."""

    def __init__(self, documents: DocumentRepository, history: ConversationHistory) -> None:
        self._documents = documents
        self._history = history

    async def get(self, owner: Owner, thread_id: str) -> AgentThread | None:
        """The conversation as a thread on which nothing has run; None where there is none."""
        known = await self._find(owner, thread_id)
        return None if known is None else _idle(known)

    async def describe(self, owner: Owner, thread_id: str, metadata: Mapping[str, Any]) -> None:
        """Merge metadata that a caller gave a thread into the conversation's, which begins. Raises InvalidInput."""
        if metadata:
            await self._history.update_metadata(owner.thread(thread_id), metadata, create=True)

    async def described(self, owner: Owner, thread: AgentThread) -> AgentThread:
        """The thread with what the conversation's metadata says besides."""
        known = await self.get(owner, thread.thread_id)
        return _united(thread, known) if known else thread

    async def delete(self, owner: Owner, thread_id: str) -> None:
        """Erase the conversation, where there is one."""
        with suppress(NotFound):
            await self._history.delete(owner.thread(thread_id))

    async def missing(self, owner: Owner, query: DocumentQuery) -> MissingThreads:
        """The threads that match and that the documents don't have as they are."""
        known = {each.id: _idle(each) for each in await self._candidates(owner, query)}
        if not known:
            return NONE_MISSING
        found = await self._documents.select(owner, "thread", DocumentQuery(ids=[*known], limit=len(known)))
        stored = {each.thread_id: each for each in map(_decode, found)}
        united = {name: _united(stored[name], each) if name in stored else each for name, each in known.items()}
        missing = fitting([thread_document(each) for name, each in united.items() if each != stored.get(name)], query)
        also_found = fitting([thread_document(stored[each.id]) for each in missing if each.id in stored], query)
        return MissingThreads(missing, len(missing) - len(also_found))

    async def _find(self, owner: Owner, thread_id: str) -> Thread | None:
        try:
            return await self._history.thread(owner.thread(thread_id))
        except NotFound:
            return None

    async def _candidates(self, owner: Owner, query: DocumentQuery) -> Sequence[Thread]:
        if query.ids is not None:
            return [each for thread_id in query.ids if (each := await self._find(owner, thread_id)) is not None]
        wanted: dict[str, Any] | None = query.where.get("metadata")
        try:
            wanted_fields(wanted or {})
        except InvalidInput:
            wanted = None  # of all, those that fit are chosen anyway
        return (await self._history.threads(owner, limit=MOST_CONVERSATIONS, metadata=wanted)).threads


def page_of_both(found: Sequence[bytes], missing: Sequence[Document], query: DocumentQuery) -> list[AgentThread]:
    """The page of the query, of the documents that were found and of those that were missing."""
    documents = {each.id: each for each in map(thread_document, map(_decode, found))}
    documents |= {each.id: each for each in missing}
    ordered = fitting(documents.values(), query)
    return [_decode(each.body) for each in ordered[query.offset : query.offset + query.limit]]


def _idle(thread: Thread) -> AgentThread:
    return AgentThread(
        thread_id=thread.id,
        created_at=thread.created_at,
        updated_at=thread.updated_at,
        state_updated_at=thread.updated_at,
        metadata=thread.metadata,
    )


def _united(thread: AgentThread, known: AgentThread) -> AgentThread:
    return replace(thread, metadata={**thread.metadata, **known.metadata})
