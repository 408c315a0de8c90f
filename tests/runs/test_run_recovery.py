"""Runs outlive the processes that execute them, and replicas share them: with real servers, which are killed."""

import asyncio
import uuid
from collections.abc import Generator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from recuerdo.adapters.registry import open_repositories
from recuerdo.core.documents import Decision, Document
from recuerdo.core.scope import Owner
from servers.patience import PATIENCE
from servers.recuerdo import RecuerdoServer, running_recuerdo

GRAPHS = str(Path(__file__).parents[1] / "api" / "graphs" / "langgraph.json")


@pytest.fixture(scope="module")
def replicas(postgres_url: str) -> Generator[list[RecuerdoServer]]:
    """Two servers over one PostgreSQL."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(running_recuerdo(database_url=postgres_url, config=GRAPHS, embeddings="none"))
            for _ in range(2)
        ]


def client_of(server: RecuerdoServer, user: str) -> LangGraphClient:
    return get_client(url=server.url, headers={"X-Recuerdo-User": user}, timeout=240)


@pytest.mark.parametrize("kind", ["sqlite", "mongodb"])
async def test_a_run_goes_on_after_its_server_was_killed(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """From its last checkpoint: what was done is not done again."""
    url = f"sqlite:///{tmp_path / 'runs.db'}" if kind == "sqlite" else request.getfixturevalue("empty_mongodb_url")
    with running_recuerdo(database_url=url, config=GRAPHS, embeddings="none") as server:
        async with client_of(server, "emi") as client:
            thread, run = await begun(client)
            server.kill()
            server.start()
            assert (await client.runs.join(thread, run))["items"] == ["x", "first", "second"]
            assert (await client.runs.get(thread, run))["status"] == "success"


async def test_a_row_that_can_not_be_read_keeps_no_other_run_waiting(tmp_path: Path) -> None:
    """It is the longest overdue, so that each look for due runs finds it first."""
    url, due = f"sqlite:///{tmp_path / 'runs.db'}", datetime(2026, 1, 1, tzinfo=UTC)
    damaged = Document("run", "r", "g", b'{"run_id":"r"}', open=True, due=due)
    with running_recuerdo(database_url=url, config=GRAPHS, embeddings="none") as server:
        async with client_of(server, "emi") as client:
            thread, run = await begun(client)
            server.kill()
            async with open_repositories(url) as repositories:
                assert repositories.documents is not None
                await repositories.documents.change(Owner("a", "b"), "g", [], lambda _: Decision(None, [damaged]))
            server.start()
            async with asyncio.timeout(PATIENCE):
                assert (await client.runs.join(thread, run))["items"] == ["x", "first", "second"]


async def test_another_replica_takes_over_what_a_killed_one_did(replicas: list[RecuerdoServer], tmp_path: Path) -> None:
    user = f"user-{uuid.uuid4()}"
    first, second = replicas
    async with client_of(first, user) as client:
        thread, run = await begun(client, tmp_path / "gate")
    async with client_of(second, user) as client:
        assert (await client.threads.get(thread))["status"] == "busy"
        first.kill()
        (tmp_path / "gate").touch()
        try:
            assert (await client.runs.join(thread, run))["items"] == ["x", "first", "second"]
            assert (await client.threads.get(thread))["status"] == "idle"
        finally:
            first.start()


async def test_a_run_is_cancelled_from_another_replica(replicas: list[RecuerdoServer]) -> None:
    user = f"user-{uuid.uuid4()}"
    async with client_of(replicas[0], user) as client, client_of(replicas[1], user) as other:
        thread = (await client.threads.create())["thread_id"]
        run = await client.runs.create(thread, "slow", input={"items": ["x"]})
        await until_it_has_done(other, thread, ["x", "first"])
        await other.runs.cancel(thread, run["run_id"], wait=True)
        assert (await client.runs.get(thread, run["run_id"]))["status"] == "interrupted"
        values = await other.runs.wait(thread, "stepping", input={"items": ["y"]})
        assert values["items"] == ["x", "first", "y", "first", "second"]


async def begun(client: LangGraphClient, gate: Path | None = None) -> tuple[str, str]:
    """A run that is in the middle of its second step: for two seconds, or until there is a file at the gate."""
    thread = (await client.threads.create())["thread_id"]
    waits: dict[str, Any] = {"wait": 2} if gate is None else {"gate": str(gate)}
    run = await client.runs.create(thread, "stepping", input={"items": ["x"], **waits}, durability="sync")
    await until_it_has_done(client, thread, ["x", "first"])
    return thread, run["run_id"]


async def until_it_has_done(client: LangGraphClient, thread: str, items: list[str]) -> None:
    while (await client.threads.get_state(thread))["values"].get("items", [])[: len(items)] != items:  # noqa: ASYNC110
        await asyncio.sleep(0.05)
