"""Summaries of threads are the same on every database, and every replica shows and forgets the same one."""

import asyncio
from contextlib import AsyncExitStack
from uuid import uuid4

import pytest

from recuerdo import Message, MessageWindow, Recuerdo

DATABASES = ["sqlite", "postgres", "mongodb"]


@pytest.fixture(params=DATABASES)
def database(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/s.db"
    return request.getfixturevalue(f"{request.param}_url")


@pytest.fixture
async def replicas(database, tmp_path):
    async with AsyncExitStack() as stack:
        opened = [Recuerdo.open(database, embeddings="none", spool=f"{tmp_path}/{name}") for name in ("one", "two")]
        yield [await stack.enter_async_context(each) for each in opened]


@pytest.fixture
def threads(replicas):
    """The same thread, as either replica sees it."""
    tenant = f"acme-{uuid4()}"
    return [each.thread(tenant=tenant, user="emi", thread="t") for each in replicas]


async def said(thread, first, last):
    await thread.append(*[Message.user(f"Paso {number}") for number in range(first, last + 1)])


async def texts(thread):
    return [message.text for message in await thread.window(MessageWindow(4), summary=True)]


async def test_what_one_replica_summarised_the_other_shows_and_continues(threads):
    one, two = threads
    await said(one, 1, 10)
    await texts(two)
    assert (await one.summarise()).source.seq == 10
    shown = await texts(two)
    assert "> user: Paso 1" in shown[0].splitlines()
    assert shown[1:] == ["Paso 8", "Paso 9", "Paso 10"]
    await said(two, 11, 12)
    assert (await two.summarise()).source.seq == 12
    assert (await texts(one))[1:] == ["Paso 10", "Paso 11", "Paso 12"]


async def test_replicas_that_summarise_at_once_write_one_summary(threads, replicas):
    one, two = threads
    await said(one, 1, 10)
    await asyncio.gather(*[thread.summarise() for thread in (one, two) * 3])
    emi = replicas[0].user(tenant=one.scope.tenant, user="emi")
    assert [each.source.seq for each in await emi.list(kind="summary")] == [10]
    assert len(await emi.history()) == 1


async def test_no_replica_shows_the_summary_of_a_thread_that_the_other_has_cleared(threads):
    one, two = threads
    await said(one, 1, 10)
    await one.summarise()
    await texts(two)
    await one.clear()
    await said(one, 21, 30)
    assert await texts(two) == ["Paso 27", "Paso 28", "Paso 29", "Paso 30"]


async def test_no_replica_shows_the_summary_of_messages_that_the_other_has_archived(threads):
    one, two = threads
    await said(one, 1, 10)
    await one.summarise()
    await texts(two)
    await one.archive(first=1, last=6)
    assert await texts(two) == ["Paso 7", "Paso 8", "Paso 9", "Paso 10"]


async def test_an_erasure_on_one_replica_leaves_no_summary_on_the_other(threads, replicas):
    one, two = threads
    await said(one, 1, 10)
    await two.summarise()
    assert (await replicas[0].user(tenant=one.scope.tenant, user="emi").erase()).complete
    assert await replicas[1].user(tenant=one.scope.tenant, user="emi").list(kind="summary") == []
    assert await two.summarise() is None
