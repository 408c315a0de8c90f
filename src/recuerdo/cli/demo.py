"""`recuerdo demo`: a world to look around in."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial

import typer

from recuerdo.app.demo import play
from recuerdo.app.recuerdo import Recuerdo
from recuerdo.app.settings import read_settings
from recuerdo.cli import flags
from recuerdo.cli.opening import open_beside_server
from recuerdo.cli.terminal import progress_bar
from recuerdo.core.ports import Clock


def demo(database_url: flags.Database = None) -> None:
    """Fill the database with a world to look around in."""
    settings = read_settings(database_url=database_url)
    offline = settings.model_copy(update={"model": "offline"})
    threads = asyncio.run(_play(partial(open_beside_server, offline)))
    typer.echo(f"Wrote {threads} threads. Start the server with `recuerdo serve`, and ask: ¿Qué sabes de mí?")


async def _play(opened: Callable[[Clock], AbstractAsyncContextManager[Recuerdo]]) -> int:
    threads = 0
    with progress_bar("Telling", total=1.0) as bar:
        async for done, total in play(opened):
            threads = done
            bar.show(f"{done} of {total} threads", done / total)
    return threads
