"""An erasure reaches everything that a user left, whoever writes at the same moment.

RECUERDO_TEST_ERASURES says how many erasures race writers; `make soak` plays 1,000.
"""

import asyncio
import os
import random
from contextlib import suppress

import pytest
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from recuerdo import Message, Recuerdo
from recuerdo.core.checkpoints import CheckpointQuery
from recuerdo.core.documents import Decision, Document, DocumentKey
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.items import ItemKey, Put, StoreScope
from recuerdo.core.scope import Owner
from recuerdo.integrations.langgraph import RecuerdoSaver
from recuerdo.testing.clock import NOON

ERASURES = int(os.environ.get("RECUERDO_TEST_ERASURES", "20"))
EMI, EVA = Owner("acme", "emi"), Owner("acme", "eva")
CANARY = "kanarienvogel"


class State(TypedDict):
    x: str


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/r.db"
    return request.getfixturevalue("empty_postgres_url")


async def live(memory, owner):
    """Something of the owner's in everything that keeps something."""
    user = memory.user(tenant=owner.tenant, user=owner.user)
    thread = memory.thread(tenant=owner.tenant, user=owner.user, thread="t")
    await thread.append(Message.user(f"me gusta el {CANARY}"))
    await user.remember(f"me gusta el {CANARY}")
    written = f'{{"x": "{CANARY}"}}'
    await memory.items.write(StoreScope(owner.tenant, owner.user), [Put(ItemKey(("a",), "k"), written)], NOON)
    document = Document("run", "r", "g", written.encode(), True)
    await memory.documents.change(owner, "g", [], lambda _: Decision(None, put=[document]))


async def left_of(memory, owner):
    """What a look finds, by its name."""
    user = memory.user(tenant=owner.tenant, user=owner.user)
    scope = StoreScope(owner.tenant, owner.user)
    found = {
        "threads": (await memory.history.threads(owner)).threads,
        "memories": await user.list() + await user.list(status="quarantined"),
        "changes": await user.history(),
        "found": await user.search(CANARY),
        "said": await user.search_history(CANARY),
        "items": await memory.items.namespaces(scope, (), None),
        "runs": await memory.documents.get(owner, DocumentKey("run", "r")),
        "checkpoints": await memory.checkpoints._repository.select(CheckpointQuery(owner)),
    }
    return {name for name, each in found.items() if each}


async def graph_worked(memory, owner):
    """Checkpoints in a thread that has no history."""
    graph = StateGraph(State)
    graph.add_node("step", lambda _: {"x": CANARY})
    graph.add_edge(START, "step")
    saver = RecuerdoSaver(memory, tenant=owner.tenant, user=owner.user, history=None)
    await graph.compile(checkpointer=saver).ainvoke({"x": ""}, {"configurable": {"thread_id": "graph"}})


async def test_an_erasure_reaches_everything_and_nobody_else(url, tmp_path):
    async with Recuerdo.open(url, embeddings="none", spool=str(tmp_path / "s")) as memory:
        for owner in (EMI, EVA):
            await live(memory, owner)
            await graph_worked(memory, owner)
        everything = await left_of(memory, EVA)
        assert len(everything) == 8
        receipt = await memory.user(tenant="acme", user="emi").erase()
        assert receipt.complete
        assert (receipt.threads, receipt.messages, receipt.memories) == (1, 1, 1)
        assert receipt.others == {"checkpoints": 1, "items": 1, "runs": 1}
        assert await left_of(memory, EMI) == set()
        assert await left_of(memory, EVA) == everything


async def test_what_a_user_proposed_goes_and_what_was_approved_stays_as_nobodys(url, tmp_path):
    async with Recuerdo.open(url, embeddings="none", spool=str(tmp_path / "s")) as memory:
        acme = memory.tenant(tenant="acme")
        for owner in (EMI, EVA):
            await acme.propose(f"waits of {owner.user}", by=owner.user)
            approved = await acme.propose(f"approved of {owner.user}", by=owner.user)
            await acme.approve(approved.id, by="ada")
        receipt = await memory.user(tenant="acme", user="emi").erase()
        assert (receipt.complete, receipt.others) == (True, {"shared": 2})
        assert {each.text: each.source.by for each in await acme.list()} == {
            "approved of emi": None,
            "approved of eva": "eva",
        }
        assert [each.text for each in await acme.list(status="proposed")] == ["waits of eva"]
        told = [entry for change in await acme.history() for entry in change.entries]
        assert not [entry for entry in told if entry.after and entry.after.source.by == "emi"]


async def test_writers_that_began_before_bring_nothing_back(url, tmp_path):
    """The canary is nowhere: not behind any call, and not in the file."""
    chance = random.Random(3)
    async with Recuerdo.open(url, embeddings="none", spool=str(tmp_path / "s")) as memory:
        emi = memory.user(tenant="acme", user="emi")
        thread = memory.thread(tenant="acme", user="emi", thread="t")
        for number in range(ERASURES):
            await live(memory, EMI)
            await emi.search_history(CANARY)
            epoch = (await thread.info()).version.epoch
            writers = [
                asyncio.create_task(thread.append(Message.user(CANARY), expected_epoch=epoch)),
                asyncio.create_task(emi.remember(f"vivo en {CANARY.title()}")),
                asyncio.create_task(emi.remember(f"trabajo en {CANARY.title()}")),
                asyncio.create_task(emi.search(CANARY)),
            ]
            for _ in range(chance.randrange(4)):
                await asyncio.sleep(0)
            receipt = await emi.erase()
            for writer in writers:
                with suppress(RecuerdoError):
                    await writer
            assert receipt.complete, number
            assert await left_of(memory, EMI) == set(), number
    if url.startswith("sqlite"):
        assert CANARY.encode() not in b"".join(file.read_bytes() for file in tmp_path.glob("r.db*")).lower()
