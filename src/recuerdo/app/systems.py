"""Imports of other systems' conversations: read row by row, stored in portions, and counted on both sides."""

from collections.abc import AsyncGenerator, Sequence
from typing import NamedTuple

from recuerdo.core.errors import InvalidInput
from recuerdo.core.scope import Scope
from recuerdo.core.sources import MessageSource
from recuerdo.history.bulk_import import BulkImporter, CheckedMessage
from recuerdo.integrations.systems import BadRow, FoundMessage, RowReader

_MESSAGES = 500
_BYTES = 4 * 2**20
_THREADS = 100


class SystemProgress(NamedTuple):
    """How far an import has come: rows read and messages in them, of these new ones, those that were there, bad ones.

    `bad` are the rows that have no message that can be stored, and `others` what is otherwise here than there, each
    told once, when it is found. With `found` come the messages themselves.
    """

    rows: int = 0
    conversations: int = 0
    messages: int = 0
    written: int = 0
    known: int = 0
    skipped: int = 0
    bad: Sequence[BadRow] = ()
    others: Sequence[str] = ()
    found: Sequence[FoundMessage] = ()

    def plus(self, **counts: int) -> "SystemProgress":
        """The progress with these counts added, and without anything to report."""
        told = self._replace(bad=(), others=(), found=())
        return told._replace(**{name: getattr(self, name) + count for name, count in counts.items()})


class SystemImport:
    """One import of one source. Only a portion of messages is in memory at any time."""

    def __init__(
        self, source: MessageSource, reader: RowReader, importer: BulkImporter, *, dry_run: bool = False
    ) -> None:
        self._source = source
        self._reader = reader
        self._importer = importer
        self._dry_run = dry_run
        self._batch: dict[Scope, list[CheckedMessage]] = {}
        self._ids: set[tuple[Scope, str]] = set()
        self._scope: Scope | None = None
        self._bytes = self._size = 0
        self._stored: dict[Scope, int] = {}
        self._progress = SystemProgress()

    async def run(self) -> AsyncGenerator[SystemProgress]:
        """Import everything, and yield the progress after each batch. Existing messages are kept: it can be repeated.

        Bad rows are reported and left out: stop there, unless they are to be skipped. Raises Unavailable, and the error
        of a thread that takes no messages, such as UserErased.
        """
        async for row in self._source.rows():
            found = await self._reader.read(row)
            self._progress = self._progress.plus(rows=1, messages=len(found))
            for each in found:
                bad = each if isinstance(each, BadRow) else self._taken(each)
                if bad is not None:
                    self._progress = self._progress.plus(skipped=1)
                    yield self._progress._replace(bad=[bad])
                elif self._dry_run and isinstance(each, FoundMessage):
                    yield self._progress._replace(found=[each])
                if self._size >= _MESSAGES or self._bytes >= _BYTES or len(self._batch) > _THREADS:
                    yield await self._flushed()
        yield await self._flushed(last=True)

    async def differences(self) -> list[str]:
        """The counts that differ after a run: of the source's rows, counted anew, and of the stored messages."""
        done, rows = self._progress, await self._source.count()
        problems: list[str] = []
        if rows != done.rows:
            problems.append(f"The source has {rows} rows now, and {done.rows} were read. Repeat the import.")
        stored = done.written + done.known
        if not self._dry_run and stored + done.skipped != done.messages:
            problems.append(f"{stored} messages are stored of {done.messages - done.skipped}.")
        return problems

    def _taken(self, found: FoundMessage) -> BadRow | None:
        """Put the message into the batch, or say why it can't be."""
        try:
            checked = self._importer.check(found.scope, found.message, found.title)
        except InvalidInput as error:
            return BadRow(found.place, str(error).replace("messages[0].", ""))
        if found.scope != self._scope:
            self._scope = found.scope
            self._progress = self._progress.plus(conversations=1)
        place = found.scope, checked.message.id
        if place in self._ids:
            return BadRow(found.place, "id: another message of the conversation has it")
        self._ids.add(place)
        self._batch.setdefault(found.scope, []).append(checked)
        self._bytes += len(checked.message.body)
        self._size += 1
        return None

    async def _flushed(self, *, last: bool = False) -> SystemProgress:
        batch, self._batch, self._ids, self._bytes, self._size = self._batch, {}, set(), 0, 0
        if self._dry_run:
            return self._progress.plus()
        others: list[str] = []
        for portion in await self._importer.store(batch):
            others += [f"{portion.scope.thread} {id_}: has another content here" for id_ in portion.others]
            self._progress = self._progress.plus(written=portion.written, known=portion.known)
            self._stored[portion.scope] = self._stored.get(portion.scope, 0) + portion.written + portion.known
        for scope in [scope for scope in self._stored if last or scope != self._scope]:
            stored, there = self._stored.pop(scope), await self._importer.count(scope)
            if there < stored:
                others.append(f"{scope.thread}: has {there} messages here, and {stored} in the source")
        return self._progress._replace(others=others)
