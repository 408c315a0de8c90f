"""Cached reads take messages from a standby that follows the database, while it is as new as the database says."""

import asyncio
import re
import time

import psycopg
import pytest

from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.core.errors import ConfigurationError, Unavailable
from recuerdo.observability.metrics import Metrics
from servers.patience import PATIENCE
from servers.postgres import running_postgres, running_standby


@pytest.fixture
def primary():
    with running_postgres() as primary:
        yield primary


@pytest.fixture
def standby(primary):
    with running_standby(primary, synchronous=False) as standby:
        yield standby


def thread_of(memory):
    return memory.thread(tenant="acme", user="emi", thread="t-1")


async def window(memory, **how):
    return [each.text for each in await thread_of(memory).window(MessageWindow(5), consistency="cached", **how)]


def told(url, statement):
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(statement).fetchone()


async def has_followed(primary, standby):
    """Whether the standby shows all that the primary has committed by now."""
    (place,) = told(primary.url, "SELECT pg_current_wal_flush_lsn()")
    deadline = time.monotonic() + PATIENCE
    while not told(standby.url, f"SELECT pg_last_wal_replay_lsn() >= '{place}'")[0]:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


def messages_read(server):
    """How many rows of messages this server has given out, once its sessions have told."""
    return told(server.url, "SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_user_tables WHERE relname = 'messages'")[
        0
    ]


def outcomes(metrics):
    """How many reads of the replica ended how, by the metric."""
    told = re.findall(r'^recuerdo_read_replica_reads_total\{outcome="(\w+)"\} (\d+)', metrics.render().decode(), re.M)
    return {outcome: int(count) for outcome, count in told}


async def test_the_standby_gives_the_messages_and_the_primary_the_head(primary, standby):
    async with Recuerdo.open(primary.url, embeddings="none") as writer:
        await thread_of(writer).append(Message.user("hola"))
    await has_followed(primary, standby)
    before, metrics = messages_read(primary), Metrics()
    async with Recuerdo.open(primary.url, read_url=standby.url, embeddings="none", metrics=metrics) as memory:
        assert await window(memory) == ["hola"]
    assert outcomes(metrics) == {"answered": 1}
    deadline = time.monotonic() + PATIENCE
    while not messages_read(standby):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)
    assert messages_read(primary) == before


async def test_a_standby_that_lags_is_not_believed(primary, standby):
    """Its replay is paused: readers get what was acknowledged since, from the primary."""
    metrics = Metrics()
    async with (
        Recuerdo.open(primary.url, embeddings="none") as writer,
        Recuerdo.open(primary.url, read_url=standby.url, embeddings="none", metrics=metrics) as memory,
    ):
        await thread_of(writer).append(Message.user("hola"))
        await has_followed(primary, standby)
        told(standby.url, "SELECT pg_wal_replay_pause()")
        await thread_of(writer).append(Message.user("¿qué tal?"))
        assert await window(memory) == ["hola", "¿qué tal?"]
        assert outcomes(metrics) == {"behind": 1}
        await thread_of(writer).clear()
        await thread_of(writer).append(Message.user("otra vez"))
        async with Recuerdo.open(primary.url, read_url=standby.url, embeddings="none") as another:
            assert await window(another) == ["otra vez"]


async def test_a_standby_that_is_away_is_missed_by_nobody(primary, standby):
    """It dies, and a server starts without it; cached reads are answered by the primary."""
    async with Recuerdo.open(primary.url, read_url=standby.url, embeddings="none") as memory:
        await thread_of(memory).append(Message.user("hola"))
        await has_followed(primary, standby)
        standby.kill()
        assert await window(memory) == ["hola"]
    metrics = Metrics()
    async with Recuerdo.open(primary.url, read_url=standby.url, embeddings="none", metrics=metrics) as memory:
        assert await window(memory) == ["hola"]
    assert outcomes(metrics) == {"unavailable": 1}


@pytest.mark.usefixtures("usual_limits_of_postgres")
async def test_while_the_primary_is_away_the_standby_answers_cached_reads_alone(primary, standby):
    """It answers for the version that it has, and for no later one; nothing else is answered."""
    async with Recuerdo.open(primary.url, embeddings="none") as writer:
        version = (await thread_of(writer).append(Message.user("hola"))).version
    await has_followed(primary, standby)
    async with Recuerdo.open(primary.url, read_url=standby.url, embeddings="none") as memory:
        primary.kill()
        assert await window(memory, min_version=version) == ["hola"]
        with pytest.raises(Unavailable):
            await window(memory, min_version=version._replace(seq=2))
        with pytest.raises(Unavailable):
            await thread_of(memory).window(MessageWindow(5))


async def test_a_read_replica_of_another_database_than_postgresql_is_refused():
    with pytest.raises(ConfigurationError, match="RECUERDO_READ_URL"):
        async with Recuerdo.open("memory://", read_url="postgresql://localhost/recuerdo"):
            pass
