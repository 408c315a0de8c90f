"""Moves the conversations of a visitor who has logged in to that user."""

import msgspec

from recuerdo.core.identifiers import derived_id
from recuerdo.core.messages import Record, decode_all
from recuerdo.core.ports import Clock, HistoryRepository, ThreadRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import Head, MessageQuery
from recuerdo.history.metadata import merge_metadata
from recuerdo.history.requests import MOST_MESSAGES, prepare

_THREADS = 100


class ClaimedThread(msgspec.Struct, frozen=True):
    """A thread that was moved: its former id, and the one that it has now, which is usually the same."""

    thread_id: str
    claimed_as: str


class VisitorClaims:
    """Moves all threads of one owner to another one.

    A thread is copied, and the original is deleted only in the state that was copied. So a claim that breaks off is
    repeated without doubling a message, one that was said meanwhile is copied as well, and of two users who claim the
    same visitor one gets each thread.
    """

    def __init__(self, messages: HistoryRepository, threads: ThreadRepository, clock: Clock) -> None:
        self._messages = messages
        self._threads = threads
        self._clock = clock

    async def move(self, visitor: Owner, owner: Owner) -> list[ClaimedThread]:
        """Move the threads. Raises Unavailable; threads moved by then stay moved."""
        claimed: list[ClaimedThread] = []
        while page := (await self._threads.select(visitor, _THREADS, None)).threads:
            for thread in page:
                target = await self._move(visitor.thread(thread.id), owner)
                if target is not None:
                    claimed.append(ClaimedThread(thread.id, target.thread))
        return claimed

    async def _move(self, source: Scope, owner: Owner) -> Scope | None:
        """The thread in its new place; None when another caller has deleted or claimed it."""
        head = await self._messages.head(source)
        target = await self._place(source, owner, head)
        while True:
            await self._copy(source, target, head)
            thread = await self._threads.get(source)
            if thread is not None and (thread.metadata or not head.version.seq):
                await merge_metadata(self._threads, self._clock, target, thread.metadata, create=True)
            if await self._threads.delete(source, self._clock(), only_at=head):
                return target
            now = await self._messages.head(source)
            if now.version.epoch != head.version.epoch:  # cleared or gone: the copy must go as well
                await self._threads.delete(target, self._clock())
                if await self._threads.get(source) is None:
                    return None
            head = now

    async def _place(self, source: Scope, owner: Owner, head: Head) -> Scope:
        """The thread to move to: of the same id, unless the owner has another thread of that id already."""
        target = owner.thread(source.thread)
        held, first = await self._first(target), await self._first(source)
        if held is None or held == first:
            return target
        return owner.thread(derived_id(source.tenant, source.user, source.thread, str(head.version.epoch)))

    async def _first(self, scope: Scope) -> str | None:
        """The id of the thread's first message."""
        records = (await self._messages.page(scope, MessageQuery(after=0, limit=1, archived=None))).records
        return decode_all(records)[0].id if records else None

    async def _copy(self, source: Scope, target: Scope, head: Head) -> None:
        """Append and archive the messages that the target lacks."""
        known = (await self._messages.head(target)).version.seq
        while known < head.version.seq:
            query = MessageQuery(after=known, limit=MOST_MESSAGES, archived=None)
            records = (await self._messages.page(source, query)).records
            if not records:
                return
            await self._append(target, records, head.version.epoch)
            known = records[-1].seq
        archived = await self._archived(source)
        for seq in archived ^ await self._archived(target):
            await self._messages.archive(target, seq, seq, seq in archived)

    async def _archived(self, scope: Scope) -> set[int]:
        """The seqs of the thread's archived messages."""
        found, query = set[int](), MessageQuery(after=0, limit=MOST_MESSAGES, archived=True)
        while records := (await self._messages.page(scope, query)).records:
            found |= {record.seq for record in records}
            query = msgspec.structs.replace(query, after=records[-1].seq)
        return found

    async def _append(self, target: Scope, records: list[Record], epoch: int) -> None:
        key = f"claim {epoch} {records[0].seq} {records[-1].seq}"
        request = prepare(target, decode_all(records), self._clock(), idempotency_key=key)
        [outcome] = await self._messages.append([request])
        if isinstance(outcome, Exception):
            raise outcome
