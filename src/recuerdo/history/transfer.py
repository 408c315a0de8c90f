"""Exports and imports threads without loss: each message keeps its id, seq, time, archived mark and content."""

import hashlib
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from itertools import count, groupby
from typing import NamedTuple

import msgspec

from recuerdo.core.errors import AlreadyErased, Conflict, Damaged, DamagedMessage, RecuerdoError
from recuerdo.core.messages import Message, Record, decode_all, encode
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.core.thread_metadata import NO_METADATA, ThreadMetadata
from recuerdo.core.threads import Append, Appended, MessageQuery, Thread
from recuerdo.history.damage import MESSAGES, UnreadList, read_around, threads_around
from recuerdo.history.iteration import PAGE, OwnerFilter
from recuerdo.history.lines import (
    Begin,
    Checked,
    End,
    FileMessage,
    ThreadLine,
    WithdrawnThread,
    read,
    write_line,
    write_messages,
)
from recuerdo.history.requests import prepare

BYTES = 4 * 2**20
"""Bytes of lines after which a transaction takes no more."""


class Exported(NamedTuple):
    """A piece of an export, and how many threads it begins and messages it has.

    In the place of a message with `damage` stands an empty one, archived, so that an import keeps everybody's seq.
    Of an unread list there is nothing.
    """

    data: bytes
    threads: int = 0
    messages: int = 0
    damage: DamagedMessage | UnreadList | None = None


class ImportProgress(NamedTuple):
    """The outcome for some messages: written now, or found as they are in the file. `line` is the last one."""

    line: int
    written: int
    known: int


class Transfer:
    """Exports and imports threads. Of a file of any length only some hundred messages are in memory."""

    def __init__(self, messages: HistoryRepository, threads: ThreadRepository) -> None:
        self._messages = messages
        self._threads = threads

    async def export(self, choice: OwnerFilter) -> AsyncGenerator[Exported]:
        """The chosen threads that have messages, piece by piece.

        Each thread is written as it was at one moment. A thread that is used meanwhile may come twice, the second time
        with more messages; an import makes one of them.
        """
        threads = messages = 0
        yield Exported(write_line(Begin()))
        async for found in self._chosen(choice):
            if isinstance(found, UnreadList):
                yield Exported(b"", damage=found)
                continue
            async for piece in self._export(*found):
                threads += piece.threads
                messages += piece.messages
                yield piece
        yield Exported(write_line(End(threads, messages)))

    async def import_from(self, lines: Iterable[bytes], checked: Checked) -> AsyncGenerator[ImportProgress]:
        """Write the threads of a file that `lines.check` has read, as they were.

        Messages that are there already are left, so that an import that was cut off goes on when it is repeated.
        The threads must not be used meanwhile. Raises Conflict when a thread has other messages, naming the line.
        """
        for batch in _batches(read(lines, checked.withdrawn)):
            yield await self._import(
                [_ImportBatch(list(group)) for _, group in groupby(batch, lambda each: each.thread_line)]
            )

    async def _chosen(self, choice: OwnerFilter) -> AsyncGenerator[tuple[Scope, Thread] | UnreadList]:
        try:
            mark = (await self._threads.changed(None, 1)).mark
        except Damaged:  # an export of a damaged database does not know what is changed meanwhile
            mark = None
        async for found in threads_around(self._threads, choice):
            yield found
        if mark is not None:
            async for changed in self._changed(choice, mark):
                yield changed

    async def _changed(self, choice: OwnerFilter, mark: str) -> AsyncGenerator[tuple[Scope, Thread]]:
        caught: set[Scope] = set()
        while True:  # whatever was changed during that walk, which may have missed it
            changes = await self._threads.changed(mark, PAGE)
            new = [scope for scope in changes.heads if scope not in caught and choice.has(scope)]
            for scope in new:
                if (thread := await self._threads.get(scope)) is not None:
                    yield scope, thread
            if changes.mark == mark or (changes.heads and caught.issuperset(changes.heads)):
                return
            caught |= changes.heads.keys()
            mark = changes.mark

    async def _export(self, scope: Scope, thread: Thread) -> AsyncGenerator[Exported]:
        version, written = thread.version, 0
        if not version.seq:
            return
        yield Exported(write_line(_thread_line(scope, thread, version.seq)), threads=1)
        async for records, damage in read_around(self._messages, scope, version):
            lines = [_placeholder(damage, thread)] if damage else records
            written += len(lines)
            yield Exported(write_messages(lines), messages=len(lines), damage=damage)
        if written < version.seq:
            yield Exported(write_line(WithdrawnThread()), threads=-1, messages=-written)

    async def _import(self, chunks: "list[_ImportBatch]") -> ImportProgress:
        requests = [request for chunk in chunks for request in await self._missing(chunk)]
        outcomes = await self._append(requests)
        for chunk in chunks:
            _check_written(chunk, [o for r, o in zip(requests, outcomes, strict=True) if r.scope == chunk.scope])
            await self._archive(chunk)
            await self._describe(chunk)
        written = sum(len(request.messages) for request in requests)
        messages = sum(len(chunk.messages) for chunk in chunks)
        return ImportProgress(chunks[-1].line, written, messages - written)

    async def _append(self, requests: Sequence[Append]) -> list[Appended | RecuerdoError]:
        """Append them, also where an earlier import had done so and its thread was deleted since: with other keys."""
        outcomes = await self._messages.append(requests) if requests else []
        for attempt in count(1):
            erased = [index for index, outcome in enumerate(outcomes) if isinstance(outcome, AlreadyErased)]
            if not erased:
                break
            again = [_renamed(requests[index], attempt) for index in erased]
            for index, outcome in zip(erased, await self._messages.append(again), strict=True):
                outcomes[index] = outcome
        return outcomes

    async def _missing(self, chunk: "_ImportBatch") -> list[Append]:
        """The appends that bring the thread to the end of the chunk."""
        wanted = MessageQuery(after=chunk.messages[0].seq - 1, limit=len(chunk.messages), archived=None)
        page = await self._messages.page(chunk.scope, wanted)
        stored = decode_all(page.records)
        for old, new in zip(stored, chunk.messages, strict=False):
            if _plain(old) != _plain(new):
                raise chunk.conflict(new.seq)
        if len(stored) < len(chunk.messages) and page.version.seq + 1 != chunk.messages[len(stored)].seq:
            raise chunk.conflict(page.version.seq + 1)
        return chunk.appends(len(stored), page.version.epoch or None)

    async def _describe(self, chunk: "_ImportBatch") -> None:
        """Give the thread the metadata that the file has, unless it has some here."""
        thread = chunk.thread
        if thread.metadata:
            metadata = ThreadMetadata.of(thread.metadata)
            await self._threads.set_metadata(chunk.scope, metadata, NO_METADATA, thread.updated_at)

    async def _archive(self, chunk: "_ImportBatch") -> None:
        """Archive the messages that the file has as archived; those archived here since stay so."""
        for archived, run in groupby(chunk.messages, lambda message: message.archived):
            if archived:
                seqs = [message.seq for message in run]
                await self._messages.archive(chunk.scope, seqs[0], seqs[-1], True)


class _ImportBatch:
    """Messages of one thread that follow one another in a file."""

    def __init__(self, entries: Sequence[FileMessage]) -> None:
        self.line = entries[-1].line
        self.messages = [entry.message for entry in entries]
        self.scope = entries[0].thread.scope
        self.thread = entries[0].thread
        self._first_line = entries[0].line

    def appends(self, known: int, epoch: int | None) -> list[Append]:
        """The messages after the first `known`: the thread takes its times from its first append and its last."""
        new = self.messages[known:]
        first = new[:1] if new and new[0].seq == 1 else []
        parts = ((first, self.thread.created_at), (new[len(first) :], self.thread.updated_at))
        if len(new) == len(first) or self.thread.created_at == self.thread.updated_at:
            parts = ((new, self.thread.updated_at),)
        return [
            prepare(self.scope, part, at, idempotency_key=_key(part), expected_epoch=epoch)._replace(
                appended_at=at, title=self.thread.title
            )
            for part, at in parts
            if part
        ]

    def conflict(self, seq: int) -> Conflict:
        """Another writer's messages are in the place of ours."""
        line = self._first_line + seq - self.messages[0].seq
        return Conflict(
            f"line {line}: the thread {self.scope.thread!r} of {self.scope.user!r} has another message there. "
            "Delete that thread, or import into another database. The lines above are imported, and a "
            "repeated import goes on from there."
        )


def _batches(entries: Iterable[FileMessage]) -> Iterator[list[FileMessage]]:
    """Batches that are written together: no thread twice, because its second part is compared with the first."""
    batch: list[FileMessage] = []
    threads: dict[Scope, int] = {}
    size = 0
    for entry in entries:
        comes_again = threads.setdefault(entry.thread.scope, entry.thread_line) != entry.thread_line
        if comes_again or len(batch) == MESSAGES or size > BYTES:
            yield batch
            batch, threads, size = [], {entry.thread.scope: entry.thread_line}, 0
        batch.append(entry)
        size += entry.size
    if batch:
        yield batch


def _check_written(chunk: _ImportBatch, outcomes: Sequence[Appended | RecuerdoError]) -> None:
    """Raise the error of a refused append, or a conflict when another writer came first."""
    for outcome in outcomes:
        if isinstance(outcome, RecuerdoError):
            raise Conflict(f"line {chunk.line}: {outcome}") from outcome
        if outcome.version.seq > chunk.messages[-1].seq:
            raise chunk.conflict(chunk.messages[0].seq)


def _key(messages: Sequence[Message]) -> str:
    """A key of these messages at their place, so that of two imports at once only one writes them."""
    digest = hashlib.sha256(b"\n".join(message.id.encode() for message in messages)).hexdigest()
    return f"import-{messages[0].seq}-{digest[:32]}"


def _renamed(request: Append, attempt: int) -> Append:
    """The append with a key for this attempt, equal in all imports, so that of two at once only one writes."""
    return request._replace(idempotency_key=f"{request.idempotency_key}-{attempt}")


def _placeholder(damage: DamagedMessage, thread: Thread) -> Record:
    """The placeholder in an export for a message that can't be read."""
    message = Message.assistant(
        "", id=f"damaged-{damage.epoch}-{damage.seq}", created_at=thread.created_at, metadata={"damaged": True}
    )
    return Record(damage.seq, archived=True, body=encode(message))


def _plain(message: Message) -> Message:
    return msgspec.structs.replace(message, archived=False)


def _thread_line(scope: Scope, thread: Thread, messages: int) -> ThreadLine:
    return ThreadLine(
        tenant=scope.tenant,
        user=scope.user,
        thread=scope.thread,
        title=thread.title,
        metadata=thread.metadata,
        created_at=thread.created_at,
        updated_at=thread.updated_at,
        messages=messages,
    )
