"""The thread-centric protocol, as LangGraph's own client speaks it over server-sent events and over a WebSocket."""

import asyncio
import uuid
from collections.abc import Mapping
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from servers.recuerdo import RecuerdoServer

SAID = {"messages": [{"role": "user", "content": "hi you", "id": "1"}]}
EVERYTHING = ["values", "updates", "messages", "tools", "lifecycle", "input", "checkpoints", "tasks", "custom"]
SECONDS = 120.0


@pytest.fixture(params=["sse", "websocket"])
def transport(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def headers(user: str) -> dict[str, str]:
    return {"X-Recuerdo-User": user}


async def until_ended(stream: Any) -> list[Mapping[str, Any]]:
    """The events up to the end of the run, in their order."""
    events: list[Mapping[str, Any]] = []
    async for event in stream.subscribe(EVERYTHING):
        events.append(event)
        if event["method"] == "lifecycle" and not event["params"]["namespace"]:  # noqa: SIM102
            if event["params"]["data"]["event"] in ("completed", "failed", "interrupted"):
                return events
    return events


async def test_a_run_is_started_and_its_output_awaited(
    client: LangGraphClient, transport: Any, headers: dict[str, str]
) -> None:
    async with client.threads.stream(assistant_id="stepping", transport=transport, headers=headers) as thread:
        result = await thread.run.start(input={"items": ["x"]})
        assert await asyncio.wait_for(thread.output, SECONDS) == {"items": ["x", "first", "second"]}
    assert (await client.runs.get(thread.thread_id, result["run_id"]))["status"] == "success"


async def test_a_message_streams_in_content_blocks(
    client: LangGraphClient, transport: Any, headers: dict[str, str]
) -> None:
    async with client.threads.stream(assistant_id="talking", transport=transport, headers=headers) as thread:
        await thread.run.start(input=SAID)
        async with asyncio.timeout(SECONDS):
            [message] = [message async for message in thread.messages]
            pieces = [piece async for piece in message.text]
    assert len(pieces) > 1
    assert "".join(pieces) == "you said hi you"


async def test_every_channel_tells_its_part_in_the_order_of_what_happened(
    client: LangGraphClient, headers: dict[str, str]
) -> None:
    async with client.threads.stream(assistant_id="talking", headers=headers) as thread:
        await thread.run.start(input=SAID)
        events = await asyncio.wait_for(until_ended(thread), SECONDS)
    assert {event["method"] for event in events} == {
        "values", "updates", "messages", "lifecycle", "checkpoints", "tasks", "custom",
    }  # fmt: skip
    seqs = [event["seq"] for event in events]
    assert seqs == sorted({*seqs})
    assert len({event["event_id"] for event in events}) == len(events)
    lifecycle = [event["params"]["data"]["event"] for event in events if event["method"] == "lifecycle"]
    assert lifecycle == ["started", "completed"]
    [custom] = [event["params"]["data"] for event in events if event["method"] == "custom"]
    assert custom == {"payload": {"heard": 1}}
    told = [event["params"]["data"]["event"] for event in events if event["method"] == "messages"]
    assert [told[0], told[1], told[-2], told[-1]] == [
        "message-start", "content-block-start", "content-block-finish", "message-finish",
    ]  # fmt: skip
    checkpoints = [event["params"]["data"] for event in events if event["method"] == "checkpoints"]
    assert [each["step"] for each in checkpoints] == [-1, 0, 1]
    assert checkpoints[2]["parent_id"] == checkpoints[1]["id"]


async def test_a_question_is_told_and_answered(
    client: LangGraphClient, transport: Any, headers: dict[str, str]
) -> None:
    async with client.threads.stream(assistant_id="nesting", transport=transport, headers=headers) as thread:
        await thread.run.start(input={"items": ["x"]})
        async with asyncio.timeout(SECONDS):
            async for _ in thread.values:
                pass
            while not thread.interrupts:  # noqa: ASYNC110 - the client's own task takes it in
                await asyncio.sleep(0.01)
        [question] = thread.interrupts
        assert question["value"] == {"question": "go on?"}
        await thread.run.respond("sure")
        output = await asyncio.wait_for(thread.output, SECONDS)
    assert output["items"][-1] == "heard sure"


async def test_who_comes_later_is_told_the_question_that_is_open(
    client: LangGraphClient, transport: Any, headers: dict[str, str]
) -> None:
    thread_id = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread_id, "stepping", input={"items": []})
    await client.runs.wait(thread_id, "asking", input={"items": []})
    async with client.threads.stream(thread_id, assistant_id="asking", transport=transport, headers=headers) as thread:
        async with asyncio.timeout(SECONDS):
            while not thread.interrupts:  # noqa: ASYNC110 - the client's own task takes it in
                await asyncio.sleep(0.01)
        await thread.run.respond("late")
        assert (await asyncio.wait_for(thread.output, SECONDS))["items"][-1] == "heard late"


async def test_subgraphs_say_where_they_are_and_how_they_end(client: LangGraphClient, headers: dict[str, str]) -> None:
    async with client.threads.stream(assistant_id="nesting", headers=headers) as thread:
        await thread.run.start(input={"items": ["x"]})
        lifecycle: list[tuple[list[str], str]] = []
        async with asyncio.timeout(SECONDS):
            async for event in thread.events:
                if event["method"] == "lifecycle":
                    place = [step.partition(":")[0] for step in event["params"]["namespace"]]
                    lifecycle.append((place, event["params"]["data"]["event"]))
                    if lifecycle[-1] == ([], "interrupted"):
                        break
    assert lifecycle == [([], "started"), (["inner"], "started"), (["inner"], "interrupted"), ([], "interrupted")]


async def test_tools_tell_what_they_are_given_and_what_they_give(
    client: LangGraphClient, headers: dict[str, str]
) -> None:
    async with client.threads.stream(assistant_id="working", headers=headers) as thread:
        await thread.run.start(input={"items": []})
        async with asyncio.timeout(SECONDS):
            [call] = [call async for call in thread.tool_calls]
            assert (call.name, call.input, (await call.output)["content"]) == ("measure", {"text": "hola"}, "4")


async def test_a_failure_ends_the_stream_and_says_what_failed(
    client: LangGraphClient, transport: Any, headers: dict[str, str]
) -> None:
    async with client.threads.stream(assistant_id="stepping", transport=transport, headers=headers) as thread:
        await thread.run.start(input={"answer": "fail"})
        with pytest.raises(RuntimeError, match="ValueError: told to fail"):
            await asyncio.wait_for(thread.output, SECONDS)


async def test_a_stream_goes_on_behind_any_seq(client: LangGraphClient, headers: dict[str, str]) -> None:
    async with client.threads.stream(assistant_id="stepping", headers=headers) as thread:
        await thread.run.start(input={"items": ["x"], "wait": 0.05})
        whole = await asyncio.wait_for(until_ended(thread), SECONDS)
    assert len(whole) > 10
    for index in range(0, len(whole) - 1, 4):
        async with client.threads.stream(thread.thread_id, assistant_id="stepping", headers=headers) as again:
            again.observe_applied_through_seq(whole[index]["seq"])
            assert await asyncio.wait_for(until_ended(again), SECONDS) == whole[index + 1 :]


async def test_runs_of_other_ways_are_told_as_well(client: LangGraphClient, headers: dict[str, str]) -> None:
    thread_id = (await client.threads.create())["thread_id"]
    async with client.threads.stream(thread_id, assistant_id="stepping", headers=headers) as thread:
        await client.runs.create(thread_id, "stepping", input={"wait": 0.2}, stream_mode=["values", "updates"])
        events = await asyncio.wait_for(until_ended(thread), SECONDS)
    assert [event["params"]["data"] for event in events if event["method"] == "updates"] == [
        {"first": {"items": ["first"]}},
        {"second": {"items": ["second"]}},
    ]


async def command(
    server: RecuerdoServer, headers: dict[str, str], thread_id: str, method: str, **params: Any
) -> dict[str, Any]:
    async with httpx.AsyncClient(base_url=server.url, headers=headers, timeout=SECONDS) as client:
        body = {"id": 7, "method": method, "params": params}
        return (await client.post(f"/threads/{thread_id}/commands", json=body)).raise_for_status().json()


async def run_ids_heard(server: RecuerdoServer, headers: dict[str, str], thread_id: str, *channels: str) -> list[str]:
    """The runs whose events a stream brings, up to an end."""
    found = dict[str, None]()
    body = {"channels": channels}
    async with (
        httpx.AsyncClient(base_url=server.url, headers=headers, timeout=SECONDS) as http,
        http.stream("POST", f"/threads/{thread_id}/stream/events", json=body) as answer,
    ):
        async for line in answer.aiter_lines():
            if line.startswith("id: "):
                found[line.removeprefix("id: ").partition(":")[0]] = None
            if '"completed"' in line:
                break
    return list(found)


async def test_a_run_that_ended_just_before_its_client_listens_is_heard_of_once_and_no_run_before_it(
    api_server: RecuerdoServer, client: LangGraphClient, headers: dict[str, str]
) -> None:
    """A quick run ends before its client comes, and comes again with more channels."""
    thread_id = str(uuid.uuid4())
    for _ in range(3):
        started = await command(api_server, headers, thread_id, "run.start", assistant_id="talking", input=SAID)
        run_id = started["result"]["run_id"]
        await client.runs.join(thread_id, run_id)
        for channels in (["lifecycle", "messages"], ["lifecycle", "values"]):
            assert await run_ids_heard(api_server, headers, thread_id, *channels) == [run_id]
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1.5):
            await run_ids_heard(api_server, headers, thread_id, "lifecycle", "values")


async def test_a_question_is_told_when_the_state_that_it_is_about_is_stored(
    api_server: RecuerdoServer, headers: dict[str, str]
) -> None:
    """It comes last but for the run's end: who hears it may read or change that state at once."""
    thread_id, given = str(uuid.uuid4()), {"items": ["x"]}
    await command(api_server, headers, thread_id, "run.start", assistant_id="asking", input=given)
    methods = list[str]()
    async with (
        httpx.AsyncClient(base_url=api_server.url, headers=headers, timeout=SECONDS) as http,
        http.stream("POST", f"/threads/{thread_id}/stream/events", json={"channels": EVERYTHING}) as answer,
    ):
        async for line in answer.aiter_lines():
            if line.startswith("event: "):
                methods.append(line.removeprefix("event: "))
            if '"interrupted"' in line:
                break
    assert methods[-2:] == ["input.requested", "lifecycle"]


async def test_states_are_read_and_forked_by_commands(
    api_server: RecuerdoServer, client: LangGraphClient, headers: dict[str, str]
) -> None:
    thread_id = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread_id, "stepping", input={"items": ["x"], "answer": "no"})

    async def ask(method: str, **params: Any) -> Any:
        answer = await command(api_server, headers, thread_id, method, **params)
        assert (answer["type"], answer["id"]) == ("success", 7), answer
        return answer["result"]

    assert (await ask("state.get", namespace=[], keys=["answer"]))["values"] == {"answer": "no"}
    [*_, third, _, _] = (await ask("state.listCheckpoints"))["checkpoints"]
    assert third["step"] == 1
    assert (await ask("agent.getTree"))["tree"]["status"] == "completed"
    forked = await ask("state.fork", checkpoint_id=third["id"])
    await client.runs.join(thread_id, forked["run_id"])
    items = (await ask("state.get", namespace=[]))["values"]["items"]
    assert items == ["x", "first", "second"]


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("input.respond", {"interrupt_id": "none", "namespace": [], "response": 1}, "no_such_interrupt"),
        ("state.fork", {"checkpoint_id": "1f0e1e7b-0000-6000-8000-000000000000"}, "no_such_checkpoint"),
        ("run.start", {"assistant_id": "nobody", "input": {}}, "invalid_argument"),
        ("run.start", {}, "invalid_argument"),
        ("subscription.subscribe", {"channels": []}, "not_supported"),
        ("run.dance", {}, "unknown_command"),
    ],
)
async def test_what_is_wrong_is_said_in_the_protocols_words(
    api_server: RecuerdoServer,
    client: LangGraphClient,
    headers: dict[str, str],
    method: str,
    params: dict[str, Any],
    code: str,
) -> None:
    thread_id = (await client.threads.create(graph_id="stepping"))["thread_id"]
    answer = await command(api_server, headers, thread_id, method, **params)
    assert (answer["type"], answer["id"], answer["error"]) == ("error", 7, code)


async def test_a_thread_of_somebody_else_is_not_there(client: LangGraphClient, transport: Any) -> None:
    thread_id = (await client.threads.create())["thread_id"]
    for absent in (thread_id, str(uuid.uuid4())):
        headers = {"X-Recuerdo-User": "stranger"}
        async with client.threads.stream(absent, assistant_id="stepping", transport=transport, headers=headers) as it:
            with pytest.raises(Exception, match=r"404|is no thread"):
                await asyncio.wait_for(it.output, SECONDS)
