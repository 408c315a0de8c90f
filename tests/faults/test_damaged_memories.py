"""Memories that a failing disk has changed: a check names each, and an export saves the others."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pymongo
import pytest

from recuerdo import Recuerdo
from recuerdo.adapters.local import LocalDatabase, LocalMemories
from recuerdo.adapters.registry import open_repositories
from recuerdo.core.errors import Damaged, DamagedDatabase, DamagedRow
from recuerdo.core.identifiers import new_id
from recuerdo.core.memories import Memory, MemoryChange, MemoryEntry, MemoryQuery
from recuerdo.core.ports import MemoryRepository
from recuerdo.core.scope import Owner
from recuerdo.memories.damage import MemoryCheck
from recuerdo.testing.clock import NOON
from recuerdo.testing.samples import fresh_owner, remembered

COUNT = 230
Change = Callable[[str], None]


@pytest.fixture(params=["sqlite", "postgresql", "mongodb"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Change]:
    """The URL of a database, and a way to damage the memory of an id behind Recuerdo's back."""

    def change_sqlite(memory: str) -> None:
        with closing(sqlite3.connect(tmp_path / "r.db")) as connection, connection:
            changed = connection.execute("UPDATE memories SET source = '{\"th' WHERE id = ?", (memory,))
            assert changed.rowcount == 1

    def change_postgres(memory: str) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            changed = connection.execute("UPDATE recuerdo.memories SET source = '{\"th' WHERE id = %s", (memory,))
            assert changed.rowcount == 1

    def change_mongodb(memory: str) -> None:
        with pymongo.MongoClient[dict[str, Any]](url) as client:
            memories = client.get_default_database()["memories"]
            assert memories.update_one({"id": memory}, {"$set": {"source": '{"th'}}).matched_count == 1

    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/r.db", change_sqlite
    if request.param == "postgresql":
        url: str = request.getfixturevalue("empty_postgres_url")
        return url, change_postgres
    host, question, options = request.getfixturevalue("mongodb_url").partition("?")
    url = f"{host.rstrip('/')}/tests-{new_id()}{question}{options}"
    return url, change_mongodb


async def fill(memories: MemoryRepository, owner: Owner, count: int) -> list[str]:
    """So many memories, the latest first; returns their ids."""
    kept = [remembered(owner, f"fact {number}") for number in range(count)]
    change = MemoryChange(at=NOON, action="imported", entries=[MemoryEntry(None, each) for each in kept])
    assert await memories.apply(owner, change, await memories.state(owner)) is not None
    return sorted(each.id for each in kept)  # made at the same time


async def found(url: str) -> tuple[int, set[tuple[Owner | None, str]]]:
    """How many memories a check reads, and the damaged rows that it names."""
    async with open_repositories(url) as repositories:
        steps = [step async for step in MemoryCheck(repositories.memories).run()]
    damages = {(step.owner, step.damage.identifier) for step in steps if isinstance(step.damage, DamagedRow)}
    assert len(damages) == sum(step.damage is not None for step in steps)
    return sum(step.memories for step in steps), damages


async def test_a_check_names_every_damaged_memory_and_an_export_saves_the_others(database: tuple[str, Change]) -> None:
    url, damage = database
    owner, other = fresh_owner(), fresh_owner()
    async with open_repositories(url) as repositories:
        ids = await fill(repositories.memories, owner, COUNT)
        [others] = await fill(repositories.memories, other, 1)
    assert await found(url) == (COUNT + 1, set())
    broken = [ids[place] for place in (0, 1, 50, 99, 100, 101, 102, COUNT - 1)]
    for each in (*broken, others):
        damage(each)
    whose = {(owner, each) for each in broken} | {(other, others)}
    assert await found(url) == (COUNT - len(broken), whose)
    noted: list[Damaged] = []
    async with Recuerdo.open(url, embeddings="none") as memory:
        lines = [line async for line in memory.memories.export(owner, noted.append)]
        assert [msgspec.json.decode(line)["id"] for line in lines] == [each for each in ids if each not in broken]
        assert [each.identifier for each in noted if isinstance(each, DamagedRow)] == broken
        export = memory.user(tenant=owner.tenant, user=owner.user).export()
        assert [await anext(export) for _ in lines] == lines
        with pytest.raises(DamagedRow, match=broken[0]):
            await anext(export)


@pytest.mark.parametrize("gone", [1, 3, 100])
async def test_an_export_goes_on_where_the_memory_is_deleted_at_which_a_page_ended(tmp_path: Path, gone: int) -> None:
    """Every other memory comes exactly once, also when none is left of the page."""
    owner = fresh_owner()
    async with Recuerdo.open(f"sqlite:///{tmp_path}/r.db", embeddings="none") as memory:
        user = memory.user(tenant=owner.tenant, user=owner.user)
        ids = await fill(memory._parts.repositories.memories, owner, COUNT)
        export = user.export()
        first = [await anext(export) for _ in range(100)]
        for each in ids[100 - gone : 100]:
            await user.delete(each)
        exported = [msgspec.json.decode(line)["id"] for line in [*first, *[line async for line in export]]]
        assert exported == ids


async def test_a_text_that_is_none_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    """SQLite can't read a row at all whose text is no UTF-8, and names none."""
    url, owner = f"sqlite:///{tmp_path}/r.db", fresh_owner()
    async with open_repositories(url) as repositories:
        ids = await fill(repositories.memories, owner, 5)
    with closing(sqlite3.connect(tmp_path / "r.db")) as connection, connection:
        connection.execute("UPDATE memories SET text = CAST(x'ff41' AS TEXT) WHERE id = ?", (ids[2],))
    async with open_repositories(url) as repositories:
        steps = [step async for step in MemoryCheck(repositories.memories).run()]
    assert sum(step.memories for step in steps) == 4
    assert [type(step.damage) for step in steps if step.damage] == [DamagedDatabase]


async def test_a_check_ends_where_nothing_can_be_read() -> None:
    class Unreadable(LocalMemories):
        async def select(self, owner: Owner, query: MemoryQuery) -> list[Memory]:
            raise DamagedDatabase("A page is torn")

    memories = Unreadable(LocalDatabase())
    await fill(memories, Owner("acme", "emi"), 3)
    steps = [step async for step in MemoryCheck(memories).run()]
    assert 1 <= sum(step.damage is not None for step in steps) <= 10
