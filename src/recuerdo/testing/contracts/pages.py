"""Reading: pages, tails, heads and snapshots, and what archiving does to them."""

from collections.abc import Sequence
from datetime import timedelta, timezone
from typing import Any

import pytest

from recuerdo.core.messages import ROLES, Role
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import ABSENT, NOWHERE, Head, MessageQuery, Page, Snapshot, Tail
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts import AsNewTenant
from recuerdo.testing.samples import ALL, commit, everything, fill, request, said, say, seqs, texts

MINUTE = timedelta(minutes=1)
MICROSECOND = timedelta(microseconds=1)
TEN = range(1, 11)
LARGE = "x" * 50_000
CURSORS: list[tuple[dict[str, Any], Sequence[int], bool]] = [
    ({"limit": 3}, [8, 9, 10], True),
    ({"limit": 9}, TEN[1:], True),
    ({"limit": 10}, TEN, False),
    ({"limit": 11}, TEN, False),
    ({"limit": ALL}, TEN, False),
    ({"before": 0}, [], False),
    ({"before": 1}, [], False),
    ({"before": 2}, [1], False),
    ({"before": 10}, TEN[:-1], False),
    ({"before": 11}, TEN, False),
    ({"before": ALL}, TEN, False),
    ({"before": 6, "limit": 2}, [4, 5], True),
    ({"before": 6, "limit": 5}, TEN[:5], False),
    ({"after": 0}, TEN, False),
    ({"after": 0, "limit": 3}, [1, 2, 3], True),
    ({"after": 1}, TEN[1:], False),
    ({"after": 9}, [10], False),
    ({"after": 10}, [], False),
    ({"after": ALL}, [], False),
    ({"after": 4, "limit": 2}, [5, 6], True),
    ({"after": 5, "limit": 5}, TEN[5:], False),
    ({"after": 2, "before": 6}, [3, 4, 5], False),
    ({"after": 2, "before": 6, "limit": 2}, [3, 4], True),
    ({"after": 2, "before": 6, "limit": 3}, [3, 4, 5], False),
    ({"after": 5, "before": 6}, [], False),
    ({"after": 8, "before": 3}, [], False),
]
SKIPS: list[tuple[dict[str, Any], list[int], bool]] = [
    ({"limit": 3, "skip": 2}, [3, 7, 8], True),
    ({"limit": 3, "skip": 5}, [1, 2], False),
    ({"limit": 3, "skip": 7}, [], False),
    ({"limit": 3, "skip": 2, "after": 0}, [3, 7, 8], True),
    ({"limit": 3, "skip": 5, "after": 0}, [9, 10], False),
    ({"limit": 3, "skip": 1, "after": 1, "before": 8}, [3, 7], False),
    ({"limit": 2, "skip": 1, "archived": None}, [8, 9], True),
    ({"limit": 9, "skip": 1, "archived": True}, [4, 5], False),
    ({"limit": 9, "skip": 3, "since": NOON}, [1, 2, 3, 7], False),
]
SELECTED_ROLES: list[tuple[tuple[Role, ...], list[int]]] = [
    ((), [1, 2, 3, 4, 5, 6, 7, 8]),
    (("system",), [1, 5]),
    (("user",), [2, 6]),
    (("tool",), [4, 8]),
    (("user", "assistant"), [2, 3, 6, 7]),
    (ROLES, [1, 2, 3, 4, 5, 6, 7, 8]),
]
TIMES: list[tuple[dict[str, Any], list[int]]] = [
    ({"since": NOON + 3 * MINUTE}, [3, 4, 5]),
    ({"since": NOON + 3 * MINUTE + MICROSECOND}, [4, 5]),
    ({"since": NOON + 3 * MINUTE - MICROSECOND}, [3, 4, 5]),
    ({"until": NOON + 3 * MINUTE}, [1, 2]),
    ({"until": NOON + 3 * MINUTE + MICROSECOND}, [1, 2, 3]),
    ({"since": NOON + 2 * MINUTE, "until": NOON + 4 * MINUTE}, [2, 3]),
    ({"since": NOON + 4 * MINUTE, "until": NOON + 2 * MINUTE}, []),
    ({"since": (NOON + 4 * MINUTE).astimezone(timezone(timedelta(hours=-3)))}, [4, 5]),
    ({"until": (NOON + 2 * MINUTE).astimezone(timezone(timedelta(hours=5, minutes=45)))}, [1]),
]
FILTERS: list[tuple[dict[str, Any], list[int], bool]] = [
    ({"limit": 2}, [7, 9], True),
    ({"limit": 2, "before": 7}, [1, 5], False),
    ({"limit": 2, "after": 1}, [5, 7], True),
    ({"limit": 3, "after": 1}, [5, 7, 9], False),
    ({"limit": 1, "archived": True}, [3], False),
    ({"limit": 2, "since": NOON + 5 * MINUTE}, [7, 9], True),
    ({"limit": 2, "since": NOON + 7 * MINUTE}, [7, 9], False),
]
ARCHIVED: list[tuple[int, int, list[int]]] = [
    (1, 1, [1]),
    (5, 5, [5]),
    (2, 4, [2, 3, 4]),
    (1, 5, [1, 2, 3, 4, 5]),
    (4, 9, [4, 5]),
    (1, 2**53, [1, 2, 3, 4, 5]),
    (6, 9, []),
    (6, 2**53, []),
]
TAILS: list[tuple[int, list[int], bool]] = [
    (1, [5], False),
    (4, [2, 3, 4, 5], False),
    (5, [1, 2, 3, 4, 5], True),
    (6, [1, 2, 3, 4, 5], True),
    (2**53, [1, 2, 3, 4, 5], True),
]


class PageContract(AsNewTenant):
    """The rules for `page`."""

    async def test_page_cursors(self, history: HistoryRepository, scope: Scope) -> None:
        """Of ten messages, a page holds those between the cursors, cut on the right side; `more` tells of the cut."""
        version = (await fill(history, scope, 10)).version
        for query, expected, more in CURSORS:
            page = await history.page(scope, MessageQuery(**query))
            assert (page.version, seqs(page.records), page.more) == (version, list(expected), more), query

    async def test_page_skips(self, history: HistoryRepository, scope: Scope) -> None:
        """Those to skip are counted among the matches, from the side that the page begins at, over several appends."""
        for number in range(1, 11):
            await say(history, scope, str(number))
        await history.archive(scope, 4, 6, True)
        for query, expected, more in SKIPS:
            page = await history.page(scope, MessageQuery(**query))
            assert (seqs(page.records), page.more) == (expected, more), query

    async def test_page_skips_bytes(self, history: HistoryRepository, scope: Scope) -> None:
        """Messages that are skipped take none of the bytes that a page may have."""
        await say(history, scope, "large " * 1000, "small", "large " * 1000, "last")
        page = await history.page(scope, MessageQuery(skip=1, after=0, most_bytes=1000))
        assert seqs(page.records) == [2, 3]
        page = await history.page(scope, MessageQuery(skip=2, most_bytes=7000))
        assert seqs(page.records) == [1, 2]

    async def test_page_walking_back(self, history: HistoryRepository, scope: Scope) -> None:
        """Page by page towards the past, every message comes exactly once, and `more` ends the walk."""
        await fill(history, scope, 10)
        for size in (1, 3, 5, 10, 11):
            pages = [await history.page(scope, MessageQuery(limit=size))]
            while pages[-1].more:
                assert len(pages) < 20, "the pages never end"
                first = pages[-1].records[0].seq
                pages.append(await history.page(scope, MessageQuery(limit=size, before=first)))
            assert [seq for page in reversed(pages) for seq in seqs(page.records)] == list(TEN), size

    async def test_page_walking_on(self, history: HistoryRepository, scope: Scope) -> None:
        """Page by page towards the present, every message comes exactly once, and `more` ends the walk."""
        await fill(history, scope, 10)
        for size in (1, 3, 5, 10, 11):
            pages = [await history.page(scope, MessageQuery(limit=size, after=0))]
            while pages[-1].more:
                assert len(pages) < 20, "the pages never end"
                last = pages[-1].records[-1].seq
                pages.append(await history.page(scope, MessageQuery(limit=size, after=last)))
            assert [seq for page in pages for seq in seqs(page.records)] == list(TEN), size

    @pytest.mark.parametrize("limit", [5, ALL])
    async def test_page_appending_meanwhile(self, history: HistoryRepository, scope: Scope, limit: int) -> None:
        """A message that is appended between two pages moves no other message."""
        await fill(history, scope, 10)
        latest = await history.page(scope, MessageQuery(limit=5))
        await say(history, scope, "11")
        older = await history.page(scope, MessageQuery(limit=limit, before=latest.records[0].seq))
        newer = await history.page(scope, MessageQuery(limit=limit, after=latest.records[-1].seq))
        assert (seqs(older.records), seqs(newer.records)) == ([1, 2, 3, 4, 5], [11])

    @pytest.mark.parametrize("first", [{}, {"after": 0}], ids=["backward", "forward"])
    async def test_page_ends_where_its_bytes_do(
        self, history: HistoryRepository, scope: Scope, first: dict[str, int]
    ) -> None:
        """A page ends after the message that fills its bytes; from its end it goes on until each was there once."""
        await commit(history, request(scope, *(said(LARGE) for _ in range(8))))
        await commit(history, request(scope, said("x"), said(LARGE)))
        found: list[int] = []
        query = MessageQuery(most_bytes=2 * len(LARGE), archived=None, after=first.get("after"))
        while (page := await history.page(scope, query)).records:
            assert len(page.records) <= 3
            assert sum(len(record.body) for record in page.records) <= 3 * len(LARGE) + 1000
            found += seqs(page.records)
            forward, records = query.after is not None, page.records
            after, before = (records[-1].seq, None) if forward else (None, records[0].seq)
            assert page.more or (10 if forward else 1) in found
            query = MessageQuery(most_bytes=query.most_bytes, archived=None, after=after, before=before)
        assert sorted(found) == [*range(1, 11)]

    async def test_a_page_has_one_message_however_large(self, history: HistoryRepository, scope: Scope) -> None:
        """The message that fills the bytes is read, also when it is the first."""
        await commit(history, request(scope, said(LARGE), said(LARGE)))
        page = await history.page(scope, MessageQuery(most_bytes=1))
        assert (seqs(page.records), page.more) == ([2], True)

    async def test_a_tail_ends_where_its_bytes_do(self, history: HistoryRepository, scope: Scope) -> None:
        """A tail has the newest messages, the system message besides them, and says that its bytes are full."""
        await commit(history, request(scope, said("be kind", "system"), *(said(LARGE) for _ in range(5)), said("x")))
        tail = await history.tail(scope, 50, most_bytes=2 * len(LARGE))
        assert (seqs(tail.records), tail.complete, tail.is_full) == ([5, 6, 7], False, True)
        assert tail.system is not None
        whole = await history.tail(scope, 50)
        assert (seqs(whole.records), whole.complete, whole.is_full) == ([2, 3, 4, 5, 6, 7], True, False)

    async def test_a_snapshot_ends_where_its_bytes_do(self, history: HistoryRepository, scope: Scope) -> None:
        """A snapshot has the newest messages without a gap, and at least one."""
        await commit(history, request(scope, *(said(LARGE) for _ in range(4)), said("x")))
        assert seqs((await history.snapshot(scope, 50, most_bytes=2 * len(LARGE))).records) == [3, 4, 5]
        assert seqs((await history.snapshot(scope, 50, most_bytes=1)).records) == [5]
        assert seqs((await history.snapshot(scope, 50)).records) == [1, 2, 3, 4, 5]

    async def test_page_of_ids(self, history: HistoryRepository, scope: Scope) -> None:
        """Messages are found by their ids, in the order of their seqs, within the other bounds, in one thread."""
        known, other = (await fill(history, scope, 5)).ids, scope.owner.thread("another")
        await fill(history, other, 5)
        wanted = frozenset((known[3], known[0], "unknown"))
        assert seqs((await history.page(scope, MessageQuery(ids=wanted))).records) == [1, 4]
        assert seqs((await history.page(scope, MessageQuery(ids=wanted, after=0, limit=1))).records) == [1]
        assert seqs((await history.page(scope, MessageQuery(ids=wanted, after=1))).records) == [4]
        assert seqs((await history.page(other, MessageQuery(ids=wanted))).records) == []

    async def test_page_roles(self, history: HistoryRepository, scope: Scope) -> None:
        """A page of some roles has the messages of those only; without roles it has all."""
        await commit(history, request(scope, *(said("x", role) for role in ROLES * 2)))
        for roles, expected in SELECTED_ROLES:
            page = await history.page(scope, MessageQuery(roles=frozenset(roles)))
            assert (seqs(page.records), page.more) == (expected, False), roles

    async def test_page_times(self, history: HistoryRepository, scope: Scope) -> None:
        """`since` is inclusive and `until` exclusive, to the microsecond, in whatever time zone they come."""
        await commit(history, request(scope, *(said(at=NOON + number * MINUTE) for number in range(1, 6))))
        for query, expected in TIMES:
            assert seqs((await history.page(scope, MessageQuery(**query))).records) == expected, query

    async def test_page_times_are_no_order(self, history: HistoryRepository, scope: Scope) -> None:
        """Messages stay in the order of their seqs, whatever their times say."""
        await commit(history, request(scope, *(said(at=NOON - number * MINUTE) for number in range(1, 6))))
        page = await history.page(scope, MessageQuery(since=NOON - 4 * MINUTE, limit=3))
        assert (seqs(page.records), page.more) == ([2, 3, 4], True)

    async def test_page_archived(self, history: HistoryRepository, scope: Scope) -> None:
        """A page has the living messages, the archived ones or both, each marked as what it is."""
        await fill(history, scope, 5)
        await history.archive(scope, 2, 4, True)
        for archived, expected in ((False, [1, 5]), (True, [2, 3, 4]), (None, [1, 2, 3, 4, 5])):
            records = (await history.page(scope, MessageQuery(archived=archived))).records
            assert seqs(records) == expected
            assert [record.seq for record in records if record.archived] == [seq for seq in expected if 2 <= seq <= 4]

    async def test_page_all_together(self, history: HistoryRepository, scope: Scope) -> None:
        """Limit and `more` count the messages that pass every filter, and no others."""
        turns: list[Role] = ["user", "assistant"] * 5
        messages = [said("x", role, at=NOON + seq * MINUTE) for seq, role in enumerate(turns, 1)]
        await commit(history, request(scope, *messages))
        await history.archive(scope, 3, 4, True)
        for query, expected, more in FILTERS:
            page = await history.page(scope, MessageQuery(roles=frozenset({"user"}), **query))
            assert (seqs(page.records), page.more) == (expected, more), query

    async def test_page_no_match(self, history: HistoryRepository, scope: Scope) -> None:
        """A page without a match still tells the thread's version."""
        version = (await fill(history, scope, 3)).version
        page = await history.page(scope, MessageQuery(roles=frozenset({"tool"})))
        assert page == Page(version, [], more=False)

    async def test_page_absent_and_deleted(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A page of an absent or a deleted thread is empty and NOWHERE."""
        assert await history.page(scope, MessageQuery()) == Page(NOWHERE, [], more=False)
        await fill(history, scope, 3)
        await threads.delete(scope, NOON)
        assert await history.page(scope, MessageQuery(archived=None)) == Page(NOWHERE, [], more=False)

    async def test_page_cleared(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """A page of a cleared thread is empty, in the new epoch."""
        await fill(history, scope, 3)
        version = await threads.clear(scope, NOON)
        assert version is not None
        assert await history.page(scope, MessageQuery(archived=None)) == Page(version, [], more=False)


class TailContract(AsNewTenant):
    """The rules for `tail`."""

    async def test_tail_the_newest(self, history: HistoryRepository, scope: Scope) -> None:
        """Of five messages, the newest `limit` come oldest first; `complete` when nothing is older."""
        version = (await fill(history, scope, 5)).version
        for limit, expected, complete in TAILS:
            tail = await history.tail(scope, limit)
            assert (tail.head.version, seqs(tail.records), tail.complete) == (version, expected, complete), limit
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


class HeadContract(AsNewTenant):
    """The rules for `head` and `snapshot`."""

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

    async def test_snapshot_of_the_newest(self, history: HistoryRepository, scope: Scope) -> None:
        """A snapshot has the newest `limit` messages, oldest first, with the head that they belong to."""
        await fill(history, scope, 5)
        for limit, expected in ((1, [5]), (4, [2, 3, 4, 5]), (5, [1, 2, 3, 4, 5]), (ALL, [1, 2, 3, 4, 5])):
            snapshot = await history.snapshot(scope, limit)
            assert (snapshot.head, seqs(snapshot.records)) == (await history.head(scope), expected), limit

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


class ArchiveContract(AsNewTenant):
    """The rules for `archive` and `count`."""

    async def test_archive_ranges(self, history: HistoryRepository, owner: Owner) -> None:
        """Exactly the messages first..last are archived, as far as there are any, and the answer is their number."""
        for first, last, archived in ARCHIVED:
            scope = owner.thread(f"{first}-{last}")
            await fill(history, scope, 5)
            assert await history.archive(scope, first, last, True) == len(archived), (first, last)
            assert [record.seq for record in await everything(history, scope) if record.archived] == archived

    async def test_archive_what_changes_counts(self, history: HistoryRepository, scope: Scope) -> None:
        """Messages that are archived already do not count as changed."""
        await fill(history, scope, 5)
        assert await history.archive(scope, 2, 3, True) == 2
        assert await history.archive(scope, 1, 4, True) == 2
        assert await history.archive(scope, 1, 4, True) == 0

    async def test_archive_back_again(self, history: HistoryRepository, scope: Scope) -> None:
        """An archiving can be undone, and the messages are as they were."""
        await fill(history, scope, 5)
        before = await everything(history, scope)
        await history.archive(scope, 1, 5, True)
        assert await history.archive(scope, 2, 3, False) == 2
        assert seqs((await history.page(scope, MessageQuery())).records) == [2, 3]
        assert await history.archive(scope, 1, 9, False) == 3
        assert await everything(history, scope) == before

    async def test_archive_living_messages_stay(self, history: HistoryRepository, scope: Scope) -> None:
        """Taking back an archiving that never was changes nothing."""
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
        """A message that comes after the archiving lives, whatever the range was; seqs go on after the archived."""
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
