"""Texts that were stored before encryption, or with older keys, are encrypted where they are."""

import asyncio
import json
import uuid
from collections import Counter
from contextlib import aclosing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from canaries import CANARY, dumped, graph, live
from pymongo import MongoClient
from typer.testing import CliRunner

from recuerdo import Recuerdo
from recuerdo.app.encrypting import open_data_keys, open_existing_texts, read_master_keys
from recuerdo.cli.commands import application
from recuerdo.core.documents import DocumentKey
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.scope import Owner
from recuerdo.encryption.ciphers import new_master_key
from recuerdo.encryption.existing import seal_existing
from recuerdo.encryption.rotation import rotate
from recuerdo.history.history import utc_now

EMI = Owner("acme", "emi")
KEY = new_master_key()


class Existing:
    """A database that was used without a key."""

    def __init__(self, url):
        self.url = url

    def opened(self, key):
        return Recuerdo.open(self.url, embeddings="offline", encryption_key=key)

    def has(self, word):
        """Whether a row has the word, or what can be read of a file."""
        return any(
            form in row.lower() for row in self._rows() for form in (word.encode(), word.encode().hex().encode())
        )

    def _rows(self):
        if self.url.startswith("sqlite"):
            path = Path(self.url.removeprefix("sqlite:///"))
            return [file.read_bytes() for file in path.parent.iterdir() if file.is_file()]
        if self.url.startswith("postgres"):
            return list(dumped(self.url))
        with MongoClient(self.url) as client:
            database = client.get_default_database()
            return [repr(each).encode() for name in database.list_collection_names() for each in database[name].find()]

    async def fill(self):
        async with self.opened(None) as memory:
            await live(memory)

    async def encrypt(self, *, dry_run=False):
        """The counts by kind."""
        found = {}
        async with open_existing_texts(self.url, KEY) as existing:
            tenants = await existing.tenants(None)
            async for each in seal_existing(existing.texts, existing.keyring, tenants, dry_run=dry_run):
                found[each.tenant, each.kind] = each
            await existing.forget_plain()
        counts = Counter()
        for (_, kind), each in found.items():
            assert (each.damaged, each.busy) == (0, 0)
            counts[kind] += each.sealed
        return dict(counts)

    async def check(self):
        """All that was said is there, and found."""
        async with self.opened(KEY) as memory:
            thread = memory.thread(tenant="acme", user="emi", thread="t")
            assert CANARY in (await thread.read())[0].text
            [hit] = await memory.user(tenant="acme", user="emi").search(CANARY, limit=1)
            assert CANARY in hit.memory.text
            [change, *_] = await memory.user(tenant="acme", user="emi").history(hit.memory.id)
            assert CANARY in change.entries[0].after.text
            state = await graph(memory).aget_state({"configurable": {"thread_id": "graph"}})
            assert [CANARY in message.content for message in state.values["messages"]] == [True, True]
            run = json.loads(await memory.documents.get(EMI, DocumentKey("run", "r")))
            assert (run["kwargs"], run["error"]) == ({"input": CANARY}, CANARY)


@pytest.fixture(params=["sqlite", "postgresql", "mongodb"])
def existing(request, tmp_path):
    if request.param == "sqlite":
        return Existing(f"sqlite:///{tmp_path}/r.db")
    if request.param == "postgresql":
        return Existing(request.getfixturevalue("empty_postgres_url"))
    url = urlsplit(request.getfixturevalue("mongodb_url"))
    return Existing(url._replace(path=f"/existing_{uuid.uuid4().hex}").geturl())


async def test_no_row_has_plain_texts_left_and_all_of_them_are_read(existing):
    """A dry run counts what is encrypted then, in every kind. It all is again with a new data key, and then no more."""
    await existing.fill()
    async with open_existing_texts(existing.url, KEY) as opened:
        kinds = set(opened.texts.kinds)
    would = await existing.encrypt(dry_run=True)
    assert existing.has(CANARY)
    done = await existing.encrypt()
    assert done == would
    assert {kind for kind, count in done.items() if count} == kinds
    assert not existing.has(CANARY)
    assert not any((await existing.encrypt()).values())
    async with open_data_keys(existing.url) as keys:
        await rotate(keys, read_master_keys(KEY), utc_now, add=True)
    assert await existing.encrypt() == done
    await existing.check()


@pytest.mark.parametrize("existing", ["sqlite"], indirect=True)
async def test_it_may_be_interrupted_behind_any_row(existing, monkeypatch):
    """Rows are sealed one by one; whoever stops in between and begins again loses nothing."""
    monkeypatch.setattr("recuerdo.encryption.existing._PAGE", 1)
    await existing.fill()
    total = sum((await existing.encrypt(dry_run=True)).values())
    for steps in range(1, total, max(1, total // 3)):
        async with (
            open_existing_texts(existing.url, KEY) as opened,
            aclosing(seal_existing(opened.texts, opened.keyring, ["acme"])) as sealing,
        ):
            for _ in range(steps):
                await anext(sealing)
        await existing.check()
    await existing.encrypt()
    assert not existing.has(CANARY)
    await existing.check()


async def test_a_row_that_was_changed_meanwhile_is_not_replaced(existing):
    """Only the first of two that read the same row replaces it, and what it wrote stays."""
    await existing.fill()
    async with open_existing_texts(existing.url, KEY) as opened:
        [row, *_] = await opened.texts.select("acme", "memory", 9)
        first, second = ("one", *row.texts[1:]), ("other", *row.texts[1:])
        assert await opened.texts.replace("acme", "memory", [(row, first)]) == 1
        assert await opened.texts.replace("acme", "memory", [(row, second)]) == 0
        assert await opened.texts.replace("globex", "memory", [(row._replace(texts=first), second)]) == 0


def test_the_command_counts_what_it_encrypts(tmp_path, monkeypatch):
    """It needs a key, takes one tenant or all, and tells by tenant and kind what it did."""
    existing = Existing(f"sqlite:///{tmp_path}/r.db")
    asyncio.run(existing.fill())
    monkeypatch.setenv("RECUERDO_DATABASE_URL", existing.url)

    def run(*arguments):
        return CliRunner().invoke(application(["encryption"]), ["encryption", "encrypt-existing", *arguments])

    assert isinstance(run().exception, ConfigurationError)
    monkeypatch.setenv("RECUERDO_ENCRYPTION_KEY", KEY)
    assert json.loads(run("--tenant", "globex", "--json").stdout) == []
    done = run("--tenant", "acme", "--json")
    assert done.exit_code == 0
    counts = {each["kind"]: each["sealed"] for each in json.loads(done.stdout)}
    assert (counts["message"] > 3, counts["document"]) == (True, 1)
    assert not existing.has(CANARY)
    assert "0" in run().output
