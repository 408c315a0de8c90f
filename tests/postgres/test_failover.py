"""A primary that dies, and the standby that takes its place."""

import asyncio
import time
from contextlib import suppress
from urllib.parse import urlsplit, urlunsplit

from recuerdo import Message, Recuerdo
from recuerdo.core.errors import Unavailable
from recuerdo.core.identifiers import new_id
from servers.patience import PATIENCE
from servers.postgres import PostgresServer, running_postgres, running_standby

WRITERS = 8
BEFORE, AFTER = 20, 10


def url_of(*servers: PostgresServer) -> str:
    """A URL that names several servers, of which the one that takes writes is used."""
    parts = urlsplit(servers[0].url)
    credentials = parts.netloc.rpartition("@")[0]
    hosts = ",".join(f"127.0.0.1:{server.port}" for server in servers)
    return urlunsplit(parts._replace(netloc=f"{credentials}@{hosts}", query="target_session_attrs=read-write"))


async def write(memory: Recuerdo, writer: int, acknowledged: list[str], most: int) -> None:
    """Append until so many are acknowledged; what is refused, or unknown, is sent again with its key."""
    thread = memory.thread(tenant="acme", user="emi", thread=f"t-{writer}")
    deadline = time.monotonic() + PATIENCE
    while len(acknowledged) < most:
        text, key = f"{writer}: {len(acknowledged)}", new_id()
        while True:
            assert time.monotonic() < deadline, f"{writer} is stuck after {len(acknowledged)}"
            with suppress(Unavailable):
                await thread.append(Message.user(text), idempotency_key=key)
                break
            await asyncio.sleep(0.05)
        acknowledged.append(text)


async def test_a_promoted_standby_has_every_message_that_was_acknowledged() -> None:
    """The primary is killed while eight writers append; they go on at the standby without a new start."""
    with running_postgres() as primary, running_standby(primary) as standby:
        async with Recuerdo.open(url_of(primary, standby), embeddings="none") as memory:
            acknowledged: list[list[str]] = [[] for _ in range(WRITERS)]
            await asyncio.gather(*(write(memory, n, each, BEFORE) for n, each in enumerate(acknowledged)))
            going_on = asyncio.gather(*(write(memory, n, each, BEFORE + AFTER) for n, each in enumerate(acknowledged)))
            while sum(map(len, acknowledged)) < WRITERS * (BEFORE + 1):  # noqa: ASYNC110 - others are under way
                await asyncio.sleep(0.001)
            primary.kill()
            await asyncio.to_thread(standby.promote)
            await going_on
        async with Recuerdo.open(standby.url, embeddings="none") as memory:
            for number, texts in enumerate(acknowledged):
                thread = memory.thread(tenant="acme", user="emi", thread=f"t-{number}")
                assert [message.text for message in await thread.messages()] == texts
