"""Iterating over many owners and their threads, a page at a time, for operators only."""

from collections.abc import AsyncGenerator
from datetime import datetime
from typing import NamedTuple, Protocol

from recuerdo.core.ports import ThreadRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import Thread, ThreadCursor

PAGE = 200
"""Owners or threads that are in memory at a time."""

_LAST_ID = "\U0010ffff"


class OwnerFilter(NamedTuple):
    """Which threads: of this tenant, of this user, of this id; None means any."""

    tenant: str | None = None
    user: str | None = None
    thread: str | None = None

    def has(self, scope: Scope) -> bool:
        """Whether the filter includes the thread."""
        return all(
            wanted in (None, is_) for wanted, is_ in zip(self, (scope.tenant, scope.user, scope.thread), strict=True)
        )


class HasOwners(Protocol):
    """A repository that lists its owners, e.g. a ThreadRepository."""

    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]: ...


async def owners_of(threads: ThreadRepository, choice: OwnerFilter) -> AsyncGenerator[Owner]:
    """The owners that the filter includes."""
    if choice.tenant is not None and choice.user is not None:
        yield Owner(choice.tenant, choice.user)
        return
    async for owner in known_owners(threads, choice.tenant, choice.user):
        yield owner


async def known_owners(holdings: HasOwners, tenant: str | None, user: str | None) -> AsyncGenerator[Owner]:
    """The owners with data there, of this tenant and user; None means any."""
    page = await holdings.owners(tenant, PAGE)
    while page:
        for owner in page:
            if user in (None, owner.user):
                yield owner
        page = await holdings.owners(tenant, PAGE, page[-1])


async def threads_of(
    threads: ThreadRepository, choice: OwnerFilter, unused_since: datetime | None = None
) -> AsyncGenerator[tuple[Scope, Thread]]:
    """The chosen threads, owner by owner; with a time, those that were last changed before it.

    One that is used while its owner's are read may be left out: it has moved to the front of the list.
    """
    cursor = str(ThreadCursor(unused_since, _LAST_ID)) if unused_since else None
    async for owner in owners_of(threads, choice):
        async for thread in threads_of_owner(threads, owner, choice.thread, cursor):
            if unused_since is None or thread.updated_at < unused_since:
                yield owner.thread(thread.id), thread


async def threads_of_owner(
    threads: ThreadRepository, owner: Owner, wanted: str | None = None, cursor: str | None = None
) -> AsyncGenerator[Thread]:
    """The owner's threads from the cursor on, or the `wanted` one."""
    if wanted is not None:
        if (thread := await threads.get(owner.thread(wanted))) is not None:
            yield thread
        return
    page = await threads.select(owner, PAGE, cursor)
    for thread in page.threads:
        yield thread
    while page.cursor is not None:
        page = await threads.select(owner, PAGE, page.cursor)
        for thread in page.threads:
            yield thread
