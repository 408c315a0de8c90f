"""Assistants, as LangGraph's SDK sees them."""

import uuid

import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError, NotFoundError, UnprocessableEntityError


async def test_each_graph_has_an_assistant_that_nobody_made(client: LangGraphClient) -> None:
    [own] = await client.assistants.search(graph_id="talking")
    assert own["assistant_id"] == "2210eb78-dd12-52b5-9024-f830a2a42626", "clients know it by this id"
    assert own["metadata"] == {"created_by": "system"}
    assert await client.assistants.get(own["assistant_id"]) == own
    assert await client.assistants.count() == 8


async def test_an_assistant_is_made_found_changed_and_deleted(client: LangGraphClient) -> None:
    made = await client.assistants.create(
        "stepping", config={"configurable": {"tone": "kind"}}, metadata={"team": "a"}, name="Mine", description="x"
    )
    assert made["context"] == {"tone": "kind"}
    assert [each["assistant_id"] for each in await client.assistants.search(metadata={"team": "a"})] == [
        made["assistant_id"]
    ]
    assert await client.assistants.count(name="mine") == 1
    changed = await client.assistants.update(made["assistant_id"], metadata={"level": 2}, name="Yours")
    assert (changed["version"], changed["metadata"], changed["name"]) == (2, {"team": "a", "level": 2}, "Yours")
    await client.assistants.delete(made["assistant_id"])
    with pytest.raises(NotFoundError):
        await client.assistants.get(made["assistant_id"])


async def test_an_assistant_goes_back_to_an_older_version(client: LangGraphClient) -> None:
    made = await client.assistants.create("stepping", name="one")
    await client.assistants.update(made["assistant_id"], name="two")
    versions = await client.assistants.get_versions(made["assistant_id"])
    assert [(each["version"], each["name"]) for each in versions] == [(2, "two"), (1, "one")]
    assert (await client.assistants.set_latest(made["assistant_id"], 1))["name"] == "one"
    assert (await client.assistants.update(made["assistant_id"], name="three"))["version"] == 3
    with pytest.raises(NotFoundError):
        await client.assistants.set_latest(made["assistant_id"], 9)


async def test_an_id_is_taken_once(client: LangGraphClient) -> None:
    name = str(uuid.uuid4())
    await client.assistants.create("stepping", assistant_id=name, name="first")
    with pytest.raises(ConflictError):
        await client.assistants.create("stepping", assistant_id=name)
    again = await client.assistants.create("stepping", assistant_id=name, if_exists="do_nothing")
    assert again["name"] == "first"


async def test_what_is_no_graph_or_no_id_is_refused(client: LangGraphClient) -> None:
    with pytest.raises(NotFoundError):
        await client.assistants.create("nothing")
    with pytest.raises(UnprocessableEntityError):
        await client.assistants.get("talking")


async def test_a_graph_is_drawn_and_described(client: LangGraphClient) -> None:
    [own] = await client.assistants.search(graph_id="mannered")
    drawn = await client.assistants.get_graph(own["assistant_id"], xray=True)
    assert [node["id"] for node in drawn["nodes"]] == ["__start__", "manner", "__end__"]
    schemas = await client.assistants.get_schemas(own["assistant_id"])
    assert schemas["graph_id"] == "mannered"
    assert "items" in schemas["input_schema"]["properties"]
    assert "items" in schemas["state_schema"]["properties"]
    assert "tone" in schemas["context_schema"]["properties"]


async def test_subgraphs_are_described(client: LangGraphClient) -> None:
    [own] = await client.assistants.search(graph_id="nesting")
    assert [*await client.assistants.get_subgraphs(own["assistant_id"])] == ["inner"]
    assert [*await client.assistants.get_subgraphs(own["assistant_id"], namespace="inner")] == ["inner"]


async def test_pages_of_assistants_say_where_the_next_one_begins(client: LangGraphClient) -> None:
    page = await client.assistants.search(limit=4, sort_by="name", sort_order="asc", response_format="object")
    assert [each["name"] for each in page["assistants"]] == ["asking", "made", "mannered", "nesting"]
    assert page["next"] == "4"
    assert await client.assistants.search(limit=1, select=["name"]) != []


async def test_pages_hold_the_graphs_own_assistants_among_those_that_were_made(client: LangGraphClient) -> None:
    for name in ("a", "rather", "z"):
        await client.assistants.create("stepping", name=name)
    [own] = await client.assistants.search(name="talking")
    await client.assistants.update(own["assistant_id"], name="quiet")
    everything = await client.assistants.search(sort_by="name", sort_order="asc", limit=100)
    names = [each["name"] for each in everything]
    assert names == sorted(names)
    assert {"a", "rather", "z", "quiet", "stepping"} < set(names)
    assert "talking" not in names
    assert await client.assistants.count() == len(names) == 11
    pages = [
        await client.assistants.search(sort_by="name", sort_order="asc", limit=3, offset=offset)
        for offset in range(0, 12, 3)
    ]
    assert [each["name"] for page in pages for each in page] == names


async def test_nobody_sees_anothers_assistant(client: LangGraphClient, stranger: LangGraphClient) -> None:
    made = await client.assistants.create("stepping")
    for call in (
        stranger.assistants.get(made["assistant_id"]),
        stranger.assistants.update(made["assistant_id"], name="stolen"),
        stranger.assistants.delete(made["assistant_id"]),
        stranger.runs.create(None, made["assistant_id"], input={}),
    ):
        with pytest.raises(NotFoundError):
            await call
    assert await stranger.assistants.count() == 8
