"""The database is stopped, and conversations go on with what the cache knows: over HTTP, with real servers."""

import asyncio
import json
import time
import urllib.error
import urllib.request

import pytest

from servers.openai_server import OpenAIServer
from servers.recuerdo import running_recuerdo

WAIT = 5.0
"""How long the adapters wait for a database at most before they say that it is away."""

SLACK = 1.5


@pytest.fixture(params=["postgresql", "mongodb"])
def database(request):
    """A database server that is running again behind the test, and its URL."""
    server = request.getfixturevalue({"postgresql": "postgres_server", "mongodb": "mongodb_server"}[request.param])
    if request.param == "postgresql":
        yield server, request.getfixturevalue("empty_postgres_url")
    else:
        yield server, f"{server.url}away"
    if not server.answers():
        server.start()


@pytest.fixture
def cache_url(valkey_server):
    """A cache that knows nothing of other databases."""
    with valkey_server.client() as client:
        client.flushall()
    return valkey_server.url


def ask(replica, path, body=None):
    """The status, the answer, and how long it took."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "X-Recuerdo-User": "emi"}
    begun = time.monotonic()
    try:
        with urllib.request.urlopen(urllib.request.Request(replica.url + path, data, headers), timeout=60) as response:
            status, answer = response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            status, answer = error.code, json.load(error)
    return status, answer, time.monotonic() - begun


def say(replica, thread, text):
    return ask(replica, "/v1/chat", {"thread_id": thread, "message": text})


def prompted(model):
    """What the model was last shown, but for instructions."""
    return [each["content"] for each in model.requests[-1]["messages"] if each["role"] != "system"]


async def test_a_known_thread_goes_on_with_its_cache_and_a_new_one_with_the_built_in_agent(
    database, cache_url, openai_server: OpenAIServer
):
    server, url = database
    settings = {"model": "openai:test", "model_base_url": openai_server.url, "model_api_key": "k"}
    with running_recuerdo(database_url=url, cache_url=cache_url, embeddings="none", **settings) as replica:
        for number in (1, 2):
            await asyncio.to_thread(say, replica, "known", f"Hola {number}")
        server.stop()
        status, answer, seconds = await asyncio.to_thread(say, replica, "known", "¿Sigues ahí?")
        assert (status, answer["history"]) == (200, "unavailable")
        assert prompted(openai_server) == ["Hola 1", "Hola 1", "Hola 2", "Hola 2", "¿Sigues ahí?"]
        assert seconds < WAIT + SLACK
        status, answer, seconds = await asyncio.to_thread(ask, replica, "/v1/threads/known/window?consistency=cached")
        assert (status, [each["content"] for each in answer["messages"]]) == (200, ["Hola 1"] * 2 + ["Hola 2"] * 2)
        assert seconds < SLACK
        status, answer, seconds = await asyncio.to_thread(say, replica, "new", "¿Y tú?")
        assert (status, answer["history"]) == (200, "unavailable")
        assert seconds < 1 + SLACK
        server.start()
        status, answer, _ = await asyncio.to_thread(_once_it_is_back, replica)
        assert (status, answer["history"], answer["message"]["seq"]) == (200, "ok", 5)
        assert prompted(openai_server) == ["Hola 1", "Hola 1", "Hola 2", "Hola 2", "De vuelta"]


def _once_it_is_back(replica):
    for _ in range(60):
        known = ask(replica, "/v1/threads/known/messages")
        if known[0] == 200:
            break
        time.sleep(0.5)
    return say(replica, "known", "De vuelta")
