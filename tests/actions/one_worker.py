"""A process that does queries by appending a message, and then goes on to the end or lingers until it is killed.

`python tests/actions/one_worker.py URL finish|linger`
"""

import asyncio
import sys
from typing import Any

from recuerdo import Message, Recuerdo
from recuerdo.core.actions import Query


async def main(url: str, end: str) -> None:
    async with Recuerdo.open(url, embeddings="none") as memory:

        async def append(action: Query, _: Any) -> str:
            thread = memory.thread(tenant=action.tenant, user=action.user, thread=action.thread)
            await thread.append(Message.user(action.text), idempotency_key=action.action_id)
            if end == "linger":
                print("lingering", flush=True)
                await asyncio.Event().wait()
            return end

        memory.worker.lease = 2.0
        memory.worker.take("query", append)
        print("ready", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
