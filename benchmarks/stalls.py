"""The longest callbacks of the event loop while many append through the HTTP application, and what garbage takes of it.

    python -m benchmarks.stalls                  # 256 callers, SQLite and PostgreSQL
    python -m benchmarks.stalls 32               # others
    python -m benchmarks.stalls 256 700          # with Python's own threshold of the garbage collector

There are no sockets: each request is a task of its own, as uvicorn makes it. Times are the processor's.
"""

import asyncio
import gc
import json
import sys
import time
from asyncio import events
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.raw import TEXT
from benchmarks.servers import postgres_url
from recuerdo import Recuerdo
from recuerdo.app.graphs import hosting
from recuerdo.concurrency.garbage import collect_seldom, freeze_loaded_objects
from recuerdo.server import ServerOptions, create_app

_REQUESTS = 5_120
_ROUNDS = 3
_BODY = json.dumps({"messages": [{"role": "user", "content": TEXT}]}).encode()
_HEADERS = [
    (b"host", b"127.0.0.1"),
    (b"content-type", b"application/json"),
    (b"content-length", str(len(_BODY)).encode()),
]
_SCOPE: dict[str, Any] = {
    "type": "http",
    "http_version": "1.1",
    "method": "POST",
    "scheme": "http",
    "query_string": b"",
    "headers": _HEADERS,
    "server": ("127.0.0.1", 80),
    "client": ("127.0.0.1", 1),
}


class _Watch:
    """How long callbacks took, and collections of garbage."""

    def __init__(self) -> None:
        self.callbacks: list[float] = []
        self.collections: list[float] = []
        self._began = 0.0
        run: Any = events.Handle._run

        def timed(handle: Any) -> None:
            began = time.thread_time()
            run(handle)
            self.callbacks.append(time.thread_time() - began)

        events.Handle._run = timed  # pyright: ignore[reportAttributeAccessIssue]
        gc.callbacks.append(self._collected)

    def _collected(self, phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            self._began = time.thread_time()
        else:
            self.collections.append(time.thread_time() - self._began)


async def _append(app: Any, number: int) -> None:
    path = f"/v1/threads/t{number % 256}/messages"
    scope = _SCOPE | {"path": path, "raw_path": path.encode()}
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": _BODY, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await asyncio.create_task(app(scope, receive, send))
    assert sent[0]["status"] == 201, sent


async def _measure(name: str, url: str, folder: str, callers: int, watch: _Watch) -> None:
    async with Recuerdo.open(url, embeddings="none", spool=f"{folder}/spool") as memory, hosting(memory) as hosted:
        app = create_app(nullcontext(hosted), ServerOptions(admits_all=True))
        app.state.services = hosted
        for number in range(_ROUNDS + 1):
            numbers = iter(range(_REQUESTS))

            async def call(numbers: Any) -> None:
                for each in numbers:
                    await _append(app, each)

            watch.callbacks.clear()
            watch.collections.clear()
            worked = time.process_time()
            await asyncio.gather(*[call(numbers) for _ in range(callers)])
            worked = time.process_time() - worked
            if number:  # in the first round everything warms up
                longest, garbage = max(watch.callbacks) * 1e3, sum(watch.collections) / worked
                each = worked / _REQUESTS * 1e6
                print(f"| {name} | {callers} | {each:.0f} µs | {longest:.1f} ms | {garbage:.0%} |", flush=True)
            else:
                freeze_loaded_objects()
                await asyncio.sleep(0)  # that callback is not counted


async def _run(callers: int, folder: str) -> None:
    print("| database | callers | processor an append | longest callback | garbage |\n|---|---:|---:|---:|---:|")
    watch = _Watch()
    await _measure("SQLite", f"sqlite:///{folder}/stalls.db", folder, callers, watch)
    with postgres_url() as url:
        await _measure("PostgreSQL", url, folder, callers, watch)


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]]
    if len(given) > 1:
        gc.set_threshold(given[1], *gc.get_threshold()[1:])
    else:
        collect_seldom()
    with TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        asyncio.run(_run(given[0] if given else 256, folder))
