"""A chat goes on while kill -9 takes the server, the database or the cache from under it."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest

from checker.deployment import Stores, running_stores
from servers.openai_server import OpenAIServer
from servers.process import Server
from servers.recuerdo import RecuerdoServer, running_recuerdo

TRIES = 100


@pytest.fixture(scope="module")
def stores() -> Iterator[Stores]:
    with running_stores() as stores:
        yield stores


@pytest.fixture
async def server(stores: Stores, openai_server: OpenAIServer) -> AsyncIterator[RecuerdoServer]:
    settings = {"database_url": stores.database.url, "cache_url": stores.valkey.url, "embeddings": "none"}
    model = {"model": "openai:test", "model_base_url": openai_server.url, "model_api_key": "k"}
    with running_recuerdo(**settings, **model) as server:
        yield server


async def test_a_chat_loses_and_repeats_nothing_when_any_of_the_three_is_killed_in_its_middle(
    stores: Stores, server: RecuerdoServer, openai_server: OpenAIServer
) -> None:
    """The client sends what it knows nothing of again, with its key, as the page does."""
    for _ in range(TRIES):  # nobody knows how many of the replies break off
        openai_server.say("uno dos tres cuatro cinco", pause=0.05)
    async with httpx.AsyncClient(base_url=server.url, headers={"X-Recuerdo-User": "emi"}) as client:
        for number, victim in enumerate([None, server, stores.database.server, stores.valkey, None]):
            await turn(client, f"mensaje {number}", victim)
        page = (await client.get("/v1/threads/t/messages")).json()
        cached = (await client.get("/v1/threads/t/messages", params={"consistency": "cached"})).json()
    said = [(message["role"], message["content"]) for message in page["messages"]]
    assert said == [
        pair
        for number in range(5)
        for pair in (("user", f"mensaje {number}"), ("assistant", "uno dos tres cuatro cinco"))
    ]
    assert cached["messages"] == page["messages"]


async def turn(client: httpx.AsyncClient, text: str, victim: Server | None) -> None:
    """Say it until it is stored with its reply; the first time the victim dies behind the first word."""
    for _ in range(TRIES):
        try:
            async for event, data in events(client, text):
                if event == "token" and victim is not None:
                    victim.kill()
                    victim.start()
                    victim = None
                if event == "done" and data["reply"].get("seq"):
                    return
        except httpx.HTTPError:
            pass
        await asyncio.sleep(0.1)
    raise AssertionError(f"{text!r} was never answered")


async def events(client: httpx.AsyncClient, text: str) -> AsyncIterator[tuple[str, Any]]:
    body, headers = {"message": text, "thread_id": "t"}, {"Idempotency-Key": text}
    async with client.stream("POST", "/v1/chat/stream", json=body, headers=headers) as response:
        response.raise_for_status()
        event = ""
        async for line in response.aiter_lines():
            name, _, value = line.partition(": ")
            if name == "event":
                event = value
            elif name == "data":
                yield event, json.loads(value)
