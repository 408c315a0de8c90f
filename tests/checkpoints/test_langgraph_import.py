"""Databases of LangGraph's own savers, imported."""

from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from checkpoint_twins import plain
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command
from test_saver_graphs import _agent
from typer.testing import CliRunner

from recuerdo import Recuerdo
from recuerdo.cli.commands import application
from recuerdo.core.errors import ConfigurationError
from recuerdo.integrations.langgraph import RecuerdoSaver
from recuerdo.integrations.langgraph.importing import import_threads, open_source

CONFIG: Any = {"configurable": {"thread_id": "old"}}


@asynccontextmanager
async def theirs(url: str):
    if url.startswith("sqlite"):
        async with AsyncSqliteSaver.from_conn_string(url.removeprefix("sqlite:///")) as saver:
            yield saver
    else:
        async with AsyncPostgresSaver.from_conn_string(url) as saver:
            await saver.setup()
            yield saver


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_a_thread_reads_the_same_after_an_import_and_goes_on(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """An interrupted run is resumed from the imported checkpoint, and a second import finds everything there."""
    source = f"sqlite:///{tmp_path}/theirs.db" if kind == "sqlite" else request.getfixturevalue("empty_postgres_url")
    async with theirs(source) as saver:
        graph = _agent(saver)
        await graph.ainvoke({"messages": [HumanMessage("hello", id="h1")]}, CONFIG)
        await graph.ainvoke({"messages": [HumanMessage("book it", id="h2")]}, CONFIG)
        expected = [plain(each.values) async for each in graph.aget_state_history(CONFIG)]
    async with RecuerdoSaver.from_conn_string(f"sqlite:///{tmp_path}/ours.db", user="emi") as saver:
        async with open_source(source) as opened:
            [first] = [each async for each in import_threads(opened, saver)]
            [again] = [each async for each in import_threads(opened, saver)]
        assert (first.thread, first.written) == ("old", first.checkpoints)
        assert again == first._replace(written=0)
        graph = _agent(saver)
        assert [plain(each.values) async for each in graph.aget_state_history(CONFIG)] == expected
        state = await graph.ainvoke(Command(resume=True), CONFIG)
        assert [each.type for each in state["messages"]][-2:] == ["tool", "ai"]


async def test_messages_of_an_import_have_the_times_of_their_checkpoints(tmp_path: Path) -> None:
    source = f"sqlite:///{tmp_path}/theirs.db"
    async with theirs(source) as saver:
        for text in ("hello", "thanks"):
            await _agent(saver).ainvoke({"messages": [HumanMessage(text, id=text)]}, CONFIG)
        first_seen: dict[str, datetime] = {}
        async for each in saver.alist(CONFIG):
            for message in each.checkpoint["channel_values"].get("messages", []):
                first_seen[message.id] = datetime.fromisoformat(each.checkpoint["ts"])
    async with Recuerdo.open(f"sqlite:///{tmp_path}/ours.db", embeddings="none") as memory:
        async with open_source(source) as opened:
            [_] = [each async for each in import_threads(opened, RecuerdoSaver(memory, user="emi"))]
        messages = await memory.thread(tenant="default", user="emi", thread="old").messages()
    assert {message.id: message.created_at for message in messages} == first_seen


async def test_an_import_that_was_stopped_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints that were written before are compared and left alone, and the rest follows."""
    source = f"sqlite:///{tmp_path}/theirs.db"
    async with theirs(source) as saver:
        for thread in ("one", "two"):
            config: Any = {"configurable": {"thread_id": thread}}
            await _agent(saver).ainvoke({"messages": [HumanMessage("hello", id="h1")]}, config)
    written: list[str] = []
    put = RecuerdoSaver.aput

    async def stop_after_four(saver: RecuerdoSaver, config: Any, checkpoint: Any, *rest: Any) -> Any:
        if len(written) == 4:
            raise ConnectionError("stopped")
        written.append(checkpoint["id"])
        return await put(saver, config, checkpoint, *rest)

    async with (
        RecuerdoSaver.from_conn_string(f"sqlite:///{tmp_path}/ours.db", user="emi") as ours,
        open_source(source) as opened,
    ):
        monkeypatch.setattr(RecuerdoSaver, "aput", stop_after_four)
        with pytest.raises(ConnectionError):
            [each async for each in import_threads(opened, ours)]
        monkeypatch.setattr(RecuerdoSaver, "aput", put)
        done = [each async for each in import_threads(opened, ours)]
    assert [each.thread for each in done] == ["one", "two"]
    assert sum(each.written for each in done) == sum(each.checkpoints for each in done) - 4


def test_the_command_says_what_it_did(tmp_path: Path) -> None:
    """Run twice, it writes once."""

    async def fill() -> None:
        async with theirs(f"sqlite:///{tmp_path}/theirs.db") as saver:
            await _agent(saver).ainvoke({"messages": [HumanMessage("hello", id="h1")]}, CONFIG)

    import asyncio

    asyncio.run(fill())
    arguments = ["import", f"sqlite:///{tmp_path}/theirs.db", "--from", "langgraph"]
    arguments += ["--database-url", f"sqlite:///{tmp_path}/ours.db"]
    for written, known in ((3, 0), (0, 3)):
        done = CliRunner().invoke(application(), arguments)
        assert done.output == f"Imported 1 threads, {written} checkpoints; {known} checkpoints were there already.\n"


async def test_another_kind_of_database_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="postgresql"):
        async with open_source("mysql://host"):
            pass
