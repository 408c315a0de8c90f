from typing import Any

import httpx
import pytest

MEMORIES = "/v1/memories"


def add(client: httpx.Client, text: str, **fields: Any) -> dict[str, Any]:
    response = client.post(MEMORIES, json={"text": text, **fields})
    assert response.status_code == 201, response.text
    return response.json()


def test_a_memory_is_saved_read_changed_and_forgotten(client: httpx.Client) -> None:
    memory = add(client, "Trabajo en Data Oilers", attribute="employer", value="Data Oilers")
    at = f"{MEMORIES}/{memory['id']}"
    assert client.get(at).json() == memory
    changed = client.patch(at, json={"text": "Trabajo en Acme", "value": "Acme"}).json()
    assert (changed["text"], changed["value"], changed["attribute"]) == ("Trabajo en Acme", "Acme", "employer")
    assert client.get(MEMORIES).json() == {"memories": [changed], "before": None}
    assert client.delete(at).status_code == 204
    assert client.get(at).status_code == client.delete(at).status_code == 404
    assert client.patch(at, json={"text": "x"}).status_code == 404


def test_memories_are_listed_page_by_page_and_by_attribute(client: httpx.Client) -> None:
    for number in range(5):
        add(client, f"memory {number}", attribute="likes" if number % 2 else "city")
    first = client.get(MEMORIES, params={"limit": 3}).json()
    second = client.get(MEMORIES, params={"limit": 3, "before": first["before"]}).json()
    listed = [*first["memories"], *second["memories"]]
    assert [memory["text"] for memory in listed] == [f"memory {number}" for number in (4, 3, 2, 1, 0)]
    assert second["before"] is None
    liked = client.get(MEMORIES, params={"attribute": "likes", "kind": "semantic"}).json()["memories"]
    assert [memory["text"] for memory in liked] == ["memory 3", "memory 1"]


def test_a_search_finds_the_nearest_first(client: httpx.Client) -> None:
    add(client, "Me gusta el café de Oaxaca")
    add(client, "Trabajo en Data Oilers")
    hits = client.post(f"{MEMORIES}/search", json={"query": "café", "limit": 1}).json()["hits"]
    assert [hit["memory"]["text"] for hit in hits] == ["Me gusta el café de Oaxaca"]
    assert isinstance(hits[0]["score"], float)


@pytest.mark.parametrize("user", ["", "anonymous"])
def test_the_anonymous_user_has_no_memories(client: httpx.Client, user: str) -> None:
    headers = {"X-Recuerdo-User": user}
    assert client.get(MEMORIES, headers=headers).json() == {"memories": [], "before": None}
    assert client.post(f"{MEMORIES}/search", json={"query": "x"}, headers=headers).json() == {"hits": []}
    assert client.get(f"{MEMORIES}/x", headers=headers).status_code == 404
    assert client.delete(f"{MEMORIES}/x", headers=headers).status_code == 404
    response = client.post(MEMORIES, json={"text": "x"}, headers=headers)
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == ["header", "X-Recuerdo-User"]


@pytest.mark.parametrize(
    ("method", "path", "body", "where"),
    [
        ("POST", MEMORIES, {"kind": "semantic"}, "text"),
        ("POST", MEMORIES, {"text": ""}, "text"),
        ("POST", MEMORIES, {"text": "x" * 9000}, "text"),
        ("POST", MEMORIES, {"text": "a\0b"}, "text"),
        ("POST", MEMORIES, {"text": "x", "kind": "odd"}, "kind"),
        ("POST", MEMORIES, {"text": "x", "attribute": "shoe size"}, "attribute"),
        ("POST", MEMORIES, {"text": "x", "value": 5}, "value"),
        ("POST", MEMORIES, {"text": "x", "owner": {"tenant": "a", "user": "b"}}, "owner"),
        ("POST", MEMORIES, {"text": "x", "user": "eve"}, "user"),
        ("POST", MEMORIES, {"text": "x", "trust": 1}, "trust"),
        ("POST", f"{MEMORIES}/search", {"query": ""}, "query"),
        ("POST", f"{MEMORIES}/search", {"query": "x", "limit": 0}, "limit"),
        ("POST", f"{MEMORIES}/search", {"query": "x", "limit": 101}, "limit"),
        ("POST", f"{MEMORIES}/search", {"query": "x", "limit": "5"}, "limit"),
        ("PATCH", f"{MEMORIES}/x", {"text": 5}, "text"),
        ("PATCH", f"{MEMORIES}/x", {"id": "y"}, "id"),
    ],
)
def test_a_wrong_field_is_named(client: httpx.Client, method: str, path: str, body: dict[str, Any], where: str) -> None:
    response = client.request(method, path, json=body)
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == ["body", where]


@pytest.mark.parametrize(
    ("query", "where"), [({"kind": "odd"}, "kind"), ({"before": ""}, "before"), ({"limit": -1}, "limit")]
)
def test_a_wrong_query_parameter_is_named(client: httpx.Client, query: dict[str, Any], where: str) -> None:
    response = client.get(MEMORIES, params=query)
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == ["query", where]
