"""The worker process, with a graceful shutdown."""

import asyncio
import signal
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

import typer

from recuerdo.app.recuerdo import Recuerdo
from recuerdo.app.settings import Settings
from recuerdo.app.workers import working_alone
from recuerdo.core.actions import Audience, parse_queues
from recuerdo.core.errors import ConfigurationError


def work_until_interrupted(
    settings: Settings, opening: AbstractAsyncContextManager[Recuerdo], concurrency: int
) -> None:
    """Work until Ctrl-C or SIGTERM, then return unfinished actions. Raises ConfigurationError."""
    queues = parse_queues(settings.queues)
    if not queues:
        raise ConfigurationError("A worker without a queue has nothing to do. Name some with --queues.")
    asyncio.run(_work(settings, queues, opening, concurrency))
    typer.echo("Stopped. What was not done yet is handed back.")


async def _work(
    settings: Settings, queues: Sequence[Audience], opening: AbstractAsyncContextManager[Recuerdo], concurrency: int
) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with opening as memory:
        memory.worker.retries = settings.retries
        async with working_alone(memory, queues, settings.cache_url, concurrency=concurrency):
            typer.echo(f"Working on {', '.join(memory.worker.queues)} (Ctrl-C stops it)")
            await stopped.wait()
