"""Erasures in the background over HTTP."""

import time
from contextlib import asynccontextmanager

import httpx
import pytest
from serving import serving

from recuerdo import Recuerdo
from recuerdo.app.graphs import hosting
from recuerdo.server import ServerOptions


@asynccontextmanager
async def hosted(database):
    async with Recuerdo.open(database, embeddings="none") as memory, hosting(memory) as opened:
        yield opened


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with serving(hosted(f"sqlite:///{tmp_path_factory.mktemp('jobs')}/a.db")) as address:
        yield address


def as_user(url, user):
    return httpx.Client(base_url=url, headers={"X-Recuerdo-User": user})


def finished(client, erasure):
    end = time.monotonic() + 60
    while (found := client.get(f"/v1/erasures/{erasure}").json())["status"] != "done" and time.monotonic() < end:
        time.sleep(0.05)
    return found


def test_an_erasure_in_the_background_says_how_far_it_is(url):
    with as_user(url, "emi") as emi:
        emi.post("/v1/threads/t/messages", json={"messages": [{"role": "user", "content": "hola"}]}).raise_for_status()
        begun = emi.post("/v1/erase", json={"everything": True, "background": True})
        assert begun.status_code == 202
        done = finished(emi, begun.json()["id"])
        assert (done["complete"], done["removed"]["messages"], done["users"]) == (True, 1, 1)
        assert "emi" not in str(done)
        assert emi.get("/v1/erasures/none").status_code == 404
        assert emi.get("/v1/erasures", params={"limit": 1}).json() == {"erasures": [done]}


def test_a_tenant_is_erased_by_its_name_only(url):
    with as_user(url, "eva") as eva:
        eva.post("/v1/threads/t/messages", json={"messages": [{"role": "user", "content": "hola"}]}).raise_for_status()
        refused = eva.post("/v1/tenant/erase", json={"everything": True, "tenant": "acme"})
        assert (refused.status_code, refused.json()["detail"][0]["loc"]) == (422, ["body", "tenant"])
        begun = eva.post("/v1/tenant/erase", json={"everything": True, "tenant": "default"})
        assert begun.status_code == 202
        assert finished(eva, begun.json()["id"])["complete"]
        assert eva.get("/v1/threads").json()["threads"] == []


def test_what_a_policy_would_delete_is_counted_and_stays(tmp_path):
    memories = []

    @asynccontextmanager
    async def opened():
        async with Recuerdo.open(f"sqlite:///{tmp_path}/a.db", embeddings="none") as memory, hosting(memory) as host:
            memories.append(memory)
            yield host

    async def forecast(policy):
        return await memories[0].maintenance.forecast(policy)

    options = ServerOptions(retention="threads=0d", forecast=forecast)
    with serving(opened(), options) as url, as_user(url, "emi") as emi:
        emi.post("/v1/threads/t/messages", json={"messages": [{"role": "user", "content": "hola"}]}).raise_for_status()
        own = emi.get("/v1/retention").json()
        counts = {"threads": 1, "messages": 1, "checkpoints": 0, "memories": 0, "complete": True}
        assert own == {"policy": "threads=0d", **counts}
        other = emi.get("/v1/retention", params={"policy": "threads=1d"}).json()
        assert (other["threads"], other["complete"]) == (0, True)
        refused = emi.get("/v1/retention", params={"policy": "cats=1d"})
        assert (refused.status_code, "cats" in refused.text) == (422, True)
        assert len(emi.get("/v1/threads").json()["threads"]) == 1
