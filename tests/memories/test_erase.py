"""Erasing a user: nothing is left, nothing comes back, and the receipt was verified by looking."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from functools import partial

import pytest

from recuerdo import Message, Recuerdo
from recuerdo.adapters.local import LocalDatabase, LocalHistory, LocalMemories, LocalThreads
from recuerdo.core.errors import Conflict, DatabaseUnavailable, InvalidInput
from recuerdo.core.memories import MemoryQuery, Source, ledger_name
from recuerdo.core.scope import ANONYMOUS, Owner
from recuerdo.memories import Memories
from recuerdo.memories.erase import Eraser
from recuerdo.memories.extract import listen
from recuerdo.memories.extraction import gate
from recuerdo.memories.remember import Extraction
from recuerdo.testing.clock import FakeClock
from recuerdo.testing.samples import fill

EMI, EVA = Owner("acme", "emi"), Owner("acme", "eva")
CANARY = "kanarienvogel"


def test_a_ledger_keeps_its_name():
    """Databases have it: with another name they would not know what was erased."""
    assert ledger_name(Owner("señal", "núñez")) == "de6393e9df36c73711bc03c88afcd1886367e10a9979bec1f53b37b539b6ae78"


@pytest.fixture(params=["sqlite", "memory"])
async def memory(request, tmp_path):
    url = f"sqlite:///{tmp_path}/r.db" if request.param == "sqlite" else "memory://"
    url = url.replace("sqlite:///", "sqlite:////", 1)
    async with Recuerdo.open(url, embeddings="none", spool=str(tmp_path / "spool")) as memory:
        yield memory


def user_of(memory, owner):
    return memory.user(tenant=owner.tenant, user=owner.user)


async def live(memory, owner):
    """Two threads, and memories of them."""
    for name in ("t-1", "t-2"):
        thread = memory.thread(tenant=owner.tenant, user=owner.user, thread=name)
        await thread.append(Message.user(f"me gusta el {CANARY}"), Message.assistant("¡Qué bien!"))
        await user_of(memory, owner).remember(f"me gusta el {CANARY} {name}")


async def test_an_erasure_leaves_nothing_and_counts_what_it_removed(memory, tmp_path):
    for owner in (EMI, EVA):
        await live(memory, owner)
    receipt = await user_of(memory, EMI).erase()
    assert receipt.complete
    assert (receipt.owner, receipt.threads, receipt.messages, receipt.memories) == (EMI, 2, 4, 2)
    assert await user_of(memory, EMI).list() == []
    assert await user_of(memory, EMI).history() == []
    assert await memory.thread(tenant="acme", user="emi", thread="t-1").read() == []
    assert len(await user_of(memory, EVA).list()) == 2


class _Overlapping(LocalThreads):
    """Threads whose deletions take a moment, and of which one may fail; `most` were under way at the same moment."""

    fails, under_way, most = "", 0, 0

    async def delete(self, scope, at, only_at=None):
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0)
        self.under_way -= 1
        if scope.thread == self.fails:
            raise DatabaseUnavailable("away")
        return await super().delete(scope, at, only_at)


@pytest.mark.parametrize("overlaps", [True, False])
async def test_threads_are_erased_side_by_side_where_the_database_works_on_several(overlaps):
    """All go, and are counted; when one fails those that were under way are gone, and the error is raised."""
    database = LocalDatabase()
    history, threads = LocalHistory(database), _Overlapping(database)
    for number in range(10):
        await fill(history, EMI.thread(f"t-{number}"), 2)
    eraser = Eraser(LocalMemories(database), FakeClock(), threads, overlaps=overlaps)
    threads.fails = "t-5"
    with pytest.raises(DatabaseUnavailable):
        await eraser.erase(EMI)
    assert (threads.most, threads.under_way) == (4 if overlaps else 1, 0)
    left = len((await threads.select(EMI, 10)).threads)
    assert 0 < left < 10
    threads.fails = ""
    receipt = await eraser.erase(EMI)
    assert (receipt.threads, receipt.messages, receipt.complete) == (left, 2 * left, True)


async def test_an_erased_user_is_not_in_the_file_any_more(tmp_path):
    url = f"sqlite:///{tmp_path}/r.db".replace("sqlite:///", "sqlite:////", 1)
    async with Recuerdo.open(url, embeddings="none", spool=str(tmp_path / "spool")) as memory:
        await live(memory, EMI)
        assert (await user_of(memory, EMI).erase()).complete
    assert CANARY.encode() not in b"".join(file.read_bytes() for file in tmp_path.glob("r.db*"))


async def test_who_began_to_write_before_brings_nothing_back(memory):
    """Each of these writers looked at the user before the erasure, and writes while it runs or after it."""
    for _ in range(15):
        await live(memory, EMI)
        thread = memory.thread(tenant="acme", user="emi", thread="t-1")
        epoch = (await thread.info()).version.epoch
        began = [
            asyncio.create_task(thread.append(Message.user(CANARY), expected_epoch=epoch)),
            asyncio.create_task(user_of(memory, EMI).remember(f"vivo en {CANARY.title()}")),
        ]
        await asyncio.sleep(0)
        receipt = await user_of(memory, EMI).erase()
        for task in began:
            with suppress(Conflict):
                await task
        late = asyncio.create_task(thread.append(Message.user(CANARY), expected_epoch=epoch))
        with pytest.raises(Conflict):
            await late
        assert receipt.complete
        assert await thread.read() == []
        assert await user_of(memory, EMI).list() == []


async def test_a_change_that_was_decided_before_the_erasure_is_refused():
    """The writer has read everything that it decides on when the erasure comes."""
    repository = LocalMemories(LocalDatabase())
    memories = Memories(repository, None, FakeClock(tick=timedelta(milliseconds=1)))
    await memories.remember(EMI, "vivo en Lima")
    select, erased = repository.select, []

    async def select_then_erase(owner, query):
        found = await select(owner, query)
        if not erased:
            erased.append(True)
            await repository.erase(owner)
        return found

    repository.select = select_then_erase
    with pytest.raises(Conflict, match="erased"):
        await memories.remember(EMI, "me mudé a Quito")
    assert await select(EMI, MemoryQuery()) == []


async def test_an_export_can_be_read_in_elsewhere(memory):
    await live(memory, EMI)
    await user_of(memory, EMI).remember("Vivo en Madrid")
    await user_of(memory, EMI).remember("me mudé a Lima")
    lines = [line async for line in user_of(memory, EMI).export()]
    assert len(lines) == 4

    async def again():
        for line in lines:
            yield line

    assert await user_of(memory, EVA).import_lines(again()) == 4
    assert await user_of(memory, EVA).import_lines(again()) == 0
    told = [(each.text, each.valid_until, each.ending) for each in await user_of(memory, EVA).list()]
    assert told == [(each.text, each.valid_until, each.ending) for each in await user_of(memory, EMI).list()]
    await user_of(memory, EVA).undo()
    assert await user_of(memory, EVA).list() == []


async def test_a_line_that_is_no_memory_is_named(memory):
    async def lines():
        yield b"\n"
        yield b"{}\n"

    with pytest.raises(InvalidInput, match="line 2"):
        await user_of(memory, EMI).import_lines(lines())
    with pytest.raises(InvalidInput, match="anonymous"):
        await user_of(memory, Owner("acme", ANONYMOUS)).import_lines(lines())


async def test_what_waits_for_approval_of_a_user_who_was_erased_meanwhile_is_not_written_either():
    memories = Memories(LocalMemories(LocalDatabase()), None, FakeClock())
    beginning = await memories._changes.begin(EMI)
    await memories.erase(EMI)
    doubt = partial(gate.doubt, author="tool")
    with pytest.raises(Conflict):
        await memories._remembering(Extraction(EMI, listen("Vivo en Lima"), Source(author="tool"), doubt, beginning))
    assert await memories.list(EMI, MemoryQuery(status="quarantined")) == []
