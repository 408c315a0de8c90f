"""What operators need: who has threads, and deleting a thread only as long as nobody uses it."""

from datetime import timedelta

import pytest

from recuerdo.core.identifiers import new_id
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import ABSENT
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts.tenants import AsNewTenant
from recuerdo.testing.requests import everything, say

MANY = 10_000


class OwnerContract(AsNewTenant):
    """What `owners`, and `delete` with a head, must hold. Other tests may add tenants at the same time."""

    async def test_owners_of_a_tenant(
        self, history: HistoryRepository, threads: ThreadRepository, owner: Owner
    ) -> None:
        """Each user with threads comes once, however many there are, in the order of code points."""
        users = ["b", "a", "B", "é", "😀", "\uffee", "aa", "a b", "0"]
        for user in users:
            for thread in ("t-1", "t-2"):
                await say(history, Scope(owner.tenant, user, thread), "x")
        assert await threads.owners(owner.tenant, MANY) == [Owner(owner.tenant, user) for user in sorted(users)]

    async def test_owners_in_pages(self, history: HistoryRepository, threads: ThreadRepository, owner: Owner) -> None:
        """Page by page every owner comes exactly once, and behind the last one there is none."""
        users = [f"u-{number}" for number in range(5)]
        for user in users:
            await say(history, Scope(owner.tenant, user, "t-1"), "x")
        found: list[Owner] = []
        while page := await threads.owners(owner.tenant, 2, found[-1] if found else None):
            assert len(page) <= 2
            found += page
        assert [each.user for each in found] == users

    async def test_owners_of_all_tenants(
        self, history: HistoryRepository, threads: ThreadRepository, owner: Owner
    ) -> None:
        """Without a tenant the owners of all come, each tenant's together, and `after` leads from one to the next."""
        tenants = sorted(f"tenant-{new_id()}" for _ in range(3))
        for tenant in tenants:
            for user in ("a", "b"):
                await say(history, Scope(tenant, user, "t-1"), "x")
        expected = [Owner(tenant, user) for tenant in tenants for user in ("a", "b")]
        found: list[Owner] = []
        while page := await threads.owners(None, 3, found[-1] if found else None):
            found += page
        assert [each for each in found if each.tenant in tenants] == expected

    async def test_owners_whose_names_meet(
        self, history: HistoryRepository, threads: ThreadRepository, owner: Owner
    ) -> None:
        """A tenant whose name begins with another's is another tenant."""
        longer = Owner(f"{owner.tenant}0", "x")
        await say(history, owner.thread("t-1"), "x")
        await say(history, longer.thread("t-1"), "x")
        assert await threads.owners(owner.tenant, MANY) == [owner]
        assert await threads.owners(longer.tenant, MANY) == [longer]
        assert await threads.owners(owner.tenant, MANY, after=owner) == []

    async def test_owners_without_living_threads(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Whose last thread was deleted owns nothing; whose thread was only cleared still does."""
        assert await threads.owners(scope.tenant, MANY) == []
        await say(history, scope, "x")
        await threads.clear(scope, NOON)
        assert await threads.owners(scope.tenant, MANY) == [scope.owner]
        await threads.delete(scope, NOON)
        assert await threads.owners(scope.tenant, MANY) == []

    async def test_delete_at_its_head(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A thread that is still at the head is deleted; a second time there is nothing to delete."""
        await say(history, scope, "a", "b")
        await history.archive(scope, 1, 1, True)
        head = await history.head(scope)
        assert await threads.delete(scope, NOON, head)
        assert await threads.get(scope) is None
        assert not await threads.delete(scope, NOON, head)
        assert not await threads.delete(scope, NOON, ABSENT)

    @pytest.mark.parametrize("change", ["append", "archive", "take back", "clear", "delete and revive"])
    async def test_delete_behind_its_head(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope, change: str
    ) -> None:
        """A thread that was changed since the head was read is left alone, whatever the change was."""
        await say(history, scope, "a", "b")
        await history.archive(scope, 1, 1, True)
        head = await history.head(scope)
        match change:
            case "append":
                await say(history, scope, "c")
            case "archive":
                await history.archive(scope, 2, 2, True)
            case "take back":
                await history.archive(scope, 1, 1, False)
            case "clear":
                await threads.clear(scope, NOON)
            case _:
                await threads.delete(scope, NOON)
                await say(history, scope, "a", "b")
        changed, kept = await history.head(scope), await everything(history, scope)
        assert changed != head
        assert not await threads.delete(scope, NOON + timedelta(minutes=1), head)
        assert await history.head(scope) == changed
        assert await everything(history, scope) == kept
        thread = await threads.get(scope)
        assert thread is not None
        assert thread.updated_at == NOON
