"""Bodies that are no JSON, or not the JSON that was asked for, are always a 4xx that says where."""

import socket
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

WRITES = [
    ("POST", "/v1/chat"),
    ("POST", "/v1/chat/stream"),
    ("POST", "/v1/threads/t/messages"),
    ("POST", "/v1/threads/t/archive"),
    ("POST", "/v1/threads/t/fork"),
    ("POST", "/v1/memories"),
    ("POST", "/v1/memories/search"),
    ("PATCH", "/v1/memories/x"),
]
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(("method", "path"), WRITES)
@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"\xff\xfe",
        b"nonsense",
        b"[]",
        b"5",
        b'"text"',
        b"NaN",
        b"true",
        b"{} {}",
        b"[" * 100_000,
        b'{"message":' * 50_000,
        b'{"message": ' + b"1" * 10_000 + b"}",
        b'{"message": NaN}',
        b'{"\\ud800": 1}',
        b'{"a\\u0000": 1}',
        b'{"message": {"$ne": null}, "messages": {}, "text": [], "query": {}, "first": {}, "target": {}}',
    ],
    ids=lambda body: body[:24].decode("latin-1"),
)
def test_a_body_that_is_not_what_was_asked_for(client: httpx.Client, method: str, path: str, body: bytes) -> None:
    client.post("/v1/threads/t/messages", json={"messages": [{"role": "user", "content": "x"}]})
    response = client.request(method, path, content=body, headers=JSON)
    assert response.status_code == 422, response.text
    for complaint in response.json()["detail"]:
        assert complaint["loc"][0] == "body"
        assert set(complaint) == {"loc", "msg", "type"}


@pytest.mark.parametrize(
    ("message", "where"),
    [
        ({"content": "x"}, ["role"]),
        ({"role": "user"}, ["content"]),
        ({"role": "human", "content": "x"}, ["role"]),
        ({"role": "user", "content": None}, ["content"]),
        ({"role": "user", "content": 5}, ["content"]),
        ({"role": "user", "content": ["x"]}, ["content"]),
        ({"role": "user", "content": [{"text": "x"}]}, ["content", 0]),
        ({"role": "user", "content": "x", "contents": "y"}, ["contents"]),
        ({"role": "user", "content": "x", "id": 5}, ["id"]),
        ({"role": "user", "content": "x", "id": "a\nb"}, ["id"]),
        ({"role": "user", "content": "x", "seq": 5}, ["seq"]),
        ({"role": "user", "content": "x", "metadata": []}, ["metadata"]),
        ({"role": "user", "content": "x", "metadata": {"big": 2**70}}, ["metadata", "big"]),
        ({"role": "user", "content": "x", "created_at": "yesterday"}, ["created_at"]),
        ({"role": "user", "content": "x", "created_at": "2026-01-01T00:00:00"}, ["created_at"]),
        ({"role": "user", "content": "x", "created_at": "0001-01-01T00:00:00+14:00"}, ["created_at"]),
        ({"role": "user", "content": "x", "created_at": "9999-12-31T23:59:59-14:00"}, ["created_at"]),
        ({"role": "tool", "content": "x"}, ["tool_call_id"]),
        ({"role": "user", "content": "x", "tool_calls": [{"id": "1", "name": "f"}]}, ["tool_calls"]),
        ({"role": "assistant", "content": "x", "tool_calls": [{"id": "1"}]}, ["tool_calls", 0, "name"]),
        ({"role": "assistant", "content": "x", "tool_calls": [{"id": "", "name": "f"}]}, ["tool_calls", 0, "id"]),
    ],
)
def test_a_wrong_message_is_named_with_its_field(client: httpx.Client, message: Any, where: list[str | int]) -> None:
    good = {"role": "user", "content": "x"}
    response = client.post("/v1/threads/t/messages", json={"messages": [good, message]})
    assert response.status_code == 422
    assert ["body", "messages", 1, *where] in [complaint["loc"] for complaint in response.json()["detail"]]
    assert client.get("/v1/threads/t").status_code == 404


@pytest.mark.parametrize(
    "text",
    [
        b'{"messages":[{"role":"user","content":"\\ud800"}]}',
        b'{"messages":[{"role":"user","content":"x","metadata":{"\\udfff":1}}]}',
        b'{"messages":[{"role":"user","content":"x","metadata":{"a":NaN}}]}',
        b'{"messages":[{"role":"user","content":"x","metadata":{"a":-Infinity}}]}',
        b'{"messages":[{"role":"user","content":"x","metadata":' + b'{"a":' * 900 + b"1" + b"}" * 900 + b"}]}",
        b'{"messages":[]}',
    ],
    ids=lambda text: text[:60].decode("latin-1"),
)
def test_what_json_can_say_and_nobody_can_store_is_refused(client: httpx.Client, text: bytes) -> None:
    response = client.post("/v1/threads/t/messages", content=text, headers=JSON)
    assert response.status_code in (201, 422), response.text
    if response.status_code == 201:  # deep, and yet not too deep
        assert client.get("/v1/threads/t/messages").status_code == 200
        assert client.get("/v1/threads/t/window").status_code == 200


def test_what_was_sent_is_never_repeated(client: httpx.Client) -> None:
    secret = {"role": 5, "content": "my secret", "created_at": "my secret", "metadata": "my secret"}
    response = client.post("/v1/threads/t/messages", json={"messages": [secret]})
    assert response.status_code == 422
    assert "my secret" not in response.text


def test_a_body_that_is_not_declared_as_json_is_refused(client: httpx.Client) -> None:
    for headers in ({"Content-Type": "text/plain"}, {"Content-Type": "application/x-www-form-urlencoded"}, {}):
        response = client.post("/v1/chat", content=b'{"message": "x"}', headers=headers)
        assert response.status_code == 422


def _chunks(count: int) -> Iterator[bytes]:
    for _ in range(count):
        yield b" " * 2**16


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_a_body_over_a_megabyte_is_a_413_announced_or_not(client: httpx.Client, method: str, path: str) -> None:
    announced = client.request(method, path, content=b" " * (2**20 + 1), headers=JSON)
    chunked = client.request(method, path, content=_chunks(40), headers=JSON)
    assert (announced.status_code, chunked.status_code) == (413, 413)
    assert "1048576 bytes" in announced.json()["detail"]
    assert announced.json() == chunked.json()


def test_an_announced_length_is_refused_before_anything_is_sent(url: str) -> None:
    address = httpx.URL(url)
    head = f"POST /v1/chat HTTP/1.1\r\nHost: {address.host}\r\nContent-Length: 1048577\r\n\r\n"
    with socket.create_connection((address.host, address.port or 0), timeout=60) as connection:
        connection.sendall(head.encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 413")


def test_a_long_name_of_a_field_is_shortened(client: httpx.Client) -> None:
    response = client.post("/v1/chat", json={"message": "x", "f" * 10_000: 1})
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == ["body", "f" * 100]


def test_a_body_of_a_megabyte_is_read(client: httpx.Client) -> None:
    body = b'{"message": "hola"}'
    assert client.post("/v1/chat", content=body.ljust(2**20), headers=JSON).status_code == 200


def test_the_server_goes_on_after_every_refusal(client: httpx.Client) -> None:
    client.post("/v1/chat", content=b" " * 3_000_000, headers=JSON)
    assert client.post("/v1/chat", json={"message": "hola"}).status_code == 200


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/v1/threads?limi=5", "limi"),
        ("/v1/threads?limit=5&metadata[a]=b", "metadata[a]"),
        ("/v1/threads/t/messages?limit=5&page=3", "page"),
        ("/v1/memories?x=%00%C3%BC", "x"),
        ("/v1/contexts/t?assistant=x", "assistant"),
    ],
)
def test_a_query_parameter_that_is_unknown_is_refused_with_its_name(client: httpx.Client, path: str, name: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 422, answer.text
    [complaint] = answer.json()["detail"]
    assert complaint["loc"] == ["query", name]
    assert "is not a query parameter here: this address takes" in complaint["msg"]


def test_an_unknown_path_and_a_wrong_method_say_so_in_json(client: httpx.Client) -> None:
    assert client.get("/v1/nothing").json() == {"detail": "Not Found", "code": "unknown_address"}
    response = client.put("/v1/chat", json={})
    assert (response.status_code, response.json()) == (
        405,
        {"detail": "Method Not Allowed", "code": "method_not_allowed"},
    )
    assert response.headers["allow"] == "POST"


@pytest.mark.parametrize(
    ("method", "path", "field"),
    [
        ("POST", "/threads", "metadata"),
        ("PATCH", "/threads/t", "metadata"),
        ("POST", "/threads/t/runs", "input"),
        ("POST", "/threads/t/runs/stream", "command"),
        ("POST", "/threads/t/runs/wait", "config"),
        ("POST", "/runs", "context"),
        ("POST", "/runs/stream", "metadata"),
        ("POST", "/runs/wait", "input"),
        ("POST", "/assistants", "config"),
        ("POST", "/store/items/search", "filter"),
        ("PUT", "/store/items", "value"),
        ("POST", "/threads/t/state", "values"),
        ("POST", "/threads/t/commands", "params"),
        ("POST", "/threads/search", "values"),
    ],
)
@pytest.mark.parametrize("held", [b'"\\ud800"', b'["\\ud83d\\ude00", "\\udfff"]', b'"\xed\xa0\x80"', b'{"\\udead": 1}'])
def test_half_a_surrogate_pair_is_refused_wherever_graphs_take_anything(
    client: httpx.Client, method: str, path: str, field: str, held: bytes
) -> None:
    client.post("/threads", json={"thread_id": "t", "if_exists": "do_nothing"})
    assistant = (
        b'"assistant_id": "recuerdo", "graph_id": "recuerdo", "id": 1, "method": "run.start", "namespace": ["a"], '
    )
    body = b"{%s%s: {%s: %s}}" % (assistant, f'"{field}"'.encode(), b'"deep"', held)
    answer = client.request(method, path, content=body, headers=JSON)
    assert answer.status_code == 422, answer.text
    assert [each["loc"][:3] for each in answer.json()["detail"]] == [["body", field, "deep"]]


@pytest.mark.parametrize(
    "line",
    [b"\xff", b'{"a":' * 2000 + b"1" + b"}" * 2000, b"[" * 100_000, b'{"text": "\\ud800"}', b"\xed\xa0\x80", b"1e999"],
    ids=lambda line: line[:12].decode("latin-1"),
)
def test_an_import_of_what_is_no_memory_names_the_line(client: httpx.Client, line: bytes) -> None:
    answer = client.post("/v1/memories/import", content=b"\n\n" + line)
    assert answer.status_code == 422, answer.text
    assert "line 3" in answer.text


@pytest.mark.parametrize(
    ("method", "path", "field", "value"),
    [
        ("POST", "/runs/crons", "enabled", 0),
        ("POST", "/runs/crons", "end_time", 1_800_000_000),
        ("POST", "/runs/crons", "end_time", "+1800000000"),
        ("POST", "/runs", "stream_resumable", "yes"),
        ("POST", "/runs", "stream_subgraphs", 1),
        ("POST", "/runs", "after_seconds", "5"),
        ("POST", "/runs/cancel", "run_ids", [1]),
        ("POST", "/threads", "ttl", {"ttl": "60"}),
        ("POST", "/threads/search", "select", [1]),
        ("POST", "/threads/search", "select", ["stauts"]),
        ("POST", "/threads/t/history", "select", ["messages"]),
        ("POST", "/assistants/search", "select", ["graph"]),
        ("POST", "/runs/crons/search", "select", [""]),
        ("POST", "/assistants/search", "limit", "5"),
        ("POST", "/assistants", "assistant_id", 7),
        ("PUT", "/store/items", "ttl", "60"),
        ("POST", "/store/items/search", "refresh_ttl", "true"),
        ("POST", "/v1/memories", "expires_at", 1_800_000_000),
    ],
)
def test_a_value_of_another_type_than_the_document_says_is_refused(
    client: httpx.Client, method: str, path: str, field: str, value: object
) -> None:
    """It is not taken for one that it resembles."""
    rest = {"assistant_id": "recuerdo", "graph_id": "recuerdo", "schedule": "0 0 * * *", "key": "k", "value": {}}
    needed = {"text": "x"} if path == "/v1/memories" else {} if path.endswith("/search") else rest
    answer = client.request(method, path, json={**needed, field: value})
    assert answer.status_code == 422, answer.text
    assert {complaint["loc"][1] for complaint in answer.json()["detail"]} == {field}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        *((f"/v1/memories?pinned={given}", "pinned") for given in ("1", "0", "yes", "on", "t", "True", "")),
        *((f"/v1/threads?limit={given}", "limit") for given in ("%2B5", "5.0", "%205", "1_0", "5e0", "%D9%A5")),
        ("/v1/threads?limit=5&limit=5.0", "limit"),
        ("/threads/t/state?subgraphs=yes", "subgraphs"),
        ("/threads/t/runs?limit=5.0", "limit"),
        ("/assistants/recuerdo/graph?xray=on", "xray"),
        ("/threads/t/state?select=messages", "select"),
        ("/threads/t/runs?select=statsu", "select"),
    ],
)
def test_a_value_of_a_query_is_spelt_as_its_type_is(client: httpx.Client, path: str, name: str) -> None:
    client.post("/threads", json={"thread_id": "t", "if_exists": "do_nothing"})
    answer = client.get(path)
    assert answer.status_code == 422, answer.text
    assert {tuple(complaint["loc"][:2]) for complaint in answer.json()["detail"]} == {("query", name)}


@pytest.mark.parametrize("flag", ["true", "false", "1", "0"])
def test_clients_of_langgraph_write_booleans_as_numbers_too(client: httpx.Client, flag: str) -> None:
    client.post("/threads", json={"thread_id": "t", "if_exists": "do_nothing"})
    assert client.get("/threads/t/state", params={"subgraphs": flag, "to_come": "x"}).status_code == 200
    assert client.get("/assistants/recuerdo/graph", params={"xray": flag}).status_code == 200


@pytest.mark.parametrize("since", ["+1800000000", "+.5", "1800000000", "2026"])
def test_a_time_in_a_query_is_no_number(client: httpx.Client, since: str) -> None:
    answer = client.get("/v1/messages", params={"since": since})
    assert answer.status_code == 422, answer.text
    assert [complaint["loc"] for complaint in answer.json()["detail"]] == [["query", "since"]]


def test_the_document_names_the_answers_of_a_change_that_changes_nothing(client: httpx.Client) -> None:
    """A document that is known already, and a thread whose change needs no answer."""
    client.post("/threads", json={"thread_id": "t-named", "if_exists": "do_nothing"})
    document = {"source": "twice.md", "content": "x"}
    shown = client.get("/openapi.json").json()["paths"]
    for method, path, address, body, status in (
        ("post", "/v1/documents", "/v1/documents", document, 201),
        ("post", "/v1/documents", "/v1/documents", document, 200),
        ("patch", "/threads/{thread_id}", "/threads/t-named", {"metadata": {}}, 204),
    ):
        answer = client.request(method, address, json=body, headers={"Prefer": "return=minimal"})
        assert answer.status_code == status, answer.text
        assert str(status) in shown[path][method]["responses"]
    assert "409" in shown["/assistants/{assistant_id}"]["patch"]["responses"]
