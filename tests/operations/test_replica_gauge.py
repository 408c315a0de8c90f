"""How many servers share a database: they tell each other, and are forgotten when they stop or fall silent."""

import asyncio
import math

import pytest

from recuerdo import Recuerdo
from recuerdo.adapters.signals import LocalSignals
from recuerdo.app.replicas import PAUSE, ReplicaGauge
from recuerdo.concurrency.tasks import in_background
from recuerdo.observability.metrics import Metrics


async def until(gauge: ReplicaGauge, count: int) -> None:
    """Wait until so many servers are known."""
    for _ in range(2_000):
        if gauge.count() == count:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{gauge.count()} servers are known instead of {count}")


@pytest.mark.parametrize("database", ["postgres", "mongodb"])
async def test_servers_over_one_database_know_of_each_other_until_they_stop(
    database: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue(f"empty_{database}_url")
    async with Recuerdo.open(url, embeddings="none") as first, Recuerdo.open(url, embeddings="none") as second:
        one, other = (ReplicaGauge(each.worker.signals, Metrics()) for each in (first, second))
        assert one.count() == 1
        async with in_background(one.run()):
            async with in_background(other.run()):
                await until(one, 2)
            await until(one, 1)


async def test_a_server_that_falls_silent_is_forgotten() -> None:
    now = 0.0
    signals, metrics = LocalSignals(), Metrics()
    gauge = ReplicaGauge(signals, metrics, lambda: now)
    signals.publish("replica:another")
    assert b"\nrecuerdo_replicas 2.0\n" in metrics.render()
    now = 4 * PAUSE
    assert gauge.count() == 1


async def test_where_others_can_not_be_heard_no_number_is_told() -> None:
    signals = LocalSignals()
    signals.can_listen = False
    assert math.isnan(ReplicaGauge(signals, Metrics()).count())
