"""The bridge from synchronous callers to coroutines."""

import asyncio
import threading
from contextlib import asynccontextmanager

import pytest

from recuerdo.core.errors import ConfigurationError
from recuerdo.integrations.bridge import Bridge


async def _name_of_thread() -> str:
    await asyncio.sleep(0)
    return threading.current_thread().name


def test_outside_of_any_loop_it_brings_its_own() -> None:
    with Bridge() as bridge:
        assert bridge.run(_name_of_thread()) == "recuerdo-bridge"


async def test_made_in_a_loop_it_runs_there_for_other_threads() -> None:
    bridge = Bridge()
    assert await asyncio.to_thread(bridge.run, _name_of_thread()) == threading.current_thread().name


async def test_a_call_on_that_very_loop_says_what_to_do() -> None:
    with pytest.raises(ConfigurationError, match="to_thread"):
        Bridge().run(_name_of_thread())


def test_who_awaits_on_another_loop_gets_the_result_of_this_one() -> None:
    with Bridge() as bridge:
        assert asyncio.run(bridge.join(_name_of_thread())) == "recuerdo-bridge"
        assert asyncio.run(bridge.join(bridge.join(_name_of_thread()))) == "recuerdo-bridge"


def test_who_awaits_a_loop_that_is_closed_is_told_so() -> None:
    with Bridge() as bridge:
        pass
    with pytest.raises(ConfigurationError, match="closed"):
        asyncio.run(bridge.join(_name_of_thread()))


async def test_who_awaits_no_more_ends_what_runs_on_the_other_loop() -> None:
    begun, ended = threading.Event(), threading.Event()

    async def wait() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    with await asyncio.to_thread(Bridge) as bridge:
        task = asyncio.create_task(bridge.join(wait()))
        assert await asyncio.to_thread(begun.wait, 60)
        task.cancel()
        assert await asyncio.to_thread(ended.wait, 60)


def test_the_error_of_the_coroutine_reaches_the_caller() -> None:
    async def fail() -> None:
        raise KeyError("x")

    with Bridge() as bridge, pytest.raises(KeyError):
        bridge.run(fail())


def test_a_closed_bridge_says_so() -> None:
    bridge = Bridge()
    bridge.close()
    with pytest.raises(ConfigurationError, match="closed"):
        bridge.run(_name_of_thread())


def test_what_is_entered_is_left_whatever_happens() -> None:
    left = list[str]()

    @asynccontextmanager
    async def opening():
        try:
            yield await _name_of_thread()
        finally:
            left.append(await _name_of_thread())

    with Bridge() as bridge:
        with pytest.raises(ZeroDivisionError), bridge.entered(opening()) as opened:
            assert 1 / len(left) == opened
        assert left == ["recuerdo-bridge"]


def test_an_asynchronous_iterator_is_walked_step_by_step() -> None:
    async def count():
        for number in range(3):
            yield number

    with Bridge() as bridge:
        assert list(bridge.iterate(count())) == [0, 1, 2]
