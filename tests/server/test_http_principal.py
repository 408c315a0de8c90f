import socket
from collections.abc import Iterator

import httpx
import pytest
from serving import Backend, serving

from recuerdo.server import ServerOptions

USER = "X-Recuerdo-User"


def say(url: str, user: str | bytes | None, text: str) -> httpx.Response:
    headers = [] if user is None else [(USER.encode(), user if isinstance(user, bytes) else user.encode())]
    return httpx.post(f"{url}/v1/chat", json={"message": text, "thread_id": "same"}, headers=headers)


def said(url: str, user: str) -> list[str]:
    messages = httpx.get(f"{url}/v1/threads/same/messages", headers={USER: user}).json().get("messages", [])
    return [message["content"] for message in messages if message["role"] == "user"]


def test_two_users_with_the_same_thread_id_never_meet(url: str) -> None:
    say(url, "ana", "de ana")
    say(url, "eva", "de eva")
    assert (said(url, "ana"), said(url, "eva")) == (["de ana"], ["de eva"])
    memory = httpx.post(f"{url}/v1/memories", json={"text": "Me llamo Ana"}, headers={USER: "ana"}).json()
    at = f"{url}/v1/memories/{memory['id']}"
    eva = {USER: "eva"}
    assert httpx.get(f"{url}/v1/memories", headers=eva).json()["memories"] == []
    assert httpx.post(f"{url}/v1/memories/search", json={"query": "Ana"}, headers=eva).json() == {"hits": []}
    assert httpx.get(at, headers=eva).status_code == 404
    assert httpx.patch(at, json={"text": "x"}, headers=eva).status_code == 404
    assert httpx.delete(at, headers=eva).status_code == 404
    assert httpx.delete(f"{url}/v1/threads/same", headers=eva).status_code == 204
    assert said(url, "ana") == ["de ana"]


def test_a_foreign_thread_and_an_absent_one_look_alike(url: str) -> None:
    say(url, "ana", "de ana")
    foreign, absent = (httpx.get(f"{url}/v1/threads/same", headers={USER: user}) for user in ("eva", "nobody"))
    assert (foreign.status_code, foreign.content) == (absent.status_code, absent.content) == (404, foreign.content)


def test_an_absent_or_blank_user_is_the_anonymous_one(url: str) -> None:
    for user in (None, "", "%20", "%20%20"):
        assert say(url, user, "hola").status_code == 200
    assert said(url, "anonymous") == ["hola"] * 4


@pytest.mark.parametrize("user", [b"Jos%C3%A9", b"Jos%c3%a9", "José".encode()])
def test_a_name_beyond_ascii_is_percent_encoded_or_plain_utf_8(url: str, user: bytes) -> None:
    say(url, user, "hola")
    assert said(url, "Jos%C3%A9") == ["hola"]


@pytest.mark.parametrize("user", [b"Jos\xe9", b"50%", b"%zz", b"%ff", b"a%00b", b"a%0Ab", b"x" * 256, b"%ED%A0%80"])
def test_what_can_be_no_user_is_refused_and_the_header_is_named(url: str, user: bytes) -> None:
    response = say(url, user, "hola")
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == ["header", USER]


def test_a_user_who_is_named_twice_is_refused(url: str) -> None:
    response = httpx.get(f"{url}/v1/threads", headers=[(USER, "ana"), (USER, "eva")])
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == ["header", USER]


@pytest.mark.parametrize("host", ["localhost", "localhost:99", "127.0.0.1", "127.9.9.9:1", "[::1]:8080", "a.localhost"])
def test_loopback_names_are_answered(client: httpx.Client, host: str) -> None:
    assert client.get("/ok", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.168.1.5", "[::2]", "", "[", "0"]
)
@pytest.mark.parametrize("path", ["/ok", "/", "/v1/threads", "/openapi.json", "/nowhere"])
def test_a_foreign_host_name_is_refused_everywhere(client: httpx.Client, host: str, path: str) -> None:
    response = client.get(path, headers={"Host": host})
    assert response.status_code == 421
    assert "loopback" in response.json()["detail"]


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost.evil.example", "http://127.0.0.1:1"]
)
@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/v1/chat"), ("POST", "/v1/memories"), ("DELETE", "/v1/threads/t"), ("PATCH", "/v1/memories/x")],
)
def test_another_site_can_change_nothing(client: httpx.Client, origin: str, method: str, path: str) -> None:
    response = client.request(method, path, json={"message": "x"}, headers={"Origin": origin})
    assert response.status_code == 403
    assert "access-control-allow-origin" not in response.headers


def test_the_own_page_may_change_things(client: httpx.Client, url: str) -> None:
    assert client.post("/v1/chat", json={"message": "x"}, headers={"Origin": url}).status_code == 200


def test_another_site_may_not_read_answers(client: httpx.Client) -> None:
    response = client.get("/v1/threads", headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in response.headers


@pytest.fixture
def open_url(backend: Backend) -> Iterator[str]:
    options = ServerOptions(hosts=("memory.example",), origins=("https://chat.example",))
    with serving(backend.opened(), options) as url:
        yield url


def test_further_hosts_and_origins_can_be_allowed(open_url: str) -> None:
    headers = {"Host": "memory.example:8080", "Origin": "https://chat.example"}
    assert httpx.post(f"{open_url}/v1/chat", json={"message": "x"}, headers=headers).status_code == 200
    assert httpx.get(f"{open_url}/ok", headers={"Host": "other.example"}).status_code == 421


def test_a_request_without_a_host_is_refused(url: str) -> None:
    address = httpx.URL(url)
    with socket.create_connection((address.host, address.port or 0)) as connection:
        connection.sendall(b"GET /ok HTTP/1.0\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 421")
