"""Visitors: each has conversations that nobody else sees, and may take them along when they log in."""

import asyncio
import base64
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from serving import serving
from websockets.sync.client import connect

from recuerdo import Message, Recuerdo
from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.app.graphs import Hosted, hosting
from recuerdo.core.api_keys import issue
from recuerdo.core.errors import DatabaseUnavailable
from recuerdo.core.identifiers import new_id
from recuerdo.core.ports import ThreadRepository
from recuerdo.core.scope import VISITOR_PREFIX, Owner
from recuerdo.history.claims import ClaimedThread
from recuerdo.server import ServerOptions
from recuerdo.server.auth.options import AuthOptions, VisitorOptions
from recuerdo.server.auth.visitors import VISITOR_COOKIE, Visitors
from recuerdo.server.requests import VISITOR_HEADER
from servers.patience import PATIENCE

KEY, OLD_KEY = "k" * 32, "o" * 32
NOBODY = "00000000-0000-0000-0000-000000000000"
VISITOR, EMI = Owner("default", VISITOR_PREFIX + "a" * 32), Owner("default", "emi")
OPTIONS = VisitorOptions((KEY, OLD_KEY), users=frozenset({NOBODY}))
DAY = 86_400


@asynccontextmanager
async def opened() -> AsyncGenerator[Hosted]:
    async with Recuerdo.open("memory://", embeddings="none") as memory, hosting(memory) as hosted:
        yield hosted


@pytest.fixture(scope="module")
def keys() -> LocalApiKeys:
    return LocalApiKeys(LocalDatabase())


@pytest.fixture(scope="module")
def url(keys: LocalApiKeys) -> Iterator[str]:
    options = ServerOptions(auth=AuthOptions(api_keys=True, visitors=OPTIONS), api_keys=keys)
    with serving(opened(), options) as url:
        yield url


def made(keys: LocalApiKeys, owner: Owner, **fields: Any) -> dict[str, str]:
    issued = issue(owner, datetime.now(UTC), **fields)
    asyncio.run(keys.add(issued.key))
    return {"x-api-key": issued.secret}


def browser(url: str) -> httpx.Client:
    """It keeps cookies, as browsers do."""
    return httpx.Client(base_url=url)


def say(client: httpx.Client, text: str, **body: str) -> str:
    response = client.post("/v1/chat", json={"message": text, **body})
    assert response.status_code == 200, response.text
    return str(response.json()["thread_id"])


def threads(client: httpx.Client, headers: dict[str, str] | None = None) -> list[str]:
    return [thread["id"] for thread in client.get("/v1/threads", headers=headers).json()["threads"]]


def token_of(name: str, *, key: str = KEY, age: float = 0, tenant: str = "default") -> str:
    options = VisitorOptions((key,), tenant)
    return Visitors(options, lambda: time.time() - age).issue(Owner(tenant, VISITOR_PREFIX + name))


def test_a_browser_is_one_visitor_from_its_first_message_on(url: str) -> None:
    with browser(url) as ana:
        thread = say(ana, "Hola, me llamo Ana")
        assert say(ana, "¿Cómo me llamo?", thread_id=thread) == thread
        said = ana.get(f"/v1/threads/{thread}/messages").json()["messages"]
        assert "Ana" in said[-1]["content"]
        assert threads(ana) == [thread]


def test_no_visitor_meets_another_ones_conversation(url: str) -> None:
    """By no route that reads, changes, copies or deletes: what is somebody else's is as absent as what never was."""
    with browser(url) as ana, browser(url) as bob:
        thread = say(ana, "Hola, me llamo Ana")
        own = say(bob, "Hi")
        for method, path, body in (
            ("GET", f"/v1/threads/{thread}", None),
            ("GET", f"/v1/threads/{thread}/messages", None),
            ("POST", f"/v1/threads/{thread}/clear", None),
            ("POST", f"/v1/threads/{thread}/fork", {"target": new_id()}),
            ("DELETE", f"/v1/threads/{thread}", None),
        ):
            absent = path.replace(thread, new_id())
            answers = [bob.request(method, each, json=body) for each in (path, absent)]
            assert [answer.status_code for answer in answers] == [404, 404], path
        assert thread not in threads(bob)
        assert [each["thread_id"] for each in bob.post("/threads/search", json={}).json()] == [own]
        assert threads(ana) == [thread]


def test_a_stranger_without_a_token_sees_nothing_and_is_given_none_for_reading(url: str) -> None:
    with browser(url) as ana:
        say(ana, "Hola")
    answer = httpx.get(f"{url}/v1/threads")
    assert answer.json()["threads"] == []
    assert VISITOR_HEADER not in answer.headers
    assert "set-cookie" not in answer.headers


def test_a_program_sends_back_the_header_that_it_was_given(url: str) -> None:
    first = httpx.post(f"{url}/v1/chat", json={"message": "Hola"})
    token = {VISITOR_HEADER: first.headers[VISITOR_HEADER]}
    found = httpx.get(f"{url}/v1/threads", headers=token).json()["threads"]
    assert [each["id"] for each in found] == [first.json()["thread_id"]]


def test_the_cookie_is_for_this_server_alone_and_for_no_script(url: str) -> None:
    answer = httpx.post(f"{url}/v1/chat", json={"message": "Hola"})
    parts = answer.headers["set-cookie"].split("; ")
    assert parts[0].startswith(f"{VISITOR_COOKIE}=v1.")
    assert {"HttpOnly", "SameSite=Lax", "Path=/", f"Max-Age={30 * DAY}"} <= set(parts)


def test_the_page_of_another_site_can_not_use_the_cookie(url: str) -> None:
    with browser(url) as ana:
        say(ana, "Hola")
        evil = ana.post("/v1/chat", json={"message": "x"}, headers={"Origin": "https://evil.example"})
        assert evil.status_code == 403


@pytest.mark.parametrize(
    "token",
    [
        "v1",
        "v1.a.1.b",
        token_of("a" * 32, age=31 * DAY),
        token_of("a" * 32, key="x" * 32),
        token_of("a" * 32, tenant="acme"),
        token_of("a" * 32).replace("a" * 32, "b" * 32),
        token_of("a" * 32)[:-1],
        token_of("a" * 32) + "A",
        "v1." + "a" * 32 + ".99999999999." + "A" * 43,
    ],
    ids=["empty", "short", "expired", "foreign key", "foreign tenant", "renamed", "cut", "longer", "forged"],
)
def test_a_token_that_is_expired_foreign_or_changed_is_refused_and_a_cookie_replaced(url: str, token: str) -> None:
    """A program is told; a browser, whose user can do nothing about its cookie, begins as a new visitor."""
    refused = httpx.get(f"{url}/v1/threads", headers={VISITOR_HEADER: token})
    assert refused.status_code == 401
    assert VISITOR_HEADER in refused.json()["detail"]
    cookie = {"Cookie": f"{VISITOR_COOKIE}={token}"}
    assert httpx.get(f"{url}/v1/threads", headers=cookie).json()["threads"] == []
    again = httpx.post(f"{url}/v1/chat", json={"message": "Hola"}, headers=cookie)
    assert again.headers[VISITOR_HEADER] not in ("", token)


def test_a_token_is_renewed_by_use_and_with_the_key_of_the_moment(url: str) -> None:
    """At most once a day; the visitor stays the same."""
    young, old, former = (
        token_of("a" * 32),
        token_of("a" * 32, age=2 * DAY),
        token_of("a" * 32, key=OLD_KEY, age=2 * DAY),
    )
    answers = [httpx.get(f"{url}/v1/threads", headers={VISITOR_HEADER: token}) for token in (young, old, former)]
    assert VISITOR_HEADER not in answers[0].headers
    for answer in answers[1:]:
        renewed = Visitors(VisitorOptions((KEY,))).read(answer.headers[VISITOR_HEADER], "default")
        assert renewed is not None
        assert renewed.owner.user == VISITOR_PREFIX + "a" * 32


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/memories", {"text": "I live in Leeds."}),
        ("PUT", "/store/items", {"namespace": ["a"], "key": "k", "value": {}}),
        ("POST", "/store/items/search", {"namespace_prefix": []}),
        ("POST", "/assistants", {"graph_id": "recuerdo"}),
        ("POST", "/runs/crons", {"assistant_id": "recuerdo", "schedule": "* * * * *"}),
        ("POST", "/runs/crons/search", {}),
        ("POST", "/runs", {"assistant_id": "recuerdo", "input": {}, "webhook": "https://example.com/x"}),
        ("POST", "/runs", {"assistant_id": "recuerdo", "input": {}, "after_seconds": 60}),
        ("POST", "/v1/documents", {"source": "a.md", "content": "x"}),
        ("GET", "/v1/keys", None),
        ("POST", "/v1/tenant/erase", {"tenant": "default"}),
        ("GET", "/metrics", None),
    ],
)
def test_a_visitor_may_not_keep_schedule_share_or_call_anything(
    url: str, method: str, path: str, body: dict[str, Any] | None
) -> None:
    with browser(url) as ana:
        answer = ana.request(method, path, json=body)
    assert answer.status_code == 403, answer.text
    assert "Visitors" in answer.json()["detail"] or path == "/metrics"


def test_nothing_is_remembered_of_a_visitor(url: str) -> None:
    with browser(url) as ana:
        say(ana, "Hola, me llamo Ana y vivo en Lima")
        assert ana.get("/v1/memories").json()["memories"] == []
        elsewhere = say(ana, "¿Dónde vivo?")
        assert "Lima" not in ana.get(f"/v1/threads/{elsewhere}/messages").json()["messages"][-1]["content"]


def test_a_visitor_can_erase_everything_of_theirs(url: str) -> None:
    with browser(url) as ana:
        say(ana, "Hola")
        receipt = ana.post("/v1/erase", json={"everything": True})
        assert receipt.status_code == 200
        assert receipt.json()["complete"]
        assert threads(ana) == []


def test_a_gateways_nobody_is_a_visitor_and_two_of_them_are_two(url: str, keys: LocalApiKeys) -> None:
    gateway = made(keys, Owner("acme", NOBODY))
    with browser(url) as ana, browser(url) as bob:
        ana.headers.update(gateway)
        bob.headers.update(gateway)
        thread = say(ana, "Hola, me llamo Ana")
        assert threads(bob) == []
        assert threads(ana) == [thread]
        who = ana.get("/v1/principal").json()
        assert (who["tenant"], who["anonymous"]) == ("acme", True)


def test_a_socket_is_the_visitors_whose_token_it_carries(url: str) -> None:
    """By a header, or by a subprotocol where a browser opens it; the cookie does it for the server's own page."""
    with browser(url) as ana:
        thread = say(ana, "Hola, me llamo Ana")
        token = ana.cookies[VISITOR_COOKIE]
    address = f"{url.replace('http', 'ws')}/ws/{new_id()}?thread_id={thread}"
    coded = base64.urlsafe_b64encode(token.encode()).decode().rstrip("=")
    for options in (
        {"additional_headers": {VISITOR_HEADER: token}},
        {"additional_headers": {"Cookie": f"{VISITOR_COOKIE}={token}"}},
        {"subprotocols": ["recuerdo", f"recuerdo.visitor.{coded}"]},
    ):
        with connect(address, **options) as socket:  # pyright: ignore[reportArgumentType]
            assert msgspec.json.decode(socket.recv(PATIENCE))["thread_id"] == thread
            socket.send('{"type":"message","text":"¿Cómo me llamo?"}')
            while (frame := msgspec.json.decode(socket.recv(PATIENCE)))["type"] not in ("done", "error"):
                pass
        assert "Ana" in str(frame)


def test_a_new_visitor_of_a_socket_is_told_the_token(url: str) -> None:
    with connect(f"{url.replace('http', 'ws')}/ws/{new_id()}") as socket:
        ready = msgspec.json.decode(socket.recv(PATIENCE))
    found = Visitors(OPTIONS).read(ready["visitor"], "default")
    assert found is not None


def test_who_logs_in_takes_the_conversations_along_once(url: str, keys: LocalApiKeys) -> None:
    owner = made(keys, Owner("default", new_id()))
    with browser(url) as ana:
        first, second = say(ana, "Hola, me llamo Ana"), say(ana, "Otra cosa")
        before = {each: ana.get(f"/v1/threads/{each}/messages").json()["messages"] for each in (first, second)}
        token = ana.cookies[VISITOR_COOKIE]
        claimed = ana.post("/v1/visitors/claim", headers=owner)
        assert claimed.status_code == 200, claimed.text
        assert {each["claimed_as"] for each in claimed.json()["threads"]} == {first, second}
        assert VISITOR_COOKIE not in ana.cookies
        assert set(threads(ana, owner)) == {first, second}
        for each in (first, second):
            now = ana.get(f"/v1/threads/{each}/messages", headers=owner).json()["messages"]
            assert now == before[each]
    with browser(url) as again:
        again.headers[VISITOR_HEADER] = token
        assert threads(again) == []
        other = made(keys, Owner("default", new_id()))
        assert again.post("/v1/visitors/claim", headers=other).json() == {"threads": []}


def test_a_claim_needs_a_user_and_a_visitor_of_the_same_tenant(url: str, keys: LocalApiKeys) -> None:
    elsewhere, here = made(keys, Owner("acme", new_id())), made(keys, Owner("default", new_id()))
    with browser(url) as ana:
        thread = say(ana, "Hola")
        assert ana.post("/v1/visitors/claim").status_code == 403
        assert ana.post("/v1/visitors/claim", headers=elsewhere).status_code == 401
        assert threads(ana) == [thread]
    assert httpx.post(f"{url}/v1/visitors/claim", headers=here).status_code == 401


async def claimed(memory: Recuerdo) -> tuple[list[ClaimedThread], list[str]]:
    """The threads that a visitor's claim moves, and the messages that the user's thread `t-1` has then."""
    threads = await memory.history.claim(VISITOR, EMI)
    return threads, [message.text for message in await memory.history.read(EMI.thread("t-1"))]


async def test_a_claimed_thread_never_joins_another_one_of_the_same_id() -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await memory.history.append(EMI.thread("t-1"), [Message.user("mine")])
        await memory.history.append(VISITOR.thread("t-1"), [Message.user("the visitor's")])
        [moved], said = await claimed(memory)
        assert said == ["mine"]
        assert moved.claimed_as != "t-1"
        [message] = await memory.history.read(EMI.thread(moved.claimed_as))
        assert message.text == "the visitor's"


async def test_a_claim_that_broke_off_is_repeated_without_doubling_anything(database_url: str) -> None:
    """After the copy and before the original is deleted; archived messages stay archived, and later ones come along."""
    async with Recuerdo.open(database_url, embeddings="none") as memory:
        source = VISITOR.thread("t-1")
        for first in (1, 502):
            await memory.history.append(source, [Message.user(str(number)) for number in range(first, first + 501)])
        await memory.history.archive(source, first=2, last=3)
        broken = BrokenThreads(memory.history._threads)
        memory.history._threads = broken  # pyright: ignore[reportAttributeAccessIssue]
        with pytest.raises(DatabaseUnavailable):
            await claimed(memory)
        memory.history._threads = broken.threads
        await memory.history.append(source, [Message.user("later")])
        threads, said = await claimed(memory)
        assert threads == [ClaimedThread("t-1", "t-1")]
        assert said == [*map(str, range(1, 1003)), "later"]
        archived = [each.seq for each in await memory.history.read(EMI.thread("t-1")) if each.archived]
        assert archived == [2, 3]
        assert await memory.history.read(source) == []


async def test_of_two_claims_at_once_one_gets_the_thread(database_url: str) -> None:
    async with Recuerdo.open(database_url, embeddings="none") as memory:
        await memory.history.append(VISITOR.thread("t-1"), [Message.user("one")])
        users = [Owner("default", name) for name in ("ana", "bob", "eva")]
        found = await asyncio.gather(*(memory.history.claim(VISITOR, user) for user in users))
        assert sum(len(threads) for threads in found) == 1
        kept = [user for user in users if await memory.history.read(user.thread("t-1"))]
        assert len(kept) == 1


class BrokenThreads:
    """Threads of which the database goes away before one can be deleted."""

    def __init__(self, threads: ThreadRepository) -> None:
        self.threads = threads

    def __getattr__(self, name: str) -> Any:
        return getattr(self.threads, name)

    async def delete(self, *_: object, **__: object) -> bool:
        raise DatabaseUnavailable("The database is away. Try again.")


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return str(request.getfixturevalue("empty_postgres_url"))
    return "memory://" if request.param == "memory" else f"sqlite:///{tmp_path / 'visitors.db'}"
