"""Rows of checkpoints that a failing disk has changed: whoever reads them is told which, and a check finds them all."""

import asyncio
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from langchain_core.messages import HumanMessage
from langgraph.graph import START, MessagesState, StateGraph

from recuerdo.adapters.registry import open_repositories
from recuerdo.checkpoints.damage import CheckpointCheck
from recuerdo.checkpoints.outlines import sealed
from recuerdo.core.errors import DamagedRow
from recuerdo.core.scope import Owner
from recuerdo.integrations.langgraph import RecuerdoSaver
from servers import preloaded

PLACE: Any = {"configurable": {"thread_id": "t-1"}}
STORED = {
    "checkpoints": ("body", "metadata"),
    "checkpoint_writes": ("body",),
    "checkpoint_segments": ("data",),
    "checkpoint_values": ("data",),
}
Run = Callable[..., list[Any]]


class State(MessagesState):
    notes: str


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Run]:
    """The URL of a database, and a way to its rows behind Recuerdo's back."""

    def run_sqlite(statement: str, *values: Any) -> list[Any]:
        with closing(sqlite3.connect(tmp_path / "r.db")) as connection, connection:
            return connection.execute(statement, values).fetchall()

    def run_postgres(statement: str, *values: Any) -> list[Any]:
        with psycopg.connect(url, autocommit=True, options="-c search_path=recuerdo") as connection:
            cursor = connection.execute(statement.replace("?", "%s"), values)
            return cursor.fetchall() if cursor.description else []

    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/r.db", run_sqlite
    url: str = request.getfixturevalue("empty_postgres_url")
    return url, run_postgres


def graph(saver: RecuerdoSaver) -> Any:
    builder: Any = StateGraph(State)
    builder.add_node("answer", lambda _: {"messages": [HumanMessage("Buenas")], "notes": "long " * 200})
    builder.add_edge(START, "answer")
    return builder.compile(checkpointer=saver)


async def talk(url: str, *, user: str = "emi") -> None:
    async with RecuerdoSaver.from_conn_string(url, tenant="acme", user=user, history=None) as saver:
        for text in ("Hola", "Adiós"):
            await graph(saver).ainvoke({"messages": [HumanMessage(text)]}, PLACE)


async def damages(url: str) -> list[tuple[Owner | None, str]]:
    async with open_repositories(url) as repositories:
        assert repositories.checkpoints is not None
        return [
            (each.owner, each.damage.what)
            async for each in CheckpointCheck(repositories.checkpoints).run()
            if isinstance(each.damage, DamagedRow)
        ]


async def read(url: str) -> None:
    async with RecuerdoSaver.from_conn_string(url, tenant="acme", user="emi") as saver:
        [_ async for _ in graph(saver).aget_state_history(PLACE)]


def flipped(data: bytes) -> bytes:
    place = random.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << random.randrange(8)]) + data[place + 1 :]


@pytest.mark.parametrize(("table", "column"), [(table, name) for table, names in STORED.items() for name in names])
async def test_a_bit_that_flipped_is_found(database: tuple[str, Run], table: str, column: str) -> None:
    """Whichever it is: the first byte of a seal too, without which the row looks like one of an older version."""
    url, run = database
    await talk(url)
    await talk(url, user="ana")
    assert await damages(url) == []
    rows = run(f"SELECT DISTINCT t.key, x.{column} FROM {table} AS x JOIN checkpoint_threads AS t USING (key)"
               " WHERE t.\"user\" = 'emi'")  # fmt: skip
    assert rows
    for key, data in rows:
        whole = bytes(data)
        broken = [flipped(whole) for _ in range(3)] + [b"\xc0" + whole[1:], whole[:-1]]
        for each in broken:
            run(f"UPDATE {table} SET {column} = ? WHERE key = ? AND {column} = ?", each, key, whole)
            found = await damages(url)
            run(f"UPDATE {table} SET {column} = ? WHERE key = ? AND {column} = ?", whole, key, each)
            assert {owner for owner, _ in found} == {Owner("acme", "emi")}, each
    assert await damages(url) == []


@pytest.mark.parametrize("table", STORED)
async def test_who_reads_a_damaged_row_is_told_which_it_is(database: tuple[str, Run], table: str) -> None:
    url, run = database
    await talk(url)
    for name in STORED[table]:
        for key, data in run(f"SELECT key, {name} FROM {table}"):
            run(f"UPDATE {table} SET {name} = ? WHERE key = ? AND {name} = ?", flipped(bytes(data)), key, bytes(data))
    with pytest.raises(DamagedRow, match="damaged and can't be read"):
        await read(url)


async def test_rows_that_are_gone_are_found(database: tuple[str, Run]) -> None:
    url, run = database
    await talk(url)
    run("DELETE FROM checkpoint_segments")
    run("DELETE FROM checkpoint_values")
    assert {what for _, what in await damages(url)} == {"log of checkpoints", "value of a checkpoint"}


async def test_rows_of_an_older_version_have_no_seal_and_are_read(database: tuple[str, Run]) -> None:
    url, run = database
    await talk(url)
    for table, names in STORED.items():
        for name in names if table != "checkpoint_values" else ():
            for key, data in run(f"SELECT key, {name} FROM {table}"):
                assert bytes(data) == sealed(bytes(data)[5:])
                run(f"UPDATE {table} SET {name} = ? WHERE key = ? AND {name} = ?", bytes(data)[5:], key, bytes(data))
    assert await damages(url) == []
    await read(url)
    await talk(url)
    run("UPDATE checkpoint_segments SET size = size + 1 WHERE start = 0")
    assert await damages(url) != []


async def test_the_command_lists_them(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/r.db"
    await talk(url)
    with closing(sqlite3.connect(tmp_path / "r.db")) as connection, connection:
        connection.execute("UPDATE checkpoint_segments SET data = x'c1' WHERE start = 0")
    command = (preloaded.command(), "db", "check", "--deep", "--database-url", url)
    checking = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    told = (await checking.communicate())[0].decode()
    assert checking.returncode == 1
    assert "Damaged: tenant 'acme', user 'emi', log of checkpoints 't-1 messages from 0 on'" in told
    assert "Read 6 checkpoints: 1 damaged rows." in told
