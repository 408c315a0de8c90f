"""Texts at rest: what stands in the file, who can read it, and what is left after the key is gone."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.adapters.local import LocalDatabase, LocalDataKeys
from recuerdo.app.settings import Settings
from recuerdo.core.errors import (
    ConfigurationError,
    DamagedMessage,
    DatabaseUnavailable,
    DataKeyMissing,
    IdempotencyConflict,
)
from recuerdo.encryption.ciphers import MasterKeys, new_master_key
from recuerdo.encryption.keyring import Keyring
from recuerdo.history.history import utc_now

KEY, OTHER = new_master_key(), new_master_key()
CANARY = "kanarienvogel"
TOLD = f"Me llamo {CANARY} y vivo en {CANARY}ia"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "recuerdo.db"


def opened(path: Path, key: str | None = KEY, embeddings: str = "none"):
    return Recuerdo.open(f"sqlite:///{path}", encryption_key=key, embeddings=embeddings)


def thread_of(memory: Recuerdo, thread: str = "t", tenant: str = "acme"):
    return memory.thread(tenant=tenant, user="emi", thread=thread)


async def told(path: Path, key: str | None = KEY, *, tenant: str = "acme", idempotency_key: str = "k") -> None:
    async with opened(path, key) as memory:
        thread = thread_of(memory, tenant=tenant)
        await thread.append(Message.user(TOLD), Message.assistant("Hola"), idempotency_key=idempotency_key)
        await memory.user(tenant=tenant, user="emi").add(TOLD, attribute="city", value=CANARY)


async def texts(path: Path, key: str | None = KEY, thread: str = "t", tenant: str = "acme") -> list[str]:
    async with opened(path, key) as memory:
        return [message.text for message in await thread_of(memory, thread, tenant).window(MessageWindow(10))]


def bytes_of(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())


def rows(path: Path, statement: str, *parameters: object) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement, parameters).fetchall()


async def test_no_text_stands_in_the_file_or_its_log(path):
    """Messages, titles, memories, their values, changes and vectors are searched and read, and nowhere legible."""
    async with opened(path, embeddings="offline") as memory:
        thread = thread_of(memory)
        await thread.append(Message.user(TOLD), Message.assistant(f"Hola, {CANARY}"), idempotency_key="k")
        await thread.fork("copy")
        user = memory.user(tenant="acme", user="emi")
        stored = await user.add(TOLD, attribute="city", value=CANARY)
        await user.update(stored.id, text=f"{CANARY} se muda", value=f"{CANARY}lia")
        assert [hit.memory.value for hit in await user.search("¿Dónde vive?", limit=1)] == [f"{CANARY}lia"]
        assert CANARY in (await user.search_history(CANARY))[0].message.text
        await memory.history.indexed()
        assert (await thread.info()).title.startswith("Me llamo")
        assert [each.text for each in await thread_of(memory, "copy").read()] == [TOLD, f"Hola, {CANARY}"]
        assert CANARY.encode() not in bytes_of(path.parent).lower()
    assert CANARY.encode() not in bytes_of(path.parent).lower()
    assert {bytes(vector)[:5] for (vector,) in rows(path, "SELECT vector FROM passage_vectors")} == {b"\0rcd1"}
    assert rows(path, "SELECT count(*) FROM memories WHERE vector IS NOT NULL") == [(1,)]


async def test_a_file_is_opened_with_its_key_alone(path):
    """Without the key, or with another, opening says so; nobody is shown a garbled text."""
    await told(path)
    assert await texts(path) == [TOLD, "Hola"]
    for key in (None, OTHER, "", "abc", KEY[:-4]):
        with pytest.raises(ConfigurationError) as refused:
            await texts(path, key)
        assert "RECUERDO_ENCRYPTION_KEY" in str(refused.value) or "recuerdo encryption key" in str(refused.value)
        assert not key or key not in str(refused.value)


async def test_encryption_is_switched_on_later(path):
    """Texts that were stored before stay readable, and their retries are still recognised; new ones are encrypted."""
    await told(path, None)
    async with opened(path) as memory:
        thread = thread_of(memory)
        retried = await thread.append(Message.user(TOLD), Message.assistant("Hola"), idempotency_key="k")
        assert retried.replayed
        with pytest.raises(IdempotencyConflict):
            await thread.append(Message.user("another"), idempotency_key="k")
        await thread.append(Message.user("geheimnis"), idempotency_key="k2")
        assert (await thread.append(Message.user("geheimnis"), idempotency_key="k2")).replayed
        [known] = await memory.user(tenant="acme", user="emi").list()
        assert known.value == CANARY
    assert await texts(path) == [TOLD, "Hola", "geheimnis"]
    assert b"geheimnis" not in bytes_of(path.parent)


async def test_fingerprints_tell_nothing_without_the_key(path):
    """Equal messages of two tenants have nothing in common that could be compared."""
    await told(path)
    await told(path, tenant="globex")
    prints = rows(path, "SELECT fingerprint FROM idempotency_keys")
    assert len(set(prints)) == 2
    bodies = rows(path, "SELECT body FROM messages WHERE role = 'assistant'")
    assert len(set(bodies)) == 2


async def test_a_body_that_was_moved_or_changed_is_refused(path):
    """A body doesn't decrypt under another tenant, user, id or role, or when a byte of it differs."""
    await told(path)
    async with opened(path) as memory:
        await memory.thread(tenant="acme", user="eva", thread="t").append(Message.user("de eva"))
    [[evas]] = rows(path, "SELECT body FROM messages ORDER BY epoch DESC LIMIT 1")
    [[own]] = rows(path, "SELECT body FROM messages ORDER BY epoch, seq LIMIT 1")
    assert isinstance(evas, bytes)
    assert isinstance(own, bytes)
    at = own.index(b'sealed":"') + 60
    changed = own[:at] + (b"A" if own[at : at + 1] != b"A" else b"B") + own[at + 1 :]
    for body in (evas, changed, own.replace(b'"role":"user"', b'"role":"system"'), own.replace(b'"id":"', b'"id":"x')):
        rows(path, "UPDATE messages SET body = ?, checksum = NULL WHERE epoch = 1 AND seq = 1", body)
        with pytest.raises(DamagedMessage):
            await texts(path)


async def test_without_its_data_keys_a_backup_is_unreadable(path, tmp_path):
    """Erasing a tenant removes its keys: a copy from before, with the master key, says that the key is gone."""
    await told(path)
    await told(path, tenant="globex")
    backup = tmp_path / "backup.db"
    shutil.copy(path, backup)
    async with opened(path) as memory:
        job = await memory.erasures.wait(await memory.erasures.ask("acme"))
        assert job.complete
        assert {place.name: place.removed for place in job.places}["data keys"] == 1
    assert rows(path, "SELECT tenant FROM data_keys ORDER BY tenant") == [("",), ("globex",)]
    keys = rows(path, "SELECT tenant, number FROM data_keys")
    rows(backup, "DELETE FROM data_keys WHERE tenant NOT IN (SELECT value FROM json_each(?))", '["", "globex"]')
    assert len(keys) == 2
    with pytest.raises(DataKeyMissing):
        await texts(backup)
    assert await texts(backup, tenant="globex") == [TOLD, "Hola"]


async def test_an_erased_tenant_can_begin_anew(path):
    """It gets another key."""
    await told(path)
    async with opened(path) as memory:
        await memory.erasures.wait(await memory.erasures.ask("acme"))
        await thread_of(memory).append(Message.user("otra vez"))
    assert await texts(path) == ["otra vez"]


def test_a_key_comes_from_a_file_or_a_variable(tmp_path, monkeypatch):
    """Not from both, and an absent file is named."""
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n{OTHER}\n")
    assert (Settings(encryption_key_file=str(file)).encryption_keys or "").split() == [KEY, OTHER]
    assert Settings(encryption_key=KEY).encryption_keys == KEY  # pyright: ignore[reportArgumentType]
    with pytest.raises(ConfigurationError, match="not both"):
        _ = Settings(encryption_key=KEY, encryption_key_file=str(file)).encryption_keys  # pyright: ignore[reportArgumentType]
    with pytest.raises(ConfigurationError, match="absent"):
        _ = Settings(encryption_key_file=str(tmp_path / "absent")).encryption_keys


async def test_keys_are_known_while_the_database_is_away(monkeypatch):
    """A tenant's key is asked for again after a minute; until the database answers, the known one is used."""

    class Keys(LocalDataKeys):
        away = False

        async def of(self, tenant: str):
            if self.away:
                raise DatabaseUnavailable("away")
            return await super().of(tenant)

    keys = Keys(LocalDatabase())
    keyring = Keyring(keys, MasterKeys.read(KEY), utc_now)
    monkeypatch.setattr("recuerdo.encryption.keyring.SECONDS_KNOWN", -1.0)
    known = await keyring.sealing("acme")
    keys.away = True
    assert await keyring.known("acme") is known
    with pytest.raises(DatabaseUnavailable):
        await keyring.known("globex")
