"""A worker process of the benchmark: tells on standard output when it begins each job, by the clock of the system.

`python -m benchmarks.dispatch_worker recuerdo|procrastinate URL`
"""

import asyncio
import sys
import time
from typing import Any

from procrastinate import App, PsycopgConnector

from benchmarks.jobs import procrastinate_app
from recuerdo import Recuerdo

CONCURRENCY = 10


def tell(job: str) -> None:
    print(job, time.monotonic(), flush=True)


async def recuerdo(url: str) -> None:
    async with Recuerdo.open(url, embeddings="none") as memory:

        async def begin(action: Any, _: Any) -> None:
            tell(action.action_id)
            await asyncio.sleep(action.k)

        memory.worker.lease = 3.0
        memory.worker.concurrency = CONCURRENCY
        memory.worker.take("query", begin)
        tell("ready")
        await asyncio.Event().wait()


async def procrastinate(url: str) -> None:
    app: App = procrastinate_app(PsycopgConnector(conninfo=url, min_size=2, max_size=10), tell)
    async with app.open_async():
        tell("ready")
        await app.run_worker_async(
            concurrency=CONCURRENCY,
            install_signal_handlers=False,
            fetch_job_polling_interval=0.25,
            abort_job_polling_interval=1,
            update_heartbeat_interval=1,
            stalled_worker_timeout=30,
            delete_jobs="successful",
        )


if __name__ == "__main__":
    kind, place = sys.argv[1:]
    asyncio.run({"recuerdo": recuerdo, "procrastinate": procrastinate}[kind](place))
