"""Real clients of sessions over WebSockets, and a model that waits for them."""

import asyncio
import contextlib
import json

import httpx
from serving import ObedientModel
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from servers.patience import PATIENCE


class PausingModel(ObedientModel):
    """Waits before the piece `pauses_at` until it may go on."""

    def reset(self):
        super().reset()
        self.pauses_at = None
        self.asked = 0

    async def stream(self, prompt):
        self.asked += 1
        async for number, piece in _numbered(super().stream(prompt)):
            while number == self.pauses_at:  # noqa: ASYNC110 - the test is in another thread
                await asyncio.sleep(0.005)
            yield piece


async def _numbered(pieces):
    async with contextlib.aclosing(pieces):
        number = 0
        async for piece in pieces:
            yield number, piece
            number += 1


def talk(place, user="emi", **more):
    return connect(place, additional_headers={"X-Recuerdo-User": user}, open_timeout=PATIENCE, **more)


async def hear(socket):
    return json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))


async def hear_until(socket, *types):
    frames = [await hear(socket)]
    while frames[-1]["type"] not in types:
        assert frames[-1]["type"] not in ("error", "lost"), frames[-1]
        frames.append(await hear(socket))
    return frames


async def say(socket, text, **more):
    await socket.send(json.dumps({"type": "message", "text": text, **more}))


async def closing(socket):
    """The code and the reason with which the server closes."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            await asyncio.wait_for(socket.recv(), PATIENCE)
    return socket.close_code, socket.close_reason


def stored(place, thread, user="emi"):
    url = f"http{place.removeprefix('ws').partition('/ws/')[0]}/v1/threads/{thread}/messages"
    found = httpx.get(url, headers={"X-Recuerdo-User": user}).raise_for_status().json()["messages"]
    return [message["content"] for message in found]
