"""From a command, which is synchronous, to what is opened for it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

Opened = TypeVar("Opened")
T = TypeVar("T")


def ask(opening: AbstractAsyncContextManager[Opened], question: Callable[[Opened], Awaitable[T]]) -> T:
    """What the question is answered with by what is open for it alone."""

    async def asked() -> T:
        async with opening as opened:
            return await question(opened)

    return asyncio.run(asked())
