"""`auth` and `http` of a langgraph.json: handlers that say who may do what, and an application beside the API."""

from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError, AuthenticationError, NotFoundError, PermissionDeniedError
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from servers.recuerdo import RecuerdoServer, running_recuerdo

SECONDS = 60.0

As = Callable[..., Any]
"""Gives a LangGraphClient."""


@pytest.fixture(scope="module")
def ruled_server(tmp_path_factory: pytest.TempPathFactory) -> Generator[RecuerdoServer]:
    database = tmp_path_factory.mktemp("ruled") / "api.db"
    config = Path(__file__).parent / "ruled" / "langgraph.json"
    with running_recuerdo(database_url=f"sqlite:///{database}", config=str(config), embeddings="none") as server:
        yield server


@pytest.fixture
async def acting_as(ruled_server: RecuerdoServer) -> AsyncGenerator[As]:
    clients: dict[tuple[str, str], LangGraphClient] = {}

    def client(name: str, scheme: str = "Bearer") -> LangGraphClient:
        headers = {"Authorization": f"{scheme} {name}"}
        return clients.setdefault((name, scheme), get_client(url=ruled_server.url, headers=headers))

    yield client
    for each in clients.values():
        await each.aclose()


@pytest.fixture
def http(ruled_server: RecuerdoServer) -> Generator[httpx.Client]:
    with httpx.Client(base_url=ruled_server.url, timeout=SECONDS) as client:
        yield client


async def test_who_is_not_known_is_told_so_in_the_handlers_words(acting_as: As) -> None:
    with pytest.raises(AuthenticationError, match="who are you"):
        await acting_as("nobody").threads.create()


async def test_a_handler_chooses_the_status_of_a_refusal(acting_as: As) -> None:
    with pytest.raises(APIStatusError, match="POST /threads by a teapot") as refused:
        await acting_as("ada", "Broken").threads.create()
    assert refused.value.status_code == 418


async def test_what_one_identity_keeps_no_other_sees(acting_as: As) -> None:
    thread_id = (await acting_as("ada").threads.create())["thread_id"]
    with pytest.raises(NotFoundError):
        await acting_as("bob").threads.get(thread_id)


def test_the_server_says_that_handlers_authenticate(http: httpx.Client) -> None:
    assert http.get("/info").json()["auth"] == "custom"


def test_what_the_rules_govern_is_not_done_at_another_address(http: httpx.Client) -> None:
    """They deny eva's runs: a chat would be the same under another name."""
    answer = http.post("/v1/chat", json={"message": "hola"}, headers={"Authorization": "Bearer eva"})
    assert answer.status_code == 403
    assert "@auth.on" in answer.json()["detail"]


async def test_graphs_see_who_asks(acting_as: As) -> None:
    thread = await acting_as("ada").threads.create()
    values: Any = await acting_as("ada").runs.wait(thread["thread_id"], "naming", input={"items": []})
    assert values["items"] == ["ada", "blue", "runs:write"]


async def test_nobody_pretends_to_be_somebody_in_a_config(acting_as: As) -> None:
    thread = await acting_as("ada").threads.create()
    config: Any = {"configurable": {"langgraph_auth_user": {"identity": "root", "team": "root"}}}
    values: Any = await acting_as("ada").runs.wait(thread["thread_id"], "naming", input={"items": []}, config=config)
    assert values["items"] == ["ada", "blue", "runs:write"]


async def test_a_handler_refuses_runs(acting_as: As) -> None:
    thread = await acting_as("eva").threads.create()
    with pytest.raises(PermissionDeniedError, match="only some may run"):
        await acting_as("eva").runs.create(thread["thread_id"], "naming", input={"items": []})


async def test_what_no_handler_knows_is_denied_by_the_general_one(acting_as: As) -> None:
    with pytest.raises(PermissionDeniedError):
        await acting_as("ada").assistants.create("naming")
    assert (await acting_as("ada").assistants.search())[0]["graph_id"] == "naming"


async def test_handlers_add_to_what_is_created_and_filter_what_is_found(acting_as: As) -> None:
    ada = acting_as("ada")
    made = await ada.threads.create(metadata={"topic": "x"})
    assert made["metadata"] == {"topic": "x", "made_by": "ada"}
    assert made["thread_id"] in [each["thread_id"] for each in await ada.threads.search(limit=100)]
    assert await ada.threads.count(metadata={"made_by": "somebody else"}) == 0


async def test_what_the_conditions_hide_is_not_there(acting_as: As) -> None:
    ada = acting_as("ada")
    thread_id = (await ada.threads.create())["thread_id"]
    await ada.threads.update(thread_id, metadata={"made_by": "somebody else"})
    calls: list[Any] = [
        ada.threads.get(thread_id),
        ada.threads.get_state(thread_id),
        ada.threads.get_history(thread_id),
        ada.threads.update(thread_id, metadata={}),
        ada.threads.delete(thread_id),
        ada.threads.copy(thread_id),
        ada.runs.list(thread_id),
        ada.runs.create(thread_id, "naming", input={"items": []}),
        anext(await ada.threads.join_stream(thread_id)),
    ]
    for call in calls:
        with pytest.raises(NotFoundError):
            await call
    assert thread_id not in [each["thread_id"] for each in await ada.threads.search(limit=100)]


async def test_a_run_without_a_thread_can_be_read_by_who_made_it(acting_as: As) -> None:
    ada = acting_as("ada")
    values: Any = await ada.runs.wait(None, "naming", input={"items": []}, on_completion="keep")
    assert values["items"][0] == "ada"
    [thread] = await ada.threads.search(metadata={"graph_id": "naming"}, limit=1, sort_by="created_at")
    assert thread["metadata"]["made_by"] == "ada"


async def test_schedules_are_found_by_conditions_with_operators(acting_as: As) -> None:
    ada = acting_as("ada")
    cron = await ada.crons.create("naming", schedule="0 0 1 1 *", metadata={"topic": "y"})
    found = await ada.crons.search()
    assert [(each["cron_id"], each["metadata"]["made_by"]) for each in found] == [(cron["cron_id"], "ada")]
    await ada.crons.delete(cron["cron_id"])


async def test_the_store_is_where_the_handler_puts_it(acting_as: As) -> None:
    ada = acting_as("ada")
    await ada.store.put_item(["notes"], "k", {"said": "x"})
    item = await ada.store.get_item(["notes"], "k")
    assert (item["namespace"], item["value"]) == (["blue", "notes"], {"said": "x"})
    assert [each["key"] for each in (await ada.store.search_items(["notes"]))["items"]] == ["k"]
    assert (await ada.store.list_namespaces(prefix=["notes"]))["namespaces"] == [["blue", "notes"]]
    await ada.store.delete_item(["notes"], "k")
    assert await ada.store.get_item(["notes"], "k") is None


async def test_the_rules_hold_for_the_newer_protocol(acting_as: As, ruled_server: RecuerdoServer) -> None:
    thread_id = (await acting_as("eva").threads.create())["thread_id"]
    url = f"{ruled_server.url.replace('http', 'ws', 1)}/threads/{thread_id}/stream/events"
    headers = {"Authorization": "Bearer eva"}
    with connect(url, additional_headers=headers, open_timeout=SECONDS) as socket:
        socket.send('{"id": 1, "method": "run.start", "params": {"assistant_id": "naming", "input": {}}}')
        with pytest.raises(ConnectionClosed):
            socket.recv(SECONDS)
        assert socket.close_code == 4403
    with connect(url, additional_headers={"Authorization": "Bearer bob"}, open_timeout=SECONDS) as socket:
        with pytest.raises(ConnectionClosed):
            socket.recv(SECONDS)
        assert socket.close_code == 4404


def test_an_application_answers_beside_the_api_behind_the_same_authentication(http: httpx.Client) -> None:
    assert http.get("/whoami").status_code == 401
    answer = http.get("/whoami", headers={"Authorization": "Bearer ada"}).raise_for_status().json()
    assert answer == {"begun": ["begun"], "identity": "ada", "scopes": ["runs:write"]}


def test_its_routes_go_before_ours_but_for_those_about_the_server(http: httpx.Client) -> None:
    ada = {"Authorization": "Bearer ada"}
    assert http.get("/threads/count", headers=ada).json() == "theirs"
    assert http.post("/threads/count", json={}, headers=ada).json() >= 0
    assert http.get("/ok").json() == {"ok": True}
