"""Pruning: what is old goes, what is used stays."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from stocked import contents, fill, two_databases

from recuerdo.adapters.redis import RedisCache, RedisHistory
from recuerdo.adapters.registry import Repositories
from recuerdo.caching.guard import GuardedCache
from recuerdo.caching.history import CachedHistory, CachedThreads, HistoryTiers, LocalTier
from recuerdo.core.errors import DatabaseUnavailable
from recuerdo.core.messages import Message
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import NOWHERE, Head, Lease
from recuerdo.history.iteration import OwnerFilter
from recuerdo.history.retention import Retention
from recuerdo.testing.clock import NOON, FakeClock
from recuerdo.testing.samples import fresh_scope

EMI = Owner("acme", "emi")
ACME = OwnerFilter("acme")
HI = [Message.user("hi"), Message.assistant("hi")]


@pytest.fixture(params=["memory", "sqlite"])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Repositories]:
    async with two_databases(request.param, tmp_path) as (database, _):
        yield database


async def prune(
    database: Repositories, since: datetime = NOON, choice: OwnerFilter = ACME, **options: Any
) -> list[tuple[str, int]]:
    retention = Retention(database.history, database.threads, FakeClock())
    return [(each.scope.thread, each.messages) async for each in retention.prune(choice, since, **options)]


class CountedPruning:
    """A history and its threads, of which one can't be deleted, and how many were being pruned at the same moment.

    A thread is from its first question on, which all that are pruned side by side ask before one is answered.
    """

    def __init__(self, database: Repositories, fails: str) -> None:
        self._database = database
        self.fails = fails
        self.most = self._under_way = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database.threads, name)

    async def head(self, scope: Scope) -> Head:
        self._under_way += 1
        self.most = max(self.most, self._under_way)
        await asyncio.sleep(0)
        return await self._database.history.head(scope)

    async def delete(self, scope: Scope, at: datetime, only_at: Head | None = None) -> bool:
        try:
            if scope.thread == self.fails:
                raise DatabaseUnavailable("away")
            return await self._database.threads.delete(scope, at, only_at)
        finally:
            self._under_way -= 1


async def left(database: Repositories) -> set[str]:
    return {scope.thread for scope in await contents(database)}


async def aged(database: Repositories, **hours: int) -> None:
    """Threads of two messages each that were last used so many hours before NOON."""
    for name, age in hours.items():
        await fill(database, EMI.thread(name), HI, minutes=-60 * age - 1)


async def test_threads_that_were_used_since_then_stay(database: Repositories) -> None:
    """One that was last used at the very moment stays too."""
    await aged(database, old=2, older=3, young=-1, exact=0)
    assert sorted(await prune(database)) == [("old", 2), ("older", 2)]
    assert await left(database) == {"young", "exact"}


@pytest.mark.parametrize("overlaps", [True, False])
async def test_many_threads_are_pruned_side_by_side_where_the_database_works_on_several(
    database: Repositories, overlaps: bool
) -> None:
    """All old ones go, and when one of them fails the others that were under way are done, and told."""
    await aged(database, **{f"old-{number:02}": 2 for number in range(10)}, young=-1)
    counted: Any = CountedPruning(database, fails="old-05")
    retention = Retention(counted, counted, FakeClock(), overlaps=overlaps)
    told = list[str]()

    async def tell() -> None:
        async for each in retention.prune(ACME, NOON):
            told.append(each.scope.thread)

    with pytest.raises(DatabaseUnavailable):
        await tell()
    assert counted.most == (4 if overlaps else 1)
    assert {*told} == {f"old-{number:02}" for number in range(10)} - await left(database)
    counted.fails = ""
    assert [each async for each in retention.prune(ACME, NOON)]
    assert await left(database) == {"young"}


async def test_a_dry_run_tells_the_same_and_deletes_nothing(database: Repositories) -> None:
    await aged(database, old=2, older=3, young=-1)
    before = await contents(database)
    told = await prune(database, dry_run=True)
    assert await contents(database) == before
    assert await prune(database) == told


async def test_archived_only_takes_only_threads_in_which_nothing_is_alive(database: Repositories) -> None:
    await aged(database, living=2, half=2, archived=2, cleared=2)
    await database.history.archive(EMI.thread("half"), 1, 1, True)
    await database.history.archive(EMI.thread("archived"), 1, 2, True)
    await database.threads.clear(EMI.thread("cleared"), NOON - timedelta(hours=1))
    assert await prune(database, archived_only=True) == [("archived", 2)]
    assert await left(database) == {"living", "half", "cleared"}


async def test_other_tenants_and_users_are_left(database: Repositories) -> None:
    for scope in (Scope("acme", "emi", "t"), Scope("acme", "ana", "t"), Scope("other", "emi", "t")):
        await fill(database, scope, HI, minutes=-600)
    await prune(database, choice=OwnerFilter("acme", "emi"))
    assert {(scope.tenant, scope.user) for scope in await contents(database)} == {("acme", "ana"), ("other", "emi")}
    await prune(database, choice=OwnerFilter())
    assert await contents(database) == {}


async def test_more_threads_than_a_page_all_go(database: Repositories, monkeypatch: pytest.MonkeyPatch) -> None:
    from recuerdo.history import iteration

    monkeypatch.setattr(iteration, "PAGE", 2)
    await aged(database, **{f"t{number}": 1 + number for number in range(7)})
    assert len(await prune(database)) == 7
    assert await left(database) == set()


@pytest.mark.parametrize("archived_only", [False, True])
@pytest.mark.parametrize("use", ["append", "archive", "clear", "delete"])
@pytest.mark.parametrize("moment", ["head", "page", "delete"])
async def test_a_thread_that_is_used_at_the_last_moment_stays(
    database: Repositories, use: str, moment: str, archived_only: bool
) -> None:
    """Whenever the use comes between the look at the list and the deletion."""
    scope = EMI.thread("old")
    await aged(database, old=2)
    await database.history.archive(scope, 1, 2, True)

    async def do() -> None:
        if use == "append":
            await fill(database, scope, [Message.user("wait!")], minutes=1)
        elif use == "archive":
            await database.history.archive(scope, 1, 2, False)
        elif use == "clear":
            await database.threads.clear(scope, NOON + timedelta(hours=1))
        else:
            await database.threads.delete(scope, NOON)
            await fill(database, scope, [Message.user("again")], minutes=1)

    interrupted: Any = [Interrupted(repository, moment, do) for repository in (database.history, database.threads)]
    watched: Any = database._replace(history=interrupted[0], threads=interrupted[1])
    pruned = await prune(watched, archived_only=archived_only)
    used_before_the_head_was_read = moment == "head" and use == "archive" and not archived_only
    assert pruned == ([("old", 2)] if used_before_the_head_was_read or not do_came(watched) else [])
    if not pruned:
        assert await left(database) == {"old"}


class Interrupted:
    """A repository before whose method something happens, once."""

    def __init__(self, repository: Any, method: str, happening: Any) -> None:
        self._repository = repository
        self._method = method
        self._happening = happening
        self.happened = False

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._repository, name)
        if name != self._method or self.happened:
            return method

        async def interrupted(*arguments: Any) -> Any:
            self.happened = True
            await self._happening()
            return await method(*arguments)

        return interrupted


def do_came(watched: Any) -> bool:
    return watched.history.happened or watched.threads.happened


async def test_the_shared_cache_forgets_what_was_pruned(database: Repositories, redis_url: str) -> None:
    scope = fresh_scope()
    await fill(database, scope, HI, minutes=-600)
    async with RedisCache.open(redis_url) as redis:
        shared = GuardedCache(RedisHistory(redis), deadline=5)
        tiers = HistoryTiers(LocalTier(0), shared)
        cached = database._replace(
            history=CachedHistory(database.history, tiers), threads=CachedThreads(database.threads, tiers)
        )
        await cached.history.tail(scope, 10)
        assert not isinstance(await shared.read(scope, NOWHERE, 10), Lease)
        assert await prune(cached, choice=OwnerFilter(scope.tenant)) == [(scope.thread, 2)]
        assert isinstance(await shared.read(scope, NOWHERE, 10), Lease)
        await shared.aclose()
