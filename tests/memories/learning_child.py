"""A process that lets a model read a message, and is killed while it does: DATABASE MODEL_URL SPOOL."""

import asyncio
import sys

from recuerdo import Recuerdo
from recuerdo.memories.spending import Budget


async def main(database: str, model_url: str, spool: str) -> None:
    model = {"model": "openai:test", "model_base_url": model_url, "model_api_key": "k"}
    async with Recuerdo.open(database, embeddings="none", spool=spool, extraction=Budget(), **model) as memory:
        memory.worker.lease = 1.0
        memory.worker.take("memory", memory.learning.do)
        await memory.chat.reply(memory.thread(tenant="acme", user="emi", thread="t").scope, sys.stdin.read())
        await asyncio.Event().wait()


asyncio.run(main(*sys.argv[1:]))
