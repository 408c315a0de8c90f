"""Documents over HTTP: who may change them, and who sees which."""

import base64
from contextlib import nullcontext

import httpx
import pytest

from recuerdo import Recuerdo
from recuerdo.adapters.local import LocalApiKeys, LocalDatabase
from recuerdo.app.graphs import hosting
from recuerdo.core.api_keys import issue
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from recuerdo.server import ServerOptions, create_app
from recuerdo.server.auth.options import AuthOptions, VisitorOptions


@pytest.fixture
async def client():
    keys = LocalApiKeys(LocalDatabase())
    issued = {
        name: issue(Owner(tenant, name), utc_now(), role=role)
        for name, tenant, role in [
            ("ops", "default", "editor"),
            ("emi", "default", "user"),
            ("zoe", "zeta", "admin"),
        ]
    }
    for each in issued.values():
        await keys.add(each.key)
    async with Recuerdo.open("memory://", embeddings="none") as memory, hosting(memory) as hosted:
        options = ServerOptions(auth=AuthOptions(api_keys=True, visitors=VisitorOptions(("k" * 32,))), api_keys=keys)
        app = create_app(nullcontext(hosted), options)
        app.state.services = hosted

        def acting(name=None):
            headers = {"x-api-key": issued[name].secret} if name else {}
            transport = httpx.ASGITransport(app)
            return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers)

        yield acting


async def add(client, source, text, **more):
    return await client.post("/v1/documents", json={"source": source, "content": text, **more})


async def test_everybody_sees_what_they_may_see_and_nothing_else(client):
    async with client("ops") as ops, client("emi") as emi, client() as anonymous, client("zoe") as zoe:
        assert (await add(ops, "abierto.md", "# Abierto\n\nHorario de tienda", access="public")).status_code == 201
        assert (await add(ops, "interno.md", "# Interno\n\nHorario de almacén")).status_code == 201
        assert (await add(ops, "interno.md", "# Interno\n\nHorario de almacén")).status_code == 200
        expected = [
            (ops, {"Abierto", "Interno"}),
            (emi, {"Abierto", "Interno"}),
            (anonymous, {"Abierto"}),
            (zoe, set()),
        ]
        for who, titles in expected:
            listed = (await who.get("/v1/documents")).json()["documents"]
            found = (await who.post("/v1/documents/search", json={"query": "horario"})).json()["hits"]
            assert {each["title"] for each in listed} == titles
            assert {hit["document"]["title"] for hit in found} == titles


async def test_documents_are_listed_page_by_page(client):
    """By `after`, or by `skip` for those who count pages; the last page has no `after`."""
    async with client("ops") as ops, client("emi") as emi:
        made = [(await add(ops, f"{n}.md", f"# {n}")).json()["document"]["id"] for n in range(5)]
        listed = (await emi.get("/v1/documents")).json()
        ids = [each["id"] for each in listed["documents"]]
        assert (sorted(ids), listed["after"]) == (sorted(made), None)
        for start, parameters in ((0, {}), (2, {"after": ids[1]}), (2, {"skip": 2}), (4, {"after": ids[1], "skip": 2})):
            page = (await emi.get("/v1/documents", params={"limit": 2, **parameters})).json()
            assert [each["id"] for each in page["documents"]] == ids[start : start + 2]
            assert page["after"] == (ids[start + 1] if start < 4 else None)
        assert (await emi.get("/v1/documents", params={"skip": 5})).json() == {"documents": [], "after": None}


async def test_documents_are_changed_by_editors_and_who_ranks_above(client):
    async with client("ops") as ops, client("emi") as emi, client() as anonymous, client("zoe") as zoe:
        made = (await add(ops, "a.md", "# A")).json()["document"]["id"]
        for who in (emi, anonymous):
            assert (await add(who, "b.md", "# B")).status_code == 403
            assert (await who.delete(f"/v1/documents/{made}")).status_code == 403
        assert (await zoe.delete(f"/v1/documents/{made}")).status_code == 404
        assert (await ops.delete(f"/v1/documents/{made}")).status_code == 204


async def test_a_document_comes_as_text_or_as_bytes(client):
    async with client("ops") as ops:
        carried = base64.b64encode("Ñandú".encode()).decode()
        body = {"source": "a.txt", "content_base64": carried, "title": "Ave"}
        assert (await ops.post("/v1/documents", json=body)).json()["document"]["title"] == "Ave"
        for wrong in ({}, {"content": "x", "content_base64": carried}, {"content_base64": "?"}):
            answer = await ops.post("/v1/documents", json={"source": "a.txt", **wrong})
            assert answer.status_code == 422
