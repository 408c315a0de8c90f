"""`recuerdo worker` in processes of its own: woken, killed, stopped, and asked what it could not do."""

import asyncio
import json
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from acting import ids, query

from recuerdo import Recuerdo
from recuerdo.core.actions import ExecuteAgent
from servers import preloaded
from servers.worker import running_worker


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return request.getfixturevalue("empty_postgres_url")
    return f"sqlite:///{tmp_path / 'actions.db'}"


async def test_what_a_killed_worker_began_another_does_once(url: str) -> None:
    """kill -9 behind the effect and before the end: it is begun again, and has its effect once."""
    async with Recuerdo.open(url, embeddings="none") as memory:
        await memory.actions.enqueue(query(text="Hola"))
        async with a_worker(url, "linger") as first:
            await said(first, "lingering")
            async with a_worker(url, "finish") as second:
                await said(second, "ready")
                first.kill()
                done = await memory.actions.wait(query())
        assert (done.error, done.attempts, done.value) == (None, 2, "finish")
        history = await memory.thread(tenant="acme", user="emi", thread="t-1").read()
        assert [message.text for message in history] == ["Hola"]


async def test_an_action_that_kills_its_worker_is_given_up_and_what_is_beside_it_is_done(url: str) -> None:
    """Though each of them may be tried once only."""
    beside = [query(f"beside-{number}") for number in range(6)]
    async with Recuerdo.open(url, embeddings="none") as memory:
        for action in (query("killer", text="kill"), *beside):
            await memory.actions.enqueue(action)
        everything, killed = [query("killer", text="kill"), *beside], 0
        results = [None]
        while not all(results):
            async with a_process("killed_worker.py", url, "1") as process:
                while process.returncode is None and not all(results):
                    await asyncio.sleep(0.1)
                    results = [await memory.actions.result(action) for action in everything]
            killed += 1
            assert killed < 10
    assert "its process died" in str(results[0])
    assert {(each.value, each.error) for each in results[1:] if each} == {("done", None)}


@pytest.mark.parametrize("url", ["sqlite", "postgres"], indirect=True)
async def test_a_program_of_ones_own_holds_actions_as_long_as_the_documents_say(url: str) -> None:
    async with Recuerdo.open(url, embeddings="none") as memory:
        assert memory.worker.lease == (3.0 if url.startswith("postgres") else 10.0)


async def test_a_worker_takes_the_queues_that_it_is_told(tmp_path: Path) -> None:
    """And what it can't do is listed, and tried again when somebody says so."""
    url = f"sqlite:///{tmp_path / 'actions.db'}"
    async with Recuerdo.open(url, embeddings="none") as memory:
        with running_worker(database_url=url, queues="agent,embedding", embeddings="none") as worker:
            await memory.actions.enqueue(query("another-queue"))
            answered = await memory.actions.do(ExecuteAgent(**ids("answered"), message="Hola"))
            assert answered.value["text"]
            impossible = ExecuteAgent(**ids("impossible"), message="")
            assert (await memory.actions.do(impossible)).error is not None
            assert await memory.actions.result(query("another-queue")) is None
            [letter] = await dead(url)
            assert (letter["action"], letter["queue"], letter["tenant"]) == ("impossible", "agent", "acme")
            await recuerdo("actions", "retry", "impossible", "--tenant", "acme", "--user", "emi", "--database-url", url)
            assert (await memory.actions.wait(impossible)).attempts == 1
            worker.stop()
            assert "handed back" in worker.log.read_text("utf-8")


async def dead(url: str) -> list[Any]:
    return json.loads(await recuerdo("actions", "dead", "--json", "--database-url", url))


@asynccontextmanager
async def a_worker(url: str, end: str) -> AsyncGenerator[Process]:
    async with a_process("one_worker.py", url, end) as process:
        yield process


@asynccontextmanager
async def a_process(file: str, *arguments: str) -> AsyncGenerator[Process]:
    command = (sys.executable, str(Path(__file__).with_name(file)), *arguments)
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def said(process: Process, word: str) -> None:
    assert process.stdout is not None
    async for line in process.stdout:
        if line.decode().strip() == word:
            return
    raise AssertionError(f"the worker ended without a word of {word!r}")


async def recuerdo(*arguments: str) -> str:
    done = await asyncio.to_thread(
        subprocess.run, [preloaded.command(), *arguments], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout
