"""Appends and windows that the server answers without the framework, exactly as the framework's routes would."""

import json
from collections.abc import AsyncIterator
from contextlib import nullcontext
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from recuerdo import Recuerdo
from recuerdo.app.graphs import hosting
from recuerdo.server import create_app
from recuerdo.server.direct import DirectRoutes

PLAIN = {"role": "user", "content": "Hola"}
JSON = {"Content-Type": "application/json"}
USER = ("X-Recuerdo-User", "emi")
TO_THE_FRAMEWORK = ("X-Twice", "a"), ("X-Twice", "b")
"""Headers that come twice: the direct routes leave such a request alone."""

BODIES: list[Any] = [
    {"messages": [PLAIN]},
    {"messages": [PLAIN, {"role": "tool", "content": "4", "tool_call_id": "c", "name": "sum"}]},
    {"messages": [PLAIN | {"id": "m-1", "name": None}]},
    {"messages": []},
    {"messages": [{"role": "tool", "content": "whose call is not named"}]},
    {"messages": [{"role": "nobody", "content": "Hola"}]},
    {"messages": [{"role": "user", "content": 7}]},
    {"messages": [{"role": "user", "content": "\ud800"}]},
    {"messages": [PLAIN | {"id": "x" * 300}]},
    {"messages": [PLAIN | {"tenant": "another"}]},
    {"messages": [{"role": "user", "content": [{"type": "text", "text": "Hola"}]}]},
    {"messages": [PLAIN | {"metadata": {"n": 2**70}}]},
    {"messages": [PLAIN], "expected_epoch": 7},
    {},
]


@pytest.fixture
async def app() -> AsyncIterator[FastAPI]:
    async with Recuerdo.open("memory://", embeddings="none") as memory, hosting(memory) as hosted:
        app = create_app(nullcontext(hosted))
        app.state.services = hosted
        yield app


def client_of(app: Any, *headers: tuple[str, str]) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=[USER, *headers])


class Framework:
    """The application behind the direct routes, which notes what reaches it."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self.reached: list[str] = []
        self.direct = DirectRoutes(self._note)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.direct({**scope, "app": self.app}, receive, send)

    async def _note(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.reached.append(f"{scope['method']} {scope['path']}")
        await self.app(scope, receive, send)


async def test_plain_requests_never_reach_the_framework(app: FastAPI) -> None:
    """An append of texts, with and without a key, and a window, before and behind it."""
    framework = Framework(app)
    client = client_of(framework)
    await client.post("/v1/threads/t/messages", json={"messages": [PLAIN]})
    await client.post("/v1/threads/t/messages", json={"messages": [PLAIN]}, headers={"Idempotency-Key": "k"})
    windows = [await client.get("/v1/threads/t/window") for _ in range(2)]
    assert [len(each.json()["messages"]) for each in windows] == [2, 2]
    assert framework.reached == []


@pytest.mark.parametrize(
    "request_",
    [
        {"method": "POST", "json": {"messages": [PLAIN | {"metadata": {"a": 1}}]}},
        {"method": "POST", "content": b'{"messages": [{"role": "user", "content": "Hola"}]}'},
        {"method": "POST", "content": b'{"messages": [{"role": "user", "content": "caf\xe9"}]}', "headers": JSON},
        {"method": "POST", "json": {"messages": [PLAIN]}, "headers": {"If-Match": "*"}},
        {"method": "POST", "json": {"messages": [PLAIN]}, "params": {"expected_epoch": 0}},
    ],
)
async def test_other_requests_reach_the_framework_whole(app: FastAPI, request_: dict[str, Any]) -> None:
    """Its routes answer what only they read, and get all of the body, also what was received before."""
    framework = Framework(app)
    answer = await client_of(framework).request(url="/v1/threads/t/messages", **request_)
    expected = await client_of(app, *TO_THE_FRAMEWORK).request(url="/v1/threads/another/messages", **request_)
    assert framework.reached == ["POST /v1/threads/t/messages"]
    assert answer.status_code == expected.status_code


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("key", [None, "", "k"])
async def test_an_append_is_answered_as_by_the_framework(app: FastAPI, body: Any, key: str | None) -> None:
    """The same status, headers and words, whether the body is fine or not."""
    headers = {"Content-Type": "application/json"} | ({} if key is None else {"Idempotency-Key": key})
    answers = [
        await client_of(app, *more).post(f"/v1/threads/{name}/messages", content=json.dumps(body), headers=headers)
        for name, more in (("a", ()), ("b", TO_THE_FRAMEWORK))
    ]
    direct, framework = answers
    assert direct.status_code == framework.status_code
    assert sorted(direct.headers) == sorted(framework.headers)
    if direct.status_code >= 400:
        assert direct.json() == framework.json()
    else:
        assert direct.json().keys() == framework.json().keys()
        one, other = [
            [
                {**each, "id": "", "created_at": ""}
                for each in (await client_of(app).get(f"/v1/threads/{name}/window")).json()["messages"]
            ]
            for name in ("a", "b")
        ]
        assert one == other


@pytest.mark.parametrize("thread", ["t", "caf%C3%A9", "a%2Fb", "%25", "absent", "%0A", "x" * 300])
async def test_a_window_is_answered_as_by_the_framework(app: FastAPI, thread: str) -> None:
    """Ids are read alike, whatever characters they have, and an absent thread is absent."""
    if thread != "absent":
        await client_of(app).post(f"/v1/threads/{thread}/messages", json={"messages": [PLAIN]})
    for _ in range(2):
        direct = await client_of(app).get(f"/v1/threads/{thread}/window")
        framework = await client_of(app, *TO_THE_FRAMEWORK).get(f"/v1/threads/{thread}/window")
        assert (direct.status_code, direct.content) == (framework.status_code, framework.content)
        assert sorted(direct.headers) == sorted(framework.headers)
