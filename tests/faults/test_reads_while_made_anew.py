"""Reads of a thread that is deleted and made anew meanwhile: each is one committed state, at two replicas.

RECUERDO_TEST_LIVES says how often; `make soak` does it 300 times.
"""

import asyncio
import os
import time
import uuid
from collections.abc import Sequence
from contextlib import AsyncExitStack, nullcontext
from pathlib import Path
from typing import Any

import httpx
import pytest

from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.app.graphs import hosting
from recuerdo.core.scope import Scope
from recuerdo.core.threads import NOWHERE, MessageQuery, Thread
from recuerdo.server import create_app

LIVES = int(os.environ.get("RECUERDO_TEST_LIVES", "12"))


class Lives:
    """When the thread may not have been there: from the beginning of a deletion to the next append's end."""

    def __init__(self) -> None:
        self._gone: list[tuple[float, float]] = []
        self._deleted_at = 0.0

    def ends(self) -> None:
        self._deleted_at = time.monotonic()

    def begins(self) -> None:
        self._gone.append((self._deleted_at, time.monotonic()))

    def may_be_gone(self, since: float, until: float) -> bool:
        return any(deleted <= until and since <= made for deleted, made in self._gone)


@pytest.mark.parametrize("kind", ["sqlite", "postgres", "postgres+redis", "mongodb"])
async def test_each_read_is_of_one_life_of_the_thread(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = f"sqlite:///{tmp_path / 'anew.db'}"
    if not kind.startswith("sqlite"):
        url = request.getfixturevalue(f"{kind.partition('+')[0]}_url")
    cache: Any = request.getfixturevalue("redis_url") if kind.endswith("redis") else None
    lives, empty = Lives(), list[tuple[float, float]]()
    is_over = asyncio.Event()
    named = {"tenant": str(uuid.uuid4()), "user": "emi", "thread": "t-1"}
    async with AsyncExitStack() as stack:
        replicas = [
            await stack.enter_async_context(Recuerdo.open(url, cache=cache, embeddings="none")) for _ in range(2)
        ]
        threads = [replica.thread(**named) for replica in replicas]
        await threads[0].append(Message.user("life 0"))

        async def live() -> None:
            for life in range(1, LIVES):
                await threads[life % 2].append(Message.user(f"life {life - 1}"))
                lives.ends()
                await threads[life % 2].delete()
                await threads[life // 2 % 2].append(Message.user(f"life {life}"))
                lives.begins()
                await asyncio.sleep(0)
            is_over.set()

        def check(since: float, messages: Sequence[Message]) -> None:
            assert len({message.text for message in messages}) <= 1
            if not messages:
                empty.append((since, time.monotonic()))

        async def read(replica: Recuerdo) -> None:
            thread = replica.thread(**named)
            while not is_over.is_set():
                check(time.monotonic(), await thread.window(MessageWindow(50)))
                check(time.monotonic(), await thread.messages())
                check(time.monotonic(), await thread.read())
                page = await replica.history.page(thread.scope, MessageQuery())
                assert (page.version == NOWHERE) == (not page.records)

        await asyncio.gather(live(), *(read(replica) for replica in replicas for _ in range(2)))
    assert [each for each in empty if not lives.may_be_gone(*each)] == []


@pytest.mark.parametrize("query", ["messages", "messages?consistency=cached", "window", "window?summary=true"])
async def test_over_http_an_absent_thread_is_never_an_empty_one(tmp_path: Path, query: str) -> None:
    """Also when it is made between the read and the look whether it is there."""
    async with (
        Recuerdo.open(f"sqlite:///{tmp_path / 'anew.db'}", embeddings="none") as memory,
        hosting(memory) as hosted,
    ):
        app = create_app(nullcontext(hosted))
        app.state.services = hosted
        history, made = memory.history, memory.history.thread

        async def made_anew(scope: Scope) -> Thread:
            await history.append(scope, [Message.user("life 1")])
            return await made(scope)

        vars(history)["thread"] = made_anew
        headers = {"X-Recuerdo-User": "emi"}
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers) as client:
            read = await client.get(f"/v1/threads/t-1/{query}")
            assert [message["content"] for message in read.json()["messages"]] == ["life 1"]
            assert read.headers.get("X-Recuerdo-Version", "1.1") != "0.0"
            vars(history)["thread"] = made
            assert (await client.get(f"/v1/threads/t-2/{query}")).status_code == 404
            (await client.post("/v1/threads/t-1/clear")).raise_for_status()
            assert (await client.get(f"/v1/threads/t-1/{query}")).json()["messages"] == []
