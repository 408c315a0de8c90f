"""The audit records of requests, and the roles that may read them."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from serving import Backend, serving

from recuerdo.adapters.local import LocalApiKeys, LocalAudit, LocalDatabase
from recuerdo.audit import AuditLog
from recuerdo.core.api_keys import issue
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from recuerdo.server import ServerOptions
from recuerdo.server.auth.options import AuthOptions

SECRET_TEXT = "nobody-reads-this-in-a-log"
As = Callable[..., httpx.Client]


@pytest.fixture
def acting() -> Iterator[As]:
    """A client that acts as a user of a role."""
    keys = LocalApiKeys(LocalDatabase())
    audit = AuditLog(LocalAudit(LocalDatabase()), utc_now)
    options = ServerOptions(auth=AuthOptions(api_keys=True), api_keys=keys, audit=audit)
    clients: list[httpx.Client] = []
    with serving(Backend().opened(), options) as url:

        def client(user: str, role: str = "user", tenant: str = "acme") -> httpx.Client:
            issued = issue(Owner(tenant, user), datetime.now(UTC), role=role)
            asyncio.run(keys.add(issued.key))
            clients.append(httpx.Client(base_url=url, headers={"x-api-key": issued.secret}))
            return clients[-1]

        yield client
        for each in clients:
            each.close()


def entries(client: httpx.Client, **query: Any) -> list[dict[str, Any]]:
    answer = client.get("/v1/audit", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()["entries"]


def test_approvals_exports_and_erasures_are_recorded_without_what_was_said(acting: As) -> None:
    admin, emi = acting("ana", "admin"), acting("emi")
    text = f"The office is called {SECRET_TEXT}."
    kept, refused = (emi.post("/v1/tenant/memories", json={"text": f"{text} {n}"}).json()["id"] for n in (1, 22))
    admin.get("/v1/tenant/memories", params={"status": "proposed"})
    admin.post(f"/v1/tenant/memories/{kept}/approve", json={"reason": SECRET_TEXT})
    admin.post(f"/v1/tenant/memories/{refused}/reject")
    emi.get("/v1/memories/export")
    emi.post("/v1/erase", json={"everything": True})
    found = entries(admin)
    told = [(each["actor"], each["action"], each.get("target")) for each in reversed(found)]
    assert told == [
        ("ana", "user.read", None),
        ("ana", "memory.approved", kept),
        ("ana", "memory.rejected", refused),
        ("emi", "memories.exported", None),
        ("emi", "user.erased", "emi"),
    ]
    assert found[0]["details"] == {"how": "complete"}
    assert {each["address"] for each in found} == {"127.0.0.1"}
    assert SECRET_TEXT not in str(found)


def test_changes_of_documents_and_assistants_are_recorded_without_their_texts(acting: As) -> None:
    ana, admin = acting("eva", "editor"), acting("ana", "admin")
    guide = {"source": "guide.md", "title": SECRET_TEXT}
    [document] = {
        ana.post("/v1/documents", json={**guide, "content": f"# {SECRET_TEXT}\n\n{text}"}).json()["document"]["id"]
        for text in ("one", "one")
    }
    ana.post("/v1/documents", json={**guide, "content": "two"})
    ana.delete(f"/v1/documents/{document}")
    graph = ana.post("/assistants/search", json={}).json()[0]["graph_id"]
    new = {"graph_id": graph, "name": SECRET_TEXT, "if_exists": "do_nothing"}
    made: str = ana.post("/assistants", json=new).json()["assistant_id"]
    ana.post("/assistants", json={**new, "assistant_id": made})
    ana.patch(f"/assistants/{made}", json={"visibility": "tenant"})
    ana.patch(f"/assistants/{made}", json={"context": {"system_prompt": SECRET_TEXT}})
    ana.post(f"/assistants/{made}/latest", json={"version": 1})
    ana.delete(f"/assistants/{made}")
    found = entries(admin, actor="eva")
    assert [(each["action"], each["target"], each.get("details", {}).get("version")) for each in reversed(found)] == [
        ("document.added", document, None),
        ("document.replaced", document, None),
        ("document.removed", document, None),
        ("assistant.created", made, "1"),
        ("assistant.shared", made, "1"),
        ("assistant.changed", made, "2"),
        ("assistant.changed", made, "1"),
        ("assistant.deleted", made, None),
    ]
    assert [each["details"]["visibility"] for each in found if each["target"] == made] == [*["tenant"] * 4, "private"]
    assert SECRET_TEXT not in str(found)


def test_refusals_for_the_role_are_recorded_with_the_route(acting: As) -> None:
    emi, admin = acting("emi"), acting("ana", "admin")
    assert emi.get("/v1/audit").status_code == 403
    assert emi.post("/v1/tenant/memories/m-secret/approve").status_code == 403
    found = entries(admin, action="role.refused", actor="emi")
    assert [each["details"]["route"] for each in reversed(found)] == [
        "GET /v1/audit",
        "POST /v1/tenant/memories/{shared_id}/approve",
    ]
    assert {each["role"] for each in found} == {"user"}


def test_refused_credentials_are_recorded_once_and_for_operators_alone(acting: As) -> None:
    operator, admin = acting("olga", "operator"), acting("ana", "admin")
    wrong = "recuerdo_wrong-secret"
    for headers in ({"x-api-key": wrong}, {"Authorization": "Bearer no.token.at.all"}, {"x-api-key": ""}):
        body = {"message": "hola"}
        assert (
            httpx.post(f"{str(admin.base_url).rstrip(chr(47))}/v1/chat", headers=headers, json=body).status_code == 401
        )
    found = entries(operator, server=True)
    assert [each["action"] for each in found] == ["authentication.failed"] * 3
    assert all(each["details"]["reason"] and each["address"] == "127.0.0.1" for each in found)
    assert wrong not in str(found)
    assert admin.get("/v1/audit", params={"server": True}).status_code == 403
    assert entries(admin, action="authentication.failed") == []


def test_no_tenant_reads_the_entries_of_another(acting: As) -> None:
    acting("emi").get("/v1/memories/export")
    assert entries(acting("ana", "admin", tenant="zeta")) == []
    assert [each["actor"] for each in entries(acting("ana", "admin"))] == ["emi"]


def test_entries_come_in_pages_and_reading_them_is_recorded(acting: As) -> None:
    admin, emi = acting("ana", "admin"), acting("emi")
    for _ in range(5):
        emi.get("/v1/memories/export")
    query: dict[str, Any] = {"limit": 2, "actor": "emi"}
    seen: list[str] = []
    while True:
        answer = admin.get("/v1/audit", params=query).json()
        seen += [each["id"] for each in answer["entries"]]
        if answer["next"] is None:
            break
        query["before"] = answer["next"]
    assert len(seen) == len(set(seen)) == 5
    assert len(entries(admin, action="audit.read")) == 3


@pytest.mark.parametrize("query", [{"before": "x"}, {"action": "nothing"}, {"since": "yesterday"}, {"limit": 0}])
def test_a_query_that_can_not_be_is_refused_with_its_field(acting: As, query: dict[str, Any]) -> None:
    answer = acting("ana", "admin").get("/v1/audit", params=query)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["query", next(iter(query))]


def test_what_happens_to_keys_is_recorded_with_their_ids_and_without_their_secrets(acting: As) -> None:
    admin = acting("ana", "admin")
    made = admin.post("/v1/keys", json={"user": "robot"}).json()
    rotated = admin.post(f"/v1/keys/{made['key']['id']}/rotate").json()
    admin.delete(f"/v1/keys/{rotated['key']['id']}")
    found = entries(admin, actor="ana")
    assert [(each["action"], each["target"]) for each in reversed(found) if each["action"] != "audit.read"] == [
        ("key.created", made["key"]["id"]),
        ("key.rotated", made["key"]["id"]),
        ("key.revoked", rotated["key"]["id"]),
    ]
    assert made["secret"] not in str(found)
    assert rotated["secret"] not in str(found)
