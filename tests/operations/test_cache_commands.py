"""`recuerdo cache`: filling the shared cache, and what it says of itself."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from operating import ran, refused
from stocked import fill

from recuerdo.adapters.registry import Repositories, open_repositories, open_shared_cache
from recuerdo.app.operations import cache_statistics
from recuerdo.core.errors import CacheUnavailable
from recuerdo.core.messages import Message
from recuerdo.core.scope import Scope
from recuerdo.core.threads import NOWHERE, Lease, Snapshot
from recuerdo.history.caches import CacheRebuild
from recuerdo.history.iteration import OwnerFilter
from recuerdo.testing.samples import commit, fresh_scope, request, said
from servers.valkey import ValkeyServer

MANY = 10_000.0


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Repositories]:
    async with open_repositories(f"sqlite:///{tmp_path}/a.db") as repositories:
        yield repositories


@pytest.fixture
async def scopes(database: Repositories) -> list[Scope]:
    """Seven threads of two users of a tenant that nobody else has."""
    first = fresh_scope()
    scopes = [Scope(first.tenant, f"u-{number % 2}", f"t-{number}") for number in range(7)]
    for scope in scopes:
        await fill(database, scope, [Message.user("hola"), Message.assistant("¡hola!")])
    return scopes


@pytest.fixture(params=["redis_url", "redis_cluster_url"])
def cache_url(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue(request.param)
    return url if request.param == "redis_url" else url.replace("redis://", "redis+cluster://")


async def rebuilt(database: Repositories, url: str, choice: OwnerFilter) -> list[str]:
    async with open_shared_cache(url) as cache:
        rebuild = CacheRebuild(database.history, database.threads, cache.history)
        return [each.outcome async for each in rebuild.rebuild(choice, MANY)]


async def cached(url: str, scope: Scope) -> Snapshot | Lease:
    async with open_shared_cache(url) as cache:
        return await cache.history.read(scope, NOWHERE, 200)


async def test_a_rebuild_fills_every_thread_of_the_tenant(
    database: Repositories, scopes: list[Scope], cache_url: str
) -> None:
    """The cache then has the same as the database."""
    assert await rebuilt(database, cache_url, OwnerFilter(scopes[0].tenant)) == ["filled"] * 7
    for scope in scopes:
        assert await cached(cache_url, scope) == await database.history.snapshot(scope, 200)


async def test_a_rebuild_that_is_repeated_leaves_what_is_fresh(
    database: Repositories, scopes: list[Scope], redis_url: str
) -> None:
    """An interrupted command continues: one user's threads are filled, and then only the other's."""
    await rebuilt(database, redis_url, OwnerFilter(scopes[0].tenant, "u-0"))
    outcomes = await rebuilt(database, redis_url, OwnerFilter(scopes[0].tenant))
    assert sorted(outcomes) == ["filled"] * 3 + ["fresh"] * 4


async def test_a_rebuild_replaces_an_entry_that_is_behind(
    database: Repositories, scopes: list[Scope], redis_url: str
) -> None:
    """Here the cache was never told of an append and of an archiving."""
    await rebuilt(database, redis_url, OwnerFilter(scopes[0].tenant))
    await commit(database.history, request(scopes[0], said("later")))
    await database.history.archive(scopes[1], 1, 1, True)
    outcomes = await rebuilt(database, redis_url, OwnerFilter(scopes[0].tenant))
    assert sorted(outcomes) == ["filled"] * 2 + ["fresh"] * 5
    for scope in scopes[:2]:
        assert await cached(redis_url, scope) == await database.history.snapshot(scope, 200)


async def test_a_rebuild_never_fills_what_changed_meanwhile(
    database: Repositories, scopes: list[Scope], redis_url: str
) -> None:
    """An append between the reading and the filling breaks the lease, and the entry stays absent."""

    class Racing:
        """A history in which each snapshot is followed by an append."""

        head = staticmethod(database.history.head)

        async def snapshot(self, scope: Scope, limit: int) -> Snapshot:
            snapshot = await database.history.snapshot(scope, limit)
            await commit(database.history, request(scope, said("meanwhile")))
            async with open_shared_cache(redis_url) as cache:
                await cache.history.purge([scope])
            return snapshot

    async with open_shared_cache(redis_url) as cache:
        history: Any = Racing()
        rebuild = CacheRebuild(history, database.threads, cache.history)
        outcomes = [each.outcome async for each in rebuild.rebuild(OwnerFilter(scopes[0].tenant), MANY)]
    assert outcomes == ["busy"] * 7
    assert isinstance(await cached(redis_url, scopes[0]), Lease)


async def test_a_rebuild_that_somebody_else_does_too_leaves_it_to_them(
    database: Repositories, scopes: list[Scope], redis_url: str
) -> None:
    assert isinstance(await cached(redis_url, scopes[0]), Lease)
    outcomes = await rebuilt(database, redis_url, OwnerFilter(scopes[0].tenant))
    assert sorted(outcomes) == ["busy"] + ["filled"] * 6


def test_the_command_fills_and_counts(tmp_path: Path, scopes: list[Scope], redis_url: str) -> None:
    flags = ("cache", "rebuild", "--tenant", scopes[0].tenant, "--rate", "5000")
    done = ran(tmp_path, *flags, RECUERDO_CACHE_URL=redis_url).stderr.decode()
    assert done == "Filled 7 entries; 0 were fresh, 0 are being changed.\n"
    done = ran(tmp_path, *flags, RECUERDO_CACHE_URL=redis_url).stderr.decode()
    assert done == "Filled 0 entries; 7 were fresh, 0 are being changed.\n"


async def test_statistics_count_entries_and_looks(database: Repositories, scopes: list[Scope], cache_url: str) -> None:
    before = await cache_statistics(cache_url)
    await rebuilt(database, cache_url, OwnerFilter(scopes[0].tenant))
    await rebuilt(database, cache_url, OwnerFilter(scopes[0].tenant))
    after = await cache_statistics(cache_url)
    assert after.threads == before.threads + 7
    assert after.hits > before.hits
    assert after.misses > before.misses
    assert after.used_bytes > 0
    assert after.hit_rate is not None
    assert 0 < after.hit_rate < 1
    assert after.nodes == (3 if "cluster" in cache_url else 1)


def test_statistics_are_for_people_and_for_programs(tmp_path: Path, redis_url: str) -> None:
    shown = ran(tmp_path, "cache", "stats", "--cache-url", redis_url).stdout.decode()
    assert "hit rate" in shown
    assert "MiB" in shown
    found = json.loads(ran(tmp_path, "cache", "stats", "--cache-url", redis_url, "--json").stdout)
    assert {"threads", "used_bytes", "hits", "misses", "hit_rate", "evicted", "nodes"} <= set(found)


@pytest.mark.parametrize("command", [("stats",), ("rebuild", "--tenant", "acme")])
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "There is no shared cache. Name it with --cache-url or RECUERDO_CACHE_URL"),
        ({"RECUERDO_CACHE_URL": "memcached://x"}, "A cache URL starts with redis://"),
        ({"RECUERDO_CACHE_URL": "redis://emi:secret/%23@x"}, "The cache URL can't be read"),
    ],
)
def test_a_cache_that_can_not_work_is_one_clear_line(
    tmp_path: Path, command: tuple[str, ...], settings: dict[str, str], words: str
) -> None:
    told = refused(tmp_path, "cache", *command, **settings)
    assert words in told
    assert "secret" not in told


def test_a_cluster_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    told = refused(tmp_path, "cache", "stats", RECUERDO_CACHE_URL="redis+cluster://emi:secret@127.0.0.1:1")
    assert told.startswith("recuerdo: Redis does not answer (")
    assert "secret" not in told


async def test_a_cache_that_is_away_is_one_clear_line(
    tmp_path: Path, database: Repositories, scopes: list[Scope], valkey_server: ValkeyServer
) -> None:
    """Nobody takes an unanswered rebuild for a done one."""
    valkey_server.kill()
    try:
        with pytest.raises(CacheUnavailable):
            await rebuilt(database, valkey_server.url, OwnerFilter(scopes[0].tenant))
        told = refused(tmp_path, "cache", "stats", RECUERDO_CACHE_URL=valkey_server.url)
        assert told.startswith("recuerdo: Redis does not answer (ConnectionError)")
    finally:
        valkey_server.start()
