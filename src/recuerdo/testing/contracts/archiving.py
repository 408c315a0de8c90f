"""Archiving and counting."""

import pytest

from recuerdo.core.messages import ROLES
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import MessageQuery
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts.tenants import AsNewTenant
from recuerdo.testing.requests import commit, everything, fill, request, said, say, seqs


class ArchiveContract(AsNewTenant):
    """What `archive` and `count` must hold."""

    @pytest.mark.parametrize(
        ("first", "last", "archived"),
        [
            (1, 1, [1]),
            (5, 5, [5]),
            (2, 4, [2, 3, 4]),
            (1, 5, [1, 2, 3, 4, 5]),
            (4, 9, [4, 5]),
            (1, 2**53, [1, 2, 3, 4, 5]),
            (6, 9, []),
            (6, 2**53, []),
        ],
    )
    async def test_archive_ranges(
        self, history: HistoryRepository, scope: Scope, first: int, last: int, archived: list[int]
    ) -> None:
        """Exactly the messages first..last are archived, as far as there are any, and the answer is their number."""
        await fill(history, scope, 5)
        assert await history.archive(scope, first, last, True) == len(archived)
        assert [record.seq for record in await everything(history, scope) if record.archived] == archived

    async def test_archive_what_changes_counts(self, history: HistoryRepository, scope: Scope) -> None:
        """Messages that are archived already do not count as changed."""
        await fill(history, scope, 5)
        assert await history.archive(scope, 2, 3, True) == 2
        assert await history.archive(scope, 1, 4, True) == 2
        assert await history.archive(scope, 1, 4, True) == 0

    async def test_archive_back_again(self, history: HistoryRepository, scope: Scope) -> None:
        """What was archived can be taken back, and is as it was."""
        await fill(history, scope, 5)
        before = await everything(history, scope)
        await history.archive(scope, 1, 5, True)
        assert await history.archive(scope, 2, 3, False) == 2
        assert seqs((await history.page(scope, MessageQuery())).records) == [2, 3]
        assert await history.archive(scope, 1, 9, False) == 3
        assert await everything(history, scope) == before

    async def test_archive_living_messages_stay(self, history: HistoryRepository, scope: Scope) -> None:
        """Taking back what was never archived changes nothing."""
        await fill(history, scope, 5)
        assert await history.archive(scope, 1, 5, False) == 0

    async def test_archive_nothing_else_changes(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Archiving leaves the thread's version, the bodies and the seqs alone."""
        version = (await fill(history, scope, 5)).version
        bodies = [record.body for record in await everything(history, scope)]
        await history.archive(scope, 1, 5, True)
        records = await everything(history, scope)
        thread = await threads.get(scope)
        assert thread is not None
        assert thread.version == version
        assert ([record.body for record in records], seqs(records)) == (bodies, [1, 2, 3, 4, 5])

    async def test_archive_later_messages_live(self, history: HistoryRepository, scope: Scope) -> None:
        """A message that comes after the archiving lives, whatever the range was; seqs go on behind the archived."""
        await fill(history, scope, 3)
        await history.archive(scope, 1, 100, True)
        assert (await say(history, scope, "new")).first_seq == 4
        assert seqs((await history.page(scope, MessageQuery())).records) == [4]

    async def test_archive_another_thread(self, history: HistoryRepository, scope: Scope) -> None:
        """Archiving in one thread leaves the user's other threads alone."""
        for thread in ("t-1", "t-2"):
            await fill(history, scope.owner.thread(thread), 3)
        await history.archive(scope.owner.thread("t-1"), 1, 3, True)
        page = await history.page(scope.owner.thread("t-2"), MessageQuery())
        assert seqs(page.records) == [1, 2, 3]

    async def test_archive_absent_and_deleted(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """In an absent or a deleted thread there is nothing to archive, and nothing is made."""
        assert await history.archive(scope, 1, 5, True) == 0
        assert await threads.get(scope) is None
        await fill(history, scope, 3)
        await threads.delete(scope, NOON)
        assert await history.archive(scope, 1, 5, True) == 0

    async def test_archive_a_new_epoch_starts_alive(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """After a clear, no message inherits an archived mark from the seq that it took."""
        await fill(history, scope, 3)
        await history.archive(scope, 1, 3, True)
        await threads.clear(scope, NOON)
        await fill(history, scope, 3)
        assert seqs((await history.page(scope, MessageQuery())).records) == [1, 2, 3]

    async def test_archive_counts(self, history: HistoryRepository, scope: Scope) -> None:
        """`count` tells how many messages each role has; a role without any is left out."""
        await commit(history, request(scope, said("s", "system"), said(), said(), said(), said("t", "tool")))
        assert await history.count(scope) == {"system": 1, "user": 3, "tool": 1}

    async def test_archive_counts_of_archived(self, history: HistoryRepository, scope: Scope) -> None:
        """Archived messages count too."""
        await commit(history, request(scope, *(said("x", role) for role in ROLES)))
        await history.archive(scope, 1, 3, True)
        assert await history.count(scope) == dict.fromkeys(ROLES, 1)

    async def test_archive_counts_of_nothing(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """An absent, a cleared and a deleted thread have nothing to count."""
        assert await history.count(scope) == {}
        await fill(history, scope, 3)
        await threads.clear(scope, NOON)
        assert await history.count(scope) == {}
        await fill(history, scope, 3)
        await threads.delete(scope, NOON)
        assert await history.count(scope) == {}
