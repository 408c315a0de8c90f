"""A word that users say, and the model, is looked for in every file, table, cache entry and stream."""

import asyncio
import json
from pathlib import Path
from typing import NamedTuple

import pytest
import redis
from canaries import CANARY, EMI, dumped, graph, live

from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.core.documents import DocumentKey
from recuerdo.core.errors import DatabaseUnavailable
from recuerdo.core.threads import Durability
from recuerdo.encryption.ciphers import new_master_key
from servers.patience import PATIENCE

KEY = new_master_key()


class Deployment(NamedTuple):
    """A database, its spool, and perhaps a cache that replicas share."""

    database: str
    cache: str | None
    durability: Durability
    folder: Path

    def opened(self, key):
        spool = str(self.folder / "spool")
        return Recuerdo.open(
            self.database,
            cache=self.cache,
            durability=self.durability,
            spool=spool,
            embeddings="offline",
            encryption_key=key,
        )

    def places_of(self, word):
        """Where the word is: in files, rows or the cache."""
        kept = {"files": [file.read_bytes() for file in self.folder.rglob("*") if file.is_file()]}
        if self.database.startswith("postgres"):
            kept["rows"] = list(dumped(self.database))
        if self.cache:
            kept["cache"] = list(cached(self.cache))
        forms = word.encode(), word.encode().hex().encode()
        return {name for name, parts in kept.items() for part in parts if any(form in part.lower() for form in forms)}


@pytest.fixture(params=["sqlite, spooled", "postgresql and a cache"])
def deployment(request, tmp_path):
    if request.param.startswith("sqlite"):
        return Deployment(f"sqlite:///{tmp_path}/r.db", None, "async", tmp_path)
    url, cache = request.getfixturevalue("empty_postgres_url"), request.getfixturevalue("redis_url")
    with redis.Redis.from_url(cache) as connection:
        connection.flushdb()
    return Deployment(url, cache, "sync", tmp_path)


def cached(url):
    read = {"hash": "HGETALL {}", "string": "GET {}", "list": "LRANGE {} 0 -1", "stream": "XRANGE {} - +"}
    with redis.Redis.from_url(url) as connection:
        for key in connection.scan_iter():
            command = read.get(connection.type(key).decode())
            if command is not None:
                words = [key if word == "{}" else word for word in command.split()]
                yield repr(connection.execute_command(*words)).encode()


async def until_it_is_cached(deployment, memory):
    """Redis is passed over for a while where it, or this process, took too long."""
    thread = memory.thread(tenant="acme", user="emi", thread="t")
    async with asyncio.timeout(PATIENCE):
        while deployment.cache and not any(b"sealed" in entry for entry in cached(deployment.cache)):
            await thread.append(Message.user(CANARY))
            await asyncio.sleep(0.05)


async def test_the_word_stands_nowhere(deployment):
    """Not in the database, its log, the spool, the cache or the streams, open or closed; and all of it is read back."""
    async with deployment.opened(KEY) as memory:
        await live(memory)
        await until_it_is_cached(deployment, memory)
        assert deployment.places_of(CANARY) == set()
    assert deployment.places_of(CANARY) == set()
    async with deployment.opened(KEY) as memory:
        assert CANARY in (await memory.thread(tenant="acme", user="emi", thread="t").window(MessageWindow(9)))[0].text
        state = await graph(memory).aget_state({"configurable": {"thread_id": "graph"}})
        assert [CANARY in message.content for message in state.values["messages"]] == [True, True]
        run = json.loads(await memory.documents.get(EMI, DocumentKey("run", "r")))
        assert (run["kwargs"], run["error"]) == ({"input": CANARY}, CANARY)
        [hit] = await memory.user(tenant="acme", user="emi").search(CANARY, limit=1)
        assert CANARY in hit.memory.text


async def test_without_a_key_the_word_is_found(deployment):
    """The control of the test above: what it looks through has the word when nothing is encrypted."""
    async with deployment.opened(None) as memory:
        await live(memory)
        if deployment.cache:
            async with asyncio.timeout(PATIENCE):
                while "cache" not in deployment.places_of(CANARY):
                    await memory.thread(tenant="acme", user="emi", thread="t").append(Message.user(CANARY))
                    await asyncio.sleep(0.05)
    assert deployment.places_of(CANARY) >= ({"rows", "cache"} if deployment.cache else {"files"})


async def test_appends_wait_sealed_in_the_spool(tmp_path, monkeypatch):
    """While the database is away the spool's file tells nothing, and a later process commits what it holds."""
    deployment = Deployment(f"sqlite:///{tmp_path}/r.db", None, "async", tmp_path)
    async with deployment.opened(KEY) as memory:
        thread = memory.thread(tenant="acme", user="emi", thread="t")
        await thread.append(Message.user("hola"))
        await memory.history.flush()

        async def away(self, batch):
            raise DatabaseUnavailable("away")

        with monkeypatch.context() as patched:
            patched.setattr("recuerdo.adapters.sqlite.SqliteHistory.append", away)
            receipt = await thread.append(Message.user(f"Me llamo {CANARY}"), idempotency_key="k")
            assert receipt.durability == "async"
            spooled = b"".join(file.read_bytes() for file in (tmp_path / "spool").iterdir())
            assert b"sealed" in spooled
            assert deployment.places_of(CANARY) == set()
        await memory.history.flush()
        assert [each.text for each in await thread.read()] == ["hola", f"Me llamo {CANARY}"]
        await thread.append(Message.user(f"Me llamo {CANARY}"), idempotency_key="k")
        await memory.history.flush()
        assert await thread.count() == {"user": 2}


async def test_replicas_share_events_and_messages(redis_url, empty_postgres_url):
    """One replica opens the entries that another has sealed in Redis."""
    async with (
        Recuerdo.open(empty_postgres_url, cache=redis_url, embeddings="none", encryption_key=KEY) as one,
        Recuerdo.open(empty_postgres_url, cache=redis_url, embeddings="none", encryption_key=KEY) as other,
    ):
        await one.events.begin(EMI, "t", "run-2")
        await one.events.publish("run-2", "values", b'"hola"', 1)
        await one.events.end("run-2", 1)
        async with asyncio.timeout(PATIENCE):
            told = [event.data async for event in other.events.follow("run-2")]
        assert told[0] == b'"hola"'
        await one.thread(tenant="globex", user="emi", thread="t").append(Message.user("hola"))
        thread = other.thread(tenant="globex", user="emi", thread="t")
        window = await thread.window(MessageWindow(9), consistency="cached")
        assert [each.text for each in window] == ["hola"]
