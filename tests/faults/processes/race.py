"""Append the same request from many tasks: race.py FILE TASKS KEYS. A line for each receipt.

Starts at a line on the standard input, so that several processes race.
"""

import asyncio
import sys

from faults_load import OWNER, open_history, tell

from recuerdo.core.messages import Message
from recuerdo.history import History


async def race(history: History, key: str) -> None:
    messages = [Message.user(f"said once: {key}"), Message.assistant("heard")]
    receipt = await history.append(OWNER.thread("t-1"), messages, idempotency_key=key)
    tell([key, receipt.version, receipt.first_seq, receipt.ids, receipt.replayed])


async def main(file: str, tasks: str, keys: str) -> None:
    async with open_history(file) as history:
        tell("open")
        sys.stdin.readline()
        await asyncio.gather(*(race(history, f"key-{key}") for key in range(int(keys)) for _ in range(int(tasks))))


asyncio.run(main(*sys.argv[1:]))
