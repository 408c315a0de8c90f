"""Reading threads that have damaged messages, and finding all damaged messages."""

from collections.abc import AsyncGenerator, Iterator
from typing import NamedTuple

from recuerdo.core.errors import Damaged, DamagedDatabase, DamagedMessage
from recuerdo.core.messages import Record
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import MessageQuery, Thread, Version
from recuerdo.history.iteration import OwnerFilter, owners_of, threads_of_owner

MESSAGES = 250
"""Messages that are in memory at a time."""

_BYTES = 2**20
"""The number of bytes of messages that are read at once."""


class RecordsOrDamage(NamedTuple):
    """Messages that follow one another, or the damage that stands in the place of one."""

    records: list[Record]
    damage: DamagedMessage | None = None


class UnreadList(NamedTuple):
    """The list of an owner's threads, or without an owner that of the owners, which could not be read to its end."""

    owner: Owner | None
    damage: Damaged

    @property
    def place(self) -> str:
        """Which list, for lists of damage."""
        if self.owner is None:
            return "the list of users, which was not read to its end"
        return f"the list of threads of tenant {self.owner.tenant!r}, user {self.owner.user!r}"


class InspectionProgress(NamedTuple):
    """The progress of a check since its last report: a number of messages, or something damaged."""

    messages: int = 0
    threads: int = 0
    scope: Scope | None = None
    damage: DamagedMessage | UnreadList | None = None


async def threads_around(
    threads: ThreadRepository, choice: OwnerFilter
) -> AsyncGenerator[tuple[Scope, Thread] | UnreadList]:
    """The chosen threads, owner by owner, whatever can't be read of other owners'."""
    try:
        async for owner in owners_of(threads, choice):
            try:
                async for thread in threads_of_owner(threads, owner, choice.thread):
                    yield owner.thread(thread.id), thread
            except Damaged as error:
                yield UnreadList(owner, error)
    except Damaged as error:
        yield UnreadList(None, error)


async def read_around(messages: HistoryRepository, scope: Scope, version: Version) -> AsyncGenerator[RecordsOrDamage]:
    """The messages 1 to `version.seq`, in their order. It ends early where the thread's epoch has ended meanwhile."""
    epoch, end = version
    for start in range(1, end + 1, MESSAGES):
        waiting: list[tuple[int, int] | DamagedMessage] = [(start, min(start + MESSAGES - 1, end))]
        while waiting:
            part = waiting.pop()
            if isinstance(part, DamagedMessage):
                yield RecordsOrDamage([], part)
                continue
            first, last = part
            query = MessageQuery(
                after=first - 1, before=last + 1, limit=last - first + 1, archived=None, most_bytes=_BYTES
            )
            try:
                page = await messages.page(scope, query)
            except (DamagedMessage, DamagedDatabase) as error:
                waiting += reversed(_parts_around(error, scope, epoch, first, last))
                continue
            if page.version.epoch != epoch:
                return
            if page.more and page.records and page.records[-1].seq < last:  # of large messages fewer come at once
                waiting.append((page.records[-1].seq + 1, last))
                last = page.records[-1].seq
            for piece in _whole(page.records, scope, epoch, first, last):
                yield piece


def _parts_around(
    error: Damaged, scope: Scope, epoch: int, first: int, last: int
) -> list[tuple[int, int] | DamagedMessage]:
    """The parts to read instead of first..last, where the error was; a message that it names is not read again."""
    if isinstance(error, DamagedMessage) and first <= error.seq <= last:
        before, after = (first, error.seq - 1), (error.seq + 1, last)
        return [*([before] if before[0] <= before[1] else []), error, *([after] if after[0] <= after[1] else [])]
    if first == last:
        return [DamagedMessage(scope.thread, epoch, first, "the database can't read it")]
    middle = (first + last) // 2
    return [(first, middle), (middle + 1, last)]


def _whole(records: list[Record], scope: Scope, epoch: int, first: int, last: int) -> Iterator[RecordsOrDamage]:
    """The records, whole or with missing ones."""
    if len(records) == last - first + 1:
        yield RecordsOrDamage(records)
        return
    known = {record.seq: record for record in records}
    for seq in range(first, last + 1):
        record = known.get(seq)
        if record is not None:
            yield RecordsOrDamage([record])
        else:
            yield RecordsOrDamage([], DamagedMessage(scope.thread, epoch, seq, "its row is missing"))


class DamageCheck:
    """Reads every message of the chosen threads, and keeps none of them."""

    def __init__(self, messages: HistoryRepository, threads: ThreadRepository) -> None:
        self._messages = messages
        self._threads = threads

    async def run(self, choice: OwnerFilter) -> AsyncGenerator[InspectionProgress]:
        """The progress of the check, and each damage as it is found."""
        async for found in threads_around(self._threads, choice):
            if isinstance(found, UnreadList):
                yield InspectionProgress(damage=found)
                continue
            scope, thread = found
            yield InspectionProgress(threads=1)
            async for piece in read_around(self._messages, scope, thread.version):
                if piece.damage is None:
                    yield InspectionProgress(len(piece.records))
                else:
                    yield InspectionProgress(scope=scope, damage=piece.damage)
