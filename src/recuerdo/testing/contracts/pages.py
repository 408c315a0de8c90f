"""Pages: cursors, filters, limits."""

from datetime import timedelta, timezone
from typing import Any

import pytest

from recuerdo.core.messages import ROLES, Role
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.core.threads import NOWHERE, MessageQuery, Page
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts.tenants import AsNewTenant
from recuerdo.testing.requests import ALL, commit, fill, request, said, say, seqs

MINUTE = timedelta(minutes=1)
MICROSECOND = timedelta(microseconds=1)
TEN = range(1, 11)


class PageContract(AsNewTenant):
    """What `page` must hold."""

    @pytest.mark.parametrize(
        ("query", "expected", "more"),
        [
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
        ],
        ids=str,
    )
    async def test_page_cursors(
        self, history: HistoryRepository, scope: Scope, query: dict[str, Any], expected: list[int], more: bool
    ) -> None:
        """Of ten messages, a page holds those between the cursors, cut on the right side; `more` tells of the cut."""
        version = (await fill(history, scope, 10)).version
        page = await history.page(scope, MessageQuery(**query))
        assert (page.version, seqs(page.records), page.more) == (version, list(expected), more)

    @pytest.mark.parametrize("size", [1, 3, 5, 10, 11])
    async def test_page_walking_back(self, history: HistoryRepository, scope: Scope, size: int) -> None:
        """Page by page towards the past, every message comes exactly once, and `more` ends the walk."""
        await fill(history, scope, 10)
        pages = [await history.page(scope, MessageQuery(limit=size))]
        while pages[-1].more:
            assert len(pages) < 20, "the pages never end"
            first = pages[-1].records[0].seq
            pages.append(await history.page(scope, MessageQuery(limit=size, before=first)))
        assert [seq for page in reversed(pages) for seq in seqs(page.records)] == list(TEN)

    @pytest.mark.parametrize("size", [1, 3, 5, 10, 11])
    async def test_page_walking_on(self, history: HistoryRepository, scope: Scope, size: int) -> None:
        """Page by page towards the present, every message comes exactly once, and `more` ends the walk."""
        await fill(history, scope, 10)
        pages = [await history.page(scope, MessageQuery(limit=size, after=0))]
        while pages[-1].more:
            assert len(pages) < 20, "the pages never end"
            last = pages[-1].records[-1].seq
            pages.append(await history.page(scope, MessageQuery(limit=size, after=last)))
        assert [seq for page in pages for seq in seqs(page.records)] == list(TEN)

    @pytest.mark.parametrize("limit", [5, ALL])
    async def test_page_appending_meanwhile(self, history: HistoryRepository, scope: Scope, limit: int) -> None:
        """A message that is appended between two pages moves no other message."""
        await fill(history, scope, 10)
        latest = await history.page(scope, MessageQuery(limit=5))
        await say(history, scope, "11")
        older = await history.page(scope, MessageQuery(limit=limit, before=latest.records[0].seq))
        newer = await history.page(scope, MessageQuery(limit=limit, after=latest.records[-1].seq))
        assert (seqs(older.records), seqs(newer.records)) == ([1, 2, 3, 4, 5], [11])

    @pytest.mark.parametrize(
        ("roles", "expected"),
        [
            ((), [1, 2, 3, 4, 5, 6, 7, 8]),
            (("system",), [1, 5]),
            (("user",), [2, 6]),
            (("tool",), [4, 8]),
            (("user", "assistant"), [2, 3, 6, 7]),
            (ROLES, [1, 2, 3, 4, 5, 6, 7, 8]),
        ],
    )
    async def test_page_roles(
        self, history: HistoryRepository, scope: Scope, roles: tuple[Role, ...], expected: list[int]
    ) -> None:
        """A page of some roles has the messages of those only; without roles it has all."""
        await commit(history, request(scope, *(said("x", role) for role in ROLES * 2)))
        page = await history.page(scope, MessageQuery(roles=frozenset(roles)))
        assert (seqs(page.records), page.more) == (expected, False)

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ({"since": NOON + 3 * MINUTE}, [3, 4, 5]),
            ({"since": NOON + 3 * MINUTE + MICROSECOND}, [4, 5]),
            ({"since": NOON + 3 * MINUTE - MICROSECOND}, [3, 4, 5]),
            ({"until": NOON + 3 * MINUTE}, [1, 2]),
            ({"until": NOON + 3 * MINUTE + MICROSECOND}, [1, 2, 3]),
            ({"since": NOON + 2 * MINUTE, "until": NOON + 4 * MINUTE}, [2, 3]),
            ({"since": NOON + 4 * MINUTE, "until": NOON + 2 * MINUTE}, []),
            ({"since": (NOON + 4 * MINUTE).astimezone(timezone(timedelta(hours=-3)))}, [4, 5]),
            ({"until": (NOON + 2 * MINUTE).astimezone(timezone(timedelta(hours=5, minutes=45)))}, [1]),
        ],
        ids=str,
    )
    async def test_page_times(
        self, history: HistoryRepository, scope: Scope, query: dict[str, Any], expected: list[int]
    ) -> None:
        """`since` is inclusive and `until` exclusive, to the microsecond, in whatever time zone they come."""
        await commit(history, request(scope, *(said(at=NOON + number * MINUTE) for number in range(1, 6))))
        assert seqs((await history.page(scope, MessageQuery(**query))).records) == expected

    async def test_page_times_are_no_order(self, history: HistoryRepository, scope: Scope) -> None:
        """Messages stay in the order of their seqs, whatever their times say."""
        await commit(history, request(scope, *(said(at=NOON - number * MINUTE) for number in range(1, 6))))
        page = await history.page(scope, MessageQuery(since=NOON - 4 * MINUTE, limit=3))
        assert (seqs(page.records), page.more) == ([2, 3, 4], True)

    @pytest.mark.parametrize(("archived", "expected"), [(False, [1, 5]), (True, [2, 3, 4]), (None, [1, 2, 3, 4, 5])])
    async def test_page_archived(
        self, history: HistoryRepository, scope: Scope, archived: bool | None, expected: list[int]
    ) -> None:
        """A page has the living messages, the archived ones or both, each marked as what it is."""
        await fill(history, scope, 5)
        await history.archive(scope, 2, 4, True)
        records = (await history.page(scope, MessageQuery(archived=archived))).records
        assert seqs(records) == expected
        assert [record.seq for record in records if record.archived] == [seq for seq in expected if 2 <= seq <= 4]

    @pytest.mark.parametrize(
        ("query", "expected", "more"),
        [
            ({"limit": 2}, [7, 9], True),
            ({"limit": 2, "before": 7}, [1, 5], False),
            ({"limit": 2, "after": 1}, [5, 7], True),
            ({"limit": 3, "after": 1}, [5, 7, 9], False),
            ({"limit": 1, "archived": True}, [3], False),
            ({"limit": 2, "since": NOON + 5 * MINUTE}, [7, 9], True),
            ({"limit": 2, "since": NOON + 7 * MINUTE}, [7, 9], False),
        ],
        ids=str,
    )
    async def test_page_all_together(
        self, history: HistoryRepository, scope: Scope, query: dict[str, Any], expected: list[int], more: bool
    ) -> None:
        """Limit and `more` count the messages that pass every filter, and no others."""
        turns: list[Role] = ["user", "assistant"] * 5
        messages = [said("x", role, at=NOON + seq * MINUTE) for seq, role in enumerate(turns, 1)]
        await commit(history, request(scope, *messages))
        await history.archive(scope, 3, 4, True)
        page = await history.page(scope, MessageQuery(roles=frozenset({"user"}), **query))
        assert (seqs(page.records), page.more) == (expected, more)

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
