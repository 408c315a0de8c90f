"""Retention, the erasure and the rebuild of a tenant in a large database, and what another tenant notices of them."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from benchmarks.neighbour import HEAD_OF_NEIGHBOUR, running_neighbour
from benchmarks.rows import MemoryRows, ThreadRows
from benchmarks.servers import redis_url
from recuerdo import Recuerdo
from recuerdo.app.operations import open_rebuild
from recuerdo.core.retention import RetentionPolicy
from recuerdo.core.scope import Owner, Scope
from recuerdo.history.iteration import OwnerFilter

_OLD, _LEAVING, _STAYING = "old", "leaving", "staying"
_USERS = 10
_OF_A_USER = 20
_MEMORIES = 100
LENGTH = 100
"""Messages of each thread."""

_AGE = timedelta(days=90)


class SmallTenants(NamedTuple):
    """The rows of three more tenants: one whose threads are old, one that leaves, and one that stays."""

    threads: list[ThreadRows]
    memories: list[MemoryRows]

    @classmethod
    def now(cls) -> "SmallTenants":
        now = datetime.now(UTC)
        users = [Owner(tenant, f"u{n}") for tenant in (_OLD, _LEAVING, _STAYING) for n in range(_USERS)]
        threads = [
            ThreadRows(Scope(user.tenant, user.user, f"{user.user}-{n}"), LENGTH, now - _AGE * (user.tenant == _OLD))
            for user in users
            for n in range(_OF_A_USER)
        ]
        return cls(threads, [MemoryRows(user, _MEMORIES) for user in users])


async def print_upkeep(name: str, memory: Recuerdo, url: str) -> None:
    """Print how long each takes in the database, which has the small tenants."""
    threads = _USERS * _OF_A_USER
    size = f"{threads:,} threads, {threads * LENGTH:,} messages"
    print(f"\n{name}\n\n{HEAD_OF_NEIGHBOUR}", flush=True)
    async with running_neighbour(memory) as neighbour:
        await neighbour.meanwhile("nothing", asyncio.sleep(10))
        await neighbour.meanwhile(f"retention of {size}", _retain(memory))
        await neighbour.meanwhile(f"erasure of {size}, {_USERS * _MEMORIES:,} memories", _erase(memory))
        with redis_url() as cache:
            await neighbour.meanwhile(f"rebuild of {size}", _rebuild(url, cache))


async def print_whole_erasure(memory: Recuerdo, tenant: str, seconds: float) -> None:
    """Print how long the erasure of a large tenant takes, or how far it comes in so many seconds."""
    print(f"\n{HEAD_OF_NEIGHBOUR}", flush=True)
    async with running_neighbour(memory) as neighbour:
        job = await memory.erasures.ask(tenant)
        done = asyncio.ensure_future(memory.erasures.wait(job))
        await neighbour.meanwhile(f"erasure of `{tenant}`", asyncio.wait([done], timeout=seconds))
    if done.done() and (error := done.exception()):
        print(f"\nnot finished: {error!r}", flush=True)
        return
    told = await memory.erasures.get(tenant, job.id)
    print(f"\n{told.status}: {told.users:,} users, {dict(told.removed)}", flush=True)


async def _retain(memory: Recuerdo) -> None:
    async for _ in memory.maintenance.apply(RetentionPolicy.parse("threads=30d"), OwnerFilter(_OLD)):
        pass


async def _erase(memory: Recuerdo) -> None:
    job = await memory.erasures.wait(await memory.erasures.ask(_LEAVING))
    assert job.complete, job


async def _rebuild(url: str, cache: str) -> None:
    async with open_rebuild(url, cache) as opened:
        async for _ in opened.rebuild(OwnerFilter(_STAYING), rate=1e6):
            pass
