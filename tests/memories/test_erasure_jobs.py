"""An erasure as a job: it survives the end of its process, reports progress, and reaches a whole tenant."""

import asyncio

import pytest
from langgraph.checkpoint.base import empty_checkpoint

from recuerdo import Message, Recuerdo
from recuerdo.app.graphs import open_assistants
from recuerdo.core.api_keys import issue
from recuerdo.core.documents import DocumentQuery
from recuerdo.core.errors import InvalidInput, NotFound
from recuerdo.core.identifiers import new_id
from recuerdo.core.items import ItemAddress, Put, StoreScope
from recuerdo.core.scope import Owner, TenantOwner
from recuerdo.integrations.langgraph import RecuerdoSaver
from recuerdo.testing.clock import NOON
from servers.patience import PATIENCE


@pytest.fixture(params=["sqlite", "postgresql", "mongodb"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/r.db"
    if request.param == "mongodb":
        return f"{request.getfixturevalue('mongodb_url')}{tmp_path.name[-30:]}"
    return request.getfixturevalue("empty_postgres_url")


def opened(url, tmp_path):
    return Recuerdo.open(url, embeddings="none", spool=str(tmp_path / "s"))


async def live(memory, tenant, user):
    await memory.thread(tenant=tenant, user=user, thread="t").append(Message.user("hola"))
    await memory.user(tenant=tenant, user=user).remember("vivo en Lima")


async def only(assistants, tenant):
    return next(each for each in await assistants.search(TenantOwner(tenant), DocumentQuery()) if each.name == "Secret")


async def lives(memory, tenant, user):
    threads = (await memory.history.threads(Owner(tenant, user))).threads
    return bool(threads or await memory.user(tenant=tenant, user=user).list())


async def test_a_job_erases_its_user_and_forgets_the_name(url, tmp_path):
    async with opened(url, tmp_path) as memory:
        for user in ("emi", "eva"):
            await live(memory, "acme", user)
        job = await memory.erasures.ask("acme", "emi")
        assert (job.status, job.user) == ("pending", "emi")
        done = await memory.erasures.wait(job)
        assert (done.status, done.complete, done.user, done.users) == ("done", True, None, 1)
        assert {name: done.removed[name] for name in ("threads", "messages", "memories")} == {
            "threads": 1,
            "messages": 1,
            "memories": 1,
        }
        assert all(place.clean for place in done.places)
        assert (await lives(memory, "acme", "emi"), await lives(memory, "acme", "eva")) == (False, True)
        assert await memory.erasures.get("acme", job.id, "emi") == done
        for tenant, user in (("acme", "eva"), ("other", "emi"), ("other", None)):
            with pytest.raises(NotFound):
                await memory.erasures.get(tenant, job.id, user)


async def test_nobody_erases_the_anonymous_user(tmp_path):
    async with opened(f"sqlite:///{tmp_path}/r.db", tmp_path) as memory:
        with pytest.raises(InvalidInput, match="many people"):
            await memory.erasures.ask("acme", "anonymous")


async def test_a_job_goes_on_when_its_process_ends_before_it(url, tmp_path):
    async with opened(url, tmp_path) as memory:
        await live(memory, "acme", "emi")
        job = await memory.erasures.ask("acme", "emi")
        await memory.erasures.aclose()  # it has not begun, or is somewhere in between
    async with opened(url, tmp_path) as memory:
        left = await memory.erasures.get("acme", job.id)
        async with asyncio.timeout(PATIENCE):
            while (await memory.erasures.get("acme", job.id)).status != "done":
                await memory.maintenance._quietly(None)
                await asyncio.sleep(0.05)
        done = await memory.erasures.get("acme", job.id)
        assert (left.status, done.status, done.complete) == ("pending", "done", True)
        assert not await lives(memory, "acme", "emi")


async def test_a_tenant_is_erased_with_users_of_whom_only_one_table_knows(url, tmp_path):
    async with opened(url, tmp_path) as memory:
        for tenant in ("acme", "other"):
            for user in ("emi", "eva", "anonymous"):
                await memory.thread(tenant=tenant, user=user, thread="t").append(Message.user("hola"))
            await memory.tenant(tenant=tenant).propose("we ship on Mondays", by="emi")
        keys = [issue(Owner(tenant, "program"), NOON) for tenant in ("acme", "other")]
        for each in keys:
            await memory.api_keys.add(each.key)
            async with open_assistants(memory) as assistants:
                shared = {"name": "Secret", "config": {"configurable": {"system_prompt": "Keep it"}}}
                await assistants.create(TenantOwner(tenant), new_id(), "recuerdo", shared)
                await assistants.make_default(TenantOwner(tenant), (await only(assistants, tenant)).assistant_id)
        for owner in ("", "agent"):
            await memory.items.write(StoreScope("acme", owner), [Put(ItemAddress(("a",), "k"), "{}")], NOON)
        await memory.library.add("acme", "a.md", b"# Hola")
        saver = RecuerdoSaver(memory, tenant="acme", user="graph")
        place = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
        await saver.aput(place, empty_checkpoint(), {}, {})
        done = await memory.erasures.wait(await memory.erasures.ask("acme"))
        assert (done.status, done.complete) == ("done", True)
        assert done.users == 6
        assert await saver.aget_tuple(place) is None
        assert [await memory.api_keys.find(each.key.digest) for each in keys] == [None, keys[1].key]
        assert await memory.tenant(tenant="acme").list(status="proposed") == []
        assert len(await memory.tenant(tenant="other").list(status="proposed")) == 1
        assert [await lives(memory, tenant, "eva") for tenant in ("acme", "other")] == [False, True]
        for kind in ("assistant", "version"):
            kept = [
                await memory.documents.count(TenantOwner(each), kind, DocumentQuery()) for each in ("acme", "other")
            ]
            assert kept[0] == 0 < kept[1]
        assert await memory.library.documents("acme") == []
        for owner in ("", "agent"):
            assert await memory.items.namespaces(StoreScope("acme", owner), (), None) == []
