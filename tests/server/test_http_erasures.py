"""Erasures in the background over HTTP."""

import time
from contextlib import asynccontextmanager

import httpx
import pytest
from serving import serving

from recuerdo import Recuerdo
from recuerdo.app.graphs import hosting


@asynccontextmanager
async def hosted(database):
    async with Recuerdo.open(database, embeddings="none") as memory, hosting(memory) as opened:
        yield opened


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with serving(hosted(f"sqlite:///{tmp_path_factory.mktemp('jobs')}/a.db")) as address:
        yield address


def as_user(url, user):
    return httpx.Client(base_url=url, headers={"X-Recuerdo-User": user}, timeout=60)


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


def test_a_tenant_is_erased_by_its_name_only(url):
    with as_user(url, "eva") as eva:
        eva.post("/v1/threads/t/messages", json={"messages": [{"role": "user", "content": "hola"}]}).raise_for_status()
        refused = eva.post("/v1/tenant/erase", json={"everything": True, "tenant": "acme"})
        assert (refused.status_code, refused.json()["detail"][0]["loc"]) == (422, ["body", "tenant"])
        begun = eva.post("/v1/tenant/erase", json={"everything": True, "tenant": "default"})
        assert begun.status_code == 202
        assert finished(eva, begun.json()["id"])["complete"]
        assert eva.get("/v1/threads").json()["threads"] == []
