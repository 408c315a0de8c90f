"""Imports old conversations, and the memories in them, from JSON lines. A restart after a failure doubles nothing.

    pip install 'recuerdo[offline]'
    python batch_import.py messages.jsonl

Each line is one message, and those of a thread are in order:

    {"user": "emi", "thread": "t-1", "id": "m-1", "role": "user", "text": "I like tea", "time": "2024-05-01T09:00Z"}
"""

import asyncio
import json
import os
import sys
from collections import defaultdict
from datetime import datetime
from pathlib import Path
from typing import Any

from recuerdo import Message, Recuerdo
from recuerdo.core.memories import Source

DATABASE = os.environ.get("DATABASE_URL", "sqlite:///imported.db")
TENANT = "acme"
PORTION = 500
"""Messages of one append: all of them are stored, or none."""
AT_ONCE = 8
"""Users whose threads are imported at the same time; appends that wait together are committed together."""


def as_message(line: dict[str, Any]) -> Message:
    """One message of the file, with the id and the time that it had."""
    written = datetime.fromisoformat(line["time"])
    return Message(role=line["role"], content=line["text"], id=line["id"], created_at=written)


async def import_thread(memory: Recuerdo, user: str, thread: str, messages: list[Message]) -> int:
    """Store a thread, then what its user said of themselves. Returns how many memories are new."""
    place = memory.thread(tenant=TENANT, user=user, thread=thread)
    for start in range(0, len(messages), PORTION):
        await place.append(*messages[start : start + PORTION], idempotency_key=f"import-{start}")
    owner, learned = memory.user(tenant=TENANT, user=user), 0
    for seq, message in enumerate(messages, 1):
        if message.role == "user":
            learned += len(await owner.remember(message.text, source=Source(thread=thread, seq=seq)))
    return learned


async def main(lines: list[str]) -> None:
    """Import all threads of the lines, each user's in their order."""
    threads: dict[str, dict[str, list[Message]]] = defaultdict(lambda: defaultdict(list))
    for line in map(json.loads, lines):
        threads[line["user"]][line["thread"]].append(as_message(line))
    limit = asyncio.Semaphore(AT_ONCE)

    async def import_user(memory: Recuerdo, user: str) -> int:
        async with limit:
            return sum([await import_thread(memory, user, *each) for each in threads[user].items()])

    async with Recuerdo.open(DATABASE) as memory:
        learned = sum(await asyncio.gather(*[import_user(memory, user) for user in threads]))
    print(f"{len(lines)} messages of {len(threads)} users are stored; {learned} memories are new.")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]).read_text("utf-8").splitlines()))
