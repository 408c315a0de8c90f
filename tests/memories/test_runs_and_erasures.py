"""Runs and actions whose user is erased at another replica before their turn of the chat begins."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from recuerdo import Recuerdo
from recuerdo.app.graphs import hosting
from recuerdo.core.actions import ExecuteAgent
from recuerdo.core.identifiers import new_id
from recuerdo.core.runs import RunRequest
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from recuerdo.runs.runs import NewRun
from servers.patience import PATIENCE

EMI = Owner("acme", "emi")
FACT = "Trabajo en Kanarienvogel"


@pytest.fixture(params=["sqlite", "postgres", "mongodb"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/r.db"
    return request.getfixturevalue(f"empty_{request.param}_url")


@asynccontextmanager
async def replicas(url, tmp_path):
    """One that works, and one at which the user is erased when the first one's next turn is about to begin."""
    async with AsyncExitStack() as stack:
        near, far = [
            await stack.enter_async_context(Recuerdo.open(url, embeddings="none", spool=str(tmp_path / name)))
            for name in ("near", "far")
        ]
        await near.chat.reply(EMI.thread("t"), "Hola")
        stream, receipts = near.chat.stream, []

        async def erase_then_stream(*arguments, **more):
            receipts.append(await far.memories.erase(EMI))
            async for event in stream(*arguments, **more):
                yield event

        near.chat.stream = erase_then_stream
        yield near, far, receipts


async def left(memory):
    facts = await memory.user(tenant="acme", user="emi").list()
    return facts, (await memory.history.threads(EMI)).threads


@pytest.mark.parametrize("thread", ["t", "new"])
async def test_what_a_run_was_told_is_not_stored_behind_the_erasure(url, tmp_path, thread):
    async with replicas(url, tmp_path) as (near, far, receipts), hosting(near) as hosted:
        said = {"messages": [{"role": "user", "content": FACT}]}
        new = NewRun("recuerdo", RunRequest(input=said), thread, makes_thread=True)
        await hosted.runs.runs.create(EMI, new)
        async with asyncio.timeout(PATIENCE):
            while not receipts:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        await asyncio.sleep(0.5)
        await near.flush()
        assert receipts[0].complete
        assert await left(far) == ([], [])


async def test_what_an_action_was_told_is_not_stored_behind_the_erasure(url, tmp_path):
    async with replicas(url, tmp_path) as (near, far, receipts), hosting(near, queues=["agent"]):
        about = {"action_id": new_id(), "task_id": "t", "tenant": "acme", "user": "emi", "thread": "t"}
        action = ExecuteAgent(message=FACT, created_at=utc_now(), **about)
        await near.actions.enqueue(action)
        async with asyncio.timeout(PATIENCE):
            while not receipts:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        await near.flush()
        assert receipts[0].complete
        assert await left(far) == ([], [])
