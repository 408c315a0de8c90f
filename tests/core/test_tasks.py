"""How work in the background ends."""

import asyncio
from contextlib import suppress

from recuerdo.concurrency.tasks import in_background, stop


async def test_a_task_is_stopped_though_a_driver_swallows_the_cancellation() -> None:
    swallowed = asyncio.Event()

    async def work() -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        swallowed.set()
        await asyncio.sleep(60)

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    await stop(task, repeat_after=0.01)
    assert swallowed.is_set()
    assert task.cancelled()


async def test_work_in_the_background_of_a_block_ends_with_it_and_what_it_raised_is_not_the_blocks() -> None:
    ended: list[str] = []

    async def work(name: str) -> None:
        try:
            if name == "failing":
                raise ValueError(name)
            await asyncio.sleep(60)
        finally:
            ended.append(name)

    async with in_background(work("lasting")), in_background(work("failing")):
        await asyncio.sleep(0.01)
        assert ended == ["failing"]
    assert ended == ["failing", "lasting"]
