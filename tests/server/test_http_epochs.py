"""Which epoch a request expects: what was cleared meanwhile is not written to."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import httpx
import pytest
from events import read_events

from recuerdo import Recuerdo
from recuerdo.app.graphs import hosting
from recuerdo.server import create_app

MESSAGES = "/v1/threads/t/messages"
EMI = {"X-Recuerdo-User": "emi"}
BODY = {"messages": [{"role": "user", "content": "x"}]}


def seen(client: httpx.Client) -> httpx.Response:
    """An answer about the thread, before it is cleared."""
    answer = client.post(MESSAGES, json=BODY)
    client.post(MESSAGES, json=BODY).raise_for_status()
    return answer


def epoch_of(answer: httpx.Response) -> int:
    return int(answer.json()["version"].partition(".")[0])


def ways(answer: httpx.Response) -> list[dict[str, Any]]:
    """Every way to say which epoch was seen, as arguments of a request."""
    epoch, tag = epoch_of(answer), answer.headers["ETag"]
    return [
        {"headers": {"If-Match": tag}},
        {"headers": {"If-Match": tag.removeprefix("W/")}},
        {"headers": {"If-Match": f'"{epoch}.77", "999999.1"'}},
        {"params": {"expected_epoch": epoch}},
        {"json": {"expected_epoch": epoch}},
    ]


def post(client: httpx.Client, path: str, body: dict[str, Any], way: dict[str, Any]) -> httpx.Response:
    return client.post(path, **{**way, "json": {**body, **way.get("json", {})}})


@pytest.mark.parametrize("way", range(5))
@pytest.mark.parametrize(
    ("path", "body", "created"),
    [
        (MESSAGES, BODY, 201),
        ("/v1/chat", {"message": "x", "thread_id": "t"}, 200),
        ("/v1/chat/stream", {"message": "x", "thread_id": "t"}, 200),
    ],
)
def test_what_expects_an_epoch_is_stored_in_that_one_only(
    client: httpx.Client, path: str, body: dict[str, Any], created: int, way: int
) -> None:
    """Others may have appended meanwhile; behind a clear it is refused as a failed precondition."""
    said = ways(seen(client))[way]
    assert post(client, path, body, said).status_code == created
    client.post("/v1/threads/t/clear").raise_for_status()
    late = post(client, path, body, said)
    assert (late.status_code, late.json()["code"]) == (412, "epoch_changed")
    assert client.get(MESSAGES).json()["messages"] == []


@pytest.mark.parametrize(
    ("method", "path", "done"), [("DELETE", "/v1/threads/t", 204), ("POST", "/v1/threads/t/clear", 200)]
)
@pytest.mark.parametrize("way", range(4))
def test_a_thread_is_erased_or_cleared_in_the_expected_epoch_only(
    client: httpx.Client, method: str, path: str, done: int, way: int
) -> None:
    """A late request does not erase the messages that another client has appended since a clear."""
    said = ways(seen(client))[way]
    client.post("/v1/threads/t/clear").raise_for_status()
    now = ways(seen(client))[way]
    late = client.request(method, path, **said)
    assert (late.status_code, late.json()["code"]) == (412, "epoch_changed")
    assert len(client.get(MESSAGES).json()["messages"]) == 2
    assert client.request(method, path, **now).status_code == done


async def test_an_epoch_is_compared_before_a_deferred_append_is_acknowledged(tmp_path: Path) -> None:
    """The receipt of a deferred append has no version yet, so that nobody takes it for the thread's."""
    async with (
        Recuerdo.open("memory://", embeddings="none", durability="async", spool=tmp_path) as memory,
        hosting(memory) as hosted,
    ):
        app = create_app(nullcontext(hosted))
        app.state.services = hosted
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=EMI) as client:
            deferred = await client.post(MESSAGES, json=BODY)
            assert (deferred.status_code, "ETag" in deferred.headers) == (202, False)
            await memory.flush()
            tag = (await client.get(MESSAGES)).headers["ETag"]
            assert (await client.post(MESSAGES, json=BODY, headers={"If-Match": tag})).status_code == 201
            assert (await client.post(MESSAGES, json=BODY, headers={"If-Match": 'W/"9999.1"'})).status_code == 412
            assert (await client.post(MESSAGES, json={**BODY, "expected_epoch": 9999})).status_code == 412
            assert len((await client.get(MESSAGES)).json()["messages"]) == 2


def test_a_thread_that_must_not_be_there_yet_and_one_that_must(client: httpx.Client) -> None:
    assert client.post(MESSAGES, json=BODY, headers={"If-Match": "*"}).status_code == 404
    assert client.post(MESSAGES, json={**BODY, "expected_epoch": 0}).status_code == 201
    assert client.post(MESSAGES, json={**BODY, "expected_epoch": 0}).status_code == 412
    assert client.post(MESSAGES, json=BODY, headers={"If-Match": "*"}).status_code == 201


@pytest.mark.parametrize("tag", ["", "nonsense", '"1"', '"1.2', '"1.x"', '"-1.2"', "W/1.2", '"1.2" "1.3"'])
def test_a_malformed_tag_names_its_header(client: httpx.Client, tag: str) -> None:
    answer = client.post(MESSAGES, json=BODY, headers={"If-Match": tag})
    assert (answer.status_code, answer.json()["detail"][0]["loc"]) == (422, ["header", "If-Match"])
    assert client.get(MESSAGES).status_code == 404


def test_two_epochs_in_one_request_are_refused(client: httpx.Client) -> None:
    epoch = epoch_of(seen(client))
    answer = client.post(MESSAGES, json={**BODY, "expected_epoch": epoch + 1}, headers={"If-Match": f'"{epoch}.1"'})
    assert answer.status_code == 422


def test_a_session_of_a_chatbot_expects_an_epoch(client: httpx.Client) -> None:
    """Its thread is the one that the answer names."""
    path, body = "/api/v1/chatbot/stream", {"message": "hola", "session_id": "s"}
    events = read_events(client.post(path, json=body).text)
    thread = events[-1].data["metadata"]["thread_id"]
    said = {"headers": {"If-Match": client.get(f"/v1/threads/{thread}/messages").headers["ETag"]}}
    assert post(client, path, body, said).status_code == 200
    client.post(f"/v1/threads/{thread}/clear").raise_for_status()
    assert post(client, path, body, said).status_code == 412
