"""`recuerdo demo`: a world to look around in."""

import asyncio

import typer

from recuerdo.app.demo import play
from recuerdo.app.settings import read_settings
from recuerdo.cli import flags
from recuerdo.cli.terminal import progress_bar


def demo(database_url: flags.Database = None) -> None:
    """Fill the database with a world to look around in."""
    threads = asyncio.run(_play(read_settings(database_url=database_url).database_url))
    typer.echo(f"Wrote {threads} threads. Start the server with `recuerdo serve`, and ask: ¿Qué sabes de mí?")


async def _play(database: str) -> int:
    threads = 0
    with progress_bar("Telling", total=1.0) as bar:
        async for done, total in play(database):
            threads = done
            bar.show(f"{done} of {total} threads", done / total)
    return threads
