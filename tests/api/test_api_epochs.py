"""Which epoch a run expects its thread to be in, by every way of starting one."""

import json
import uuid
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient
from websockets.asyncio.client import connect

from servers.recuerdo import RecuerdoServer

SAID = {"messages": [{"role": "user", "content": "hi", "id": "1"}]}
QUEUED: dict[str, Any] = {"assistant_id": "stepping", "input": {"items": []}, "if_not_exists": "create"}


async def cleared(client: LangGraphClient) -> tuple[str, int]:
    """A thread, and the epoch that it was in before it was cleared."""
    thread = str(uuid.uuid4())
    said = {"messages": [{"role": "user", "content": "before"}]}
    answer: Any = await client.http.post(f"/v1/threads/{thread}/messages", json=said)
    epoch = int(answer["version"].partition(".")[0])
    await client.http.post(f"/v1/threads/{thread}/clear", json=None)
    return thread, epoch


async def test_a_run_of_a_batch_expects_an_epoch_of_its_thread(client: LangGraphClient) -> None:
    thread, epoch = await cleared(client)
    late: Any = [{**QUEUED, "thread_id": thread, "expected_epoch": epoch}]
    refused = await client.http.client.post("/runs/batch", json=late)
    assert (refused.status_code, refused.json()["code"]) == (412, "epoch_changed")
    now: Any = [{**QUEUED, "thread_id": thread, "expected_epoch": epoch + 1}]
    assert (await client.http.client.post("/runs/batch", json=now)).status_code == 200


async def test_a_run_whose_thread_is_cleared_before_it_begins_leaves_nothing_in_its_state(
    client: LangGraphClient,
) -> None:
    thread, epoch = await cleared(client)
    late = {**QUEUED, "input": {"items": ["late"]}, "expected_epoch": epoch + 1, "after_seconds": 1}
    run: Any = await client.http.post(f"/threads/{thread}/runs", json=late)
    await client.http.post(f"/v1/threads/{thread}/clear", json=None)
    ended: Any = await client.runs.join(thread, run["run_id"])
    assert ended["__error__"]["error"] == "EpochChanged"
    assert "late" not in json.dumps(await client.threads.get_state(thread))


async def test_a_run_that_names_no_epoch_is_in_the_one_that_its_thread_has_when_it_is_queued(
    client: LangGraphClient,
) -> None:
    thread, _ = await cleared(client)
    late = {**QUEUED, "input": {"items": ["late"]}, "after_seconds": 1}
    run: Any = await client.http.post(f"/threads/{thread}/runs", json=late)
    await client.http.post(f"/v1/threads/{thread}/clear", json=None)
    ended: Any = await client.runs.join(thread, run["run_id"])
    assert ended["__error__"]["error"] == "EpochChanged"
    assert "late" not in json.dumps(await client.threads.get_state(thread))


async def test_a_run_that_expects_an_absent_history_fails_where_there_is_one_when_it_starts(
    client: LangGraphClient,
) -> None:
    thread = str(uuid.uuid4())
    late = {**QUEUED, "input": {"items": ["late"]}, "expected_epoch": 0, "after_seconds": 1}
    run: Any = await client.http.post(f"/threads/{thread}/runs", json=late)
    await client.http.post(f"/v1/threads/{thread}/messages", json={"messages": [{"role": "user", "content": "first"}]})
    ended: Any = await client.runs.join(thread, run["run_id"])
    assert ended["__error__"]["error"] == "EpochChanged"
    assert "late" not in json.dumps(await client.threads.get_state(thread))


@pytest.mark.parametrize("path", ["/runs", "/runs/wait", "/runs/stream"])
async def test_the_thread_of_a_run_without_one_is_new(client: LangGraphClient, path: str) -> None:
    given = {"assistant_id": "stepping", "input": {"items": []}}
    assert (await client.http.client.post(path, json={**given, "expected_epoch": 7})).status_code == 412
    assert (await client.http.client.post(path, json={**given, "expected_epoch": 0})).status_code == 200


async def test_a_command_expects_an_epoch_of_its_thread(client: LangGraphClient) -> None:
    thread, epoch = await cleared(client)
    params = {"assistant_id": "talking", "input": SAID}

    async def command(expected: Any) -> Any:
        body = {"id": 1, "method": "run.start", "params": {**params, "expected_epoch": expected}}
        return await client.http.post(f"/threads/{thread}/commands", json=body)

    late = await command(epoch)
    assert (late["type"], late["error"]) == ("error", "invalid_argument")
    assert "cleared or erased" in late["message"]
    assert "expected_epoch" in (await command("x"))["message"]
    assert (await command(epoch + 1))["type"] == "success"


async def test_a_message_of_a_session_expects_an_epoch_of_its_thread(
    client: LangGraphClient, api_server: RecuerdoServer, user: str
) -> None:
    thread, epoch = await cleared(client)
    place = f"{api_server.url.replace('http', 'ws', 1)}/ws/{uuid.uuid4()}?thread_id={thread}"
    async with connect(place, additional_headers={"X-Recuerdo-User": user}) as socket:
        assert json.loads(await socket.recv())["type"] == "ready"
        await socket.send(json.dumps({"type": "message", "text": "late", "expected_epoch": epoch}))
        refused = json.loads(await socket.recv())
        assert (refused["type"], refused["data"]["code"]) == ("error", "epoch_changed")
        await socket.send(json.dumps({"type": "message", "text": "anew", "expected_epoch": epoch + 1}))
        while (frame := json.loads(await socket.recv()))["type"] != "done":
            assert frame["type"] != "error", frame
    kept: Any = await client.http.get(f"/v1/threads/{thread}/messages")
    assert [message["content"] for message in kept["messages"]][:1] == ["anew"]
