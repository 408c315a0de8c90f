"""Several processes with several tasks each on one SQLite file (invariant I2, idempotency)."""

import asyncio
import json
from collections import defaultdict
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from faults_children import child, finished, line, reports
from faults_load import OWNER, Receipt, check, open_history, stored_threads

PROCESSES = 4
TASKS = 4


async def test_processes_that_append_to_the_same_threads_leave_no_gap_and_keep_each_writers_order(
    tmp_path: Path,
) -> None:
    """No process is told that the database is locked: every append of all gets its receipt."""
    file, appends = tmp_path / "r.db", 60
    told = await asyncio.gather(*(finished("write", file, f"p{i}", TASKS, appends) for i in range(PROCESSES)))
    receipts = [Receipt(*receipt) for said in told for receipt in said if receipt != "open"]
    assert len(receipts) == PROCESSES * TASKS * appends
    check(await stored_threads(file), receipts)


async def test_processes_can_open_a_new_file_at_the_same_moment(tmp_path: Path) -> None:
    """Each of six finds the tables made once, whoever makes them."""
    for number in range(3):
        file = tmp_path / f"{number}.db"
        told = await asyncio.gather(*(finished("write", file, f"p{i}", 1, 1) for i in range(6)))
        check(await stored_threads(file), [Receipt(*said[1]) for said in told])


async def raced(file: Path, processes: int, tasks: int, keys: int) -> list[Any]:
    """The receipts of processes that send the same requests at the same moment."""
    async with AsyncExitStack() as stack:
        racers = [await stack.enter_async_context(child("race", file, tasks, keys)) for _ in range(processes)]
        assert [await line(racer) for racer in racers] == ['"open"'] * processes
        for racer in racers:
            assert racer.stdin is not None
            racer.stdin.write(b"go\n")
        return [receipt for said in await asyncio.gather(*map(reports, racers)) for receipt in said]


async def test_a_key_that_many_tasks_and_processes_send_at_once_is_stored_once_with_one_receipt(
    tmp_path: Path,
) -> None:
    """All but one of the answers are replays of the same receipt."""
    keys, tasks = 20, 5
    answers = defaultdict[str, list[Any]](list)
    for key, *receipt, replayed in await raced(tmp_path / "r.db", PROCESSES, tasks, keys):
        answers[key].append((json.dumps(receipt), replayed))
    assert len(answers) == keys
    for received in answers.values():
        assert len({receipt for receipt, _ in received}) == 1
        assert [replayed for _, replayed in received].count(False) == 1
        assert len(received) == PROCESSES * tasks
    async with open_history(tmp_path / "r.db") as history:
        assert await history.count(OWNER.thread("t-1")) == {"user": keys, "assistant": keys}
