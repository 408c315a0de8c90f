"""Threads of the LangGraph API and conversations of /v1 are one thing, wherever one began."""

from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from recuerdo.core.identifiers import new_id

SALES = {"channel": "web", "case": {"number": 7, "tags": ["new"]}}


def _say(client: httpx.Client, thread: str, metadata: Mapping[str, Any] | None = None) -> None:
    said = {"messages": [{"role": "user", "content": "hola"}]}
    assert client.post(f"/v1/threads/{thread}/messages", json=said).status_code == 201
    if metadata:
        assert client.patch(f"/v1/threads/{thread}", json={"metadata": metadata}).status_code == 200


def _found(client: httpx.Client, **body: Any) -> list[str]:
    response = client.post("/threads/search", json={"limit": 100, **body})
    assert response.status_code == 200, response.text
    count = {name: value for name, value in body.items() if name in ("metadata", "status")}
    if not body.keys() - count.keys():
        assert client.post("/threads/count", json=count).json() == len(response.json())
    return [each["thread_id"] for each in response.json()]


def _listed(client: httpx.Client, **parameters: str) -> list[str]:
    return [each["id"] for each in client.get("/v1/threads", params=parameters).json()["threads"]]


def test_a_thread_that_is_created_with_metadata_is_listed_with_it(client: httpx.Client) -> None:
    """It is a conversation without a message, found by its metadata on both sides."""
    thread = client.post("/threads", json={"metadata": SALES}).json()["thread_id"]
    listed = client.get("/v1/threads", params={"channel": "web"}).json()["threads"]
    assert [(each["id"], each["metadata"], each["message_count"]) for each in listed] == [(thread, SALES, 0)]
    client.patch(f"/threads/{thread}", json={"metadata": {"channel": "whatsapp"}})
    assert client.get(f"/v1/threads/{thread}").json()["metadata"] == SALES | {"channel": "whatsapp"}
    _say(client, thread)
    assert client.get(f"/threads/{thread}").json()["metadata"] == SALES | {"channel": "whatsapp"}


@pytest.mark.parametrize(("include", "status"), [("ttl", 200), ("", 200), ("values", 422), ("ttl,tll", 422)])
def test_what_a_thread_can_not_include_is_refused(client: httpx.Client, include: str, status: int) -> None:
    thread = client.post("/threads", json={"ttl": {"ttl": 5}}).json()["thread_id"]
    found = client.get(f"/threads/{thread}", params={"include": include})
    assert found.status_code == status
    if status == 422:
        assert found.json()["detail"][0]["loc"] == ["query", "include"]
    else:
        assert ("ttl" in found.json()) is (include == "ttl")


def test_a_conversation_is_found_as_a_thread(client: httpx.Client) -> None:
    """By its metadata, its id, its status and its place in the list; and it is shown with its metadata."""
    run = client.post("/threads", json={"metadata": {"channel": "web"}}).json()["thread_id"]
    _say(client, "said", SALES)
    _say(client, "plain")
    assert sorted(_found(client)) == sorted([run, "said", "plain"])
    assert sorted(_found(client, metadata={"channel": "web"})) == sorted([run, "said"])
    assert _found(client, metadata={"case": {"tags": ["new"]}}) == ["said"]
    assert _found(client, ids=["plain", "absent"]) == ["plain"]
    assert _found(client, status="busy") == []
    assert _found(client, status="idle", metadata={"case": {"number": 7}}) == ["said"]
    assert _found(client, sort_by="created_at", sort_order="asc") == [run, "said", "plain"]
    assert _found(client, sort_order="asc", limit=1, offset=1) == ["said"]
    shown = client.get("/threads/said").json()
    assert (shown["metadata"], shown["status"], shown["values"]) == (SALES, "idle", None)
    assert client.get("/threads/said/state").json()["values"] == {}


def test_changes_of_metadata_are_seen_on_the_other_side(client: httpx.Client) -> None:
    """A key that is set or taken away over /v1 is so for runs; one that is set by the LangGraph API is so over /v1."""
    thread = client.post("/threads", json={"metadata": SALES}).json()["thread_id"]
    client.patch(f"/v1/threads/{thread}", json={"metadata": {"channel": None, "vip": True}})
    assert _found(client, metadata={"channel": "web"}) == []
    assert _found(client, metadata={"vip": True}) == [thread]
    assert client.get(f"/threads/{thread}").json()["metadata"] == {"case": SALES["case"], "vip": True}
    _say(client, "said", {"vip": True})
    patched = client.patch("/threads/said", json={"metadata": {"channel": "web"}})
    assert patched.json()["metadata"] == {"vip": True, "channel": "web"}
    assert _listed(client, channel="web") == ["said"]


def test_a_conversation_takes_runs(client: httpx.Client) -> None:
    """A run on it needs no `if_not_exists`; a thread that is nowhere is a 404 that names the way."""
    _say(client, "said", SALES)
    run = {"assistant_id": "recuerdo", "input": {"messages": [{"role": "user", "content": "hola"}]}}
    assert client.post("/threads/said/runs/wait", json=run).status_code == 200
    assert client.get("/threads/said").json()["metadata"].items() >= SALES.items()
    absent = client.post("/threads/test-002/runs/wait", json=run | {"if_not_exists": "reject"})
    assert absent.status_code == 404
    assert "if_not_exists" in absent.text
    assert client.post("/threads/test-002/runs/wait", json=run | {"if_not_exists": "create"}).status_code == 200


@pytest.mark.parametrize("address", ["/threads", "/v1/threads"])
def test_a_deleted_thread_is_gone_on_both_sides(client: httpx.Client, address: str) -> None:
    """Whichever side deletes it, wherever it began."""
    threads = ["said", client.post("/threads", json={"metadata": SALES}).json()["thread_id"]]
    _say(client, "said", SALES)
    for thread in threads:
        assert client.delete(f"{address}/{thread}").status_code == 204
        assert client.get(f"/threads/{thread}").status_code == 404
        assert client.get(f"/v1/threads/{thread}").status_code == 404
    assert _found(client) == []
    assert _listed(client) == []


@pytest.mark.parametrize("metadata", [{"text": "x" * 20_000}, {str(n): n for n in range(129)}], ids=["bytes", "keys"])
def test_metadata_beyond_the_bounds_makes_no_thread(client: httpx.Client, metadata: dict[str, Any]) -> None:
    """It is a 422 that names the metadata, for a new thread and for one that is there."""
    thread = new_id()
    refused = client.post("/threads", json={"thread_id": thread, "metadata": metadata})
    assert refused.status_code == 422
    assert "metadata" in refused.text
    assert client.get(f"/threads/{thread}").status_code == 404
    client.post("/threads", json={"thread_id": thread})
    assert client.patch(f"/threads/{thread}", json={"metadata": metadata}).status_code == 422
    assert client.get(f"/threads/{thread}").json()["metadata"] == {}
