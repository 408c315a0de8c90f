"""ThreadRepository over dicts."""

from datetime import datetime
from itertools import takewhile

from recuerdo.adapters.local.connection import LocalDatabase
from recuerdo.core.errors import InvalidInput, NotFound, ThreadExists
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import ABSENT, Changes, Head, Thread, ThreadCursor, ThreadPage, Version


class LocalThreads:
    """The threads themselves, in this process."""

    def __init__(self, database: LocalDatabase) -> None:
        self._database = database

    async def get(self, scope: Scope) -> Thread | None:
        thread = self._database.threads.get(scope)
        return thread.named(scope.thread) if thread else None

    async def select(self, owner: Owner, limit: int, cursor: str | None = None) -> ThreadPage:
        place = ThreadCursor.parse(cursor) if cursor is not None else None
        threads = [thread for thread in self._of(owner) if place is None or place.precedes(thread)]
        threads.sort(key=lambda thread: thread.id)
        threads.sort(key=lambda thread: thread.updated_at, reverse=True)
        return ThreadPage.cut(threads, limit)

    async def clear(self, scope: Scope, at: datetime) -> Version | None:
        old = self._database.threads.get(scope)
        if old is None:
            return None
        self._database.spend_keys(scope, at)
        new = self._database.create(scope, at)
        new.created_at = old.created_at
        return new.version

    async def delete(self, scope: Scope, at: datetime, only_at: Head | None = None) -> bool:
        thread = self._database.threads.get(scope)
        if thread is None or only_at not in (None, thread.head):
            return False
        self._database.spend_keys(scope, at)
        del self._database.threads[scope]
        self._database.touch(scope)
        return True

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
        copy.title = source.title
        copy.messages = dict(list(source.messages.items())[:at_seq])
        return copy.named(target)

    async def changed(self, since: str | None, limit: int) -> Changes:
        changes = self._database.changes
        latest = next(reversed(changes.values()), 0)
        seen = latest if since is None else int(since or 0)
        behind = list(takewhile(lambda change: change[1] > seen, reversed(changes.items())))[-limit:]
        heads = {scope: self._head(scope) for scope, _ in reversed(behind)}
        return Changes(heads, str(behind[0][1] if behind else seen))

    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        owners = {scope.owner for scope in self._database.threads if tenant in (None, scope.tenant)}
        return [owner for owner in sorted(owners, key=_place) if after is None or _place(owner) > _place(after)][:limit]

    def _head(self, scope: Scope) -> Head:
        thread = self._database.threads.get(scope)
        return thread.head if thread else ABSENT

    def _of(self, owner: Owner) -> list[Thread]:
        threads = self._database.threads.items()
        return [thread.named(scope.thread) for scope, thread in threads if scope.owner == owner]


def _place(owner: Owner) -> tuple[str, str]:
    return (owner.tenant, owner.user)
