"""A thread's epochs only ever grow, whoever has to wait for whom."""

import asyncio

import pytest

from recuerdo.core.threads import Version
from recuerdo.testing.samples import NOON, fresh_scope, request, said, say


async def appended(history, threads, scope):
    await say(history, scope, "one")
    return (await history.head(scope)).version


async def appended_together(history, threads, scope):
    [receipt] = await history.append([request(scope, said("one"), said("two"))])
    return receipt.version


async def appended_once(history, threads, scope):
    [receipt] = await history.append([request(scope, said("one"), key="k", expected_epoch=0)])
    return receipt.version


async def forked(history, threads, scope):
    source = scope.owner.thread("source")
    await say(history, source, "one")
    return (await threads.fork(source, 1, scope.thread, NOON)).version


@pytest.mark.parametrize("begun_anew", [appended, appended_together, appended_once, forked])
async def test_a_thread_that_was_erased_while_somebody_waited_to_begin_it_anew(history, threads, superuser, begun_anew):
    """A thread that begins after an erasure has a later epoch, though it waited before: else caches took it for old."""
    scope = fresh_scope()
    await say(history, scope, "zero")
    await threads.delete(scope, NOON)
    async with superuser.transaction():
        row = "tenant = %s AND thread = %s", (scope.tenant, scope.thread)
        await superuser.execute(f"SELECT FROM recuerdo.threads WHERE {row[0]} FOR UPDATE", row[1])
        waiting = asyncio.create_task(begun_anew(history, threads, scope))
        await somebody_waits(superuser, waiting)
        cursor = await superuser.execute(
            f"UPDATE recuerdo.threads SET epoch = nextval('recuerdo.epochs') WHERE {row[0]} RETURNING epoch", row[1]
        )
        [(erased,)] = await cursor.fetchall()
    assert await waiting > Version(erased, 0)


async def somebody_waits(superuser, waiting):
    lock = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    while not (await superuser.execute(lock)).rowcount:
        assert not waiting.done()
        await asyncio.sleep(0.01)
        await superuser.execute("SELECT pg_stat_clear_snapshot()")
