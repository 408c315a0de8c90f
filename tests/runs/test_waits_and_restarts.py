"""Callers of two replicas wait for runs while PostgreSQL is killed again and again: a failure looks like one.

RECUERDO_TEST_KILLS is how often it is killed: `make soak` does so 30 times.
"""

import asyncio
import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx

from servers.postgres import fresh_database, running_postgres
from servers.recuerdo import running_recuerdo

GRAPHS = Path(__file__).with_name("graphs")
KILLS = int(os.environ.get("RECUERDO_TEST_KILLS", "3"))
SECONDS_BETWEEN = 2.0
SECONDS_TO_REST = 0.1
CALLERS = 8


def given(text: str) -> dict[str, Any]:
    return {"assistant_id": "talking", "input": {"messages": [{"role": "human", "content": text}]}}


class Answers:
    """The answers to callers: the results of their own runs, errors of runs, and errors of HTTP."""

    def __init__(self) -> None:
        self.results = self.errors = self.refusals = 0

    def add(self, answer: httpx.Response, text: str) -> bool:
        """Whether it is the result of the run that was asked for. Any other success is none."""
        if answer.status_code != 200:
            assert answer.status_code in (404, 503), answer.text
            self.refusals += 1
            return False
        body = answer.json()
        if "__error__" in body:
            assert body["__error__"]["error"], body
            self.errors += 1
            return False
        said = [message["content"] for message in body.get("messages", []) if message["type"] == "human"]
        assert said == [text], body
        self.results += 1
        return True


async def test_no_answer_is_an_empty_success_while_the_database_is_killed() -> None:
    with ExitStack() as stack:
        postgres = stack.enter_context(running_postgres())
        database = stack.enter_context(fresh_database(postgres.url))
        settings = {"database_url": database, "config": str(GRAPHS / "langgraph.json"), "embeddings": "none"}
        replicas = [stack.enter_context(running_recuerdo(**settings)) for _ in range(2)]
        answers, is_over = Answers(), asyncio.Event()

        def client(replica: int) -> httpx.AsyncClient:
            return httpx.AsyncClient(base_url=replicas[replica].url, headers={"X-Recuerdo-User": "emi"})

        async def call(caller: int) -> None:
            number, is_answered = 0, False
            async with client(caller % 2) as calling:
                while not (is_over.is_set() and is_answered):
                    number += 1
                    text = f"{caller} {number}"
                    is_answered = answers.add(await calling.post("/runs/wait", json=given(text)), text)
                    await asyncio.sleep(0 if is_answered else SECONDS_TO_REST)

        async def kill() -> None:
            for _ in range(KILLS):
                began = time.monotonic()
                await asyncio.to_thread(postgres.kill)
                await asyncio.to_thread(postgres.start)
                await asyncio.sleep(max(0.0, SECONDS_BETWEEN - (time.monotonic() - began)))
            is_over.set()

        async with asyncio.TaskGroup() as tasks:
            for caller in range(CALLERS):
                tasks.create_task(call(caller))
            tasks.create_task(kill())
        assert answers.results >= CALLERS, vars(answers)
