"""Messages that a failing disk or a stranger's hand has changed: reads name them, and the others are still there."""

import asyncio
import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pymongo
import pytest

from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.adapters import registry
from recuerdo.adapters.registry import Repositories, open_repositories
from recuerdo.core.errors import DamagedDatabase, DamagedMessage
from recuerdo.core.identifiers import new_id
from recuerdo.core.messages import Message as CoreMessage
from recuerdo.core.messages import decode_all
from recuerdo.core.passages import TimedQuery
from recuerdo.core.scope import Scope
from recuerdo.core.threads import MessageQuery
from recuerdo.history.damage import DamageCheck
from recuerdo.history.iteration import OwnerFilter
from recuerdo.history.lines import check
from recuerdo.history.transfer import Transfer
from recuerdo.testing.samples import fresh_scope
from servers.recuerdo import running_recuerdo

OTHER = b'{"role":"user","content":"something else","id":"m-3","created_at":"2026-11-21T12:00:00Z"}'
NO_MESSAGE = b'{"role":"us'


class Damaged:
    """A database, and a way to its rows behind Recuerdo's back."""

    def __init__(self, url: str, change: Callable[[str, int, bytes], None], forget: Callable[[], None]) -> None:
        self.url = url
        self.change = change
        """Give the message of this tenant and seq another body."""
        self.forget_checksums = forget


@pytest.fixture(params=["sqlite", "postgresql", "mongodb"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Damaged:
    if request.param == "sqlite":
        return _sqlite(tmp_path / "r.db")
    if request.param == "postgresql":
        return _postgres(request.getfixturevalue("empty_postgres_url"))
    url: str = request.getfixturevalue("mongodb_url")
    host, question, options = url.partition("?")
    return _mongodb(f"{host.rstrip('/')}/tests-{new_id()}{question}{options}")


def _sqlite(file: Path) -> Damaged:
    def run(statement: str, *values: Any) -> None:
        with closing(sqlite3.connect(file)) as connection, connection:
            assert connection.execute(statement, values).rowcount > 0

    def change(_tenant: str, seq: int, body: bytes) -> None:
        run("UPDATE messages SET body = ? WHERE seq = ?", body, seq)

    return Damaged(f"sqlite:///{file}", change, lambda: run("UPDATE messages SET checksum = NULL"))


def _postgres(url: str) -> Damaged:
    def run(statement: str, *values: Any) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            assert connection.execute(statement.encode(), values).rowcount > 0

    def change(tenant: str, seq: int, body: bytes) -> None:
        run("UPDATE recuerdo.messages SET body = %s WHERE tenant = %s AND seq = %s", body.decode(), tenant, seq)

    return Damaged(url, change, lambda: run("UPDATE recuerdo.messages SET checksum = NULL"))


def _mongodb(url: str) -> Damaged:
    def change(tenant: str, seq: int, body: bytes) -> None:
        with pymongo.MongoClient[dict[str, Any]](url) as client:
            messages = client.get_default_database()["messages"]
            found = messages.update_one({"tenant": tenant, "seq": seq}, {"$set": {"body": body.decode()}})
            assert found.matched_count == 1

    def forget() -> None:
        with pymongo.MongoClient[dict[str, Any]](url) as client:
            client.get_default_database()["messages"].update_many({}, {"$unset": {"checksum": ""}})

    return Damaged(url, change, forget)


@pytest.fixture
async def scope(database: Damaged) -> Scope:
    """A thread of five messages."""
    scope = fresh_scope()
    async with Recuerdo.open(database.url, embeddings="none") as memory:
        thread = memory.thread(tenant=scope.tenant, user=scope.user, thread=scope.thread)
        await thread.append(*[Message.user(f"number {number}", id=f"m-{number}") for number in range(1, 6)])
    return scope


@pytest.mark.parametrize("body", [OTHER, NO_MESSAGE])
async def test_reads_name_the_damaged_message_and_go_on_around_it(database: Damaged, scope: Scope, body: bytes) -> None:
    database.change(scope.tenant, 3, body)
    async with Recuerdo.open(database.url, embeddings="none") as memory:
        thread = memory.thread(tenant=scope.tenant, user=scope.user, thread=scope.thread)
        for read in (thread.read(), thread.messages(), thread.window(MessageWindow(50))):
            with pytest.raises(DamagedMessage, match="recuerdo db check --deep") as raised:
                await read
            error = raised.value
            assert (error.thread, error.seq) == (scope.thread, 3)
            assert error.epoch == (await thread.info()).version.epoch
        assert [each.text for each in await thread.window(MessageWindow(2))] == ["number 4", "number 5"]
        assert [each.text for each in await thread.messages(after=3)] == ["number 4", "number 5"]
        await thread.append(Message.user("number 6"))
        await thread.archive(first=3, last=3)
        shown = [each.text for each in await thread.window(MessageWindow(50))]
        assert shown == ["number 1", "number 2", "number 4", "number 5", "number 6"]


async def test_a_check_finds_every_damaged_message_and_an_export_saves_the_others(
    database: Damaged, scope: Scope
) -> None:
    for seq in (1, 3, 5):
        database.change(scope.tenant, seq, OTHER)
    choice = OwnerFilter(scope.tenant)
    async with open_repositories(database.url) as repositories:
        assert await _found(repositories, choice) == [1, 3, 5]
        transfer = Transfer(repositories.history, repositories.threads)
        pieces = [piece async for piece in transfer.export(choice)]
    assert {piece.damage.seq for piece in pieces if piece.damage} == {1, 3, 5}
    lines = b"".join([piece.data for piece in pieces]).splitlines(keepends=True)
    async with open_repositories("memory://") as target:
        restored = Transfer(target.history, target.threads)
        assert sum([part.written async for part in restored.import_from(lines, check(lines))]) == 5
        kept = await target.history.page(scope, MessageQuery())
    assert [message.text for message in decode_all(kept.records)] == ["number 2", "number 4"]


async def test_messages_of_versions_without_checksums_are_read_as_before(database: Damaged, scope: Scope) -> None:
    database.forget_checksums()
    async with Recuerdo.open(database.url, embeddings="none") as memory:
        thread = memory.thread(tenant=scope.tenant, user=scope.user, thread=scope.thread)
        assert [each.text for each in await thread.read()] == [f"number {number}" for number in range(1, 6)]
        database.change(scope.tenant, 2, NO_MESSAGE)
        with pytest.raises(DamagedMessage, match="message 2"):
            await thread.read()
        copy = await thread.fork("copy", at_seq=1)
        assert len(await copy.read()) == 1


async def test_a_fork_keeps_the_checksums(database: Damaged, scope: Scope) -> None:
    database.change(scope.tenant, 3, OTHER)
    async with Recuerdo.open(database.url, embeddings="none") as memory:
        thread = memory.thread(tenant=scope.tenant, user=scope.user, thread=scope.thread)
        copy = await thread.fork("copy")
        with pytest.raises(DamagedMessage, match="thread 'copy'"):
            await copy.read()


async def test_a_list_by_time_names_a_document_without_a_time(mongodb_url: str) -> None:
    """As another program may have written it: a KeyError named nothing."""
    host, question, options = mongodb_url.partition("?")
    database, scope = _mongodb(f"{host.rstrip('/')}/tests-{new_id()}{question}{options}"), fresh_scope()
    async with Recuerdo.open(database.url, embeddings="none") as memory:
        thread = memory.thread(tenant=scope.tenant, user=scope.user, thread=scope.thread)
        await thread.append(*[Message.user(f"number {number}") for number in range(1, 6)])
    with pymongo.MongoClient[dict[str, Any]](database.url) as client:
        messages = client.get_default_database()["messages"]
        assert messages.update_one({"tenant": scope.tenant, "seq": 3}, {"$unset": {"created_at": ""}}).modified_count
    async with open_repositories(database.url) as repositories:
        assert repositories.passages is not None
        with pytest.raises(DamagedMessage, match=r"message 3 .*no `created_at`"):
            await repositories.passages.by_time(scope.owner, TimedQuery())
        timed = await repositories.passages.by_time(scope.owner, TimedQuery(since=datetime(2020, 1, 1, tzinfo=UTC)))
        assert [each.place.seq for each in timed.found] == [5, 4, 2, 1]


async def test_over_http_a_damaged_message_is_a_500_that_names_it(tmp_path: Path) -> None:
    database = _sqlite(tmp_path / "r.db")
    async with Recuerdo.open(database.url, embeddings="none") as memory:
        thread = memory.thread(tenant="default", user="emi", thread="t-1")
        await thread.append(*[Message.user(f"number {number}") for number in range(1, 6)])
    database.change("default", 2, OTHER)
    with running_recuerdo(database_url=database.url, embeddings="none") as server:
        async with httpx.AsyncClient(base_url=server.url, headers={"X-Recuerdo-User": "emi"}) as client:
            for path in ("messages", "window"):
                answer = await client.get(f"/v1/threads/t-1/{path}")
                assert answer.status_code == 500
                assert "The message 2 of the thread 't-1'" in answer.json()["detail"]
                assert "db check --deep" in answer.json()["detail"]
            assert (await client.get("/v1/threads/t-1/messages?limit=2")).status_code == 200
            turn = await client.post("/v1/chat", json={"thread_id": "t-1", "message": "Hola"})
            assert turn.status_code == 200
            assert turn.json()["history"] == "unavailable"


async def test_damaged_pages_of_a_sqlite_file(tmp_path: Path) -> None:
    """The check lists what was on them, an export has the rest, and what can be read is what was written."""
    file, scope = tmp_path / "r.db", Scope("acme", "emi", "t-1")
    async with Recuerdo.open(f"sqlite:///{file}", embeddings="none") as memory:
        thread = memory.thread(tenant="acme", user="emi", thread="t-1")
        await thread.append(*[CoreMessage.user(f"number {number} {'x' * 300}") for number in range(1, 501)])
    assert await registry.faults(f"sqlite:///{file}", thorough=False) == []
    await asyncio.to_thread(_overwrite_leaves, file, 3)
    assert await registry.faults(f"sqlite:///{file}", thorough=False) != []
    async with open_repositories(f"sqlite:///{file}") as repositories:
        with pytest.raises((DamagedDatabase, DamagedMessage), match="db check --deep"):
            await repositories.history.page(scope, MessageQuery(limit=500, archived=None))
        damaged = await _found(repositories, OwnerFilter())
        transfer = Transfer(repositories.history, repositories.threads)
        pieces = [piece async for piece in transfer.export(OwnerFilter())]
    assert 0 < len(damaged) < 250
    lines = b"".join([piece.data for piece in pieces]).splitlines(keepends=True)
    async with open_repositories("memory://") as target:
        restored = Transfer(target.history, target.threads)
        assert sum([part.written async for part in restored.import_from(lines, check(lines))]) == 500
        kept = decode_all((await target.history.page(scope, MessageQuery(limit=500))).records)
    assert {message.seq: message.text.split()[1] for message in kept} == {
        seq: str(seq) for seq in range(1, 501) if seq not in damaged
    }


async def _found(repositories: Repositories, choice: OwnerFilter) -> list[int]:
    found = [each async for each in DamageCheck(repositories.history, repositories.threads).run(choice)]
    return [each.damage.seq for each in found if isinstance(each.damage, DamagedMessage)]


def _overwrite_leaves(file: Path, count: int) -> None:
    """Let pages that hold messages, and nothing else, be noise."""
    size = 4096
    pages = file.read_bytes()
    leaves = [at for at in range(0, len(pages), size) if pages[at : at + size].count(b"x" * 300) > 5]
    noise = random.Random(17)
    with file.open("r+b") as damaged:
        for at in leaves[2 : 2 + count]:
            damaged.seek(at)
            damaged.write(noise.randbytes(size))
        damaged.flush()
        os.fsync(damaged.fileno())
