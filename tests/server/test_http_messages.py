import asyncio
import json
import threading
from typing import Any, cast
from uuid import uuid4

import httpx
import pytest
from serving import Backend

from recuerdo.core.scope import Scope
from recuerdo.history.history import utc_now
from recuerdo.memories import Memories

MESSAGES = "/v1/threads/t/messages"


def append(client: httpx.Client, *contents: str, **headers: str) -> httpx.Response:
    body = {"messages": [{"role": "user", "content": content} for content in contents]}
    return client.post(MESSAGES, json=body, headers=headers)


def contents(client: httpx.Client, **query: Any) -> list[str]:
    response = client.get(MESSAGES, params=query)
    assert response.status_code == 200, response.text
    return [message["content"] for message in response.json()["messages"]]


def test_an_append_answers_with_ids_seqs_and_version(client: httpx.Client) -> None:
    response = append(client, "a", "b")
    receipt = response.json()
    assert response.status_code == 201
    assert len(set(receipt["ids"])) == 2
    assert receipt["seqs"] == [1, 2]
    assert (receipt["replayed"], receipt["durability"]) == (False, "sync")
    assert response.headers["X-Recuerdo-Version"] == receipt["version"]
    assert response.headers["ETag"] == f'W/"{receipt["version"]}"'


def test_a_message_comes_back_exactly_as_it_was_sent(client: httpx.Client) -> None:
    sent = [
        {"role": "system", "content": "Sé breve 🙂"},
        {"role": "user", "content": [{"type": "text", "text": "¿y\u2028esto?"}, {"type": "image_url", "x": [1, 2.5]}]},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "name": "clock", "args": {"tz": None}}]},
        {"role": "tool", "content": "12:00", "tool_call_id": "c1", "name": "clock"},
        {
            "role": "user",
            "content": "x",
            "id": "mine/1",
            "metadata": {"a": {"b": [True, None, 2**63 - 1]}},
            "created_at": "2026-01-02T03:04:05.678901+02:00",
        },
    ]
    assert client.post(MESSAGES, json={"messages": sent}).status_code == 201
    got = client.get(MESSAGES).json()["messages"]
    for seq, (before, after) in enumerate(zip(sent, got, strict=True), start=1):
        expected = {**before, "seq": seq, "id": before.get("id", after["id"]), "created_at": after["created_at"]}
        assert after == expected
    assert got[4]["created_at"] == "2026-01-02T01:04:05.678901Z"


def test_the_same_idempotency_key_and_body_append_once(client: httpx.Client) -> None:
    first = append(client, "a", **{"Idempotency-Key": "k"})
    append(client, "b")
    second = append(client, "a", **{"Idempotency-Key": "k"})
    assert (first.status_code, second.status_code) == (201, 200)
    assert second.json() == {**first.json(), "replayed": True}
    assert contents(client) == ["a", "b"]


def test_the_same_idempotency_key_with_another_body_is_a_conflict(client: httpx.Client) -> None:
    append(client, "a", **{"Idempotency-Key": "k"})
    response = append(client, "b", **{"Idempotency-Key": "k"})
    assert response.status_code == 409
    assert "'k'" in response.json()["detail"]
    assert contents(client) == ["a"]


@pytest.mark.parametrize("key", ["", "x" * 256])
def test_an_impossible_idempotency_key_is_named(client: httpx.Client, key: str) -> None:
    response = append(client, "a", **{"Idempotency-Key": key})
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == ["header", "Idempotency-Key"]


def test_a_message_id_that_is_taken_is_a_conflict(client: httpx.Client) -> None:
    body = {"messages": [{"role": "user", "content": "a", "id": "m"}]}
    assert client.post(MESSAGES, json=body).status_code == 201
    assert client.post(MESSAGES, json=body).status_code == 409


def test_pages_go_back_by_before_and_forth_by_after(client: httpx.Client) -> None:
    append(client, *"abcdefg")
    last = client.get(MESSAGES, params={"limit": 3}).json()
    assert [message["content"] for message in last["messages"]] == list("efg")
    assert (last["more"], last["before"], last["after"]) == (True, 5, 7)
    earlier = client.get(MESSAGES, params={"limit": 10, "before": last["before"]}).json()
    assert ([message["content"] for message in earlier["messages"]], earlier["more"]) == (list("abcd"), False)
    assert contents(client, after=0, limit=2) == ["a", "b"]
    assert contents(client, after=last["after"]) == []


def test_filters_choose_by_role_time_and_archive(client: httpx.Client) -> None:
    times = [f"2026-01-0{day}T00:00:00Z" for day in (1, 2, 3)]
    roles = ["user", "assistant", "system"]
    body = [{"role": role, "content": role, "created_at": time} for role, time in zip(roles, times, strict=True)]
    client.post(MESSAGES, json={"messages": body})
    assert contents(client, role="user") == ["user"]
    assert contents(client, role=["user", "system"]) == ["user", "system"]
    assert contents(client, since=times[1]) == ["assistant", "system"]
    assert contents(client, until=times[1]) == ["user"]
    assert client.post("/v1/threads/t/archive", json={"first": 1, "last": 2}).json() == {"changed": 2}
    assert contents(client) == ["system"]
    assert contents(client, include_archived=True) == roles
    assert client.post("/v1/threads/t/archive", json={"archived": False}).json() == {"changed": 2}
    assert contents(client) == roles


def test_everything_can_be_archived_without_a_body(client: httpx.Client) -> None:
    append(client, "a", "b")
    assert client.post("/v1/threads/t/archive").json() == {"changed": 2}
    assert contents(client) == []
    assert client.get(MESSAGES).json()["before"] is None


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 1001}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"limit": "9" * 5000}, "limit"),
        ({"before": -1}, "before"),
        ({"before": 10**30}, "before"),
        ({"after": "1.5"}, "after"),
        ({"role": "human"}, "role"),
        ({"since": "2026-01-01T00:00:00"}, "since"),
        ({"since": "yesterday"}, "since"),
        ({"until": "0001-01-01T00:00:00+14:00"}, "until"),
        ({"include_archived": "perhaps"}, "include_archived"),
    ],
)
def test_a_wrong_query_parameter_is_named(client: httpx.Client, query: dict[str, Any], where: str) -> None:
    append(client, "a")
    response = client.get(MESSAGES, params=query)
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"][:2] == ["query", where]


def test_the_window_holds_the_last_messages_within_every_budget(client: httpx.Client) -> None:
    append(client, *[f"message {number}" for number in range(60)])

    def window(**query: int) -> list[str]:
        response = client.get("/v1/threads/t/window", params=query)
        return [message["content"] for message in response.json()["messages"]]

    assert len(window()) == 50
    assert window(messages=2) == ["message 58", "message 59"]
    assert 1 <= len(window(tokens=30)) < 6
    assert window(messages=2, tokens=1000) == ["message 58", "message 59"]
    assert len(window(messages=50, tokens=30)) == len(window(tokens=30))


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ({"tokens": 1}, "tokens"),
        ({"tokens": 1, "messages": 5}, "tokens"),
        ({"messages": 0}, "messages"),
        ({"tokens": -1}, "tokens"),
        ({"messages": 10**30}, "messages"),
    ],
)
def test_a_budget_that_is_too_small_or_impossible_is_named(
    client: httpx.Client, query: dict[str, int], where: str
) -> None:
    client.post(MESSAGES, json={"messages": [{"role": "system", "content": "a system message of some length"}]})
    response = client.get("/v1/threads/t/window", params=query)
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == ["query", where]


def test_concurrent_appends_leave_no_gap(url: str, client: httpx.Client) -> None:
    def one(number: int) -> None:
        with httpx.Client(base_url=url, headers={"X-Recuerdo-User": "emi"}) as own:
            for turn in range(10):
                assert append(own, f"{number}-{turn}").status_code == 201

    threads = [threading.Thread(target=one, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    messages = client.get(MESSAGES, params={"limit": 1000}).json()["messages"]
    assert [message["seq"] for message in messages] == list(range(1, 81))
    assert len({message["content"] for message in messages}) == 80


def test_a_database_that_is_away_is_a_503_with_a_time_to_wait(client: httpx.Client, backend: Backend) -> None:
    append(client, "a")
    backend.messages.down = backend.threads.down = backend.stored_memories.down = True
    for response in (append(client, "b"), client.get(MESSAGES), client.get("/v1/memories"), client.get("/ready")):
        assert response.status_code == 503
        assert response.headers["Retry-After"] == "3"
        assert response.json() == {"detail": "The database is away. Try again.", "code": "database_unavailable"}
    assert client.get("/ok").status_code == 200
    backend.messages.down = False
    assert contents(client) == ["a"]


def test_stored_bytes_are_passed_on_as_valid_json(client: httpx.Client) -> None:
    append(client, 'quotes " and \\ and \x7f and </script>')
    raw = client.get(MESSAGES).content
    assert json.loads(raw)["messages"][0]["content"] == 'quotes " and \\ and \x7f and </script>'


@pytest.mark.parametrize("path", [MESSAGES, "/v1/threads/t/window"])
def test_a_cached_read_shows_what_its_version_says(client: httpx.Client, path: str) -> None:
    version = append(client, "a", "b").headers["X-Recuerdo-Version"]
    response = client.get(path, params={"consistency": "cached", "min_version": version})
    assert [message["content"] for message in response.json()["messages"]] == ["a", "b"]


@pytest.mark.parametrize(
    ("field", "value"), [("consistency", "eventual"), ("min_version", "7"), ("min_version", "a.b")]
)
def test_an_impossible_consistency_or_version_is_named(client: httpx.Client, field: str, value: str) -> None:
    append(client, "a")
    response = client.get(MESSAGES, params={field: value})
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"][-1] == field


def test_a_window_shows_the_summary_in_place_of_what_does_not_fit_when_it_is_asked_to(
    client: httpx.Client, backend: Backend
) -> None:
    append(client, *[f"Paso {number}" for number in range(1, 11)])

    def window(**query: Any) -> list[dict[str, Any]]:
        return client.get("/v1/threads/t/window", params={"messages": 4, **query}).json()["messages"]

    plain = window(summary=True)
    assert [message["content"] for message in plain] == ["Paso 7", "Paso 8", "Paso 9", "Paso 10"]
    asyncio.run(summarise(backend, Scope("default", "emi", "t")))
    assert window() == plain
    summary, *rest = window(summary=True)
    assert "> user: Paso 1" in summary["content"].splitlines()
    assert summary["metadata"] == {"summary_until": 6}
    assert rest == plain[1:]
    assert client.get("/v1/threads/t/window?summary=true", headers={"X-Recuerdo-User": "eva"}).status_code == 404


async def summarise(backend: Backend, scope: Scope) -> None:
    memories = Memories(cast(Any, backend.stored_memories), None, utc_now)
    await memories.summaries(cast(Any, backend.messages), None).summarise(scope)


def test_messages_are_found_by_their_ids(client: httpx.Client) -> None:
    thread = f"/v1/threads/{uuid4()}/messages"
    ids = client.post(thread, json={"messages": [{"role": "user", "content": text} for text in "abc"]}).json()["ids"]
    found = client.get(thread, params={"id": [ids[2], ids[0], "unknown"]}).json()
    assert [(each["id"], each["content"]) for each in found["messages"]] == [(ids[0], "a"), (ids[2], "c")]
    assert client.get(thread, params={"id": "unknown"}).json()["messages"] == []
    assert client.get(thread, params={"id": ""}).status_code == 422
