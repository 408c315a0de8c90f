"""Changes of memories over HTTP: what held when, what waits, and taking it back."""

from datetime import UTC, datetime, timedelta

import httpx

MEMORIES = "/v1/memories"


def city(client: httpx.Client, town: str) -> str:
    response = client.post(MEMORIES, json={"text": f"Vivo en {town}", "attribute": "city", "value": town})
    assert response.status_code == 201, response.text
    return response.json()["id"]


def towns(client: httpx.Client, **query: str) -> list[str]:
    return [memory["value"] for memory in client.get(MEMORIES, params=query).json()["memories"]]


def test_a_new_city_ends_the_old_one_and_an_undo_brings_it_back(client: httpx.Client) -> None:
    old = city(client, "Madrid")
    between = datetime.now(UTC).isoformat()
    new = city(client, "Lima")
    assert towns(client) == ["Lima"]
    assert towns(client, as_of=between) == ["Madrid"]
    ended = client.get(f"{MEMORIES}/{old}").json()
    assert (ended["ending"]["reason"], ended["ending"]["by"]) == ("superseded", new)
    undone = client.post(f"{MEMORIES}/{new}/undo").json()
    assert (undone["action"], undone["undone"]) == ("added", True)
    assert towns(client) == ["Madrid"]
    assert "ending" not in client.get(f"{MEMORIES}/{old}").json()
    [undo, superseded, _] = client.get(f"{MEMORIES}/{old}/history").json()["changes"]
    assert (undo["undoes"], superseded["undone"]) == (superseded["version"], True)


def test_what_was_changed_since_is_a_conflict_and_what_was_not_changed_is_not_found(client: httpx.Client) -> None:
    first = city(client, "Madrid")
    second = city(client, "Lima")
    city(client, "Quito")
    client.patch(f"{MEMORIES}/{second}", json={"text": "Viví en Lima", "value": "Lima"})
    assert client.post(f"{MEMORIES}/{first}/undo").status_code == 409
    assert client.post(f"{MEMORIES}/absent/undo").status_code == 404
    assert client.get(f"{MEMORIES}/absent/history").json() == {"changes": []}


def test_a_memory_that_is_rejected_is_listed_by_its_status_only_until_it_is_approved(client: httpx.Client) -> None:
    memory = city(client, "Madrid")
    rejected = client.post(f"{MEMORIES}/{memory}/reject", json={"reason": "no es cierto"}).json()
    assert (rejected["status"], rejected["review"]["reason"]) == ("rejected", "no es cierto")
    assert towns(client) == []
    assert towns(client, status="rejected") == ["Madrid"]
    assert client.post(f"{MEMORIES}/{memory}/approve", json={}).json().get("status") in (None, "approved")
    assert towns(client) == ["Madrid"]
    assert client.post(f"{MEMORIES}/absent/approve", json={}).status_code == 404
    assert client.get(MEMORIES, params={"status": "odd"}).status_code == 422
    assert client.get(MEMORIES, params={"as_of": "2026-01-01"}).status_code == 422


def test_a_memory_lives_as_long_as_the_request_says(client: httpx.Client) -> None:
    mortal = client.post("/v1/memories", json={"text": "parked in garage B", "ttl": 3600}).json()
    made, ends = (datetime.fromisoformat(mortal[name]) for name in ("created_at", "expires_at"))
    assert ends - made == timedelta(hours=1)
    kept = client.patch(f"/v1/memories/{mortal['id']}", json={"ttl": 0}).json()
    assert "expires_at" not in kept
    until = "2126-01-01T00:00:00+00:00"
    assert client.patch(f"/v1/memories/{mortal['id']}", json={"expires_at": until}).status_code == 200
    for wrong in ({"ttl": -1}, {"expires_at": "2020-01-01T00:00:00Z"}, {"ttl": 1, "expires_at": until}):
        assert client.post("/v1/memories", json={"text": "x", **wrong}).status_code == 422


def test_an_export_is_read_in_again_and_judged(client: httpx.Client) -> None:
    mine = city(client, "Lima")
    exported = client.get(f"{MEMORIES}/export")
    assert exported.headers["content-type"] == "application/x-ndjson"
    lines = [line for line in exported.content.splitlines() if mine.encode() in line]
    assert client.post(f"{MEMORIES}/import", content=lines[0]).json() == {"imported": 0}
    client.delete(f"{MEMORIES}/{mine}")
    assert client.post(f"{MEMORIES}/import", content=lines[0]).json() == {"imported": 1}
    assert client.get(f"{MEMORIES}/{mine}").json()["value"] == "Lima"
    wrong = client.post(f"{MEMORIES}/import", content=b"{}")
    assert wrong.status_code == 422
    assert "line 1" in wrong.text
    audit = client.get(f"{MEMORIES}/audit").json()
    assert audit["memories"] >= 1
    assert 0 <= audit["junk_rate"] <= 1
