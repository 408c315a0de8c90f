from urllib.parse import quote
from uuid import UUID

import httpx
import pytest

ODD_IDS = [
    "a/b",
    "/",
    "a/messages",
    "%2F",
    "100%",
    "a?b#c",
    "a b",
    "+",
    "ñandú 🙂",
    "a:b",
    "..a",
    "x" * 255,
    "'; drop table threads; --",
    "\u202eoverride",
    "http://example.com/x?y=z",
]


def say(client: httpx.Client, thread: str, *contents: str) -> None:
    body = {"messages": [{"role": "user", "content": content} for content in contents]}
    response = client.post(f"/v1/threads/{quote(thread, safe='')}/messages", json=body)
    assert response.status_code == 201, response.text


@pytest.mark.parametrize("thread", ODD_IDS)
def test_any_id_can_be_written_into_a_url(client: httpx.Client, thread: str) -> None:
    at = f"/v1/threads/{quote(thread, safe='')}"
    say(client, thread, "hola")
    assert client.get(at).json()["id"] == thread
    assert client.get(f"{at}/messages").json()["messages"][0]["content"] == "hola"
    assert [entry["id"] for entry in client.get("/v1/threads").json()["threads"]] == [thread]
    assert client.delete(at).status_code == 204
    assert client.get(at).status_code == 404


def test_an_encoded_slash_never_reaches_another_thread(client: httpx.Client) -> None:
    say(client, "a", "secret of a")
    assert client.get("/v1/threads/a%2Fmessages").status_code == 404
    assert client.delete("/v1/threads/a%2Fwindow").status_code == 404
    assert client.get("/v1/threads/a").status_code == 200


@pytest.mark.parametrize("raw", ["%ff", "%00", "a%0Ab", "x" * 256, "%ED%A0%80"])
def test_what_can_be_no_id_is_refused(client: httpx.Client, raw: str) -> None:
    response = client.get(f"/v1/threads/{raw}")
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"][0] == "path"


def test_a_thread_tells_its_counts_and_version(client: httpx.Client) -> None:
    say(client, "t", "Hola, ¿qué tal?", "b")
    client.post("/v1/threads/t/messages", json={"messages": [{"role": "assistant", "content": "c"}]})
    response = client.get("/v1/threads/t")
    thread = response.json()
    assert thread["counts"] == {"user": 2, "assistant": 1}
    assert (thread["title"], thread["message_count"]) == ("Hola, ¿qué tal?", 3)
    assert thread["version"].endswith(".3")
    assert thread["version"] == response.headers["X-Recuerdo-Version"]
    assert thread["created_at"] <= thread["updated_at"]


def test_threads_are_listed_page_by_page_the_latest_first(client: httpx.Client) -> None:
    for number in range(5):
        say(client, f"t{number}", "hola")
    say(client, "t0", "again")
    first = client.get("/v1/threads", params={"limit": 3}).json()
    second = client.get("/v1/threads", params={"limit": 3, "cursor": first["cursor"]}).json()
    assert [entry["id"] for entry in [*first["threads"], *second["threads"]]] == ["t0", "t4", "t3", "t2", "t1"]
    assert second["cursor"] is None


@pytest.mark.parametrize(("query", "where"), [({"cursor": "nonsense"}, "cursor"), ({"limit": 0}, "limit")])
def test_a_wrong_parameter_of_the_list_is_named(client: httpx.Client, query: dict[str, str | int], where: str) -> None:
    response = client.get("/v1/threads", params=query)
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == ["query", where]


def test_a_fork_copies_up_to_a_seq(client: httpx.Client) -> None:
    say(client, "t", "a", "b", "c")
    response = client.post("/v1/threads/t/fork", json={"target": "u/1", "at_seq": 2})
    assert (response.status_code, response.json()["id"], response.json()["message_count"]) == (201, "u/1", 2)
    copied = client.get("/v1/threads/u%2F1/messages").json()["messages"]
    assert [message["content"] for message in copied] == ["a", "b"]


def test_a_fork_without_a_target_gets_a_new_id_and_everything(client: httpx.Client) -> None:
    say(client, "t", "a", "b")
    fork = client.post("/v1/threads/t/fork").json()
    assert UUID(fork["id"])
    assert fork["message_count"] == 2


@pytest.mark.parametrize(
    ("body", "status"), [({"target": "t"}, 409), ({"at_seq": 3}, 422), ({"at_seq": -1}, 422), ({"target": ""}, 422)]
)
def test_an_impossible_fork_changes_nothing(client: httpx.Client, body: dict[str, object], status: int) -> None:
    say(client, "t", "a", "b")
    assert client.post("/v1/threads/t/fork", json=body).status_code == status
    assert len(client.get("/v1/threads").json()["threads"]) == 1


def test_a_cleared_thread_is_empty_and_in_a_new_epoch(client: httpx.Client) -> None:
    say(client, "t", "a")
    before = client.get("/v1/threads/t").json()["version"]
    after = client.post("/v1/threads/t/clear").json()["version"]
    assert after.split(".")[0] != before.split(".")[0]
    assert after.endswith(".0")
    assert client.get("/v1/threads/t/messages").json()["messages"] == []
    assert client.get("/v1/threads/t/window").json() == {"messages": []}


def test_a_deleted_thread_is_unknown_and_its_id_can_be_used_again(client: httpx.Client) -> None:
    say(client, "t", "a")
    assert client.delete("/v1/threads/t").status_code == 204
    assert client.get("/v1/threads/t/messages").status_code == 404
    assert client.get("/v1/threads").json()["threads"] == []
    say(client, "t", "b")
    assert client.get("/v1/threads/t/messages").json()["messages"][0]["seq"] == 1


@pytest.mark.parametrize(
    "body", [{"first": 0}, {"first": 5, "last": 2}, {"last": 10**40}, {"first": True}, {"archived": "yes"}, {"x": 1}]
)
def test_a_wrong_range_to_archive_is_refused(client: httpx.Client, body: dict[str, object]) -> None:
    say(client, "t", "a")
    response = client.post("/v1/threads/t/archive", json=body)
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"][0] == "body"
