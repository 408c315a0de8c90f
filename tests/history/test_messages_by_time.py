"""All messages of a user by time, as programs ask for them."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recuerdo import Message, Recuerdo
from recuerdo.core.errors import InvalidInput

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def _at(hour: int, text: str = "") -> Message:
    return Message.user(text or str(hour), created_at=BEGIN + timedelta(hours=hour))


async def test_pages_go_on_where_they_ended_while_more_is_said(tmp_path: Path) -> None:
    """A message that comes between two pages moves nothing that stands behind the cursor."""
    async with Recuerdo.open(f"sqlite:///{tmp_path}/r.db", embeddings="none") as memory:
        user = memory.user(tenant="acme", user="emi")
        for thread, hours in (("a", (1, 5)), ("b", (4, 2)), ("c", (3,))):
            await memory.thread(tenant="acme", user="emi", thread=thread).append(*map(_at, hours))
        first = await user.messages(limit=2)
        assert [(each.thread, each.message.text) for each in first.messages] == [("a", "5"), ("b", "4")]
        await memory.thread(tenant="acme", user="emi", thread="d").append(_at(9))
        rest = await user.messages(limit=9, cursor=first.cursor)
        assert [each.message.text for each in rest.messages] == ["3", "2", "1"]
        assert rest.cursor is None
        assert [each.message.text for each in (await user.messages(skip=1, limit=2)).messages] == ["5", "4"]


async def test_threads_from_before_are_marked_if_they_have_messages_dated_ahead(tmp_path: Path) -> None:
    file = tmp_path / "r.db"
    async with Recuerdo.open(f"sqlite:///{file}", embeddings="none") as memory:
        for thread, days in (("now", 0), ("ahead", 1)):
            said = Message.user("hola", created_at=datetime.now(UTC) + timedelta(days=days))
            await memory.thread(tenant="acme", user="emi", thread=thread).append(said)
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("DELETE FROM migrations WHERE name = '0390_messages_dated_ahead.sql'")
        database.execute("DROP INDEX threads_dated_ahead")
        database.execute("ALTER TABLE threads DROP COLUMN dated_ahead")
    async with Recuerdo.open(f"sqlite:///{file}", embeddings="none"):
        pass
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT thread FROM threads WHERE dated_ahead").fetchall() == [("ahead",)]


async def test_a_page_is_bounded_in_bytes(tmp_path: Path) -> None:
    """It ends behind the message that fills it, and its cursor goes on."""
    async with Recuerdo.open(f"sqlite:///{tmp_path}/r.db", embeddings="none", read_bytes=10_000) as memory:
        user = memory.user(tenant="acme", user="emi")
        for hour in range(5):
            await memory.thread(tenant="acme", user="emi", thread=f"t-{hour}").append(_at(hour, "x" * 6000))
        sizes, cursor, more = list[int](), None, True
        while more:
            page = await user.messages(cursor=cursor)
            sizes.append(len(page.messages))
            cursor, more = page.cursor, page.cursor is not None
        assert sizes == [2, 2, 1]


@pytest.mark.parametrize("database", ["memory://", "sqlite://{folder}/r.db"])
async def test_the_anonymous_user_has_no_messages_by_time(database: str, tmp_path: Path) -> None:
    """Over all threads they are not one person's; in a thread they are there."""
    async with Recuerdo.open(database.format(folder=f"/{tmp_path}"), embeddings="none") as memory:
        thread = memory.thread(tenant="acme", user="anonymous", thread="t")
        await thread.append(_at(1))
        assert (await memory.user(tenant="acme", user="anonymous").messages()).messages == []
        assert len(await thread.messages()) == 1


@pytest.mark.parametrize(
    ("wrong", "field"),
    [({"limit": 0}, "limit"), ({"skip": 10_001}, "skip"), ({"cursor": "x"}, "cursor"), ({"roles": ["bot"]}, "roles")],
)
async def test_what_can_not_be_asked_is_refused(wrong: dict[str, int], field: str) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        with pytest.raises(InvalidInput) as refused:
            await memory.user(tenant="acme", user="emi").messages(**wrong)  # pyright: ignore[reportArgumentType]
        assert refused.value.field == field
