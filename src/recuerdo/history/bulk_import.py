"""Messages of other systems, appended to threads in their order, each once however often it arrives."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from msgspec.structs import replace

from recuerdo.core.errors import RecuerdoError
from recuerdo.core.messages import Message, Record, decode
from recuerdo.core.ports import Clock, HistoryRepository, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Append, MessageQuery, NewMessage
from recuerdo.history.message_fields import NO_FIELDS, MessageFields
from recuerdo.history.requests import prepare


class CheckedMessage(NamedTuple):
    """A message that was checked and encoded, and the title of its thread."""

    scope: Scope
    message: NewMessage
    title: str


class StoredPortion(NamedTuple):
    """The outcome for the messages of one thread: new, there already, or there with another content, by their ids."""

    scope: Scope
    written: int
    known: int
    others: Sequence[str]


class BulkImporter:
    """Appends messages that have ids of their own. Threads get the times of their messages, not that of the import."""

    def __init__(
        self, messages: HistoryRepository, threads: ThreadRepository, clock: Clock, fields: MessageFields = NO_FIELDS
    ) -> None:
        self._messages = messages
        self._fields = fields
        self._threads = threads
        self._clock = clock

    def check(self, scope: Scope, message: Message, title: str) -> CheckedMessage:
        """The message, ready to be stored. Raises InvalidInput, naming the field."""
        request = prepare(scope, [message], self._clock(), fields=self._fields)
        return CheckedMessage(scope, request.messages[0], title or request.title)

    async def store(self, batch: Mapping[Scope, Sequence[CheckedMessage]]) -> list[StoredPortion]:
        """Append the messages that the threads lack, in one transaction. The ids in a thread's portion are unique.

        Raises the error of the first thread that refuses its portion; the others' are stored then.
        """
        outcomes: list[StoredPortion] = []
        requests: list[Append] = []
        for scope, checked in batch.items():
            there, is_new = await self._there(scope, [each.message.id for each in checked])
            missing = [each for each in checked if each.message.id not in there]
            others = [
                each.message.id
                for each in checked
                if each.message.id in there and _said(each.message.body) != _said(there[each.message.id].body)
            ]
            known = len(checked) - len(missing) - len(others)
            outcomes.append(StoredPortion(scope, len(missing), known, others))
            if missing:
                thread = None if is_new else await self._threads.get(scope)
                requests += _appends(scope, missing, thread.updated_at if thread else None)
        for outcome in await self._messages.append(requests) if requests else ():
            if isinstance(outcome, RecuerdoError):
                raise outcome
        return outcomes

    async def count(self, scope: Scope) -> int:
        """How many messages the thread has."""
        return (await self._messages.head(scope)).version.seq

    async def _there(self, scope: Scope, ids: Sequence[str]) -> tuple[dict[str, Record], bool]:
        """The thread's messages of these ids, and whether it has none at all."""
        there: dict[str, Record] = {}
        after, more, seq = 0, True, 0
        while more:
            query = MessageQuery(ids=frozenset(ids), after=after, limit=len(ids), archived=None)
            page = await self._messages.page(scope, query)
            there |= {decode(record.body).id: record for record in page.records}
            more, seq = page.more, page.version.seq
            after = page.records[-1].seq if page.records else after
        return there, seq == 0


def _appends(scope: Scope, checked: Sequence[CheckedMessage], not_before: datetime | None) -> Iterator[Append]:
    """A new thread takes its first time from its first message; no thread becomes older than it was."""
    title = next((each.title for each in checked if each.title), "")
    latest = max([each.message.created_at for each in checked])
    if not_before is None:
        yield Append(scope, [checked[0].message], checked[0].message.created_at, title=title)
        checked = checked[1:]
    if checked:
        at = latest if not_before is None else max(latest, not_before)
        yield Append(scope, [each.message for each in checked], at, title=title)


def _said(body: bytes) -> Any:
    """The part of a message that is compared: imports with other mappings may have given it other metadata."""
    message = decode(body)
    return replace(message, created_at=None, metadata={}, name=None)
