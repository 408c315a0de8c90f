"""A PostgreSQL that is restarted: what was handed over is there, and workers are woken again."""

import asyncio

from acting import query, working_over

from recuerdo.actions import Actions
from recuerdo.core.actions import ActionResult, Query
from recuerdo.core.errors import DatabaseUnavailable
from servers.postgres import fresh_database, running_postgres

FOR_EVER = 3600.0
"""Seconds after which a worker looks by itself: here it has to be woken."""


async def test_workers_are_woken_again_after_a_restart_of_postgres() -> None:
    async def look(_action: object, _: object) -> str:
        return "done"

    with running_postgres() as server, fresh_database(server.url) as url:
        async with working_over(url) as (actions, *_), working_over(url, pause=FOR_EVER) as (_, worker, *_):
            worker.take("query", look)
            assert (await actions.do(query("before"))).value == "done"
            await asyncio.to_thread(server.restart)
            for number in range(3):
                action = query(f"after-{number}")
                await handed_over(actions, action)
                assert (await waited_for(actions, action)).value == "done"


async def handed_over(actions: Actions, action: Query) -> None:
    while True:
        try:
            await actions.enqueue(action)
            return
        except DatabaseUnavailable:
            await asyncio.sleep(0.1)


async def waited_for(actions: Actions, action: Query) -> ActionResult:
    while True:
        try:
            return await actions.wait(action)
        except DatabaseUnavailable:
            await asyncio.sleep(0.1)
