"""The headers and limits of each answer that strangers and browsers rely on."""

import socket
from collections.abc import Iterator

import httpx
import pytest
from fastapi.testclient import TestClient
from serving import Backend, serving

from recuerdo.server import ServerOptions, create_app
from recuerdo.server.auth.options import AuthOptions, Issuer


@pytest.mark.parametrize("path", ["/ok", "/v1/threads", "/v1/threads/absent", "/threads/x/runs"])
def test_no_browser_guesses_the_type_of_an_answer(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", ["/ok", "/healthz", "/ready"])
def test_a_load_balancer_may_ask_for_the_head_of_a_probe(client: httpx.Client, path: str) -> None:
    answer = client.head(path)
    assert (answer.status_code, answer.content) == (200, b"")


def test_a_page_of_an_allowed_site_may_read_what_it_has_to_send_back() -> None:
    app = create_app(Backend().opened(), ServerOptions(origins=("https://chat.example",)))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        answer = client.get("/ok", headers={"Origin": "https://chat.example"})
    shown = answer.headers["Access-Control-Expose-Headers"]
    assert {"ETag", "X-Recuerdo-Version", "Retry-After", "RateLimit-Remaining"} <= {*shown.split(", ")}


def test_a_memory_is_approved_without_a_reason_and_without_a_body(client: httpx.Client) -> None:
    proposed = client.post("/v1/tenant/memories", json={"text": "The office is in Quito."}).json()
    answer = client.post(f"/v1/tenant/memories/{proposed['id']}/approve")
    assert answer.status_code == 200
    assert [each["id"] for each in client.get("/v1/tenant/memories").json()["memories"]] == [proposed["id"]]


def test_a_stranger_is_not_told_the_names_of_issuers() -> None:
    issuer = Issuer("https://login.secret.example", ("recuerdo",), secret="x" * 32, algorithms=("HS256",))
    app = create_app(Backend().opened(), ServerOptions(auth=AuthOptions((issuer,))))
    with TestClient(app) as client:
        answer = client.get("/v1/threads")
    assert answer.status_code == 401
    assert "secret.example" not in answer.text


@pytest.fixture
def strict_url() -> Iterator[str]:
    """A server that authenticates, and is called `memory.example`."""
    issuer = Issuer("https://login.example", ("recuerdo",), secret="x" * 32, algorithms=("HS256",))
    options = ServerOptions(auth=AuthOptions((issuer,)), hosts=("memory.example",))
    with serving(Backend().opened(), options) as url:
        yield url


@pytest.mark.parametrize(("path", "token"), [("/v1/chat", None), ("/threads", "Bearer no.token.atall")])
def test_no_body_is_read_of_a_caller_who_is_refused(strict_url: str, path: str, token: str | None) -> None:
    address = httpx.URL(strict_url)
    lines = [
        f"POST {path} HTTP/1.1",
        f"Host: {address.host}",
        "Content-Length: 1000000",
        "Content-Type: application/json",
    ]
    lines += [f"Authorization: {token}"] if token else []
    with socket.create_connection((address.host, address.port or 0), timeout=60) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        answer = connection.recv(65536)
    assert answer.startswith(b"HTTP/1.1 401"), answer
    assert b"www-authenticate: Bearer" in answer


def test_a_server_that_authenticates_answers_to_its_names_only(strict_url: str) -> None:
    def status(host: str, path: str = "/v1/threads") -> int:
        return httpx.get(f"{strict_url}{path}", headers={"Host": host}).status_code

    assert [status("memory.example"), status("MEMORY.example:443"), status("localhost")] == [401, 401, 401]
    assert [status("other.example"), status("memory.example.evil.example"), status("10.0.0.7:8080")] == [421] * 3
    assert [status("10.0.0.7:8080", path) for path in ("/ok", "/healthz", "/ready")] == [200] * 3


def test_a_request_with_two_hosts_is_refused(strict_url: str) -> None:
    """A proxy may have looked at the one that comes second."""
    address = httpx.URL(strict_url)
    for names in (("memory.example", "other.example"), ("memory.example", "memory.example")):
        lines = ["GET /ok HTTP/1.1", *(f"Host: {name}" for name in names), "Accept: */*", "Accept: */*", "", ""]
        with socket.create_connection((address.host, address.port or 0), timeout=60) as connection:
            connection.sendall("\r\n".join(lines).encode())
            assert connection.recv(65536).startswith(b"HTTP/1.1 400"), names


def test_a_redirect_names_no_host(client: httpx.Client) -> None:
    answer = client.get("/v1/threads/?limit=5")
    assert answer.status_code == 307
    assert answer.headers["Location"] == "/v1/threads?limit=5"


def test_an_unexpected_failure_can_be_read_by_a_page_and_found_in_the_log() -> None:
    backend = Backend()
    backend.model.fails_at, backend.model.error = 0, RuntimeError("the secret of line 42")
    options = ServerOptions(origins=("https://chat.example",))
    with serving(backend.opened(), options) as url, httpx.Client(base_url=url) as client:
        headers = {"Origin": "https://chat.example", "X-Request-Id": "request-7"}
        answer = client.post("/v1/chat", json={"message": "Hola"}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert answer.headers["X-Request-Id"] == "request-7"
    assert answer.headers["Access-Control-Allow-Origin"] == "https://chat.example"


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [("GET", "/v1/absent", "unknown_address"), ("DELETE", "/v1/chat", "method_not_allowed")],
)
def test_a_refusal_by_the_address_has_a_code(client: httpx.Client, method: str, path: str, code: str) -> None:
    assert client.request(method, path).json()["code"] == code


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded"])
def test_a_body_that_is_not_called_json_is_told_which_header_to_send(client: httpx.Client, kind: str | None) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    answer = client.post("/v1/chat", content=b'{"message": "Hola"}', headers=headers)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["header", "Content-Type"]
    assert "application/json" in answer.json()["message"]


def test_an_empty_id_of_a_message_is_refused(client: httpx.Client) -> None:
    said = {"role": "user", "content": "Hola", "id": ""}
    answer = client.post("/v1/threads/t/messages", json={"messages": [said]})
    assert (answer.status_code, answer.json()["detail"][0]["loc"][-1]) == (422, "id")
    assert client.get("/v1/threads/t").status_code == 404


def test_a_change_of_a_memory_that_changes_nothing_is_none_to_undo(client: httpx.Client) -> None:
    saved = client.post("/v1/memories", json={"text": "Vivo en Lima"}).json()
    path = f"/v1/memories/{saved['id']}"
    changed = client.patch(path, json={"text": "Vivo en Quito"}).json()
    assert client.patch(path, json={}).json() == changed
    assert client.patch(path, json={"text": "Vivo en Quito", "kind": changed["kind"]}).json() == changed
    client.post(f"{path}/undo").raise_for_status()
    assert client.get(path).json()["text"] == "Vivo en Lima"


def test_a_schedule_whose_day_never_comes_is_told_so(client: httpx.Client) -> None:
    cron = {"assistant_id": "recuerdo", "schedule": "0 0 30 2 *"}
    answer = client.post("/runs/crons", json=cron)
    assert answer.status_code == 422
    assert "never comes" in answer.json()["message"]
