"""The contracts over the adapter that the how-to builds, and what Recuerdo does with the core tier alone."""

import re
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from examples import sqlalchemy_adapter
from examples.sqlalchemy_adapter import Database, SqlAlchemyHistory, SqlAlchemyMemories, SqlAlchemyThreads

from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.adapters.registry import open_repositories
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable
from recuerdo.testing import HistoryContract, MemoryContract, ThreadContract


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sqlalchemy_database(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Database]:
    async with Database.open(f"sqlite:///{tmp_path_factory.mktemp('contracts')}/example.db") as database:
        yield database


@pytest.fixture
def history(sqlalchemy_database: Database) -> SqlAlchemyHistory:
    return SqlAlchemyHistory(sqlalchemy_database)


@pytest.fixture
def threads(sqlalchemy_database: Database) -> SqlAlchemyThreads:
    return SqlAlchemyThreads(sqlalchemy_database)


@pytest.fixture
def memories(sqlalchemy_database: Database) -> SqlAlchemyMemories:
    return SqlAlchemyMemories(sqlalchemy_database)


class TestSqlAlchemyHistory(HistoryContract):
    """See HistoryContract."""


class TestSqlAlchemyThreads(ThreadContract):
    """See ThreadContract."""


class TestSqlAlchemyMemories(MemoryContract):
    """See MemoryContract."""


async def test_a_registered_scheme_opens_the_adapter(tmp_path: Path) -> None:
    """Recuerdo.open serves conversations and memories over the core tier alone, and they are there afterwards."""
    url = f"sqlalchemy:///{tmp_path}/example.db"
    async with Recuerdo.open(url, embeddings="none") as memory:
        thread = memory.thread(tenant="acme", user="emi", thread="t-1")
        await thread.append(Message.user("Me llamo Emiliano"))
        await memory.user(tenant="acme", user="emi").add("Likes tea")
    async with Recuerdo.open(url, embeddings="none") as memory:
        thread = memory.thread(tenant="acme", user="emi", thread="t-1")
        assert [each.text for each in await thread.window(MessageWindow(5))] == ["Me llamo Emiliano"]
        user = memory.user(tenant="acme", user="emi")
        assert [each.memory.text for each in await user.search("tea")] == ["Likes tea"]
        assert [hit.seq for hit in await user.search_history("Emiliano")] == [1]
        assert (await memory.chat.reply(thread.scope, "¿Cómo me llamo?")).message.text
        assert (await user.erase()).complete


@pytest.mark.parametrize("what", ["checkpoints", "items", "library"])
async def test_the_core_tier_alone_refuses_the_rest(tmp_path: Path, what: str) -> None:
    """Using a part that the database can't keep is an error that says so, and names databases that can."""
    async with Recuerdo.open(f"sqlalchemy:///{tmp_path}/example.db", embeddings="none") as memory:
        with pytest.raises(ConfigurationError, match=r"This database stores no .* Use sqlite://"):
            getattr(memory, what)


async def test_no_error_of_the_driver_leaves_the_adapter(tmp_path: Path) -> None:
    """A database that fails is DatabaseUnavailable."""
    (tmp_path / "example.db").write_bytes(b"no database at all, " * 100)
    with pytest.raises(DatabaseUnavailable):
        async with open_repositories(f"sqlalchemy:///{tmp_path}/example.db"):
            pass


def test_the_how_to_shows_the_code_of_the_example() -> None:
    """Each excerpt of the page stands in the file, which has at most 600 lines."""
    code = Path(sqlalchemy_adapter.__file__).read_text("utf-8")
    page = (Path(__file__).parents[2] / "docs/how-to/write-an-adapter.md").read_text("utf-8")
    shown = re.findall(r"<!-- skip: stands in [^\n]*\n```python\n(.*?)```", page, re.DOTALL)
    assert len(shown) == 4
    assert [excerpt for excerpt in shown if excerpt not in code] == []
    assert code.count("\n") <= 600


async def test_an_installed_package_brings_its_scheme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheme that nobody registered is looked up among the entry points of installed packages."""
    installed = tmp_path / "adapter-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: adapter\nVersion: 1.0\n")
    opener = "examples.sqlalchemy_adapter:open_repositories"
    (installed / "entry_points.txt").write_text(f"[recuerdo.databases]\ninstalled = {opener}\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    async with open_repositories(f"installed:///{tmp_path}/example.db") as repositories:
        assert isinstance(repositories.history, SqlAlchemyHistory)
