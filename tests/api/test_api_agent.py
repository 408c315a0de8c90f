"""Without a langgraph.json: the built-in agent, by LangGraph's clients."""

import uuid
from collections.abc import Generator
from pathlib import Path

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.errors import UnprocessableEntityError

from servers.recuerdo import RecuerdoServer, running_recuerdo

SITE = "http://chat.example"


@pytest.fixture(scope="module")
def agent_server(tmp_path_factory: pytest.TempPathFactory) -> Generator[RecuerdoServer]:
    database: Path = tmp_path_factory.mktemp("agent") / "agent.db"
    url = f"sqlite:///{database}"
    with running_recuerdo(database_url=url, embeddings="none", allowed_origins=f"{SITE}, http://b.example") as server:
        yield server


async def test_what_is_said_to_the_agent_is_remembered(agent_server: RecuerdoServer) -> None:
    """Also in another thread, and the thread can be read as a history; the words come one by one."""
    headers = {"X-Recuerdo-User": f"emi-{uuid.uuid4()}"}
    async with get_client(url=agent_server.url, headers=headers) as client:
        first, second = [(await client.threads.create())["thread_id"] for _ in range(2)]
        await client.runs.wait(first, "recuerdo", input=_said("Hola, me llamo Emiliano"))
        parts = [
            part
            async for part in client.runs.stream(
                second, "recuerdo", input=_said("¿Cómo me llamo?"), stream_mode="messages-tuple"
            )
        ]
        words = [part.data[0]["content"] for part in parts if part.event == "messages"]
        assert len(words) > 1
        assert "Emiliano" in "".join(words)
        state = await client.threads.get_state(second)
        assert state["values"]["messages"][-1]["content"] == "".join(words)
        history = await client.http.get(f"/v1/threads/{second}/messages")
        assert [message["content"] for message in history["messages"]] == ["¿Cómo me llamo?", "".join(words)]


async def test_a_thread_goes_on_after_a_restart(agent_server: RecuerdoServer) -> None:
    thread = str(uuid.uuid4())
    async with get_client(url=agent_server.url, headers={"X-Recuerdo-User": "emi"}) as client:
        await client.runs.wait(thread, "recuerdo", input=_said("Trabajo en Data Oilers"), if_not_exists="create")
    agent_server.kill()
    agent_server.start()
    async with get_client(url=agent_server.url, headers={"X-Recuerdo-User": "emi"}) as client:
        state = await client.threads.get_state(thread)
        assert len(state["values"]["messages"]) == 2
        values = await client.runs.wait(thread, "recuerdo", input=_said("¿Dónde trabajo?"))
        assert len(values["messages"]) == 4
        assert "Data Oilers" in values["messages"][-1]["content"]


async def test_a_run_says_nothing_in_a_thread_that_was_cleared_since(agent_server: RecuerdoServer) -> None:
    """Neither one that comes behind the clear nor one that was queued before it and starts behind it."""
    async with httpx.AsyncClient(base_url=agent_server.url, headers={"X-Recuerdo-User": f"emi-{uuid.uuid4()}"}) as http:
        thread = (await http.post("/threads", json={})).json()["thread_id"]
        runs, messages, run = f"/threads/{thread}/runs", f"/v1/threads/{thread}/messages", {"assistant_id": "recuerdo"}
        await http.post(f"{runs}/wait", json={**run, "input": _said("Hola")})
        seen = (await http.get(messages)).headers["ETag"]
        queued = await http.post(
            runs, json={**run, "input": _said("tarde"), "after_seconds": 1}, headers={"If-Match": seen}
        )
        assert queued.status_code == 200
        await http.post(f"/v1/threads/{thread}/clear")
        late = await http.post(f"{runs}/wait", json={**run, "input": _said("tarde")}, headers={"If-Match": seen})
        assert (late.status_code, late.json()["code"]) == (412, "epoch_changed")
        await http.get(f"{runs}/{queued.json()['run_id']}/join", timeout=60)
        assert (await http.get(f"{runs}/{queued.json()['run_id']}")).json()["status"] == "error"
        assert (await http.get(messages)).json()["messages"] == []


async def test_the_agent_says_what_it_takes_and_gives(agent_server: RecuerdoServer) -> None:
    async with get_client(url=agent_server.url) as client:
        schemas = await client.assistants.get_schemas("recuerdo")
    for part in ("input_schema", "output_schema", "state_schema"):
        assert "messages" in schemas[part]["properties"], part


async def test_the_sdks_error_says_what_was_wrong(agent_server: RecuerdoServer) -> None:
    async with get_client(url=agent_server.url) as client:
        with pytest.raises(UnprocessableEntityError, match=r"assistant_id: .*UUID"):
            await client.assistants.get("nope")
        with pytest.raises(UnprocessableEntityError, match="schedule: "):
            await client.crons.create("recuerdo", schedule="every day", input={})


def test_a_page_of_an_allowed_site_may_use_the_server(agent_server: RecuerdoServer) -> None:
    asked = {"Origin": SITE, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    preflight = httpx.options(f"{agent_server.url}/threads/search", headers=asked)
    assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (200, SITE)
    found = httpx.post(f"{agent_server.url}/threads/search", json={}, headers={"Origin": SITE})
    assert found.status_code == 200
    assert "Content-Location" in found.headers["access-control-expose-headers"]
    assert (
        httpx.post(f"{agent_server.url}/threads", json={}, headers={"Origin": "http://evil.example"}).status_code == 403
    )


def test_info_says_what_the_server_can_do(agent_server: RecuerdoServer) -> None:
    flags = httpx.get(f"{agent_server.url}/info").json()["flags"]
    assert flags["assistants"]
    assert flags["crons"]


def _said(text: str) -> dict[str, list[dict[str, str]]]:
    return {"messages": [{"role": "user", "content": text}]}
