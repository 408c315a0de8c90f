"""Many tenants use the same ids at the same moment: whatever they ask, nobody is answered with a byte of another's.

They come by every door: HTTP, the LangGraph API, MCP, WebSockets, and the library with its store and its saver. On
PostgreSQL once with row-level security as the only line, and once with the filters of the queries alone.
RECUERDO_TEST_STRANGERS says how many operations they do; `make soak` does 100,000.
"""

import asyncio
import json
import os
import random
import re
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import httpx2
import psycopg
import pytest
from langgraph.graph import START, StateGraph
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from psycopg import sql
from serving import serving
from typing_extensions import TypedDict
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedError

from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.adapters.postgres import PostgresDatabase
from recuerdo.app.graphs import Hosted, hosting
from recuerdo.core.api_keys import issue
from recuerdo.core.errors import Unavailable
from recuerdo.core.scope import Owner
from recuerdo.integrations.langgraph import RecuerdoSaver, RecuerdoStore
from recuerdo.server import ServerOptions
from recuerdo.server.auth.options import AuthOptions

OPERATIONS = int(os.environ.get("RECUERDO_TEST_STRANGERS", "200"))
TENANTS = 50 if OPERATIONS > 5000 else 10
SEED = int(os.environ.get("RECUERDO_TEST_SEED", "1"))
PATIENCE = 900.0 if OPERATIONS > 5000 else 120.0
AWAY = 503
"""Fifty tenants keep all connections of a small machine busy, and are told to come again."""

THREADS = [f"{number}1111111-1111-4111-8111-111111111111" for number in range(3)]
TEXTS = ["My name is {0}", "I live in {0}", "I work at {0} and like {0}", "{0}"]

Call = tuple[str, str, Any]
Choice = Callable[[random.Random, str, list[str]], Call]

CHOICES: list[Choice] = [
    lambda pick, word, _: ("POST", f"/v1/threads/{pick.choice(THREADS)}/messages", said(pick, word)),
    lambda pick, word, _: ("POST", "/v1/memories", {"text": pick.choice(TEXTS).format(word)}),
    lambda pick, word, _: ("POST", "/v1/tenant/memories", {"text": pick.choice(TEXTS).format(word)}),
    lambda pick, word, _: ("PUT", "/store/items", {"namespace": ["a"], "key": "k", "value": {"word": word}}),
    lambda pick, word, _: ("POST", "/threads", {**thread(pick), "metadata": {"word": word}, "if_exists": "do_nothing"}),
    lambda pick, word, _: ("PATCH", f"/threads/{pick.choice(THREADS)}", {"metadata": {"word": word}}),
    lambda pick, word, _: ("POST", "/assistants", {**assistant(pick), "name": word}),
    lambda pick, word, _: ("PATCH", f"/assistants/{pick.choice(THREADS)}", {"name": word}),
    lambda pick, word, _: ("POST", f"/threads/{pick.choice(THREADS)}/runs/wait", run(word)),
    lambda pick, word, _: ("POST", "/v1/chat", {"message": word, "thread_id": pick.choice(THREADS)}),
    lambda pick, word, _: ("GET", f"/v1/threads/{pick.choice(THREADS)}/messages", None),
    lambda pick, word, _: ("GET", f"/v1/threads/{pick.choice(THREADS)}/window", None),
    lambda pick, word, _: ("GET", f"/threads/{pick.choice(THREADS)}", None),
    lambda pick, word, _: ("GET", f"/threads/{pick.choice(THREADS)}/state", None),
    lambda pick, word, _: ("POST", f"/threads/{pick.choice(THREADS)}/history", {}),
    lambda pick, word, _: ("GET", f"/threads/{pick.choice(THREADS)}/runs", None),
    lambda pick, word, _: ("GET", f"/assistants/{pick.choice(THREADS)}", None),
    lambda pick, word, _: ("GET", f"/v1/contexts/{pick.choice(THREADS)}", None),
    lambda pick, word, _: ("GET", "/store/items?namespace=a&key=k", None),
    lambda pick, word, _: ("GET", "/v1/threads", None),
    lambda pick, word, _: ("GET", "/v1/memories", None),
    lambda pick, word, _: ("GET", "/v1/tenant/memories", None),
    lambda pick, word, _: ("POST", "/threads/search", {"limit": 100}),
    lambda pick, word, _: ("POST", "/assistants/search", {"limit": 100}),
    lambda pick, word, _: ("POST", "/store/items/search", {}),
    lambda pick, word, _: ("POST", "/v1/memories/search", {"query": "name live work"}),
    lambda pick, word, _: ("POST", "/v1/search", {"query": pick.choice(TEXTS).format("")}),
    lambda pick, word, others: ("POST", "/v1/search", {"query": pick.choice(others)[:4]}),
    lambda pick, word, _: ("DELETE", f"/threads/{pick.choice(THREADS)}", None),
    lambda pick, word, _: ("DELETE", f"/v1/threads/{pick.choice(THREADS)}", None),
]


Door = Callable[["Stranger", random.Random], Awaitable[Any]]


class Stranger(NamedTuple):
    """A user of one tenant, called as those of all others, with a word of their own."""

    tenant: str
    word: str
    key: str
    url: str
    memory: Recuerdo
    mcp: Client

    @property
    def user(self) -> Any:
        return self.memory.user(tenant=self.tenant, user="emi")


async def by_library(who: Stranger, pick: random.Random) -> Any:
    thread = who.memory.thread(tenant=who.tenant, user="emi", thread=pick.choice(THREADS))
    if pick.random() < 0.3:
        await thread.append(Message.user(pick.choice(TEXTS).format(who.word)))
    elif pick.random() < 0.3:
        await who.user.add(pick.choice(TEXTS).format(who.word))
    found = [await thread.messages(), await thread.window(MessageWindow(9)), await who.user.list()]
    return [*found, await who.user.search("name live"), await who.user.search_history("name live")]


async def by_store(who: Stranger, pick: random.Random) -> Any:
    store = RecuerdoStore(who.memory, tenant=who.tenant, user="emi")
    if pick.random() < 0.4:
        await store.aput(("a", "b"), pick.choice(THREADS), {"word": who.word})
    found = [await store.asearch(("a",)), await store.aget(("a", "b"), pick.choice(THREADS))]
    return [*found, await store.alist_namespaces()]


async def by_saver(who: Stranger, pick: random.Random) -> Any:
    graph = StateGraph(Words)
    graph.add_node("step", lambda _: {"words": [who.word]})
    graph.add_edge(START, "step")
    saver = RecuerdoSaver(who.memory, tenant=who.tenant, user="emi", history=None)
    place: Any = {"configurable": {"thread_id": pick.choice(THREADS)}}
    if pick.random() < 0.1:
        await saver.adelete_thread(place["configurable"]["thread_id"])
    elif pick.random() < 0.4:
        await graph.compile(checkpointer=saver).ainvoke({"words": []}, place)
    return [each async for each in saver.alist(place)], await saver.aget_tuple(place)


async def by_mcp(who: Stranger, pick: random.Random) -> Any:
    if pick.random() < 0.3:
        await who.mcp.call_tool("add_memory", {"text": pick.choice(TEXTS).format(who.word)})
    tools = ("search_memories", "search_history")
    return [
        await who.mcp.call_tool("list_memories", {}),
        await who.mcp.call_tool(pick.choice(tools), {"query": "name"}),
    ]


async def by_socket(who: Stranger, pick: random.Random) -> Any:
    place = f"ws{who.url.removeprefix('http')}/ws/{pick.choice(THREADS)}?thread_id={pick.choice(THREADS)}"
    heard: list[str] = []
    async with connect(place, additional_headers={"x-api-key": who.key}, open_timeout=PATIENCE) as socket:
        await socket.send(json.dumps({"type": "message", "text": pick.choice(TEXTS).format(who.word)}))
        while not heard or json.loads(heard[-1])["type"] not in ("done", "error", "lost"):
            heard.append(str(await asyncio.wait_for(socket.recv(), PATIENCE)))
    return heard


DOORS: list[Door] = [by_library, by_library, by_store, by_store, by_saver, by_mcp, by_socket]


class Words(TypedDict):
    words: list[str]


def said(pick: random.Random, word: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": pick.choice(TEXTS).format(word)}]}


def thread(pick: random.Random) -> dict[str, Any]:
    return {"thread_id": pick.choice(THREADS)}


def assistant(pick: random.Random) -> dict[str, Any]:
    return {"assistant_id": pick.choice(THREADS), "graph_id": "recuerdo", "if_exists": "do_nothing"}


def run(word: str) -> dict[str, Any]:
    message = {"role": "user", "content": f"I am {word}"}
    return {"assistant_id": "recuerdo", "input": {"messages": [message]}, "if_not_exists": "create"}


@pytest.fixture(params=["a file", "row-level security alone", "filters alone"])
async def database(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a database in which one line keeps tenants apart."""
    if request.param == "a file":
        return f"sqlite:///{tmp_path / 'r.db'}"
    url = request.getfixturevalue("empty_postgres_url")
    async with PostgresDatabase.open(url):
        pass
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as superuser:
        if request.param == "filters alone":
            await without_row_level_security(superuser)
        else:
            await without_filters(superuser, monkeypatch)
    return url


async def without_row_level_security(superuser: psycopg.AsyncConnection[Any]) -> None:
    cursor = await superuser.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'recuerdo'")
    for (table,) in await cursor.fetchall():
        await superuser.execute(
            sql.SQL("ALTER TABLE recuerdo.{} DISABLE ROW LEVEL SECURITY").format(sql.Identifier(table))
        )


async def without_filters(superuser: psycopg.AsyncConnection[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """No statement and no function compares a tenant any more."""
    functions = await superuser.execute(
        "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'recuerdo'::regnamespace"
    )
    for (text,) in await functions.fetchall():
        await superuser.execute(_COMPARED.sub("true", text))
    execute = psycopg.AsyncConnection.execute

    def unfiltered(connection: Any, query: Any, *arguments: Any, **more: Any) -> Any:
        if isinstance(query, str):
            query = _COMPARED.sub(lambda found: "true" if found[1] != "%s" else "%s::text IS NOT NULL", query)
        return execute(connection, query, *arguments, **more)

    monkeypatch.setattr(psycopg.AsyncConnection, "execute", unfiltered)


_COMPARED = re.compile(r"\b(?:\w+\.)?tenant = (%s|%\(tenant\)s|for_tenant)(?![\w.])")


@asynccontextmanager
async def opened(database: str) -> AsyncGenerator[Hosted]:
    async with Recuerdo.open(database, embeddings="none") as memory, hosting(memory) as hosted:
        yield hosted


async def test_nobody_gets_a_byte_of_another_tenant(database: str) -> None:
    """The users have one name, and a word each that nobody else may be shown."""
    pick = random.Random(SEED)
    words = [f"w{pick.getrandbits(64):016x}" for _ in range(TENANTS)]
    keys = LocalApiKeys(LocalDatabase())
    statuses: Counter[int] = Counter()

    async def act(number: int, url: str, memory: Recuerdo) -> None:
        mine, others = words[number], [word for word in words if word != words[number]]
        choose = random.Random(SEED * 1000 + number)
        issued = issue(Owner(f"tenant-{number}", "emi"), datetime.now(UTC))
        await keys.add(issued.key)
        headers = {"x-api-key": issued.secret}
        async with (
            httpx.AsyncClient(base_url=url, headers=headers) as client,
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http,
            Client(streamable_http_client(f"{url}/mcp", http_client=http)) as mcp,
        ):
            who = Stranger(f"tenant-{number}", mine, issued.secret, url, memory, mcp)
            for _ in range(OPERATIONS // TENANTS):
                if choose.random() < 0.3:
                    door = choose.choice(DOORS)
                    try:
                        answered = repr(await door(who, choose))
                    except (Unavailable, ConnectionClosedError) as error:
                        answered = repr(error)
                    assert not [word for word in others if word in answered], (door.__name__, answered)
                    continue
                method, path, body = choose.choice(CHOICES)(choose, mine, others)
                answer = await client.request(method, path, json=body)
                statuses[answer.status_code] += 1
                assert not [word for word in others if word in answer.text], (method, path, answer.text)
                assert answer.status_code < 500 or answer.status_code == AWAY, (method, path, answer.text)

    options = ServerOptions(auth=AuthOptions(api_keys=True), api_keys=keys, admits_all=True)
    with serving(opened(database), options) as url:
        async with Recuerdo.open(database, embeddings="none") as memory, asyncio.TaskGroup() as group:
            for number in range(TENANTS):
                group.create_task(act(number, url, memory))
    assert statuses[200] > statuses.total() // 3, statuses
