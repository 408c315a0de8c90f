"""HistoryRepository over dicts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from recuerdo.adapters.local.connection import LocalDatabase, StoredMessage, StoredThread
from recuerdo.core.errors import DuplicateMessage, RecuerdoError
from recuerdo.core.messages import Record, Role
from recuerdo.core.scope import Scope
from recuerdo.core.threads import (
    ABSENT,
    NOWHERE,
    Append,
    Appended,
    Head,
    MessageQuery,
    Page,
    PriorAppend,
    Snapshot,
    Tail,
    admit,
    check_epochs,
    spent_digest,
)


class LocalHistory:
    """The messages of threads, in this process."""

    def __init__(self, database: LocalDatabase) -> None:
        self._database = database

    async def append(self, batch: Sequence[Append]) -> list[Appended | RecuerdoError]:
        return [self._outcome(request) for request in batch]

    async def head(self, scope: Scope) -> Head:
        thread = self._database.threads.get(scope)
        return thread.head if thread else ABSENT

    async def snapshot(self, scope: Scope, limit: int) -> Snapshot:
        thread = self._database.threads.get(scope)
        if thread is None:
            return Snapshot.empty()
        records = [record for _, record in islice(reversed(thread.messages.values()), limit)]
        return Snapshot(thread.head, _system(thread), records[::-1])

    async def tail(self, scope: Scope, limit: int) -> Tail:
        thread = self._database.threads.get(scope)
        if thread is None:
            return Tail.empty()
        newest_first = _shown(thread)
        records = list(islice(newest_first, limit))
        return Tail(thread.head, _system(thread), records[::-1], complete=next(newest_first, None) is None)

    async def page(self, scope: Scope, query: MessageQuery) -> Page:
        thread = self._database.threads.get(scope)
        if thread is None:
            return Page(NOWHERE, [], more=False)
        found = [stored.record for stored in thread.messages.values() if _matches(query, stored)]
        cut = slice(query.limit) if query.after is not None else slice(max(0, len(found) - query.limit), None)
        return Page(thread.version, found[cut], more=len(found) > query.limit)

    async def count(self, scope: Scope) -> dict[Role, int]:
        thread = self._database.threads.get(scope)
        return dict(Counter(stored.message.role for stored in thread.messages.values())) if thread else {}

    async def archive(self, scope: Scope, first: int, last: int, archived: bool) -> int:
        thread = self._database.threads.get(scope)
        stored = list(thread.messages.values())[first - 1 : last] if thread else []
        changed = [each for each in stored if each.record.archived != archived]
        for message, record in changed:
            self._database.threads[scope].messages[message.id] = StoredMessage(
                message, record._replace(archived=archived)
            )
        if thread and changed:
            thread.revision += 1
            self._database.touch(scope)
        return len(changed)

    def _outcome(self, request: Append) -> Appended | RecuerdoError:
        try:
            return _append(self._database, request)
        except RecuerdoError as error:
            return error


def append_unseen(database: LocalDatabase, request: Append, epochs: Iterable[int]) -> int:
    """Append those of the messages whose ids the thread does not have yet; returns the epoch that has them.

    Raises EpochChanged unless the thread is in each of the `epochs`.
    """
    thread = database.threads.get(request.scope)
    epoch = thread.version.epoch if thread else NOWHERE.epoch
    check_epochs(epochs, epoch)
    unseen = [message for message in request.messages if thread is None or message.id not in thread.messages]
    if unseen:
        return _append(database, request._replace(messages=unseen)).version.epoch
    return epoch


def _append(database: LocalDatabase, request: Append) -> Appended:
    thread = database.threads.get(request.scope)
    head = thread.version if thread else NOWHERE
    key = request.idempotency_key
    prior = thread.appends.get(key or "") if thread else None
    is_spent = key is not None and spent_digest(request.scope, key) in database.spent_keys
    receipt = admit(request, head, prior, is_spent=is_spent)
    if receipt is not None:
        return receipt
    _check_ids(request, thread)
    database.touch(request.scope)
    return _insert(request, thread or database.create(request.scope, request.appended_at))


def _check_ids(request: Append, thread: StoredThread | None) -> None:
    new: set[str] = set()
    for message in request.messages:
        if message.id in new or (thread and message.id in thread.messages):
            raise DuplicateMessage(message.id)
        new.add(message.id)


def _insert(request: Append, thread: StoredThread) -> Appended:
    first_seq = thread.version.seq + 1
    for seq, message in enumerate(request.messages, first_seq):
        thread.messages[message.id] = StoredMessage(message, Record(seq, archived=False, body=message.body))
    thread.updated_at = request.appended_at
    thread.title = thread.title or request.title
    ids = [message.id for message in request.messages]
    if request.idempotency_key is not None:
        thread.appends[request.idempotency_key] = PriorAppend(request.fingerprint, first_seq, ids)
    return Appended(thread.version, first_seq, ids, revision=thread.revision)


def _shown(thread: StoredThread) -> Iterator[Record]:
    """What a window can be made of, newest first."""
    for message, record in reversed(thread.messages.values()):
        if message.role != "system" and not record.archived:
            yield record


def _system(thread: StoredThread) -> Record | None:
    stored = reversed(thread.messages.values())
    return next((record for message, record in stored if message.role == "system" and not record.archived), None)


def _matches(query: MessageQuery, stored: StoredMessage) -> bool:
    message, record = stored
    return (
        (query.before is None or record.seq < query.before)
        and (query.after is None or record.seq > query.after)
        and (not query.roles or message.role in query.roles)
        and (query.since is None or message.created_at >= query.since)
        and (query.until is None or message.created_at < query.until)
        and (query.archived is None or record.archived == query.archived)
    )
