"""A SQLite writer that is killed in mid-load (invariants I1 and I2).

RECUERDO_TEST_ROUNDS says how often; `make soak` does 300 rounds.
"""

import asyncio
import json
import os
import random
import signal
from asyncio.subprocess import Process
from pathlib import Path

from faults_children import child, line
from faults_load import Receipt, check, stored_threads

ROUNDS = int(os.environ.get("RECUERDO_TEST_ROUNDS", "16"))
FILES = 2
LONGEST_LIFE = 0.06
TASKS = 6
ENOUGH = TASKS * ROUNDS
"""Receipts of a file that are worth checking: a slow machine takes more rounds until there are so many."""


async def killed_writer(nursery: Process, name: str, life: float, *, before_open: bool) -> list[Receipt]:
    """The acknowledgements to a writer before it was killed, `life` seconds after it was born (or opened its file)."""
    assert nursery.stdin is not None
    nursery.stdin.write(f"{name}\n".encode())
    writer = int(await line(nursery))
    if not before_open:
        assert await line(nursery) == '"open"'
    asyncio.get_running_loop().call_later(life, os.kill, writer, signal.SIGKILL)
    receipts: list[Receipt] = []
    while (said := json.loads(await line(nursery))) != -signal.SIGKILL:
        assert isinstance(said, list) or (before_open and said == "open")
        receipts += [Receipt(*said)] if said != "open" else []
    return receipts


async def killed_again_and_again(file: Path, rounds: int) -> list[Receipt]:
    """The acknowledgements to the writers of one file; each was killed, and then the file was checked."""
    chance = random.Random()
    receipts: list[Receipt] = []
    async with child("nursery", file, TASKS) as nursery:
        for number in range(40 * rounds):
            if number >= rounds and len(receipts) > ENOUGH:
                break
            life, before_open = chance.uniform(0, LONGEST_LIFE), number % 10 == 0
            receipts += await killed_writer(nursery, f"w{number}", life, before_open=before_open)
            check(await stored_threads(file), receipts)
    return receipts


async def test_a_killed_writer_loses_nothing_that_it_acknowledged_and_leaves_nothing_torn(tmp_path: Path) -> None:
    """Every receipt holds, seqs have no gap, batches are whole, extras were in flight."""
    files = [tmp_path / f"{number}.db" for number in range(FILES)]
    told = await asyncio.gather(*(killed_again_and_again(file, ROUNDS // FILES) for file in files))
    assert all(len(receipts) > ENOUGH for receipts in told), "too little was written to be worth checking"
