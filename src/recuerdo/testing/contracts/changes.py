"""What was changed lately, which sweepers of caches ask."""

from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import ABSENT, BEGINNING, Head
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts.tenants import AsNewTenant
from recuerdo.testing.requests import request, said, say

MANY = 10_000


class ChangeContract(AsNewTenant):
    """What `changed` must hold. Other tests may change threads of other tenants at the same time."""

    async def test_changes_of_each_kind(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """An append, an archiving and its undoing, a clear, a delete and a revival are changes, each with its head."""
        mark = (await threads.changed(None, 1)).mark

        async def changed_to_its_head() -> None:
            nonlocal mark
            changes = await threads.changed(mark, MANY)
            assert changes.heads[scope] == await history.head(scope)
            mark = changes.mark

        await say(history, scope, "a", "b")
        await changed_to_its_head()
        await say(history, scope, "c")
        await changed_to_its_head()
        for archived in (True, False):
            await history.archive(scope, 1, 2, archived)
            await changed_to_its_head()
        await threads.clear(scope, NOON)
        await changed_to_its_head()
        await threads.delete(scope, NOON)
        await changed_to_its_head()
        await say(history, scope, "d")
        await changed_to_its_head()

    async def test_changes_of_a_fork(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """A fork changes its target and not its source."""
        version = (await say(history, scope, "a", "b")).version
        mark = (await threads.changed(None, 1)).mark
        fork = await threads.fork(scope, 1, "fork", NOON)
        changes = await threads.changed(mark, MANY)
        assert changes.heads[scope.owner.thread("fork")].version == fork.version
        assert scope not in changes.heads or changes.heads[scope].version == version

    async def test_changes_from_now_on(
        self, history: HistoryRepository, threads: ThreadRepository, owner: Owner
    ) -> None:
        """A mark of now hides what was before it, and nothing that comes behind it."""
        await say(history, owner.thread("before"), "x")
        changes = await threads.changed(None, MANY)
        assert changes.heads == {}
        await say(history, owner.thread("behind"), "x")
        found = (await threads.changed(changes.mark, MANY)).heads
        assert owner.thread("behind") in found

    async def test_changes_in_pages(self, history: HistoryRepository, threads: ThreadRepository, owner: Owner) -> None:
        """Page by page, from the beginning, every thread comes; and the mark stays where nothing is behind it."""
        scopes = [owner.thread(f"t-{number}") for number in range(7)]
        for scope in [*scopes, scopes[0]]:
            await say(history, scope, "x")
        found: dict[Scope, Head] = {}
        mark = BEGINNING
        for _ in range(MANY):
            changes = await threads.changed(mark, 3)
            found |= changes.heads
            if changes.mark == mark:
                break
            mark = changes.mark
        assert {scope: found[scope] for scope in scopes} == {scope: await history.head(scope) for scope in scopes}

    async def test_changes_leave_out_what_changed_nothing(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Reads, replays, refused appends and archivings without effect need not come; the head would be the same."""
        await history.append([request(scope, said("a"), key="k")])
        head = await history.head(scope)
        mark = (await threads.changed(None, 1)).mark
        await history.append([request(scope, said("a"), key="k"), request(scope, said(), expected_epoch=99)])
        await history.archive(scope, 2, 9, True)
        assert (await threads.changed(mark, MANY)).heads.get(scope, head) == head

    async def test_changes_name_deleted_threads(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A deleted thread comes as NOWHERE, so that whoever kept it forgets it."""
        await say(history, scope, "x")
        mark = (await threads.changed(None, 1)).mark
        await threads.delete(scope, NOON)
        assert (await threads.changed(mark, MANY)).heads[scope] == ABSENT
