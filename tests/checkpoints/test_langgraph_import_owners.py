"""The owners that threads of an import get, and the places that a store's items get."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import UTC, timedelta
from pathlib import Path
from struct import pack
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.store.postgres.aio import AsyncPostgresStore
from langgraph.store.sqlite.aio import AsyncSqliteStore
from test_langgraph_import import theirs
from test_saver_graphs import _agent
from typer.testing import CliRunner

from recuerdo import Recuerdo
from recuerdo.cli.commands import application
from recuerdo.core.items import ItemAddress, StoreScope
from recuerdo.integrations.langgraph import RecuerdoSaver, RecuerdoStore


def embed(texts: Any) -> list[list[float]]:
    return [[float("red" in text), 1.0] for text in texts]


INDEX: Any = {"dims": 2, "embed": embed, "fields": ["text"]}


@pytest.fixture(params=["sqlite", "postgres"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return (
        f"sqlite:///{tmp_path}/theirs.db"
        if request.param == "sqlite"
        else request.getfixturevalue("empty_postgres_url")
    )


@asynccontextmanager
async def their_store(url: str) -> AsyncIterator[Any]:
    """On SQLite without an index: a Python whose sqlite3 loads no extensions can't have theirs."""
    ttl: Any = {"refresh_on_read": True}
    opening: Any = (
        AsyncSqliteStore.from_conn_string(url.removeprefix("sqlite:///"), ttl=ttl)
        if url.startswith("sqlite")
        else AsyncPostgresStore.from_conn_string(url, index=INDEX, ttl=ttl)
    )
    async with opening as store:
        await store.setup()
        yield store


def add_their_vector(url: str) -> None:
    """The row that LangGraph's store would have written for the item `red`."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection, connection:
            connection.execute("CREATE TABLE store_vectors (prefix text, key text, field_name text, embedding BLOB)")
            vector = pack("<2f", 1.0, 1.0)
            connection.execute("INSERT INTO store_vectors VALUES ('emi.notes', 'red', 'text', ?)", (vector,))


async def say(saver: Any, thread: str, **configurable: Any) -> None:
    config: Any = {"configurable": {"thread_id": thread, **configurable}}
    await _agent(saver).ainvoke({"messages": [HumanMessage("hello")]}, config)


def run(source: str, tmp_path: Path, *flags: str) -> Any:
    arguments = ["import", source, "--from", "langgraph", "--database-url", f"sqlite:///{tmp_path}/ours.db"]
    return CliRunner().invoke(application(), [*arguments, *flags])


async def in_a_thread(*arguments: Any) -> Any:
    return await asyncio.to_thread(run, *arguments)


async def threads_of(tmp_path: Path, user: str, tenant: str = "default") -> set[str]:
    async with RecuerdoSaver.from_conn_string(f"sqlite:///{tmp_path}/ours.db", tenant=tenant, user=user) as saver:
        return {each.config["configurable"]["thread_id"] async for each in saver.alist(None)}


async def test_threads_become_those_of_the_users_in_their_metadata(source: str, tmp_path: Path) -> None:
    async with theirs(source) as saver:
        await say(saver, "emi-1", user_id="emi")
        await say(saver, "emi-2", user_id="emi")
        await say(saver, "ana-1", user_id="ana")
        await say(saver, "number", user_id=7)
        await say(saver, "nobody")
    done = await in_a_thread(source, tmp_path)
    assert done.exit_code == 0, done.output
    assert "Imported 5 threads, 15 checkpoints; 0 checkpoints were there already.\n" in done.output
    assert "4 users" in done.output
    assert await threads_of(tmp_path, "emi") == {"emi-1", "emi-2"}
    assert await threads_of(tmp_path, "ana") == {"ana-1"}
    assert await threads_of(tmp_path, "7") == {"number"}
    assert await threads_of(tmp_path, "anonymous") == {"nobody"}
    again = await in_a_thread(source, tmp_path)
    assert "Imported 5 threads, 0 checkpoints; 15 checkpoints were there already.\n" in again.output
    one = await in_a_thread(source, tmp_path, "--tenant", "acme", "--user", "emi")
    assert one.exit_code == 0
    assert len(await threads_of(tmp_path, "emi", "acme")) == 5


async def test_a_thread_of_several_users_is_left_out_and_said(source: str, tmp_path: Path) -> None:
    """It would show one of them what the other one said."""
    async with theirs(source) as saver:
        await say(saver, "shared", user_id="emi")
        await say(saver, "shared", user_id="ana")
        await say(saver, "own", user_id="emi")
    done = await in_a_thread(source, tmp_path)
    assert done.exit_code == 1
    assert "'shared'" in done.output
    assert "--user" in done.output
    assert await threads_of(tmp_path, "emi") == {"own"}
    assert await threads_of(tmp_path, "ana") == set()


async def test_the_items_of_the_store_come_with_their_times_lives_and_vectors(source: str, tmp_path: Path) -> None:
    async with theirs(source) as saver, their_store(source) as store:  # whose times are UTC, said or not
        await say(saver, "one", user_id="emi")
        await store.aput(("emi", "notes"), "red", {"text": "red", "n": 1}, ttl=60)
        await store.aput(("emi", "notes"), "blue", {"text": "blue"}, index=False)
        for number in range(250):
            await store.aput(("many",), str(number), {"n": number}, index=False)
        red = await store.aget(("emi", "notes"), "red")
    add_their_vector(source)
    done = await in_a_thread(source, tmp_path)
    assert done.exit_code == 0, done.output
    assert "Imported 252 items of the store; 0 were there already.\n" in done.output
    async with Recuerdo.open(f"sqlite:///{tmp_path}/ours.db", embeddings="none") as memory:
        ours = RecuerdoStore(memory, index=INDEX)
        found = await ours.asearch(("emi",), query="red")
        assert [(item.key, item.score is None) for item in found] == [("red", False), ("blue", True)]
        assert found[0].value == {"text": "red", "n": 1}
        assert abs(found[0].created_at - red.created_at.replace(tzinfo=UTC)) < timedelta(seconds=1)
        assert abs(found[0].updated_at - red.updated_at.replace(tzinfo=UTC)) < timedelta(seconds=1)
        [kept] = await memory.items.read(StoreScope("default"), [ItemAddress(("emi", "notes"), "red")], None)
        assert kept is not None
        assert kept.ttl == 60
        assert len(await ours.asearch(("many",), limit=1000)) == 250
        await ours.aput(("emi", "notes"), "blue", {"text": "green"})
    again = await in_a_thread(source, tmp_path)
    assert again.exit_code == 1
    assert "Imported 0 items of the store; 251 were there already.\n" in again.output
    assert "1 item" in again.output
    mine = await in_a_thread(source, tmp_path, "--user", "emi")
    assert "Imported 252 items" in mine.output


async def test_a_database_with_a_store_alone_is_imported_and_an_empty_one_is_refused(
    source: str, tmp_path: Path
) -> None:
    empty = await in_a_thread(source, tmp_path)
    assert empty.exit_code != 0
    async with their_store(source) as store:
        await store.aput(("a",), "k", {"v": 1})
    done = await in_a_thread(source, tmp_path)
    assert done.exit_code == 0, done.output
    assert "Imported 1 items of the store" in done.output


async def test_items_go_to_the_users_whom_their_namespaces_name_if_that_is_asked_for(
    source: str, tmp_path: Path
) -> None:
    """Those of several users, and of users without a thread, stay with the tenant."""
    async with theirs(source) as saver, their_store(source) as store:
        await say(saver, "one", user_id="emi")
        await say(saver, "two", user_id="ana")
        for namespace in (("memories", "emi"), ("ana", "notes"), ("chats", "emi", "ana"), ("memories", "leo")):
            await store.aput(namespace, "k", {"of": namespace[-1]}, index=False)
    dry = await in_a_thread(source, tmp_path, "--own-items", "--dry-run", "--json")
    assert json.loads(dry.stdout)["owned_items"] == 2
    done = await in_a_thread(source, tmp_path, "--own-items", "--json")
    counts = {"items": 4, "written_items": 4, "other_items": 0, "owned_items": 2, "threads": 2, "users": 2}
    assert json.loads(done.stdout).items() >= counts.items()
    async with Recuerdo.open(f"sqlite:///{tmp_path}/ours.db", embeddings="none") as memory:
        for user, namespaces in (
            ("emi", [("memories", "emi")]),
            ("ana", [("ana", "notes")]),
            ("", [("chats", "emi", "ana"), ("memories", "leo")]),
        ):
            assert await RecuerdoStore(memory, user=user).alist_namespaces() == namespaces
    again = await in_a_thread(source, tmp_path, "--own-items")
    assert "Imported 0 items of the store; 4 were there already.\n" in again.output
