"""Tails: the newest part of a thread, which windows are made of."""

import pytest

from recuerdo.core.messages import ROLES
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Tail
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts.tenants import AsNewTenant
from recuerdo.testing.requests import commit, fill, request, said, say, seqs, texts


class TailContract(AsNewTenant):
    """What `tail` must hold."""

    @pytest.mark.parametrize(
        ("limit", "expected", "complete"),
        [
            (1, [5], False),
            (4, [2, 3, 4, 5], False),
            (5, [1, 2, 3, 4, 5], True),
            (6, [1, 2, 3, 4, 5], True),
            (2**53, [1, 2, 3, 4, 5], True),
        ],
    )
    async def test_tail_the_newest(
        self, history: HistoryRepository, scope: Scope, limit: int, expected: list[int], complete: bool
    ) -> None:
        """Of five messages, the newest `limit` come oldest first; `complete` when nothing is older."""
        version = (await fill(history, scope, 5)).version
        tail = await history.tail(scope, limit)
        assert (tail.head.version, seqs(tail.records), tail.complete) == (version, expected, complete)
        assert texts(tail.records) == [str(seq) for seq in expected]

    async def test_tail_archived_messages_are_no_part(self, history: HistoryRepository, scope: Scope) -> None:
        """Archived messages count neither for the limit nor for `complete`."""
        await fill(history, scope, 6)
        await history.archive(scope, 1, 2, True)
        await history.archive(scope, 5, 5, True)
        tail = await history.tail(scope, 3)
        assert (seqs(tail.records), tail.complete) == ([3, 4, 6], True)
        assert not (await history.tail(scope, 2)).complete

    async def test_tail_system_messages_are_no_part(self, history: HistoryRepository, scope: Scope) -> None:
        """System messages count neither for the limit nor for `complete`; every other role is there."""
        await commit(history, request(scope, *(said(role, role) for role in ROLES), said("s2", "system")))
        tail = await history.tail(scope, 3)
        assert texts(tail.records) == ["user", "assistant", "tool"]
        assert tail.complete

    async def test_tail_the_newest_system_message(self, history: HistoryRepository, scope: Scope) -> None:
        """`system` is the newest system message, however far back it is."""
        systems = [said("first", "system"), said("second", "system")]
        await commit(history, request(scope, *systems, *(said() for _ in range(50))))
        tail = await history.tail(scope, 1)
        assert tail.system == (2, False, systems[1].body)

    async def test_tail_an_archived_system_message(self, history: HistoryRepository, scope: Scope) -> None:
        """An archived system message does not hold: the newest living one does, or none."""
        await commit(history, request(scope, said("first", "system"), said("second", "system"), said()))
        await history.archive(scope, 2, 2, True)
        system = (await history.tail(scope, 1)).system
        assert system is not None
        assert texts([system]) == ["first"]
        await history.archive(scope, 1, 1, True)
        assert (await history.tail(scope, 1)).system is None

    async def test_tail_no_system_message(self, history: HistoryRepository, scope: Scope) -> None:
        """Without a system message `system` is None."""
        await say(history, scope, "a", "b")
        assert (await history.tail(scope, 1)).system is None

    async def test_tail_only_system_messages(self, history: HistoryRepository, scope: Scope) -> None:
        """A thread of system messages only has a complete tail without records."""
        await commit(history, request(scope, said("s", "system")))
        tail = await history.tail(scope, 5)
        assert (tail.records, tail.complete) == ([], True)
        assert tail.system is not None

    async def test_tail_absent_and_deleted(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """The tail of an absent or a deleted thread is empty, complete and NOWHERE."""
        assert await history.tail(scope, 5) == Tail.empty()
        await commit(history, request(scope, said("s", "system"), said()))
        await threads.delete(scope, NOON)
        assert await history.tail(scope, 5) == Tail.empty()

    async def test_tail_cleared(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """The tail of a cleared thread is empty and complete, without a system message, in the new epoch."""
        await commit(history, request(scope, said("s", "system"), said()))
        version = await threads.clear(scope, NOON)
        head = await history.head(scope)
        assert head.version == version
        assert await history.tail(scope, 5) == Tail(head, None, [], complete=True)
