"""Threads: what they tell of themselves, and lists of them."""

from base64 import urlsafe_b64encode
from datetime import datetime, timedelta, timezone

import pytest

from recuerdo.core.errors import InvalidInput
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import Thread, ThreadPage
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts.tenants import AsNewTenant
from recuerdo.testing.requests import commit, fresh_scope, request, said

MINUTE = timedelta(minutes=1)
CURSORS = {
    "empty": "",
    "no base64": "%%%",
    "not ascii": "ñ",
    "a number": "7",
    "no text": urlsafe_b64encode(b"\xff\xfe").decode(),
    "no time": urlsafe_b64encode(b"yesterday t-1").decode().rstrip("="),
    "no id": urlsafe_b64encode(b"2026-11-21T12:00:00+00:00 ").decode().rstrip("="),
    "no time zone": urlsafe_b64encode(b"2026-11-21T12:00:00 t-1").decode().rstrip("="),
    "beyond time": urlsafe_b64encode(b"0001-01-01T00:00:00+14:00 t-1").decode().rstrip("="),
    "padded": urlsafe_b64encode(b"2026-11-21T12:00:00+00:00 t").decode() + "=",
    "sql": "' OR 1=1; --",
}


class ListContract(AsNewTenant):
    """What `get` and `select` must hold."""

    async def test_list_absent(self, threads: ThreadRepository, scope: Scope) -> None:
        """A thread that nobody wrote to is absent, and looking does not make it."""
        assert await threads.get(scope) is None
        assert await threads.select(scope.owner, 50) == ThreadPage([], None)

    async def test_list_a_new_thread(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """A thread tells its id, its version, its title and when it was made."""
        at = NOON + timedelta(microseconds=123456)
        receipt = await commit(history, request(scope, said(), said(), at=at, title="Hola"))
        thread = Thread(id=scope.thread, version=receipt.version, title="Hola", created_at=at, updated_at=at)
        assert await threads.get(scope) == thread
        assert await threads.select(scope.owner, 50) == ThreadPage([thread], None)
        assert thread.message_count == 2

    async def test_list_times(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """Every append moves `updated_at`, and `created_at` stays the first one's."""
        for minute in range(3):
            await commit(history, request(scope, said(), at=NOON + minute * MINUTE))
        thread = await threads.get(scope)
        assert thread is not None
        assert (thread.created_at, thread.updated_at) == (NOON, NOON + 2 * MINUTE)

    async def test_list_times_are_utc(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Times that come in another time zone are the same moments."""
        at = datetime(2026, 11, 21, 9, 30, 0, 1, timezone(timedelta(hours=-3)))
        await commit(history, request(scope, said(), at=at))
        thread = await threads.get(scope)
        assert thread is not None
        assert (thread.created_at, thread.updated_at) == (at, at)

    async def test_list_the_title(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """The title is the first that is not empty; later ones do not replace it."""
        for title, expected in [("", ""), ("first", "first"), ("", "first"), ("second", "first")]:
            await commit(history, request(scope, said(), title=title))
            thread = await threads.get(scope)
            assert thread is not None
            assert thread.title == expected

    @pytest.mark.parametrize("title", ["ñandú 😀", "'; DROP TABLE threads; --", "x" * 80, "{} %s \\"])
    async def test_list_titles(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope, title: str
    ) -> None:
        """A title of any script and any signs comes back exactly."""
        await commit(history, request(scope, said(), title=title))
        assert [thread.title for thread in (await threads.select(scope.owner, 50)).threads] == [title]

    async def test_list_the_latest_first(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Threads come by their last change, the latest first."""
        for minute, name in enumerate("abca"):
            await commit(history, request(scope.owner.thread(name), said(), at=NOON + minute * MINUTE))
        assert await _listed(threads, scope.owner, 50) == ["a", "c", "b"]

    async def test_list_ties(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """Threads that changed at the same moment come by their ids, in the order of code points."""
        names = ["b", "a", "B", "é", "😀", "\uffee", "aa", "a b", "0"]
        for name in names:
            await commit(history, request(scope.owner.thread(name), said()))
        assert await _listed(threads, scope.owner, 50) == sorted(names)
        assert await _listed(threads, scope.owner, 2) == sorted(names)

    async def test_list_a_microsecond(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A microsecond is enough to tell which thread is later, across pages too."""
        for step, name in enumerate("zyx"):
            at = NOON + timedelta(microseconds=step)
            await commit(history, request(scope.owner.thread(name), said(), at=at))
        assert await _listed(threads, scope.owner, 1) == ["x", "y", "z"]

    @pytest.mark.parametrize("limit", [1, 2, 5, 6, 7, 50])
    async def test_list_pages(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope, limit: int
    ) -> None:
        """Page by page every thread comes exactly once, full pages first, and the last one has no cursor."""
        names = [f"t-{number}" for number in range(6)]
        for number, name in enumerate(names):
            await commit(history, request(scope.owner.thread(name), said(), at=NOON - number // 2 * MINUTE))
        page = await threads.select(scope.owner, limit)
        assert len(page.threads) == min(limit, 6)
        assert (page.cursor is None) == (limit >= 6)
        assert await _listed(threads, scope.owner, limit) == names

    async def test_list_a_change_between_pages(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """When a thread moves to the front between two pages, each thread that stayed still comes exactly once."""
        for number in range(6):
            await commit(history, request(scope.owner.thread(f"t-{number}"), said(), at=NOON - number * MINUTE))
        first = await threads.select(scope.owner, 2)
        await commit(history, request(scope.owner.thread("t-4"), said(), at=NOON + MINUTE))
        await commit(history, request(scope.owner.thread("new"), said(), at=NOON + MINUTE))
        rest = await threads.select(scope.owner, 50, first.cursor)
        assert [thread.id for thread in first.threads + rest.threads] == ["t-0", "t-1", "t-2", "t-3", "t-5"]

    async def test_list_a_deletion_between_pages(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A cursor still holds when the thread that it stands behind is deleted."""
        for number in range(4):
            await commit(history, request(scope.owner.thread(f"t-{number}"), said()))
        first = await threads.select(scope.owner, 2)
        await threads.delete(scope.owner.thread("t-1"), NOON)
        rest = await threads.select(scope.owner, 2, first.cursor)
        assert [thread.id for thread in rest.threads] == ["t-2", "t-3"]
        assert rest.cursor is None

    async def test_list_long_ids(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """Cursors hold behind ids of 255 wide characters."""
        names = ["😀" * 254, "😀" * 255, "😀" * 254 + "😁"]
        for name in names:
            await commit(history, request(scope.owner.thread(name), said()))
        assert await _listed(threads, scope.owner, 1) == names

    async def test_list_another_owners_cursor(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A cursor of another owner's list opens nothing of that owner's."""
        other = fresh_scope().owner
        for owner in (scope.owner, other):
            for name in ("mine-1", "mine-2") if owner == scope.owner else ("other-1", "other-2"):
                await commit(history, request(owner.thread(name), said()))
        cursor = (await threads.select(scope.owner, 1)).cursor
        assert cursor is not None
        page = await threads.select(other, 50, cursor)
        assert [thread.id for thread in page.threads] == ["other-1", "other-2"]

    @pytest.mark.parametrize("cursor", CURSORS.values(), ids=CURSORS)
    async def test_list_broken_cursors(self, threads: ThreadRepository, scope: Scope, cursor: str) -> None:
        """A cursor that no list gave out is refused as InvalidInput of the field `cursor`."""
        with pytest.raises(InvalidInput) as raised:
            await threads.select(scope.owner, 50, cursor)
        assert raised.value.field == "cursor"


async def _listed(threads: ThreadRepository, owner: Owner, limit: int) -> list[str]:
    page = await threads.select(owner, limit)
    ids = [thread.id for thread in page.threads]
    while page.cursor is not None:
        assert len(ids) < 100, "the pages never end"
        page = await threads.select(owner, limit, page.cursor)
        ids += [thread.id for thread in page.threads]
    return ids
