"""Databases that `benchmarks/rows.py` fills are like those that the library fills."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from benchmarks.raw import TEXT
from benchmarks.rows import MemoryRows, ThreadRows, fill

from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.app.operations import open_damage_check
from recuerdo.core.scope import Owner, Scope
from recuerdo.history.iteration import OwnerFilter

_FILLED, _WRITTEN = Owner("acme", "filled"), Owner("acme", "written")
_COUNT = 3
_OF_THE_OWNER = {"user", "thread", "epoch", "counted_epoch", "id", "memory", "checksum", "body", "after"}
_OF_THE_MOMENT = {"created_at", "updated_at", "at", "changed", "changed_about", "updated_minute"}
_TABLES = ("threads", "messages", "memories", "memory_changes", "memory_owners")


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/a.db" if request.param == "sqlite" else request.getfixturevalue("empty_postgres_url")


async def test_a_filled_database_is_whole_and_can_be_written_to(url: str) -> None:
    async with Recuerdo.open(url, embeddings="none"):
        pass
    lengths = [1, 1_003, 2]
    threads = [ThreadRows(Scope(_FILLED.tenant, _FILLED.user, f"t{length}"), length) for length in lengths]
    fill(url, threads, [MemoryRows(_FILLED, _COUNT)])
    async with open_damage_check(url) as checks:
        steps = [step async for step in checks.messages.run(OwnerFilter())]
        read = [step async for step in checks.memories.run()]
    assert [step for step in (*steps, *read) if step.damage] == []
    assert sum(step.memories for step in read) == _COUNT
    async with Recuerdo.open(url, embeddings="none") as memory:
        thread = memory.thread(tenant="acme", user="filled", thread="t1003")
        assert await thread.count() == {"assistant": 502, "user": 501}
        receipt = await thread.append(Message.user("next"))
        assert receipt.version.seq == 1_004
        assert [message.seq for message in await thread.window(MessageWindow(50))] == [*range(955, 1_005)]
        fresh = await memory.thread(tenant="acme", user="filled", thread="fresh").append(Message.user("first"))
        assert fresh.version.epoch > receipt.version.epoch
        user = memory.user(tenant="acme", user="filled")
        await user.add("Vive en Posadas")
        assert len(await user.list()) == _COUNT + 1


async def test_filled_rows_have_what_the_rows_of_the_library_have(url: str) -> None:
    async with Recuerdo.open(url, embeddings="none") as memory:
        thread = memory.thread(tenant="acme", user="written", thread="t")
        await thread.append(Message.assistant(TEXT), Message.user(TEXT), Message.assistant(TEXT))
        for number in range(_COUNT):
            await memory.user(tenant="acme", user="written").add(f"Me gusta el número {number}")
    written = _rows(url)
    fill(url, [ThreadRows(Scope(_FILLED.tenant, _FILLED.user, "t"), _COUNT)], [MemoryRows(_FILLED, _COUNT)])
    for table, rows in _rows(url).items():
        before = written[table]
        assert len(rows) == 2 * len(before), table
        assert sorted(map(_lasting, rows)) == sorted(2 * [*map(_lasting, before)]), table
        assert {name for row in rows for name, value in row.items() if value is None} == {
            name for row in before for name, value in row.items() if value is None
        }, table


def _rows(url: str) -> dict[str, list[dict[str, Any]]]:
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
            connection.row_factory = sqlite3.Row
            return {table: [dict(row) for row in connection.execute(f"SELECT * FROM {table}")] for table in _TABLES}
    with psycopg.connect(url, row_factory=psycopg.rows.dict_row) as connection:
        return {table: connection.execute(f"SELECT * FROM recuerdo.{table}".encode()).fetchall() for table in _TABLES}


def _lasting(row: dict[str, Any]) -> str:
    return repr({name: value for name, value in row.items() if name not in _OF_THE_OWNER | _OF_THE_MOMENT})
