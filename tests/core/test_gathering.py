"""Calls that come at the same moment."""

import asyncio
from collections.abc import Sequence

import pytest

from recuerdo.concurrency.batcher import BatchLoader
from recuerdo.core.errors import DatabaseUnavailable
from servers.patience import PATIENCE


class Shelf:
    """Numbers by name, whose readings end when they are told to."""

    def __init__(self) -> None:
        self.numbers = {"a": 1, "b": 2, "c": 3}
        self.asked: list[list[str]] = []
        self.error: Exception | None = None
        self.may_go_on = asyncio.Event()
        self.gathering = BatchLoader(self._one, self._many)

    async def _one(self, name: str) -> int:
        return (await self._many([name]))[0]

    async def _many(self, names: Sequence[str]) -> list[int]:
        self.asked.append(list(names))
        found, error = [self.numbers[name] for name in names], self.error
        await self.may_go_on.wait()
        if error is not None:
            raise error
        return found

    def asking(self, *names: str) -> list["asyncio.Future[int]"]:
        return [asyncio.ensure_future(self.gathering.get(name)) for name in names]


async def test_a_lone_question_is_asked_by_itself_at_once() -> None:
    shelf = Shelf()
    shelf.may_go_on.set()
    assert [await shelf.gathering.get(name) for name in "abc"] == [1, 2, 3]
    assert shelf.asked == [["a"], ["b"], ["c"]]


async def test_those_who_come_while_the_lanes_are_busy_share_one_reading() -> None:
    shelf = Shelf()
    tasks = shelf.asking(*"abcabc")
    await asyncio.sleep(0)
    assert shelf.asked == [["a"], ["b"]]
    shelf.may_go_on.set()
    assert await asyncio.gather(*tasks) == [1, 2, 3, 1, 2, 3]
    assert shelf.asked[2:] == [["c", "a", "b"]]


async def test_nobody_is_given_what_was_read_before_they_asked() -> None:
    shelf = Shelf()
    early = shelf.asking("a", "b")
    await asyncio.sleep(0)
    shelf.numbers["a"] = 10
    late = shelf.asking("a")
    await asyncio.sleep(0)
    shelf.may_go_on.set()
    assert await asyncio.gather(*early, *late) == [1, 2, 10]


async def test_a_reading_that_fails_fails_for_those_who_share_it_and_nobody_else() -> None:
    shelf = Shelf()
    leaders = shelf.asking("a", "b")
    await asyncio.sleep(0)
    shelf.error = DatabaseUnavailable("It is away.")
    followers = shelf.asking("a", "c")
    await asyncio.sleep(0)
    shelf.may_go_on.set()
    results = await asyncio.gather(*leaders, *followers, return_exceptions=True)
    assert results[:2] == [1, 2]
    assert [type(result) for result in results[2:]] == [DatabaseUnavailable] * 2
    shelf.error = None
    assert await shelf.gathering.get("c") == 3


async def test_whoever_goes_away_takes_nobody_along() -> None:
    shelf = Shelf()
    leader, other, follower, friend = shelf.asking("a", "b", "c", "c")
    await asyncio.sleep(0)
    leader.cancel()
    follower.cancel()
    await asyncio.sleep(0)
    shelf.may_go_on.set()
    assert await asyncio.gather(other, friend) == [2, 3]
    assert leader.cancelled()
    assert follower.cancelled()
    assert await shelf.gathering.get("a") == 1


async def test_a_loop_that_ends_leaves_nobody_waiting() -> None:
    """Also where the reading is cancelled before it has begun."""
    shelf = Shelf()
    shelf.asking("a", "b")
    await asyncio.sleep(0)
    [waiting] = shelf.asking("c")
    await asyncio.sleep(0)
    shelf.may_go_on.set()
    before = asyncio.all_tasks()
    while not (begun := asyncio.all_tasks() - before):  # noqa: ASYNC110
        await asyncio.sleep(0)
    for task in begun:
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_one_that_can_not_be_answered_fails_alone() -> None:
    shelf = Shelf()
    leaders = shelf.asking("a", "b")
    await asyncio.sleep(0)
    followers = shelf.asking("c", "nowhere", "a")
    await asyncio.sleep(0)
    shelf.may_go_on.set()
    assert await asyncio.gather(*leaders) == [1, 2]
    results = await asyncio.gather(*followers, return_exceptions=True)
    assert [results[0], type(results[1]), results[2]] == [3, KeyError, 1]


async def test_a_batch_weighs_as_much_as_it_may_and_the_heaviest_goes_alone() -> None:
    shelf = Shelf()
    weights = {"a": 1, "b": 9, "c": 2}
    shelf.gathering = BatchLoader(shelf._one, shelf._many, concurrency=1, most=4, weigh=weights.__getitem__)  # pyright: ignore[reportPrivateUsage]
    tasks = shelf.asking(*"abcac")
    await asyncio.sleep(0)
    shelf.may_go_on.set()
    assert await asyncio.gather(*tasks) == [1, 2, 3, 1, 3]
    assert shelf.asked == [["a"], ["b"], ["c", "a"], ["c"]]


async def test_a_flush_does_not_wait_for_questions_that_keep_coming() -> None:
    answered: list[str] = []
    is_over = False

    async def one(name: str) -> str:
        return (await many([name]))[0]

    async def many(names: Sequence[str]) -> list[str]:
        await asyncio.sleep(0.001)
        answered.extend(names)
        return list(names)

    async def keep_asking(name: str) -> None:
        while not is_over:
            await gathering.get(name)

    gathering = BatchLoader(one, many)
    asking = [asyncio.ensure_future(keep_asking(name)) for name in "abcdef"]
    await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE):
        await gathering.flush()
    assert {*"abcdef"} <= {*answered}
    is_over = True
    await asyncio.gather(*asking)
