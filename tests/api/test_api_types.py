"""Graphs whose state, context and answers have types of their own."""

import asyncio
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from servers.recuerdo import RecuerdoServer, running_recuerdo

GRAPHS = Path(__file__).parent / "typed" / "langgraph.json"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    database = tmp_path_factory.mktemp("types") / "types.db"
    return {"database_url": f"sqlite:///{database}", "config": str(GRAPHS), "embeddings": "none"}


@pytest.fixture(scope="module")
def api_server(settings: dict[str, str]) -> Generator[RecuerdoServer]:
    with running_recuerdo(**settings) as server:
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
        assert await asyncio.wait_for(thread.output, 120) == {"text": "plain 3"}


LINE = {"item": "bread", "price": 1.5}
PLACES = {"home": {"x": 3, "y": 4}, "work": None}


def shown(lines: int) -> dict[str, Any]:
    return {"lines": [LINE] * lines, "colour": "red"}


async def test_a_state_may_hold_the_types_that_its_schema_names(
    client: LangGraphClient, settings: dict[str, str], user: str
) -> None:
    """Each reader gets it: the next step, the API, and another process."""
    thread = (await client.threads.create())["thread_id"]
    values: Any = await client.runs.wait(thread, "ordering", input={})
    assert values["order"] == shown(1)
    assert values["parcels"] == [{"order": shown(1), "place": {"x": 1, "y": 2}}]
    assert (values["places"], values["takes"]) == (PLACES, 120)
    [[action, done]] = values["steps"]
    assert (action["tool"], action["tool_input"], done) == ("buy", {"item": "bread"}, "done")
    assert (await client.threads.get_state(thread))["values"] == values
    with running_recuerdo(**settings) as another:
        async with get_client(url=another.url, headers={"X-Recuerdo-User": user}) as there:
            assert (await there.threads.get_state(thread))["values"] == values
            more: Any = await there.runs.wait(thread, "ordering", input={})
            assert more["order"] == shown(2)
            assert [len(each["order"]["lines"]) for each in more["parcels"]] == [1, 2]


async def test_a_question_may_be_of_a_type_that_the_graph_names(client: LangGraphClient) -> None:
    """A run that asked one could not be recorded, and was told to have died three times."""
    thread = (await client.threads.create())["thread_id"]
    values: Any = await client.runs.wait(thread, "asking", input={})
    assert [each["value"] for each in values["__interrupt__"]] == [shown(1)]
    [[asked]] = (await client.threads.get(thread))["interrupts"].values()
    assert asked["value"] == shown(1)
    answered: Any = await client.runs.wait(thread, "asking", command={"resume": "milk"})
    assert answered["order"] == {"lines": [{**LINE, "item": "milk"}], "colour": "red"}


async def test_types_of_one_name_in_files_of_one_name_are_not_mixed_up(client: LangGraphClient) -> None:
    """`north/graph.py` and `south/graph.py` were one module: each order was read as an order of the last one loaded."""
    for graph in ("north", "south", "north"):
        thread = (await client.threads.create())["thread_id"]
        await client.runs.wait(thread, graph, input={})
        assert await client.runs.wait(thread, graph, command={"resume": "yes"}) == {"order": {graph: 1}, "seen": 1}


async def test_a_type_that_no_schema_names_is_allowed_by_a_list(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    values: Any = await client.runs.wait(thread, "careless", input={"kind": "Listed"})
    assert values["value"] == {"text": "x"}
    with pytest.raises(Exception, match=r"name it in the graph's schema, or allow it: .*langgraph\.json") as refused:
        await client.runs.wait(thread, "careless", input={"kind": "Stranger"})
    [variable] = re.findall(r"RECUERDO_STATE_TYPES=([^\s']+:Stranger)", str(refused.value))
    with running_recuerdo(config=str(GRAPHS), database_url="memory://", state_types=variable) as lenient:
        async with get_client(url=lenient.url) as there:
            assert (await there.runs.wait(None, "careless", input={"kind": "Stranger"}))["value"] == {"text": "x"}  # type: ignore[index]
