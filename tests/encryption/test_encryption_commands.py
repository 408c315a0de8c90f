"""`recuerdo encryption`: keys are made, shown and rotated."""

import asyncio

import pytest
from typer.testing import CliRunner

from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.cli.commands import application
from recuerdo.core.errors import ConfigurationError
from recuerdo.encryption.ciphers import MasterKeys, new_master_key

OLD, NEW = new_master_key(), new_master_key()


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/recuerdo.db"


@pytest.fixture
def run(url, monkeypatch):
    def run_with(key, *arguments):
        monkeypatch.setenv("RECUERDO_DATABASE_URL", url)
        monkeypatch.setenv("RECUERDO_ENCRYPTION_KEY", key)
        return CliRunner().invoke(application(["encryption"]), ["encryption", *arguments])

    return run_with


def texts(url, key, *new):
    async def told():
        async with Recuerdo.open(url, encryption_key=key, embeddings="none") as memory:
            thread = memory.thread(tenant="acme", user="emi", thread="t")
            for text in new:
                await thread.append(Message.user(text))
            return [message.text for message in await thread.window(MessageWindow(10))]

    return asyncio.run(told())


def test_a_printed_key_is_one(run):
    """The setting takes the key that `key` prints, another each time."""
    first, second = run("", "key"), run("", "key")
    assert MasterKeys.read(first.stdout).first != MasterKeys.read(second.stdout).first


def test_an_old_master_key_can_be_removed_after_a_rotation(run, url):
    """`status` shows what is missing, `rotate` needs both keys, and afterwards the new one is enough."""
    assert "Nothing is encrypted" in run("", "status").output
    texts(url, OLD, "hola")
    assert run(NEW, "status").exit_code == 1
    assert "missing" in run(NEW, "status").output
    with pytest.raises(ConfigurationError):
        texts(url, NEW)
    assert isinstance(run(NEW, "rotate").exception, ConfigurationError)
    assert texts(url, f"{NEW},{OLD}") == ["hola"]
    assert "Wrapped 2 data keys" in run(f"{NEW}\n{OLD}", "rotate").output
    assert "Wrapped 0 data keys" in run(NEW, "rotate").output
    assert run(NEW, "status").exit_code == 0
    assert texts(url, NEW) == ["hola"]
    with pytest.raises(ConfigurationError):
        texts(url, OLD)


def test_a_new_data_key_leaves_old_texts_readable(run, url):
    """Texts of two data keys are read together, and repeated appends are still recognised."""
    texts(url, OLD, "hola")
    assert "added 2" in run(OLD, "rotate", "--data-keys").output
    assert texts(url, OLD, "adios") == ["hola", "adios"]
