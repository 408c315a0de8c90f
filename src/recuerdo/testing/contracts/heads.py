"""Heads and snapshots, which caches are made of."""

import pytest

from recuerdo.core.messages import ROLES
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import ABSENT, Head, Snapshot
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts.tenants import AsNewTenant
from recuerdo.testing.requests import ALL, commit, everything, fill, request, said, say, seqs, texts


class HeadContract(AsNewTenant):
    """What `head` and `snapshot` must hold."""

    async def test_head_of_nothing(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """An absent and a deleted thread are NOWHERE, with nothing in a snapshot."""
        assert await history.head(scope) == ABSENT
        assert await history.snapshot(scope, 5) == Snapshot.empty()
        await commit(history, request(scope, said("s", "system"), said()))
        await history.archive(scope, 2, 2, True)
        await threads.delete(scope, NOON)
        assert await history.head(scope) == ABSENT
        assert await history.snapshot(scope, 5) == Snapshot.empty()

    async def test_head_of_a_cleared_thread(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A cleared thread's head has the new epoch, and its snapshot has nothing."""
        await commit(history, request(scope, said("s", "system"), said()))
        version = await threads.clear(scope, NOON)
        head = await history.head(scope)
        assert head.version == version
        assert await history.snapshot(scope, 5) == Snapshot(head, None, [])

    async def test_head_changes_with_every_write(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Whatever changes an answer changes the head, and no head ever comes back."""
        heads = [await history.head(scope)]
        for _ in range(2):
            await say(history, scope, "a", "b")
            heads.append(await history.head(scope))
            for archived in (True, False):
                await history.archive(scope, 1, 2, archived)
                heads.append(await history.head(scope))
            await threads.clear(scope, NOON)
            heads.append(await history.head(scope))
            await threads.delete(scope, NOON)
        assert len(set(heads)) == len(heads)

    async def test_head_stays_with_reads(self, history: HistoryRepository, scope: Scope) -> None:
        """Reads, replays, refused appends and an archiving without effect leave the head alone."""
        await commit(history, request(scope, said("a", id="m-1"), key="k"))
        head = await history.head(scope)
        await everything(history, scope)
        await history.append([request(scope, said("a"), key="k"), request(scope, said(id="m-1"))])
        await history.archive(scope, 1, 1, False)
        await history.archive(scope, 2, 9, True)
        assert await history.head(scope) == head

    async def test_head_counts_archiving(self, history: HistoryRepository, scope: Scope) -> None:
        """The revision grows when messages are archived or taken back, and appending leaves it alone."""
        version = (await fill(history, scope, 3)).version
        first = await history.head(scope)
        await history.archive(scope, 1, 2, True)
        second = await history.head(scope)
        await history.archive(scope, 1, 1, False)
        third = await history.head(scope)
        await say(history, scope, "4")
        assert first.revision < second.revision < third.revision
        assert {head.version for head in (first, second, third)} == {version}
        assert await history.head(scope) == Head(version._replace(seq=4), third.revision)

    async def test_head_of_one_thread(self, history: HistoryRepository, scope: Scope) -> None:
        """Archiving in one thread leaves the heads of the user's other threads alone."""
        other = scope.owner.thread("other")
        for each in (scope, other):
            await fill(history, each, 3)
        head = await history.head(other)
        await history.archive(scope, 1, 3, True)
        assert await history.head(other) == head

    @pytest.mark.parametrize(
        ("limit", "expected"), [(1, [5]), (4, [2, 3, 4, 5]), (5, [1, 2, 3, 4, 5]), (ALL, range(1, 6))]
    )
    async def test_snapshot_of_the_newest(
        self, history: HistoryRepository, scope: Scope, limit: int, expected: list[int]
    ) -> None:
        """A snapshot has the newest `limit` messages, oldest first, with the head that they belong to."""
        await fill(history, scope, 5)
        snapshot = await history.snapshot(scope, limit)
        assert (snapshot.head, seqs(snapshot.records)) == (await history.head(scope), list(expected))

    async def test_snapshot_has_all_kinds(self, history: HistoryRepository, scope: Scope) -> None:
        """A snapshot has system messages and archived messages too, each marked as what it is."""
        await commit(history, request(scope, *(said(role, role) for role in ROLES)))
        await history.archive(scope, 2, 3, True)
        snapshot = await history.snapshot(scope, 10)
        assert snapshot.records == await everything(history, scope)
        assert [record.archived for record in snapshot.records] == [False, True, True, False]
        assert [record.role for record in snapshot.records] == list(ROLES)

    async def test_snapshot_of_the_system_message(self, history: HistoryRepository, scope: Scope) -> None:
        """`system` is the newest living system message, however far back it is."""
        await commit(history, request(scope, said("one", "system"), said("two", "system"), *(said() for _ in range(9))))
        system = (await history.snapshot(scope, 3)).system
        assert system is not None
        assert texts([system]) == ["two"]
        await history.archive(scope, 2, 2, True)
        system = (await history.snapshot(scope, 3)).system
        assert system is not None
        assert texts([system]) == ["one"]
