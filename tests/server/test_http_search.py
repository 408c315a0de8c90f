import httpx
import pytest

LINES = ["Adopté un perro que se llama Tomás", "Mañana viajo a Córdoba"]


def say(client: httpx.Client, thread: str, *texts: str, **headers: str) -> None:
    messages = [{"role": "user", "content": text} for text in texts]
    assert client.post(f"/v1/threads/{thread}/messages", json={"messages": messages}, headers=headers).is_success


def test_what_was_said_is_found_over_all_threads_or_in_one(client: httpx.Client) -> None:
    say(client, "t-1", *LINES)
    say(client, "t-2", "El perro duerme")
    everywhere = client.post("/v1/search", json={"query": "¿Cómo se llama el perro?"}).json()["hits"]
    assert {hit["thread_id"] for hit in everywhere} == {"t-1", "t-2"}
    [hit] = client.post("/v1/search", json={"query": "perro", "limit": 1, "thread_id": "t-1"}).json()["hits"]
    assert (hit["thread_id"], hit["seq"], hit["message"]["content"]) == ("t-1", 1, LINES[0])
    assert isinstance(hit["score"], float)


def test_nobody_finds_what_others_said(client: httpx.Client) -> None:
    say(client, "t-1", *LINES)
    for user in ("somebody-else", "anonymous"):
        answer = client.post("/v1/search", json={"query": "perro"}, headers={"X-Recuerdo-User": user})
        assert answer.json() == {"hits": []}
        answer = client.post(
            "/v1/search", json={"query": "perro", "thread_id": "t-1"}, headers={"X-Recuerdo-User": user}
        )
        assert answer.json() == {"hits": []}


@pytest.mark.parametrize("query", ["?", "...", "👍", "-"])
def test_a_search_without_a_word_finds_what_is_there_or_nothing(client: httpx.Client, query: str) -> None:
    say(client, "t-1", *LINES)
    assert client.post("/v1/search", json={"query": query}).status_code == 200


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"query": ""}, "query"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "thread_id": ""}, "thread_id"),
        ({"query": "x", "user": "ana"}, "user"),
    ],
)
def test_an_impossible_search_is_refused_by_name(client: httpx.Client, body: dict[str, object], field: str) -> None:
    answer = client.post("/v1/search", json=body)
    assert answer.status_code == 422
    assert field in answer.text
