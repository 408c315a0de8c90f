"""The database is stopped, and conversations go on with what the cache knows: over HTTP, with real servers."""

import json
import time
import urllib.error
import urllib.request
from contextlib import asynccontextmanager
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from redis import Redis
from serving import ObedientModel, serving

from recuerdo import Recuerdo
from recuerdo.adapters.mongodb.connection import TIMEOUT_MS
from recuerdo.agents import chat
from recuerdo.agents.chat import Chat
from recuerdo.app.graphs import hosting
from servers.proxy import running_proxy

WAIT = 5.0
"""How long the adapters wait for a database at most before they say that it is away."""

PATIENCE = 4.0
"""How long a turn waits for its message to be stored, before the model is asked and behind it."""

SLACK = 3.5
"""The seconds that the rest of a request may take on a busy machine: less than one more wait for the database."""


@pytest.fixture(params=["postgresql", "mongodb"])
def database(request):
    """A database server that is running again behind the test, and its URL."""
    server = request.getfixturevalue({"postgresql": "postgres_server", "mongodb": "mongodb_server"}[request.param])
    if request.param == "postgresql":
        yield server, request.getfixturevalue("empty_postgres_url")
    else:
        yield server, f"{server.url}away?timeoutMS={TIMEOUT_MS}"
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
        with urllib.request.urlopen(urllib.request.Request(replica + path, data, headers), timeout=60) as response:
            status, answer = response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            status, answer = error.code, json.load(error)
    return status, answer, time.monotonic() - begun


def say(replica, thread, text):
    return ask(replica, "/v1/chat", {"thread_id": thread, "message": text})


def prompted(model):
    """The last messages that the model was shown, without instructions."""
    return [each.text for each in model.prompts[-1] if each.role != "system"]


def cached(cache_url):
    """The last seq of each thread that the cache knows. It may have forgotten one that it was told of late."""
    with Redis.from_url(cache_url, decode_responses=True) as client:
        return [client.hget(key, "seq") for key in client.scan_iter("recuerdo:*:messages")]


@asynccontextmanager
async def opened(url, cache_url, model):
    async with Recuerdo.open(url, cache=cache_url, embeddings="none") as memory:
        memory.chat = Chat(memory.history, memory.memories, model, library=memory.library)
        async with hosting(memory) as hosted:
            yield hosted


@pytest.mark.usefixtures("usual_limits_of_postgres")
def test_a_known_thread_goes_on_with_its_cache_and_a_new_one_with_the_built_in_agent(database, cache_url):
    (server, url), model = database, ObedientModel()
    said = ["Hola 1", "Hola, Emiliano", "Hola 2", "Hola, Emiliano"]
    with serving(opened(url, cache_url, model)) as replica:
        for text in said[::2]:
            assert say(replica, "known", text)[1]["history"] == "ok"
        cached_window = "/v1/threads/known/window?consistency=cached"
        _once(lambda: ask(replica, cached_window) and cached(cache_url), lambda seqs: seqs == ["4"])
        server.stop()
        status, answer, seconds = say(replica, "known", "¿Sigues ahí?")
        assert (status, answer["history"], prompted(model)) == (200, "unavailable", [*said, "¿Sigues ahí?"])
        assert seconds < WAIT + SLACK
        status, answer, seconds = ask(replica, cached_window)
        assert (status, [each["content"] for each in answer["messages"]]) == (200, said)
        assert seconds < SLACK
        status, answer, seconds = say(replica, "new", "¿Y tú?")
        assert (status, answer["history"]) == (200, "unavailable")
        assert seconds < 1 + SLACK
        server.start()
        status, answer, _ = _once_it_is_back(replica)
        assert (status, answer["history"], answer["message"]["seq"]) == (200, "ok", 5)
        assert prompted(model) == [*said, "De vuelta"]


def test_a_state_whose_commit_is_not_answered_may_be_stored_and_says_so(empty_postgres_url):
    port, thread, word = urlsplit(empty_postgres_url).port, str(uuid4()), "Kanarienvogel"
    with running_proxy(port) as proxy:
        url = empty_postgres_url.replace(f":{port}/", f":{proxy.port}/")
        with serving(opened(url, None, ObedientModel())) as replica:
            said = {"messages": [{"role": "user", "content": "Hola"}]}
            run = {"assistant_id": "recuerdo", "input": said, "if_not_exists": "create"}
            assert ask(replica, f"/threads/{thread}/runs/wait", run)[0] == 200
            proxy.cut_answers_to(word.encode())
            written = {"values": {"messages": [{"role": "user", "content": word}]}}
            status, answer, _ = ask(replica, f"/threads/{thread}/state", written)
            assert (status, answer.get("code")) == (503, "outcome_unknown")


class StoppingChat(Chat):
    """Its database hangs between the reads of a turn and its append, when `hangs` says so."""

    hangs = None

    async def _store_and_remember(self, turn):
        if self.hangs is not None:
            self.hangs()
        return await super()._store_and_remember(turn)


@pytest.mark.usefixtures("usual_limits_of_postgres")
def test_a_turn_does_not_wait_for_a_database_that_hangs_and_loses_nothing(
    postgres_server, empty_postgres_url, monkeypatch
):
    """It hangs exactly between the turn's reads and its append. Once it answers, both messages are stored."""
    monkeypatch.setattr(chat, "_SECONDS_TO_STORE", PATIENCE - 1)
    monkeypatch.setattr(chat, "_LAST_SECONDS_TO_STORE", 1)
    chats, said = [], ["Hola 1", "Hola, Emiliano", "¿Sigues ahí?", "Hola, Emiliano"]

    @asynccontextmanager
    async def opened():
        async with Recuerdo.open(empty_postgres_url, embeddings="none") as memory:
            memory.chat = StoppingChat(memory.history, memory.memories, ObedientModel(), library=memory.library)
            chats.append(memory.chat)
            async with hosting(memory) as hosted:
                yield hosted

    with serving(opened()) as replica:
        assert say(replica, "t", said[0])[1]["history"] == "ok"
        chats[0].hangs = postgres_server.pause
        try:
            status, answer, seconds = say(replica, "t", said[2])
        finally:
            postgres_server.resume()
            chats[0].hangs = None
        assert (status, answer["history"], answer["reply"]["content"]) == (200, "unavailable", said[3])
        assert seconds < PATIENCE + SLACK
        messages = _once(
            lambda: ask(replica, "/v1/threads/t/messages")[1].get("messages"), lambda found: len(found) > 3
        )
        assert [each["content"] for each in messages] == said
        assert messages[3]["id"] == answer["reply"]["id"]


def _once(look, is_done):
    for _ in range(60):
        if (found := look()) and is_done(found):
            return found
        time.sleep(0.5)
    raise AssertionError(found)


def _once_it_is_back(replica):
    _once(lambda: ask(replica, "/v1/threads/known/messages")[0], lambda status: status == 200)
    return say(replica, "known", "De vuelta")
