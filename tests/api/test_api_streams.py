"""Streams of runs, as LangGraph's SDK hears them."""

import asyncio
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.schema import StreamMode, StreamPart

SAID = {"messages": [{"role": "user", "content": "hi you", "id": "1"}]}


async def heard(client: LangGraphClient, graph: str, mode: Any, **more: Any) -> list[StreamPart]:
    thread = more.pop("thread", None)
    return [part async for part in client.runs.stream(thread, graph, stream_mode=mode, **more)]


async def test_values_are_the_state_after_each_step(client: LangGraphClient) -> None:
    first, *values = await heard(client, "stepping", "values", input={"items": ["x"]})
    assert first.event == "metadata"
    assert first.data["attempt"] == 1
    assert [part.event for part in values] == ["values"] * 3
    assert [part.data["items"] for part in values] == [["x"], ["x", "first"], ["x", "first", "second"]]


async def test_updates_are_what_each_node_changed(client: LangGraphClient) -> None:
    _, *updates = await heard(client, "stepping", "updates", input={"items": ["x"]})
    assert [part.data for part in updates] == [{"first": {"items": ["first"]}}, {"second": {"items": ["second"]}}]


async def test_messages_grow_from_piece_to_piece(client: LangGraphClient) -> None:
    _, about, *pieces = await heard(client, "talking", "messages", input=SAID)
    assert about.event == "messages/metadata"
    assert {part.event for part in pieces} == {"messages/partial"}
    assert [part.data[0]["content"] for part in pieces][::3] == ["you", "you said ", "you said hi you"]
    assert {part.data[0]["type"] for part in pieces} == {"ai"}
    assert {part.data[0]["id"] for part in pieces} == {*about.data}


async def test_message_tuples_are_pieces_with_what_is_known_of_them(client: LangGraphClient) -> None:
    _, *pieces = await heard(client, "talking", "messages-tuple", input=SAID)
    assert {part.event for part in pieces} == {"messages"}
    assert "".join(part.data[0]["content"] for part in pieces) == "you said hi you"
    assert {part.data[1]["langgraph_node"] for part in pieces} == {"speak"}


@pytest.mark.parametrize("mode", ["custom", "tasks", "checkpoints", "debug", "events"])
async def test_other_modes_tell_what_the_graph_tells(client: LangGraphClient, mode: StreamMode) -> None:
    thread = (await client.threads.create())["thread_id"]
    parts = await heard(client, "talking", mode, input=SAID, thread=thread)
    assert {part.event for part in parts} == {"metadata", mode}
    if mode == "custom":
        assert parts[1].data == {"heard": 1}


async def test_several_modes_come_in_the_order_of_what_happened(client: LangGraphClient) -> None:
    parts = await heard(client, "stepping", ["values", "updates"], input={"items": []})
    assert [part.event for part in parts] == ["metadata", "values", "updates", "values", "updates", "values"]


async def test_events_come_beside_other_modes(client: LangGraphClient) -> None:
    parts = await heard(client, "talking", ["events", "values"], input=SAID)
    kinds = [part.data["event"] for part in parts if part.event == "events"]
    assert (kinds[0], kinds[-1]) == ("on_chain_start", "on_chain_end")
    assert "on_chat_model_stream" in kinds
    assert [part.event for part in parts].count("values") == 2


async def test_subgraphs_say_where_they_are(client: LangGraphClient) -> None:
    parts = await heard(client, "nesting", "updates", input={"items": ["a"]}, stream_subgraphs=True)
    assert {part.event.partition(":")[0] for part in parts} == {"metadata", "updates|inner", "updates"}
    assert parts[-1].data["__interrupt__"][0]["value"] == {"question": "go on?"}


async def test_the_state_of_a_subgraph_is_shown(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    await heard(client, "nesting", "values", input={"items": ["a"]}, thread=thread)
    state = await client.threads.get_state(thread, subgraphs=True)
    [task] = state["tasks"]
    assert task["state"]["next"] == ["ask"]
    inner = await client.threads.get_state(thread, checkpoint=task["state"]["checkpoint"])
    assert inner["values"]["items"] == ["a", "first"]
    done = await client.runs.wait(thread, "nesting", command={"resume": "sure"})
    assert done["items"][-1] == "heard sure"


async def test_a_failure_is_the_last_event(client: LangGraphClient) -> None:
    parts = await heard(client, "stepping", "values", input={"answer": "fail"})
    assert parts[-1].event == "error"
    assert parts[-1].data == {"error": "ValueError", "message": "told to fail"}


async def test_a_run_is_over_when_its_stream_is(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    parts = await heard(client, "stepping", "values", input={}, thread=thread)
    assert (await client.runs.get(thread, parts[0].data["run_id"]))["status"] == "success"
    assert (await client.threads.get(thread))["status"] == "idle"


async def test_a_stream_goes_on_where_the_reader_left_it(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(
        thread, "stepping", input={"items": ["x"], "wait": 0.1}, stream_mode=["values"], stream_resumable=True
    )
    whole = [part async for part in client.runs.join_stream(thread, run["run_id"], last_event_id="-1")]
    assert [part.event for part in whole] == ["metadata", "values", "values", "values"]
    for index, part in enumerate(whole):
        rest = [each async for each in client.runs.join_stream(thread, run["run_id"], last_event_id=part.id)]
        assert rest == whole[index + 1 :]


@pytest.mark.parametrize("foreign", ["42-", "b1b2_event_7", "9" * 40, "-2", "١-٢"])
async def test_who_comes_with_an_id_of_somebody_elses_hears_what_there_is(
    client: LangGraphClient, foreign: str
) -> None:
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "stepping", input={}, stream_mode=["values"], stream_resumable=True)
    await client.runs.join(thread, run["run_id"])
    headers = {"Last-Event-ID": foreign.encode()}
    heard = await client.http.client.get(f"/threads/{thread}/runs/{run['run_id']}/stream", headers=headers)
    assert (heard.status_code, heard.text.count("event: values")) == (200, 2)
    async with client.http.client.stream("GET", f"/threads/{thread}/stream", headers=headers) as joined:
        assert joined.status_code == 200


async def test_a_joined_stream_can_be_of_fewer_modes(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "stepping", input={"wait": 0.1}, stream_mode=["values", "updates"])
    parts = [part async for part in client.runs.join_stream(thread, run["run_id"], stream_mode="updates")]
    assert {part.event for part in parts} == {"metadata", "updates"}


async def test_two_readers_hear_the_same(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "stepping", input={"wait": 0.2}, stream_resumable=True)

    async def listen() -> list[StreamPart]:
        return [part async for part in client.runs.join_stream(thread, run["run_id"], last_event_id="-1")]

    first, second = await asyncio.gather(listen(), listen())
    assert first == second
    assert len(first) == 4


async def test_a_run_ends_with_its_reader_where_that_was_asked_for(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    stream = client.runs.stream(thread, "slow", input={"items": []}, on_disconnect="cancel")
    run_id = (await anext(stream)).data["run_id"]  # type: ignore[arg-type, union-attr]
    await stream.aclose()  # type: ignore[attr-defined]
    while (await client.runs.get(thread, run_id))["status"] in ("pending", "running"):  # noqa: ASYNC110 - another process says when
        await asyncio.sleep(0.05)
    assert (await client.runs.get(thread, run_id))["status"] == "interrupted"


async def test_a_run_goes_on_without_its_reader(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    stream = client.runs.stream(thread, "stepping", input={"wait": 0.2})
    run_id = (await anext(stream)).data["run_id"]  # type: ignore[arg-type, union-attr]
    await stream.aclose()  # type: ignore[attr-defined]
    assert await client.runs.join(thread, run_id) == {"items": ["first", "second"], "wait": 0.2}


@pytest.mark.parametrize("on_thread", [True, False])
async def test_a_run_ends_with_who_waits_for_it_where_that_was_asked_for(
    client: LangGraphClient, on_thread: bool
) -> None:
    thread: Any = (await client.threads.create())["thread_id"] if on_thread else None
    given = {"items": []}
    waiting = asyncio.create_task(client.runs.wait(thread, "slow", input=given, on_disconnect="cancel"))
    busy: list[Any] = []
    while not busy:
        await asyncio.sleep(0.05)
        busy = await client.threads.search(status="busy")
    runs = await client.runs.list(busy[0]["thread_id"])
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    while await client.threads.search(status="busy"):  # noqa: ASYNC110 - another process says when
        await asyncio.sleep(0.05)
    if on_thread:
        assert (await client.runs.get(thread, runs[0]["run_id"]))["status"] == "interrupted"


async def test_a_wait_gives_the_result_of_a_run_that_would_end_with_it(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    waited = await client.runs.wait(thread, "stepping", input={"items": []}, on_disconnect="cancel")
    assert waited == {"items": ["first", "second"]}
