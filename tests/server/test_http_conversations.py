"""Conversations of a tenant, in the hands of its admins and of nobody else."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from serving import serving

from recuerdo import Recuerdo
from recuerdo.adapters.local import LocalApiKeys, LocalAudit, LocalDatabase
from recuerdo.app.graphs import Hosted, hosting
from recuerdo.audit import AuditLog
from recuerdo.core.api_keys import issue
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from recuerdo.server import ServerOptions
from recuerdo.server.auth.options import AuthOptions, VisitorOptions

WORD = "zanahoria"
As = Callable[..., httpx.Client]


@asynccontextmanager
async def opened(database: str) -> AsyncGenerator[Hosted]:
    async with Recuerdo.open(database, embeddings="none") as memory, hosting(memory) as hosted:
        yield hosted


@pytest.fixture
def acting(tmp_path: Path) -> Iterator[As]:
    """A client that acts as a user of a role, or as a new visitor."""
    keys, audit = LocalApiKeys(LocalDatabase()), AuditLog(LocalAudit(LocalDatabase()), utc_now)
    visitors = VisitorOptions(("a key of thirty-two bytes, or more",), tenant="acme")
    options = ServerOptions(auth=AuthOptions(api_keys=True, visitors=visitors), api_keys=keys, audit=audit)
    clients: list[httpx.Client] = []
    with serving(opened(f"sqlite:///{tmp_path / 'r.db'}"), options) as url:

        def client(user: str | None = None, role: str = "user", tenant: str = "acme") -> httpx.Client:
            headers: dict[str, str] = {}
            if user is not None:
                issued = issue(Owner(tenant, user), datetime.now(UTC), role=role)
                asyncio.run(keys.add(issued.key))
                headers = {"x-api-key": issued.secret}
            clients.append(httpx.Client(base_url=url, headers=headers))
            return clients[-1]

        yield client
        for each in clients:
            each.close()


def test_messages_by_time_are_the_callers_own_and_admins_see_those_of_users(acting: As) -> None:
    """Over pages, in all threads; a visitor has those of their own, and a member nobody else's."""
    emi, visitor, ana = acting("emi"), acting(), acting("ana", "admin")
    for client, thread in ((emi, "a"), (emi, "b"), (emi, "a"), (visitor, "v")):
        said = {"messages": [{"role": "user", "content": f"{WORD} {thread}"}]}
        client.post(f"/v1/threads/{thread}/messages", json=said).raise_for_status()
    first = emi.get("/v1/messages", params={"limit": 2}).json()
    assert [(each["thread_id"], each["message"]["seq"]) for each in first["messages"]] == [("a", 2), ("b", 1)]
    rest = emi.get("/v1/messages", params={"cursor": first["cursor"]}).json()
    assert [(each["thread_id"], each["message"]["seq"]) for each in rest["messages"]] == [("a", 1)]
    assert rest["cursor"] is None
    assert [each["thread_id"] for each in visitor.get("/v1/messages").json()["messages"]] == ["v"]
    assert ana.get("/v1/messages").json()["messages"] == []
    assert len(ana.get("/v1/tenant/users/emi/messages", params={"skip": 1}).json()["messages"]) == 2
    assert emi.get("/v1/tenant/users/ana/messages").status_code == 403
    assert emi.get("/v1/messages", params={"cursor": "x"}).json()["detail"][0]["loc"] == ["query", "cursor"]
    entries = ana.get("/v1/audit").json()["entries"]
    assert WORD not in str(entries)
    assert [each["target"] for each in entries if each["action"] == "user.read"] == ["emi"]


def test_an_admin_lists_searches_and_deletes_conversations_of_users_and_visitors(acting: As) -> None:
    """Of the own tenant, and each time it is recorded without what was said."""
    emi, visitor, ana = acting("emi"), acting(), acting("ana", "admin")
    message = {"messages": [{"role": "user", "content": f"Me gusta la {WORD}"}]}
    for each in (emi, visitor):
        each.post("/v1/threads/t/messages", json=message).raise_for_status()
    foreign = acting("eva", tenant="globex")
    foreign.post("/v1/threads/t/messages", json=message).raise_for_status()
    users = ana.get("/v1/tenant/users").json()["users"]
    assert "emi" in users
    assert "eva" not in users
    [somebody] = [user for user in users if user != "emi"]
    pages = [ana.get("/v1/tenant/users", params={"limit": 1, "after": after}).json() for after in ("", users[0])]
    assert [page["users"] for page in pages] == [[users[0]], [users[1]]]
    skipped = ana.get("/v1/tenant/users", params={"limit": 1, "skip": 1}).json()
    assert skipped == {"users": [users[1]], "after": users[1]}
    assert ana.get("/v1/tenant/users", params={"after": users[0], "skip": 1}).json() == {"users": [], "after": None}
    for user in ("emi", somebody):
        place = f"/v1/tenant/users/{user}"
        assert [each["id"] for each in ana.get(f"{place}/threads").json()["threads"]] == ["t"]
        assert WORD in ana.post(f"{place}/search", json={"query": WORD, "thread_id": "t"}).text
        assert ana.delete(f"{place}/threads/t").status_code == 204
        assert ana.delete(f"{place}/threads/t").status_code == 404
        assert ana.get(f"{place}/threads").json()["threads"] == []
    assert [each.get("/v1/threads/t").status_code for each in (emi, visitor)] == [404, 404]
    assert foreign.get("/v1/threads/t").status_code == 200
    told = ana.get("/v1/audit", params={"limit": 100}).json()["entries"]
    assert ("thread.deleted", somebody, "t") in [
        (each["action"], each.get("target"), each.get("details", {}).get("thread")) for each in told
    ]
    assert {each["action"] for each in told if each.get("target") == "emi"} == {"user.read", "thread.deleted"}
    assert WORD not in str(told)


@pytest.mark.parametrize(("user", "role"), [("eva", "user"), ("eva", "editor"), (None, "user")])
def test_nobody_else_does(acting: As, user: str | None, role: str) -> None:
    acting("emi").post("/v1/threads/t/messages", json={"messages": [{"role": "user", "content": WORD}]})
    client, place = acting(user, role), "/v1/tenant/users/emi"
    answers = [
        client.get("/v1/tenant/users"),
        client.get(f"{place}/threads"),
        client.post(f"{place}/search", json={"query": WORD}),
        client.delete(f"{place}/threads/t"),
    ]
    assert [each.status_code for each in answers] == [403] * 4


def test_an_admin_of_another_tenant_finds_nothing(acting: As) -> None:
    emi, other = acting("emi"), acting("ana", "admin", "globex")
    emi.post("/v1/threads/t/messages", json={"messages": [{"role": "user", "content": WORD}]}).raise_for_status()
    assert other.get("/v1/tenant/users").json()["users"] == []
    assert other.get("/v1/tenant/users/emi/threads").json()["threads"] == []
    assert WORD not in other.post("/v1/tenant/users/emi/search", json={"query": WORD}).text
    assert other.delete("/v1/tenant/users/emi/threads/t").status_code == 404
    assert emi.get("/v1/threads/t").status_code == 200
