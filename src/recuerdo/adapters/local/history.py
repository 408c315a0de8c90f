"""HistoryRepository over dicts."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile

from recuerdo.adapters.local.connection import LocalDatabase, StoredMessage, StoredThread, page_of_owners
from recuerdo.core.errors import DuplicateMessage, InvalidInput, NotFound, RecuerdoError, ThreadExists
from recuerdo.core.messages import Record, Role, rows_within
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.thread_metadata import ThreadMetadata
from recuerdo.core.threads import (
    ABSENT,
    MOST_READ_BYTES,
    NOWHERE,
    Append,
    Appended,
    ChangedThreads,
    Head,
    MessageQuery,
    Page,
    PriorAppend,
    Snapshot,
    Tail,
    Thread,
    ThreadCursor,
    ThreadPage,
    Version,
    admit,
    admit_replacement,
    check_epochs,
    number_in,
    spent_digest,
)

_BODY = 2
"""The place of the body in a record."""


class LocalHistory(HistoryRepository):
    """The messages of threads, in this process."""

    def __init__(self, database: LocalDatabase) -> None:
        self._database = database

    async def append(self, batch: Sequence[Append]) -> list[Appended | RecuerdoError]:
        return [self._outcome(request) for request in batch]

    async def replace(self, request: Append) -> Appended:
        head, prior, is_spent = _known(self._database, request)
        if (replay := admit_replacement(request, head, prior, is_spent=is_spent)) is not None:
            return replay
        _check_ids(request, None)
        if request.scope in self._database.threads:
            self._database.clear(request.scope, request.appended_at)
        return _append(self._database, request._replace(expected_epoch=None))

    async def head(self, scope: Scope) -> Head:
        return _head(self._database, scope)

    async def snapshot(self, scope: Scope, limit: int, *, most_bytes: int = MOST_READ_BYTES) -> Snapshot:
        thread = self._database.threads.get(scope)
        if thread is None:
            return Snapshot.empty()
        newest = (record for _, record in islice(reversed(thread.messages.values()), limit))
        records, _ = rows_within(newest, most_bytes, _BODY)
        return Snapshot(thread.head, _system(thread), records[::-1])

    async def tail(self, scope: Scope, limit: int, *, most_bytes: int = MOST_READ_BYTES) -> Tail:
        thread = self._database.threads.get(scope)
        if thread is None:
            return Tail.empty()
        newest_first = _shown(thread)
        records, is_full = rows_within(islice(newest_first, limit), most_bytes, _BODY)
        is_complete = next(newest_first, None) is None
        return Tail(thread.head, _system(thread), records[::-1], is_complete, is_full and not is_complete)

    async def page(self, scope: Scope, query: MessageQuery) -> Page:
        thread = self._database.threads.get(scope)
        if thread is None:
            return Page(NOWHERE, [], more=False)
        found = (stored.record for stored in _from_cursor(thread, query) if _matches(query, stored))
        behind = list(islice(found, query.skip, query.skip + query.limit + 1))
        records, _ = rows_within(behind[: query.limit], query.most_bytes, _BODY)
        forward = query.after is not None
        return Page(thread.version, records if forward else records[::-1], more=len(behind) > len(records))

    async def count(self, scope: Scope) -> dict[Role, int]:
        thread = self._database.threads.get(scope)
        return dict(thread.counts) if thread else {}

    async def archive(self, scope: Scope, first: int, last: int, archived: bool) -> int:
        thread = self._database.threads.get(scope)
        stored = list(islice(thread.messages.values(), first - 1, last)) if thread else []
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
    head, prior, is_spent = _known(database, request)
    receipt = admit(request, head, prior, is_spent=is_spent)
    if receipt is not None:
        return receipt
    thread = database.threads.get(request.scope)
    _check_ids(request, thread)
    database.touch(request.scope)
    return _insert(request, thread or database.create(request.scope, request.appended_at))


def _head(database: LocalDatabase, scope: Scope) -> Head:
    thread = database.threads.get(scope)
    return thread.head if thread else ABSENT


def _known(database: LocalDatabase, request: Append) -> tuple[Version, PriorAppend | None, bool]:
    """The thread's version, what is stored under the request's key, and whether an ended epoch used the key."""
    thread = database.threads.get(request.scope)
    key = request.idempotency_key
    prior = thread.appends.get(key or "") if thread else None
    is_spent = key is not None and spent_digest(request.scope, key) in database.spent_keys
    return thread.version if thread else NOWHERE, prior, is_spent


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
        thread.counts[message.role] += 1
    thread.updated_at = request.appended_at
    thread.title = thread.title or request.title
    ids = [message.id for message in request.messages]
    if request.idempotency_key is not None:
        thread.appends[request.idempotency_key] = PriorAppend(request.fingerprint, first_seq, ids)
    return Appended(thread.version, first_seq, ids, revision=thread.revision)


def _shown(thread: StoredThread) -> Iterator[Record]:
    """The messages that a window can be made of, newest first."""
    for message, record in reversed(thread.messages.values()):
        if message.role != "system" and not record.archived:
            yield record


def _system(thread: StoredThread) -> Record | None:
    stored = reversed(thread.messages.values())
    return next((record for message, record in stored if message.role == "system" and not record.archived), None)


def _from_cursor(thread: StoredThread, query: MessageQuery) -> Iterator[StoredMessage]:
    """The messages after `after` in their order, else those before `before`, the newest first."""
    stored, count = thread.messages.values(), len(thread.messages)
    end = count if query.before is None else min(max(query.before - 1, 0), count)
    if query.after is None:
        return islice(reversed(stored), count - end, None)
    return islice(stored, min(max(query.after, 0), count), end)


def _matches(query: MessageQuery, stored: StoredMessage) -> bool:
    message, record = stored
    return (
        (query.before is None or record.seq < query.before)
        and (query.after is None or record.seq > query.after)
        and (not query.roles or message.role in query.roles)
        and (not query.ids or message.id in query.ids)
        and (query.since is None or message.created_at >= query.since)
        and (query.until is None or message.created_at < query.until)
        and (query.archived is None or record.archived == query.archived)
    )


class LocalThreads(ThreadRepository):
    """The threads themselves, in this process."""

    def __init__(self, database: LocalDatabase) -> None:
        self._database = database

    async def get(self, scope: Scope) -> Thread | None:
        thread = self._database.threads.get(scope)
        return thread.named(scope.thread) if thread else None

    async def select(
        self, owner: Owner, limit: int, cursor: str | None = None, *, skip: int = 0, fields: Collection[bytes] = ()
    ) -> ThreadPage:
        place = ThreadCursor.parse(cursor) if cursor is not None else None
        threads = [thread for thread in self._of(owner, fields) if place is None or place.precedes(thread)]
        threads.sort(key=lambda thread: thread.id)
        threads.sort(key=lambda thread: thread.updated_at, reverse=True)
        return ThreadPage.cut(threads[skip:], limit)

    async def clear(self, scope: Scope, at: datetime, expected_epoch: int | None = None) -> Version | None:
        thread = self._database.threads.get(scope)
        if thread is None:
            return None
        check_epochs([expected_epoch], thread.head.version.epoch)
        return self._database.clear(scope, at).version

    async def delete(
        self, scope: Scope, at: datetime, only_at: Head | None = None, expected_epoch: int | None = None
    ) -> bool:
        thread = self._database.threads.get(scope)
        if thread is None or only_at not in (None, thread.head):
            return False
        check_epochs([expected_epoch], thread.head.version.epoch)
        if only_at is None:
            self._database.emptied[scope] = datetime.now(UTC)
        self._database.spend_keys(scope, at)
        del self._database.threads[scope]
        self._database.touch(scope)
        return True

    async def since_emptied(self, scopes: Collection[Scope]) -> dict[Scope, timedelta]:
        times, now = self._database.emptied, datetime.now(UTC)
        return {scope: now - times[scope] for scope in scopes if scope in times}

    async def forget_keys(self, before: datetime) -> int:
        spent = self._database.spent_keys
        old = [digest for digest, at in spent.items() if at < before]
        for digest in old:
            del spent[digest]
        return len(old)

    async def fork(self, scope: Scope, at_seq: int, target: str, at: datetime) -> Thread:
        source = self._database.threads.get(scope)
        target_scope = scope.owner.thread(target)
        if source is None:
            raise NotFound("thread", scope.thread)
        if target_scope in self._database.threads:
            raise ThreadExists(target)
        if at_seq > len(source.messages):
            raise InvalidInput("at_seq", f"the thread has {len(source.messages)} messages; choose one of them")
        copy = self._database.create(target_scope, at)
        copy.title, copy.metadata = source.title, source.metadata
        copy.messages = dict(list(source.messages.items())[:at_seq])
        copy.counts = Counter(stored.message.role for stored in copy.messages.values())
        return copy.named(target)

    async def rename(self, scope: Scope, title: str) -> bool:
        thread = self._database.threads.get(scope)
        if thread is not None:
            thread.title = title
        return thread is not None

    async def set_metadata(
        self, scope: Scope, metadata: ThreadMetadata, instead_of: ThreadMetadata | None, at: datetime
    ) -> bool:
        thread = self._database.threads.get(scope)
        if instead_of != (thread.metadata if thread else None):
            return False
        (thread or self._database.create(scope, at)).metadata = metadata
        return True

    async def changed(self, since: str | None, limit: int) -> ChangedThreads:
        changes = self._database.changes
        latest = next(reversed(changes.values()), 0)
        seen = latest if since is None else number_in(since)
        behind = list(takewhile(lambda change: change[1] > seen, reversed(changes.items())))[-limit:]
        heads = {scope: _head(self._database, scope) for scope, _ in reversed(behind)}
        return ChangedThreads(heads, str(behind[0][1] if behind else seen))

    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        owners = {scope.owner for scope in self._database.threads if tenant in (None, scope.tenant)}
        return page_of_owners(owners, limit, after)

    def _of(self, owner: Owner, fields: Collection[bytes]) -> list[Thread]:
        threads = self._database.threads.items()
        return [
            thread.named(scope.thread)
            for scope, thread in threads
            if scope.owner == owner and thread.metadata.fields.issuperset(fields)
        ]
