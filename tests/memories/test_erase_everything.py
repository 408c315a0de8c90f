"""An erasure reaches everything that a user left, whoever writes at the same moment.

RECUERDO_TEST_ERASURES says how many erasures race writers; `make soak` plays 1,000.
"""

import asyncio
import json
import os
import random
import sqlite3
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import psycopg
import pymongo
import pytest
import redis
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.adapters.sqlite import SqliteDatabase
from recuerdo.app.graphs import hosting
from recuerdo.core.api_keys import issue
from recuerdo.core.checkpoints import CheckpointQuery
from recuerdo.core.documents import Decision, Document, DocumentKey
from recuerdo.core.errors import NotFound, RecuerdoError
from recuerdo.core.identifiers import new_id
from recuerdo.core.items import ItemAddress, Put, StoreScope
from recuerdo.core.memories import LedgerState, MemoryChange, Source
from recuerdo.core.scope import Owner
from recuerdo.core.threads import Durability
from recuerdo.integrations.langgraph import RecuerdoSaver
from recuerdo.memories.spending import Budget
from recuerdo.testing.clock import NOON, FakeClock
from servers.openai_server import Script
from servers.patience import PATIENCE

ERASURES = int(os.environ.get("RECUERDO_TEST_ERASURES", "6"))
EMI, EVA = Owner("acme", "emi"), Owner("acme", "eva")
CANARY = "kanarienvogel"


class State(TypedDict):
    x: str


@pytest.fixture(params=["sqlite", "postgres", "mongodb"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/r.db"
    return request.getfixturevalue(f"empty_{request.param}_url")


async def live(memory, owner):
    """Something of the owner's in everything that keeps something."""
    user = memory.user(tenant=owner.tenant, user=owner.user)
    thread = memory.thread(tenant=owner.tenant, user=owner.user, thread="t")
    await thread.append(Message.user(f"me gusta el {CANARY}"))
    await user.remember(f"me gusta el {CANARY}")
    written = f'{{"x": "{CANARY}"}}'
    await memory.items.write(StoreScope(owner.tenant, owner.user), [Put(ItemAddress(("a",), "k"), written)], NOON)
    document = Document("run", "r", "g", written.encode(), True)
    await memory.documents.change(owner, "g", [], lambda _: Decision(None, put=[document]))


async def left_of(memory, owner):
    """The data that a look finds, by its name."""
    user = memory.user(tenant=owner.tenant, user=owner.user)
    scope = StoreScope(owner.tenant, owner.user)
    found = {
        "threads": (await memory.history.threads(owner)).threads,
        "memories": await user.list() + await user.list(status="quarantined"),
        "changes": await user.history(),
        "found": await user.search(CANARY),
        "said": await user.search_history(CANARY),
        "items": await memory.items.namespaces(scope, (), None),
        "runs": await memory.documents.get(owner, DocumentKey("run", "r")),
        "checkpoints": await memory.checkpoints._repository.select(CheckpointQuery(owner)),
    }
    return {name for name, each in found.items() if each}


async def graph_worked(memory, owner):
    """Checkpoints in a thread that has no history."""
    graph = StateGraph(State)
    graph.add_node("step", lambda _: {"x": CANARY})
    graph.add_edge(START, "step")
    saver = RecuerdoSaver(memory, tenant=owner.tenant, user=owner.user, history=None)
    await graph.compile(checkpointer=saver).ainvoke({"x": ""}, {"configurable": {"thread_id": "graph"}})


async def test_an_erasure_reaches_everything_and_nobody_else(url, tmp_path):
    async with Recuerdo.open(url, embeddings="none", spool=str(tmp_path / "s")) as memory:
        for owner in (EMI, EVA):
            await live(memory, owner)
            await graph_worked(memory, owner)
        everything = await left_of(memory, EVA)
        assert len(everything) == 8
        receipt = await memory.user(tenant="acme", user="emi").erase()
        assert receipt.complete
        assert (receipt.threads, receipt.messages, receipt.memories) == (1, 1, 1)
        assert receipt.others == {"checkpoints": 1, "items": 1, "runs": 1}
        assert await left_of(memory, EMI) == set()
        assert await left_of(memory, EVA) == everything


async def test_an_erasure_takes_the_api_keys_and_names_every_place(url, tmp_path):
    async with Recuerdo.open(url, embeddings="none", spool=str(tmp_path / "s")) as memory:
        keys = [issue(owner, NOON) for owner in (EMI, EVA)]
        for issued in keys:
            await memory.api_keys.add(issued.key)
        await live(memory, EMI)
        receipt = await memory.user(tenant="acme", user="emi").erase()
        assert [await memory.api_keys.find(issued.key.digest) for issued in keys] == [None, keys[1].key]
        removed = {place.name: place.removed for place in receipt.places if place.removed}
        assert removed == {"memories": 1, "threads": 1, "messages": 1, "api_keys": 1, "items": 1, "runs": 1}
        assert all(place.clean and place.how for place in receipt.places)
        looked_at = {place.name for place in receipt.places}
        assert {"checkpoints", "sessions", "shared", "events"} <= looked_at
        assert ("write-ahead log" in looked_at) == url.startswith("sqlite")


async def test_nothing_of_an_erased_user_is_in_a_file_that_is_still_open(tmp_path):
    """Not even the ids of threads and users, once a day has passed; a row that refuses late writers names the user."""
    clock = FakeClock()
    async with Recuerdo.open(
        f"sqlite:///{tmp_path}/r.db", embeddings="none", spool=str(tmp_path / "s"), clock=clock
    ) as memory:
        user = memory.user(tenant="acme", user=f"emi-{CANARY}")
        thread = memory.thread(tenant="acme", user=f"emi-{CANARY}", thread=f"t-{CANARY}")
        for number in range(50):
            await thread.append(Message.user(f"me gusta el {CANARY} {number}"), idempotency_key=f"{CANARY} {number}")
        await user.remember(f"me gusta el {CANARY}")
        assert CANARY.encode() in (tmp_path / "r.db-wal").read_bytes()
        assert (await user.erase()).complete
        assert (tmp_path / "r.db-wal").read_bytes() == b""
        file = (tmp_path / "r.db").read_bytes()
        assert f"el {CANARY}".encode() not in file
        assert f"{CANARY} 7".encode() not in file
        assert f"t-{CANARY}".encode() in file
        clock.advance(timedelta(days=1, minutes=1))
        await memory.maintenance._quietly(None)
        await memory.memories.eraser._purge.run()
        assert f"t-{CANARY}".encode() not in (tmp_path / "r.db").read_bytes()


async def test_another_process_that_reads_all_the_time_makes_an_erasure_incomplete(tmp_path, monkeypatch):
    monkeypatch.setitem(SqliteDatabase.open.__func__.__wrapped__.__kwdefaults__, "busy_seconds", 1.0)
    async with Recuerdo.open(f"sqlite:///{tmp_path}/r.db", embeddings="none", spool=str(tmp_path / "s")) as memory:
        await live(memory, EMI)
        with closing(sqlite3.connect(tmp_path / "r.db")) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM threads").fetchall()
            receipt = await memory.user(tenant="acme", user="emi").erase()
        [log] = [place for place in receipt.places if place.name == "write-ahead log"]
        assert (receipt.complete, log.clean) == (False, False)
        assert (await memory.user(tenant="acme", user="emi").erase()).complete


async def test_contexts_in_a_shared_cache_go_with_their_user(redis_url, tmp_path):
    url, canary = f"sqlite:///{tmp_path}/r.db", b"kanarienhenne"
    async with (
        Recuerdo.open(url, cache=redis_url, embeddings="none") as memory,
        hosting(memory) as hosted,
    ):
        async with asyncio.timeout(PATIENCE):  # a busy machine may pass Redis over for a while
            while sum(canary in entry for entry in cached(redis_url)) < 2:
                for owner in (EMI, EVA):
                    await hosted.contexts.get_or_create(owner.thread(canary.decode()), "recuerdo")
                await asyncio.sleep(0.05)
        receipt = await memory.user(tenant="acme", user="emi").erase()
        assert (receipt.complete, receipt.others["contexts"]) == (True, 1)
        left = [entry for entry in cached(redis_url) if canary in entry]
        assert len(left) == 1
        assert b'"user":"eva"' in left[0]


async def test_what_a_user_proposed_goes_and_what_was_approved_stays_as_nobodys(url, tmp_path):
    async with Recuerdo.open(url, embeddings="none", spool=str(tmp_path / "s")) as memory:
        acme = memory.tenant(tenant="acme")
        for owner in (EMI, EVA):
            await acme.propose(f"waits of {owner.user}", by=owner.user)
            approved = await acme.propose(f"approved of {owner.user}", by=owner.user)
            await acme.approve(approved.id, by="ada")
        receipt = await memory.user(tenant="acme", user="emi").erase()
        assert (receipt.complete, receipt.others) == (True, {"shared": 2})
        assert {each.text: each.source.by for each in await acme.list()} == {
            "approved of emi": None,
            "approved of eva": "eva",
        }
        assert [each.text for each in await acme.list(status="proposed")] == ["waits of eva"]
        told = [entry for change in await acme.history() for entry in change.entries]
        assert not [entry for entry in told if entry.after and entry.after.source.by == "emi"]


@pytest.mark.parametrize("kind", ["sqlite", "postgres", "mongodb"])
async def test_once_a_day_has_passed_no_place_names_an_erased_user(kind, request, tmp_path):
    """No table, no collection and no key of Redis has the id, of a thread or of the user."""
    clock, canary = FakeClock(), f"kanarie{new_id()}"
    person, cache, folder = f"person-{canary}", request.getfixturevalue("redis_url"), tmp_path / "s"
    url = {"sqlite": f"sqlite:///{tmp_path}/r.db"}.get(kind) or request.getfixturevalue(f"empty_{kind}_url")
    async with Recuerdo.open(url, cache=cache, embeddings="none", spool=str(folder), clock=clock) as memory:
        user = memory.user(tenant="acme", user=person)
        thread = memory.thread(tenant="acme", user=person, thread=f"t-{canary}")
        await thread.append(Message.user("me gusta el café"), idempotency_key="k")
        await thread.window(MessageWindow(5))
        await user.remember("me gusta el café")
        await memory.sessions.bind(Owner("acme", person), f"s-{canary}", f"t-{canary}")
        await memory.api_keys.add(issue(Owner("acme", person), NOON).key)
        assert person.encode() in kept_by(kind, url, tmp_path)
        assert (await user.erase()).complete
        clock.advance(timedelta(days=1, minutes=1))
        async with asyncio.timeout(PATIENCE):  # caches hear of a deleted thread before it loses its name
            while canary.encode() in kept_by(kind, url, tmp_path):
                await memory.maintenance._quietly(None)
                await memory.memories.eraser._purge.run() if kind == "sqlite" else await asyncio.sleep(0.2)
        assert canary.encode() not in b"".join(named_and_cached(cache))
        late = LedgerState(0, 0)
        change = MemoryChange(at=NOON, action="added", entries=[])
        assert await memory.memories._repository.apply(Owner("acme", person), change, late) is None


def kept_by(kind, url, folder):
    """All that the database keeps."""
    if kind == "sqlite":
        return b"".join(file.read_bytes() for file in folder.glob("r.db*"))
    if kind == "postgres":
        return b"".join(dumped(url))
    with pymongo.MongoClient(url) as client:
        database = client.get_default_database()
        return repr([[*database[name].find()] for name in database.list_collection_names()]).encode()


def named_and_cached(url):
    with redis.Redis.from_url(url) as connection:
        yield from connection.scan_iter()
    yield from cached(url)


class Deployment(NamedTuple):
    """Where a user leaves something: a database, a spool, and perhaps a cache that replicas share."""

    database: str
    cache: str | None
    durability: Durability
    folder: Path

    def opened(self, model_url):
        model = {"model": "openai:test", "model_base_url": model_url, "model_api_key": "k", "extraction": Budget()}
        spool = str(self.folder / "spool")
        return Recuerdo.open(
            self.database, cache=self.cache, durability=self.durability, spool=spool, embeddings="offline", **model
        )

    def kept(self):
        """All that is kept, by who keeps it."""
        parts = {"files": [file.read_bytes() for file in self.folder.rglob("*") if file.is_file()]}
        if self.database.startswith("postgres"):
            parts = {"rows": dumped(self.database)}
        if self.cache:
            parts["cache"] = cached(self.cache)
        return {name: b"\n".join(part).lower() for name, part in parts.items()}


@pytest.fixture(params=["sqlite", "sqlite, spooled", "postgresql and a cache"])
def deployment(request, tmp_path):
    if request.param.startswith("sqlite"):
        durability = "async" if "spooled" in request.param else "sync"
        return Deployment(f"sqlite:///{tmp_path}/r.db", None, durability, tmp_path)
    url, cache = request.getfixturevalue("empty_postgres_url"), request.getfixturevalue("redis_url")
    return Deployment(url, cache, "sync", tmp_path)


def dumped(url):
    with psycopg.connect(url) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'recuerdo'").fetchall()
        return [
            row[0].encode()
            for (name,) in tables
            for row in connection.execute(f'SELECT whole::text FROM recuerdo."{name}" AS whole').fetchall()
        ]


def cached(url):
    read = {"hash": "HGETALL", "string": "GET", "list": "LRANGE {} 0 -1", "set": "SMEMBERS", "stream": "XRANGE {} - +"}
    with redis.Redis.from_url(url) as connection:
        for key in connection.scan_iter():
            command = read.get(connection.type(key).decode())
            if command is not None:
                words = command.split() if "{}" in command else [command, "{}"]
                yield repr(connection.execute_command(*[key if word == "{}" else word for word in words])).encode()


async def read_by_a_model(memory, openai_server):
    """Hand a message over, which a worker begins to read; what it reads has the canary."""
    fact = {"attribute": "city", "words": CANARY, "value": CANARY}
    openai_server.form.append(Script(json.dumps({"notes": [{"action": "add"} | fact]})))
    thread = memory.thread(tenant="acme", user="emi", thread="t")
    [message] = await thread.messages(limit=1)
    return await memory.learning.hand_over(thread.scope, message)


async def until_it_is_cached(deployment, history, scope):
    """Redis is passed over for a while where it, or this process, took too long."""
    async with asyncio.timeout(PATIENCE):
        while deployment.cache and CANARY.encode() not in deployment.kept()["cache"]:
            await history.page(scope, consistency="cached")
            await asyncio.sleep(0.05)


async def test_writers_that_began_before_bring_nothing_back(deployment, openai_server, caplog):
    """The canary is nowhere: not behind any call, and not in the files, a dump, the caches, the queue or the log."""
    chance = random.Random(3)
    caplog.set_level("DEBUG", "recuerdo")
    async with deployment.opened(openai_server.url) as memory:
        emi = memory.user(tenant="acme", user="emi")
        thread = memory.thread(tenant="acme", user="emi", thread="t")
        memory.worker.take("memory", memory.learning.do)
        [embedding] = await memory.embedder.embed([f"me gusta el {CANARY}"])
        for number in range(ERASURES):
            await live(memory, EMI)
            await memory.history.flush()
            await emi.search_history(CANARY)
            epoch = (await thread.info()).version.epoch
            action = await read_by_a_model(memory, openai_server)
            if number == 0:
                await until_it_is_cached(deployment, memory.history, thread.scope)
                assert [name for name, part in deployment.kept().items() if CANARY.encode() not in part] == []
            writers = [
                asyncio.create_task(thread.append(Message.user(CANARY), expected_epoch=epoch)),
                asyncio.create_task(emi.remember(f"vivo en {CANARY.title()}")),
                asyncio.create_task(emi.remember(f"trabajo en {CANARY.title()}")),
                asyncio.create_task(memory.memories.remember(EMI, f"vivo en {CANARY.title()}", Source(author="tool"))),
                asyncio.create_task(emi.search(CANARY)),
                asyncio.create_task(thread.window(MessageWindow(5))),
            ]
            for _ in range(chance.randrange(4)):
                await asyncio.sleep(0)
            if number % 2:
                await asyncio.sleep(chance.random() / 50)
            receipt = await emi.erase()
            for writer in writers:
                with suppress(RecuerdoError):
                    await writer
            await memory.flush()
            assert receipt.complete, number
            assert await left_of(memory, EMI) == set(), number
            with pytest.raises(NotFound):
                await memory.actions.result(action)
            openai_server.form.clear()
    for name, part in deployment.kept().items():
        assert CANARY.encode() not in part, name
        assert embedding.vector.lower() not in part, name
    assert CANARY not in caplog.text.lower()
