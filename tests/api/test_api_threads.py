"""Threads and their states, as LangGraph's SDK sees them."""

import asyncio
import uuid
from typing import get_args

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient, SyncLangGraphClient
from langgraph_sdk.errors import BadRequestError, ConflictError, NotFoundError, UnprocessableEntityError
from langgraph_sdk.schema import (
    AssistantSelectField,
    CronSelectField,
    RunSelectField,
    ThreadSelectField,
    ThreadStateSelectField,
)

from servers.recuerdo import RecuerdoServer


async def test_a_thread_is_made_changed_and_deleted(client: LangGraphClient) -> None:
    made = await client.threads.create(metadata={"a": 1})
    assert (made["status"], made["values"]) == ("idle", None)
    changed = await client.threads.update(made["thread_id"], metadata={"b": 2})
    assert changed["metadata"] == {"a": 1, "b": 2}
    assert await client.threads.update(made["thread_id"], metadata={}, return_minimal=True) is None
    await client.threads.delete(made["thread_id"])
    with pytest.raises(NotFoundError):
        await client.threads.get(made["thread_id"])


async def test_a_thread_is_made_once(client: LangGraphClient) -> None:
    name = str(uuid.uuid4())
    await client.threads.create(thread_id=name, metadata={"first": True})
    with pytest.raises(ConflictError):
        await client.threads.create(thread_id=name)
    again = await client.threads.create(thread_id=name, if_exists="do_nothing")
    assert again["metadata"] == {"first": True}


async def test_threads_are_found_by_metadata_values_status_and_ids(client: LangGraphClient) -> None:
    first = await client.threads.create(metadata={"team": "a"})
    second = await client.threads.create(metadata={"team": "b"})
    await client.runs.wait(second["thread_id"], "stepping", input={"items": ["x"], "answer": "yes"})
    assert _ids(await client.threads.search(metadata={"team": "a"})) == [first["thread_id"]]
    assert _ids(await client.threads.search(values={"answer": "yes"})) == [second["thread_id"]]
    assert _ids(await client.threads.search(ids=[first["thread_id"]])) == [first["thread_id"]]
    assert _ids(await client.threads.search(sort_by="created_at", sort_order="asc")) == [
        first["thread_id"],
        second["thread_id"],
    ]
    assert await client.threads.search(status="busy") == []
    assert await client.threads.count() == 2
    assert await client.threads.count(values={"answer": "yes"}) == 1


async def test_pages_of_threads_that_hold_values_say_how_many_there_are(api_server: RecuerdoServer, user: str) -> None:
    async with httpx.AsyncClient(base_url=api_server.url, headers={"X-Recuerdo-User": user}) as client:
        for answer in ("yes", "yes", "no"):
            thread = (await client.post("/threads", json={})).json()["thread_id"]
            run = {"assistant_id": "stepping", "input": {"answer": answer}}
            await client.post(f"/threads/{thread}/runs/wait", json=run)
        pages = [
            await client.post("/threads/search", json={"values": {"answer": "yes"}, "limit": 1, "offset": offset})
            for offset in range(2)
        ]
    assert [len(page.json()) for page in pages] == [1, 1]
    assert [page.headers["X-Pagination-Total"] for page in pages] == ["2", "2"]
    assert [page.headers.get("X-Pagination-Next") for page in pages] == ["1", None]


async def test_a_search_shows_what_it_is_asked_for(client: LangGraphClient) -> None:
    thread = await client.threads.create()
    await client.runs.wait(thread["thread_id"], "stepping", input={"items": ["x"]})
    [found] = await client.threads.search(select=["status"], extract={"last": "values.items[-1]", "no": "values.z.y"})
    assert found == {"status": "idle", "extracted": {"last": "second", "no": None}}


async def test_a_thread_shows_the_values_of_its_state(client: LangGraphClient) -> None:
    thread = await client.threads.create()
    await client.runs.wait(thread["thread_id"], "stepping", input={"items": ["x"]})
    got = await client.threads.get(thread["thread_id"])
    assert got["values"] == {"items": ["x", "first", "second"]}
    assert got["metadata"]["graph_id"] == "stepping"


async def test_the_state_of_a_thread_without_a_run_is_empty(client: LangGraphClient) -> None:
    thread = await client.threads.create()
    state = await client.threads.get_state(thread["thread_id"])
    assert (state["values"], state["next"], state["checkpoint"]) == ({}, [], None)
    assert await client.threads.get_history(thread["thread_id"]) == []


async def test_the_history_of_a_thread_leads_back_to_each_of_its_states(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "stepping", input={"items": ["x"]})
    states = await client.threads.get_history(thread)
    assert [state["next"] for state in states] == [[], ["second"], ["first"], ["__start__"]]
    between = states[1]["checkpoint"]
    assert (await client.threads.get_state(thread, checkpoint=between))["values"] == {"items": ["x", "first"]}
    by_id = await client.threads.get_state(thread, checkpoint_id=between["checkpoint_id"])
    assert by_id["values"] == {"items": ["x", "first"]}
    earlier = await client.threads.get_history(thread, before=between, limit=1)
    assert earlier[0]["next"] == ["first"]
    assert len(await client.threads.get_history(thread, metadata={"step": 1})) == 1


async def test_the_state_at_a_checkpoint_that_is_not_there_is_empty_and_names_it(client: LangGraphClient) -> None:
    thread, unknown = (await client.threads.create())["thread_id"], "1f0e1e7b-0000-6000-8000-000000000000"
    await client.runs.wait(thread, "stepping", input={"items": ["x"]})
    state = await client.threads.get_state(thread, checkpoint_id=unknown)
    assert (state["values"], state["created_at"], state["checkpoint_id"]) == ({}, None, unknown)
    assert (state["checkpoint"]["checkpoint_id"], state["checkpoint"]["thread_id"]) == (unknown, thread)


async def test_a_state_is_written_as_if_by_a_node(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "stepping", input={"items": []})
    written = await client.threads.update_state(thread, {"items": ["mine"]}, as_node="first")
    state = await client.threads.get_state(thread)
    assert state["checkpoint"]["checkpoint_id"] == written["checkpoint"]["checkpoint_id"]
    assert (state["next"], state["values"]["items"][-1]) == (["second"], "mine")
    assert (await client.threads.get(thread))["status"] == "interrupted"
    resumed = await client.runs.wait(thread, "stepping", input=None)
    assert resumed["items"][-2:] == ["mine", "second"]


async def test_a_run_goes_on_from_an_older_checkpoint(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "stepping", input={"items": ["x"]})
    before = (await client.threads.get_history(thread))[1]["checkpoint"]
    await client.threads.update_state(thread, {"items": ["later"]}, as_node="second")
    forked = await client.runs.wait(thread, "stepping", input=None, checkpoint=before)
    assert forked == {"items": ["x", "first", "second"]}


async def test_a_state_that_the_graph_refuses_is_a_422_and_without_a_graph_a_400(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    with pytest.raises(BadRequestError):  # the thread has no graph yet
        await client.threads.update_state(thread, {"items": ["mine"]})
    await client.runs.wait(thread, "stepping", input={"items": []})
    with pytest.raises(UnprocessableEntityError):
        await client.threads.update_state(thread, {"items": ["mine"]}, as_node="nobody")


async def test_a_state_is_not_written_while_a_run_is_at_work(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "stepping", input={"wait": 20})
    assert (await client.threads.get(thread))["status"] == "busy"
    with pytest.raises(ConflictError):
        await client.threads.update_state(thread, {"items": ["mine"]})
    await client.runs.cancel(thread, run["run_id"], wait=True)


async def test_a_thread_is_made_with_the_steps_of_another(client: LangGraphClient) -> None:
    made = await client.threads.create(
        graph_id="stepping",
        supersteps=[
            {"updates": [{"values": {"items": ["q"]}, "as_node": "first"}]},
            {"updates": [{"values": {"items": ["r"]}, "as_node": "second"}]},
        ],
    )
    assert (made["values"], made["status"]) == ({"items": ["q", "r"]}, "idle")


async def test_a_copy_goes_its_own_way(client: LangGraphClient) -> None:
    source = (await client.threads.create(metadata={"a": 1}))["thread_id"]
    await client.runs.wait(source, "stepping", input={"items": ["x"]})
    copy = await client.threads.copy(source)
    assert copy["metadata"]["a"] == 1
    grown = await client.runs.wait(copy["thread_id"], "stepping", input={"items": ["y"]})
    assert grown["items"] == ["x", "first", "second", "y", "first", "second"]
    assert (await client.threads.get_state(source))["values"] == {"items": ["x", "first", "second"]}


async def test_threads_are_pruned(client: LangGraphClient) -> None:
    kept, gone = [(await client.threads.create())["thread_id"] for _ in range(2)]
    for thread in (kept, gone):
        await client.runs.wait(thread, "stepping", input={"items": ["x"]})
    assert await client.threads.prune([kept], strategy="keep_latest") == {"pruned_count": 1}
    assert len(await client.threads.get_history(kept)) == 1
    assert await client.threads.prune([gone, str(uuid.uuid4())]) == {"pruned_count": 1}
    assert await client.threads.count() == 1


async def test_a_thread_is_gone_when_its_time_to_live_is_over(client: LangGraphClient) -> None:
    mortal = await client.threads.create(ttl={"ttl": 0.005, "strategy": "delete"})
    staying = await client.threads.create(ttl=60)
    while _ids(await client.threads.search()) != [staying["thread_id"]]:  # noqa: ASYNC110 - another process says when
        await asyncio.sleep(0.1)
    assert mortal["thread_id"] != staying["thread_id"]
    assert (await client.threads.get(staying["thread_id"], include=["ttl"]))["ttl"]["ttl_minutes"] == 60


async def test_nobody_sees_anothers_thread(client: LangGraphClient, stranger: LangGraphClient) -> None:
    thread = (await client.threads.create(metadata={"secret": 1}))["thread_id"]
    run = await client.runs.create(thread, "stepping", input={})
    await client.runs.join(thread, run["run_id"])
    for call in (
        stranger.threads.get(thread),
        stranger.threads.update(thread, metadata={}),
        stranger.threads.delete(thread),
        stranger.threads.copy(thread),
        stranger.threads.get_state(thread),
        stranger.threads.get_history(thread),
        stranger.threads.update_state(thread, {}),
        stranger.runs.list(thread),
        stranger.runs.get(thread, run["run_id"]),
        stranger.runs.cancel(thread, run["run_id"]),
        stranger.runs.create(thread, "stepping", input={}),
    ):
        with pytest.raises(NotFoundError):
            await call
    assert thread not in _ids(await stranger.threads.search(limit=100))
    assert (await client.threads.get(thread))["metadata"]["secret"] == 1


def test_the_synchronous_client_does_the_same(sync_client: SyncLangGraphClient) -> None:
    thread = sync_client.threads.create(metadata={"a": 1})["thread_id"]
    assert sync_client.runs.wait(thread, "stepping", input={"items": ["x"]}) == {"items": ["x", "first", "second"]}
    events = [part.event for part in sync_client.runs.stream(thread, "stepping", input={}, stream_mode="updates")]
    assert events == ["metadata", "updates", "updates"]
    assert len(sync_client.threads.get_history(thread, limit=3)) == 3
    assert sync_client.threads.search(metadata={"a": 1})[0]["status"] == "idle"
    sync_client.threads.delete(thread)
    assert sync_client.threads.count() == 0


def _ids(threads: list[dict[str, object]]) -> list[object]:
    return [thread["thread_id"] for thread in threads]


async def test_every_field_that_the_sdk_selects_is_known(client: LangGraphClient) -> None:
    made = await client.threads.create()
    thread = made["thread_id"]
    await client.runs.wait(thread, "stepping", input={"items": ["x"], "answer": "yes"})
    [found] = await client.threads.search(ids=[thread], select=[*get_args(ThreadSelectField)])
    values = found["values"]
    assert values["answer"] == "yes"
    [run] = await client.runs.list(thread, select=[*get_args(RunSelectField)])
    assert run["status"] == "success"
    assert await client.assistants.search(limit=1, select=[*get_args(AssistantSelectField)])
    assert await client.crons.search(select=[*get_args(CronSelectField)]) == []
    fields = [*get_args(get_args(ThreadStateSelectField)[0])]
    state = await client.threads.get_state(thread, select=fields)
    assert set(state) == set(fields)
    for part in (
        await client.threads.get_state(thread, select=["next", "values.items"]),
        await client.threads.get_state(thread, state["checkpoint"], select=["next", "values.items"]),
        (await client.threads.get_history(thread, limit=1, select=["next", "values.items"]))[0],
    ):
        assert part == {"next": [], "values": {"items": values["items"]}}
    assert await client.threads.get_state(thread, select=["values.absent"]) == {"values": {}}
