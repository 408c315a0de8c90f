"""What each answer promises to strangers and to browsers, however small."""

import httpx
import pytest
from fastapi.testclient import TestClient
from serving import Backend

from recuerdo.server import ServerOptions, create_app
from recuerdo.server.auth.options import AuthOptions, Issuer


@pytest.mark.parametrize("path", ["/ok", "/v1/threads", "/v1/threads/absent", "/threads/x/runs"])
def test_no_browser_guesses_the_type_of_an_answer(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


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
