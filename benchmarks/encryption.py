"""The cost of encrypting texts: the same append and the same windows, with a key and without one."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

from benchmarks.raw import TEXT
from benchmarks.rounds import Contestant, Measurement, compare
from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.app.encrypting import open_encrypted
from recuerdo.encryption.ciphers import new_master_key
from recuerdo.history import History, ThreadHistory
from recuerdo.history.history import utc_now

TOPIC = "encryption"
KEY = new_master_key()


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """An append, and a window of 50 with and without the cache of the process."""
    rounds = 60 if full else 20
    sealed_url, plain_url = f"sqlite:///{folder}/sealed.db", f"sqlite:///{folder}/plain.db"
    async with _opened(sealed_url, KEY) as sealed, _opened(plain_url, None) as plain:
        threads = [memory.thread(tenant="acme", user="emi", thread="t-1") for memory in (sealed, plain)]
        for thread in threads:
            await thread.append(*[Message.user(TEXT) for _ in range(1_000)])
        cached = await compare(*map(_window, threads), rounds=rounds, turns=50)
        async with open_encrypted(sealed_url, KEY) as (first, _), open_encrypted(plain_url, None) as (second, _):
            uncached = [
                ThreadHistory(History(each.history, each.threads, utc_now), threads[0].scope)
                for each in (first, second)
            ]
            read = await compare(*map(_window, uncached), rounds=rounds, turns=50)
        append = await compare(*map(_append, threads), rounds=rounds, turns=50)
    peer = "ours, without a key"
    return [
        append.measurement(TOPIC, "one append of 200 B", peer),
        read.measurement(TOPIC, "50 of 1,000 messages, no cache", peer),
        cached.measurement(TOPIC, "50 of 1,000 messages, read before", peer),
    ]


def _opened(url: str, key: str | None) -> AbstractAsyncContextManager[Recuerdo]:
    return Recuerdo.open(url, embeddings="none", encryption_key=key)


def _append(thread: ThreadHistory) -> Contestant:
    async def append() -> None:
        await thread.append(Message.user(TEXT))

    return append


def _window(thread: ThreadHistory) -> Contestant:
    async def read() -> None:
        assert len(await thread.window(MessageWindow(50))) == 50

    return read
