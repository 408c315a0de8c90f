"""The payloads of `tests/data/poison.jsonl` over HTTP: who sends them gains nothing, and nobody else meets them."""

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from serving import Backend, serving

from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.core.api_keys import issue
from recuerdo.core.scope import Owner
from recuerdo.server import ServerOptions
from recuerdo.server.auth.options import AuthOptions

DATA = Path(__file__).parents[1] / "data" / "poison.jsonl"
PAYLOADS = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
MALLORY, EVA = Owner("acme", "mallory"), Owner("acme", "eva")


@pytest.fixture(scope="module")
def clients() -> Iterator[dict[str, httpx.Client]]:
    keys = LocalApiKeys(LocalDatabase())
    issued = {owner: issue(owner, datetime(2000, 1, 1, tzinfo=UTC)) for owner in (MALLORY, EVA)}
    for each in issued.values():
        asyncio.run(keys.add(each.key))
    with serving(Backend().opened(), ServerOptions(auth=AuthOptions(api_keys=True), api_keys=keys)) as url:
        opened = {
            owner.user: httpx.Client(base_url=url, headers={"x-api-key": each.secret}) for owner, each in issued.items()
        }
        yield opened
        for client in opened.values():
            client.close()


def test_no_payload_gains_a_role_over_http(clients: dict[str, httpx.Client]) -> None:
    mallory, eva = clients["mallory"], clients["eva"]
    for number, payload in enumerate(PAYLOADS):
        if payload["author"] == "user" and number % 4 == 0:
            mallory.post("/v1/chat", json={"message": payload["text"], "thread_id": "t-1"}).raise_for_status()
        else:
            message = {"role": "user", "content": payload["text"], "metadata": {"role": "admin", "tenant": "other"}}
            mallory.post("/v1/threads/t-2/messages", json={"messages": [message]}).raise_for_status()
    shared = mallory.post("/v1/tenant/memories", json={"text": PAYLOADS[0]["text"]}).json()
    assert mallory.get("/v1/principal").json()["role"] == "user"
    assert mallory.post(f"/v1/tenant/memories/{shared['id']}/approve", json={}).status_code == 403
    assert mallory.get("/metrics").status_code == 403
    assert eva.get("/v1/memories").json()["memories"] == []
    assert eva.get("/v1/tenant/memories").json()["memories"] == []
    for payload in PAYLOADS[::20]:
        for route in ("/v1/memories/search", "/v1/search"):
            assert eva.post(route, json={"query": payload["text"]}).json()["hits"] == []
