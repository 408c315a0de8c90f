"""A soak: many WebSockets on one process, most of them idle, and what of the frames and the memory is left.

`python -m benchmarks.sockets [IDLE] [ACTIVE] [TURNS]`: every frame must arrive, in order and once; the numbers are
printed, and the first loss ends it with an error.
"""

import asyncio
import json
import resource
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from websockets.asyncio.client import ClientConnection, connect

from benchmarks.servers import resident_kilobytes
from servers.recuerdo import RecuerdoServer, running_recuerdo

IDLE, ACTIVE, TURNS = 500, 50, 20
_PATIENCE = 120
_AT_ONCE = 50


async def soak(server: RecuerdoServer, idle: int, active: int, turns: int) -> None:
    """Let the active ones talk while the idle ones are silent; then ask everybody whether they are still there."""
    async with AsyncExitStack() as stack:
        before, began = resident_kilobytes(server), time.perf_counter()
        sockets = await _opened(stack, server.url, idle + active)
        opened, between = time.perf_counter() - began, resident_kilobytes(server)
        began = time.perf_counter()
        talks = [_talk(socket, number, turns) for number, socket in enumerate(sockets[:active])]
        waits = [wait for found in await asyncio.gather(*talks) for wait in found]
        took = time.perf_counter() - began
        for socket in sockets:
            await socket.send('{"type": "ping"}')
        for socket in sockets:
            assert await _hear(socket) == {"type": "pong"}, "an idle connection was lost"
    each = (between - before) / len(sockets)
    print(f"{idle} idle and {active} active sockets opened in {opened:.1f} s, {each:.0f} KB each")
    slow, slowest = median(waits) * 1e3, max(waits) * 1e3
    print(f"{len(waits)} turns in {took:.1f} s, none lost: median {slow:.0f} ms, worst {slowest:.0f} ms")


async def _opened(stack: AsyncExitStack, url: str, count: int) -> list[ClientConnection]:
    place, some = f"ws{url.removeprefix('http')}/ws", asyncio.Semaphore(_AT_ONCE)

    async def open_one(number: int) -> ClientConnection:
        async with some:
            headers = {"X-Recuerdo-User": f"user-{number}"}
            socket = await connect(f"{place}/soak-{number}", additional_headers=headers, open_timeout=_PATIENCE)
            stack.push_async_callback(socket.close)
            assert (await _hear(socket))["type"] == "ready"
            return socket

    return await asyncio.gather(*[open_one(number) for number in range(count)])


async def _talk(socket: ClientConnection, number: int, turns: int) -> list[float]:
    waits = list[float]()
    for turn in range(turns):
        began = time.perf_counter()
        await socket.send(json.dumps({"type": "message", "text": f"Me llamo Emi{number}", "id": str(turn)}))
        frames = [await _hear(socket)]
        while frames[-1]["type"] not in ("done", "error"):
            frames.append(await _hear(socket))
        said = "".join(frame["data"]["text"] for frame in frames if frame["type"] == "token")
        assert frames[-1]["data"]["reply"]["content"] == said, "frames were lost"
        assert {frame["message_id"] for frame in frames} == {str(turn)}, "frames of another turn"
        waits.append(time.perf_counter() - began)
        await asyncio.sleep(0.25)  # five frames a second are allowed
    return waits


async def _hear(socket: ClientConnection) -> dict[str, object]:
    return json.loads(await asyncio.wait_for(socket.recv(), _PATIENCE))


def main() -> None:
    """Start a server, and soak it."""
    given = [int(each) for each in sys.argv[1:]]
    idle, active, turns = [*given, *(IDLE, ACTIVE, TURNS)[len(given) :]]
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with (
        TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder,
        running_recuerdo(database_url=f"sqlite:///{folder}/soak.db", embeddings="none") as server,
    ):
        asyncio.run(soak(server, idle, active, turns))


if __name__ == "__main__":
    main()
