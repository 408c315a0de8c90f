"""The job that both queues of the benchmark do: tell that it begins, and wait for some seconds."""

import asyncio
from collections.abc import Callable

from procrastinate import App, PsycopgConnector


def procrastinate_app(connector: PsycopgConnector, tell: Callable[[str], None]) -> App:
    app = App(connector=connector)

    @app.task(name="job")
    async def job(name: str, seconds: int) -> None:
        tell(name)
        await asyncio.sleep(seconds)

    return app
