"""A turn of the chat that meets an erasure at another replica: what it began before is not there afterwards."""

import asyncio
import random
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from recuerdo import Message, Recuerdo
from recuerdo.core.errors import EpochChanged, Unavailable, UserErased
from recuerdo.core.scope import ANONYMOUS, Owner
from recuerdo.memories.spending import Budget
from servers.openai_server import Script
from servers.patience import LIMITS_OF_POSTGRES
from servers.proxy import running_proxy

EMI = Owner("acme", "emi")
FACT = "Trabajo en Kanarienvogel"
QUESTION = "¿Cómo me llamo y dónde trabajo?"
THREADS = ["known", "new"]


class Replicas(NamedTuple):
    """Two open Recuerdos over one database."""

    near: Recuerdo
    far: Recuerdo

    async def left(self):
        """The user's data that a look at either replica finds."""
        found = set()
        for memory in self:
            user = memory.user(tenant="acme", user="emi")
            found |= {f"memory: {each.text}" for each in await user.list()}
            found |= {"changes" for _ in await user.history()}
            for thread in (await memory.history.threads(EMI)).threads:
                found |= {f"message: {each.text}" for each in await memory.history.read(EMI.thread(thread.id))}
        return found


@pytest.fixture(params=["sqlite", "postgresql", "mongodb"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/r.db"
    if request.param == "postgresql":
        return request.getfixturevalue("empty_postgres_url")
    return f"{request.getfixturevalue('mongodb_url').rstrip('/')}/turns-{random.randbytes(4).hex()}"


@pytest.fixture
async def replicas(url, tmp_path):
    async with AsyncExitStack() as stack:
        opened = [
            await stack.enter_async_context(Recuerdo.open(url, embeddings="none", spool=str(tmp_path / name)))
            for name in ("near", "far")
        ]
        yield Replicas(*opened)


async def live(memory):
    """A thread, and a memory of it."""
    await memory.chat.reply(EMI.thread("known"), "Hola, me llamo Emiliano")


def meeting(memory, moment, happen):
    """Let something happen at a moment of the next turn: before or after a step of it, which is really made."""
    where, step = moment.split(" ", 1)
    part, name = {
        "the window is read": (memory.history, "headed_window"),
        "the message is appended": (memory.history, "append"),
        "facts are remembered": (memory.memories, "remember"),
    }[step]
    made = getattr(part, name)
    met = []

    async def meet(*arguments, **more):
        if where == "before" and not met:
            met.append(await happen())
        result = await made(*arguments, **more)
        if where == "after" and not met:
            met.append(await happen())
        return result

    setattr(part, name, meet)
    return met


MOMENTS = [
    "after the window is read",
    "before the message is appended",
    "after the message is appended",
    "before facts are remembered",
    "after facts are remembered",
]


@pytest.mark.parametrize("thread", THREADS)
@pytest.mark.parametrize("moment", MOMENTS)
async def test_an_erasure_in_the_middle_of_a_turn_leaves_nothing(replicas, moment, thread):
    await live(replicas.near)
    met = meeting(replicas.near, moment, lambda: replicas.far.memories.erase(EMI))
    with suppress(EpochChanged, UserErased):
        reply = await replicas.near.chat.reply(EMI.thread(thread), f"{FACT}. {QUESTION}")
        assert reply.history == "unavailable"
    assert met[0].complete
    assert await replicas.left() == set()


@pytest.mark.parametrize("thread", THREADS)
async def test_a_reply_that_was_made_of_erased_memories_is_not_stored(replicas, thread):
    """Nothing in this message is a fact: only the reply would bring the name back."""
    await live(replicas.near)
    met = meeting(replicas.near, "before the message is appended", lambda: replicas.far.memories.erase(EMI))
    with pytest.raises((EpochChanged, UserErased)):
        await replicas.near.chat.reply(EMI.thread(thread), QUESTION)
    assert met[0].complete
    assert await replicas.left() == set()


async def test_a_turn_after_an_erasure_is_like_the_first_one(replicas):
    await live(replicas.near)
    await replicas.far.memories.erase(EMI)
    reply = await replicas.near.chat.reply(EMI.thread("known"), FACT)
    assert (reply.history, [each.value for each in reply.memories_saved]) == ("ok", ["Kanarienvogel"])
    assert (reply.memories_used, reply.version.seq) == ([], 2)


async def test_first_messages_that_reach_a_new_thread_at_once_are_all_stored(replicas):
    turns = [memory.chat.reply(EMI.thread("new"), f"Hola {number}") for number in range(3) for memory in replicas]
    assert {reply.history for reply in await asyncio.gather(*turns)} == {"ok"}
    assert len(await replicas.near.history.read(EMI.thread("new"))) == 12


@pytest.mark.parametrize("user", ["emi", ANONYMOUS])
async def test_a_message_that_meets_a_clearing_is_refused_and_can_be_sent_again(replicas, user):
    scope = Owner("acme", user).thread("t")
    await replicas.near.chat.reply(scope, "Hola")
    meeting(replicas.near, "before the message is appended", lambda: replicas.far.history.clear(scope))
    with pytest.raises(EpochChanged):
        await replicas.near.chat.reply(scope, FACT)
    assert await replicas.far.history.read(scope) == []
    assert await replicas.far.user(tenant="acme", user="emi").list() == []
    assert (await replicas.near.chat.reply(scope, FACT)).version.seq == 2


async def test_a_message_of_a_new_thread_that_somebody_else_has_answered_stays_theirs(replicas):
    """The thread that the turn began is taken back only while no words of others are in it."""

    async def erase_and_write():
        await replicas.far.memories.erase(EMI)
        await replicas.far.history.append(EMI.thread("new"), [Message.user("Nuevo")])

    meeting(replicas.near, "before the message is appended", erase_and_write)
    with pytest.raises(UserErased):
        await replicas.near.chat.reply(EMI.thread("new"), "Hola")
    assert "message: Nuevo" in await replicas.left()


async def test_what_a_model_reads_later_is_dated_at_the_turns_beginning(url, tmp_path, openai_server):
    """The erasure comes between the append and the handing over to the model that reads the message."""
    openai_server.script = Script(text='{"facts": [{"attribute": "city", "value": "Lima", "quote": "Lima"}]}')
    reader = {"model": "openai:test", "model_base_url": openai_server.url, "model_api_key": "k"}
    async with (
        Recuerdo.open(url, embeddings="none", extraction=Budget(), spool=str(tmp_path / "near"), **reader) as near,
        Recuerdo.open(url, embeddings="none", spool=str(tmp_path / "far")) as far,
    ):
        await live(near)
        told = []
        near.chat._extract_later = lambda *arguments: told.append(arguments)
        meeting(near, "after the message is appended", lambda: far.memories.erase(EMI))
        await near.chat.reply(EMI.thread("known"), "Por cierto, paso los veranos en Lima")
        scope, message, beginning = told[-1]
        action = await near.learning.hand_over(scope, message, beginning)
        assert action.epoch == beginning.state.epoch != (await near.memories.begin(EMI)).state.epoch


@asynccontextmanager
async def apart(postgres_url, tmp_path, **options):
    """Two replicas, and the proxy between the near one and its database."""
    port = urlsplit(postgres_url).port
    with running_proxy(port) as proxy:
        near_url = postgres_url.replace(f":{port}/", f":{proxy.port}/")
        async with (
            Recuerdo.open(near_url, embeddings="none", spool=str(tmp_path / "near"), **options) as near,
            Recuerdo.open(postgres_url, embeddings="none", spool=str(tmp_path / "far")) as far,
        ):
            yield near, far, proxy


@pytest.mark.parametrize("erased_before", [False, True])
async def test_a_turn_that_began_while_the_database_was_away_brings_nothing_back(
    empty_postgres_url, tmp_path, openai_server, erased_before, monkeypatch
):
    """The user is erased at a replica whose database is there. Without an erasure both messages are stored late."""
    monkeypatch.setitem(LIMITS_OF_POSTGRES, "pool_timeout", 0.3)
    reader = {"model": "openai:test", "model_base_url": openai_server.url, "model_api_key": "k"}
    async with apart(empty_postgres_url, tmp_path, **reader) as (near, far, proxy):
        if erased_before:
            await far.memories.erase(EMI)
            await near.chat.reply(EMI.thread("before"), "Hola")
            await far.history.delete(EMI.thread("before"))
        for erasing in (False, True):
            proxy.cut()
            may_answer = asyncio.Event()
            openai_server.arrived.clear()
            openai_server.say("Hola", hold=may_answer)
            turn = asyncio.create_task(near.chat.reply(EMI.thread(f"new-{erasing}"), FACT))
            await openai_server.arrived.wait()
            assert not erasing or (await far.memories.erase(EMI)).complete
            proxy.heal()
            await _answers(near)
            may_answer.set()
            assert (await turn).history == "unavailable"
            left = await Replicas(far, far).left()
            assert left == set() if erasing else f"message: {FACT}" in left


@pytest.mark.parametrize("gone_on", [False, True])
@pytest.mark.parametrize("end", ["clear", "delete"])
async def test_a_turn_that_began_while_the_database_was_away_stores_nothing_behind_a_clearing(
    empty_postgres_url, tmp_path, openai_server, monkeypatch, end, gone_on
):
    """Neither its cache nor the database told it of the thread, which another replica clears and perhaps goes on in."""
    monkeypatch.setitem(LIMITS_OF_POSTGRES, "pool_timeout", 0.3)
    reader = {"model": "openai:test", "model_base_url": openai_server.url, "model_api_key": "k"}
    async with apart(empty_postgres_url, tmp_path, **reader) as (near, far, proxy):
        scope, new = EMI.thread("t"), ["Nuevo"] if gone_on else []
        await far.history.append(scope, [Message.user("Hola")])
        proxy.cut()
        may_answer = asyncio.Event()
        openai_server.say("Hola", hold=may_answer)
        turn = asyncio.create_task(near.chat.reply(scope, FACT))
        await openai_server.arrived.wait()
        await getattr(far.history, end)(scope)
        for text in new:
            await far.history.append(scope, [Message.user(text)])
        proxy.heal()
        await _answers(near)
        may_answer.set()
        assert (await turn).history == "unavailable"
        assert [each.text for each in await far.history.read(scope)] == new
        assert await far.user(tenant="acme", user="emi").list() == []
        openai_server.say("Bien")
        assert (await near.chat.reply(scope, FACT)).history == "ok"


@pytest.mark.parametrize("end", ["clear", "delete"])
@pytest.mark.parametrize("moment", MOMENTS[:2])
async def test_a_turn_stores_nothing_in_a_thread_that_was_begun_and_cleared_meanwhile(replicas, moment, end):
    """The thread was absent at the turn's beginning, so that there is no epoch to compare with."""
    scope = EMI.thread("new")

    async def begin_and_end():
        await replicas.far.history.append(scope, [Message.user("Hola")])
        await getattr(replicas.far.history, end)(scope)

    meeting(replicas.near, moment, begin_and_end)
    with pytest.raises(EpochChanged):
        await replicas.near.chat.reply(scope, FACT)
    assert await replicas.far.history.read(scope) == []
    assert await replicas.far.user(tenant="acme", user="emi").list() == []
    assert (await replicas.near.chat.reply(scope, FACT)).history == "ok"


async def _answers(memory):
    """Wait until the database is there again."""
    while True:
        with suppress(Unavailable):
            await memory.history.epoch(EMI.thread("any"))
            return
        await asyncio.sleep(0.05)


async def test_turns_and_erasures_with_a_latency_leave_facts_only_with_their_messages(empty_postgres_url, tmp_path):
    """Whatever meets whatever: a fact whose message was erased is a fact that came back."""
    async with apart(empty_postgres_url, tmp_path) as (near, far, proxy):
        await live(near)
        proxy.slow(0.015)
        for number in range(12):
            turn = asyncio.create_task(near.chat.reply(EMI.thread(["known", "new"][number % 2]), FACT))
            await asyncio.sleep(random.uniform(0, 0.3))
            assert (await far.memories.erase(EMI)).complete
            with suppress(EpochChanged, UserErased):
                await turn
            left = await Replicas(far, far).left()
            assert left == set() or f"message: {FACT}" in left, left
            await far.memories.erase(EMI)
