"""Graphs whose state, context and answers have types of their own."""

import asyncio
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from servers.recuerdo import RecuerdoServer, running_recuerdo

GRAPHS = Path(__file__).parent / "typed" / "langgraph.json"


@pytest.fixture(scope="module")
def api_server(tmp_path_factory: pytest.TempPathFactory) -> Generator[RecuerdoServer]:
    database = tmp_path_factory.mktemp("types") / "types.db"
    with running_recuerdo(database_url=f"sqlite:///{database}", config=str(GRAPHS), embeddings="none") as server:
        yield server


@pytest.mark.parametrize("graph", ["toned", "modelled"])
async def test_a_context_that_is_not_given_has_the_defaults_of_its_schema(client: LangGraphClient, graph: str) -> None:
    """Also where a configuration stands in for it that holds something else."""
    assert await client.runs.wait(None, graph, input={}) == {"text": "plain 3"}
    assert await client.runs.wait(None, graph, input={}, context={"volume": 1}) == {"text": "plain 1"}
    configured = await client.runs.wait(None, graph, input={}, config={"configurable": {"tone": "kind", "other": 1}})
    assert configured == {"text": "kind 3"}
    modes: Any = ["events", "values"]
    parts = [part async for part in client.runs.stream(None, graph, input={}, stream_mode=modes)]
    assert {"text": "plain 3"} in [part.data for part in parts if part.event == "values"]
    async with client.threads.stream(assistant_id=graph) as thread:
        await thread.run.start(input={})
        assert await asyncio.wait_for(thread.output, 30) == {"text": "plain 3"}
