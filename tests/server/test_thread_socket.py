"""Connections of the thread-centric protocol, as somebody speaks it who is no SDK."""

import asyncio
import json
import uuid
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

RUN = {"assistant_id": "recuerdo", "input": {"messages": [{"role": "user", "content": "hola"}]}}
SECONDS = 120.0


def address(url: str, thread_id: str) -> str:
    return f"{url.replace('http', 'ws', 1)}/threads/{thread_id}/stream/events"


@pytest.fixture
def thread_id(client: httpx.Client) -> str:
    return client.post("/threads", json={}).raise_for_status().json()["thread_id"]


async def heard(socket: Any) -> Any:
    return json.loads(await asyncio.wait_for(socket.recv(), SECONDS))


@pytest.mark.parametrize("user", ["emi", "somebody else"])
async def test_a_thread_that_is_absent_or_somebody_elses_is_closed_with_the_same_code(
    url: str, thread_id: str, user: str
) -> None:
    whose = str(uuid.uuid4()) if user == "emi" else thread_id
    async with connect(address(url, whose), additional_headers={"X-Recuerdo-User": user.replace(" ", "-")}) as socket:
        with pytest.raises(ConnectionClosed):
            await heard(socket)
        assert socket.close_code == 4404


async def test_commands_and_events_share_a_connection(url: str, thread_id: str) -> None:
    async with connect(address(url, thread_id), additional_headers={"X-Recuerdo-User": "emi"}) as socket:
        for number, channels in enumerate((["lifecycle"], ["lifecycle", "values"])):
            subscribe = {"id": number, "method": "subscription.subscribe", "params": {"channels": channels}}
            await socket.send(json.dumps(subscribe))
            answer = await heard(socket)
            assert (answer["type"], answer["id"]) == ("success", number)
        await socket.send(json.dumps({"id": 7, "method": "run.start", "params": RUN}))
        frames = [await heard(socket)]
        while frames[-1].get("params", {}).get("data", {}).get("event") != "completed":
            frames.append(await heard(socket))
    [answer] = [frame for frame in frames if frame["type"] == "success"]
    assert answer["id"] == 7
    events = [frame for frame in frames if frame["type"] == "event"]
    assert {event["method"] for event in events} == {"lifecycle", "values"}
    assert len({event["event_id"] for event in events}) == len(events), "an event of two subscriptions came twice"
    seqs = [event["seq"] for event in events]
    assert seqs == sorted(seqs), "a subscription went ahead of the other"


@pytest.fixture
def slashed(client: httpx.Client) -> str:
    client.post("/threads", json={"thread_id": "a/b"}).raise_for_status()
    return "a%2Fb"


async def test_a_slash_in_an_id_is_written_as_an_escape(url: str, slashed: str) -> None:
    async with connect(address(url, slashed), additional_headers={"X-Recuerdo-User": "emi"}) as socket:
        await socket.send(json.dumps({"id": 1, "method": "state.get", "params": {}}))
        assert (await heard(socket))["type"] == "success"


async def test_what_is_no_command_gets_an_error_and_the_connection_lives(url: str, thread_id: str) -> None:
    async with connect(address(url, thread_id), additional_headers={"X-Recuerdo-User": "emi"}) as socket:
        for wrong in ("[", '{"id": "one"}', '{"id": 1, "method": "subscription.subscribe", "params": {"channels": 1}}'):
            await socket.send(wrong)
            assert (await heard(socket))["error"] == "invalid_argument"
        gone = {"id": 1, "method": "subscription.unsubscribe", "params": {"subscription_id": "none"}}
        await socket.send(json.dumps(gone))
        assert (await heard(socket))["error"] == "no_such_subscription"
