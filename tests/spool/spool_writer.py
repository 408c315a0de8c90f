"""A process that appends with durability `async` and tells each acknowledgement, until it is killed."""

import asyncio
import sys

from recuerdo import Message, Recuerdo


async def write(database: str, spool: str, first: int) -> None:
    async with Recuerdo.open(database, durability="async", spool=spool, embeddings="none") as memory:
        number = first
        while True:
            texts = [str(number + ahead) for ahead in range(8)]
            number += len(texts)
            threads = [memory.thread(tenant="t", user="u", thread=f"thread-{int(text) % 2}") for text in texts]
            await asyncio.gather(
                *[thread.append(Message.user(text)) for thread, text in zip(threads, texts, strict=True)]
            )
            sys.stdout.write("".join(f"{text}\n" for text in texts))
            sys.stdout.flush()


asyncio.run(write(sys.argv[1], sys.argv[2], int(sys.argv[3])))
