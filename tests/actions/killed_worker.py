"""A process whose worker does queries, and dies of those that say `kill`: `python killed_worker.py URL ATTEMPTS`"""

import asyncio
import os
import sys
from typing import Any

from recuerdo import Recuerdo
from recuerdo.actions import Retries
from recuerdo.core.actions import Query


async def look_up(action: Query, _: Any) -> str:
    if action.text == "kill":
        await asyncio.sleep(0.2)
        os._exit(9)
    await asyncio.sleep(0.4)
    return "done"


async def main(url: str, attempts: str) -> None:
    async with Recuerdo.open(url, embeddings="none") as memory:
        memory.worker.lease, memory.worker.pause = 1.0, 0.1
        memory.worker.retries = Retries(most_attempts=int(attempts))
        memory.worker.take("query", look_up)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
