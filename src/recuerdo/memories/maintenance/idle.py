"""Finds the threads to summarise automatically: long ones that have grown and then been idle for a while."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import msgspec

from recuerdo.core.documents import Decision, Document, DocumentKey
from recuerdo.core.graph_ports import DocumentRepository
from recuerdo.core.ports import Clock, ThreadRepository
from recuerdo.core.scope import Scope, TenantOwner
from recuerdo.memories.maintenance.summarise import Summaries

IDLE = timedelta(minutes=10)
"""How long an idle thread has had no new message, unless a setting says otherwise."""

SHOWN_WHOLE = 50
"""Messages: a chat's window shows a thread of no more than these whole, so that it needs no summary."""

GROWTH = 6
"""A thread is summarised again when it has this many messages that its summary does not cover."""

_PAGE = 500
_OWNER = TenantOwner("recuerdo")
_KEY = DocumentKey("mark", "summaries")


class _Waiting(NamedTuple):
    """Since when a thread waits, its length, and the mark after which its change is found."""

    since: datetime
    seq: int
    mark: str | None


class _SummaryMark(msgspec.Struct, frozen=True):
    mark: str
    created_at: datetime = datetime.min.replace(tzinfo=UTC)  # documents are sorted by it


class IdleThreads:
    """Notices which threads change, and summarises them when they are idle; any number of processes may do it.

    A thread counts as idle from when its change is noticed. `documents` keep the mark up to which all changes are
    dealt with, so that threads that wait are noticed again by the next process; without them, each begins at its start.
    """

    def __init__(
        self,
        threads: ThreadRepository,
        summaries: Summaries,
        clock: Clock,
        idle: timedelta = IDLE,
        documents: DocumentRepository | None = None,
    ) -> None:
        self._threads = threads
        self._summaries = summaries
        self._clock = clock
        self._idle = idle
        self._documents = documents
        self._mark: str | None = None
        self._kept: str | None = None
        self._waiting: dict[Scope, _Waiting] = {}

    async def summarise(self) -> int:
        """Look for changes, and summarise threads that are idle. Returns how many summaries were written."""
        if self._mark is None and self._documents is not None:
            found = await self._documents.get(_OWNER, _KEY)
            self._mark = self._kept = msgspec.json.decode(found, type=_SummaryMark).mark if found else None
        await self._notice()
        now = self._clock()
        idle = [(scope, each.seq) for scope, each in self._waiting.items() if each.since + self._idle <= now]
        written = 0
        for scope, seq in idle:
            written += await self._summarise(scope, seq)
            del self._waiting[scope]
        await self._keep_mark()
        return written

    async def _notice(self) -> None:
        while True:
            before, changes = self._mark, await self._threads.changed(self._mark, _PAGE)
            now, self._mark = self._clock(), changes.mark
            for scope, head in changes.heads.items():
                self._waiting.pop(scope, None)
                if head.version.seq > SHOWN_WHOLE and not scope.owner.is_anonymous:
                    self._waiting[scope] = _Waiting(now, head.version.seq, before)
            if before is None or len(changes.heads) < _PAGE:
                return

    async def _keep_mark(self) -> None:
        """Store the mark after which the change of the thread that waits the longest is found."""
        mark = next((each.mark for each in self._waiting.values()), self._mark)
        if self._documents is None or mark is None or mark == self._kept:
            return

        def decide(_: Sequence[Document]) -> Decision[None]:
            return Decision(None, [Document(_KEY.kind, _KEY.id, _KEY.id, msgspec.json.encode(_SummaryMark(mark)))])

        await self._documents.change(_OWNER, _KEY.id, [_KEY], decide)
        self._kept = mark

    async def _summarise(self, scope: Scope, seq: int) -> bool:
        known = await self._summaries.of(scope)
        if seq - ((known.source.seq or 0) if known else 0) < GROWTH:
            return False
        return await self._summaries.summarise(scope) != known
