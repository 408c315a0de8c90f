"""Work that goes on in the background, and how it ends."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any


async def stop(*tasks: asyncio.Task[Any], patience: float | None = 5.0) -> None:
    """Cancel the tasks until they have ended, every `patience` seconds; once without any. Their errors are ignored.

    Once is not enough for one that would go on for ever: Python 3.11's `asyncio.wait_for`, through which drivers wait,
    swallows a cancellation that comes at the same moment as what it waits for (https://bugs.python.org/issue42130).
    """
    left = {*tasks}
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=patience)
    await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def in_background(work: Coroutine[Any, Any, None]) -> AsyncGenerator[None]:
    """Do the work as long as the block lasts."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        await stop(task)
