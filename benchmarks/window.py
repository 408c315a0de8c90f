"""The cost of reading a window, compared with SQLite and a JSON decoder, for threads of any length."""

from pathlib import Path

from benchmarks.raw import TEXT, RawHistory
from benchmarks.rounds import Contestant, Measurement, compare
from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.adapters.registry import open_repositories
from recuerdo.history import History, ThreadHistory

TOPIC = "window"
LENGTHS = (100, 1_000, 100_000)
_LARGEST_APPEND = 1_000


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """A window of 50 against a raw select of 50, and of a long thread against a short one's."""
    rounds = 60 if full else 20
    async with Recuerdo.open(f"sqlite:///{folder}/window.db", embeddings="none") as memory:
        threads = [await _thread(memory, length) for length in LENGTHS]
        async with open_repositories(f"sqlite:///{folder}/window.db") as repositories:
            uncached = History(repositories.history, repositories.threads)
            short, middle, long = [ThreadHistory(uncached, thread.scope) for thread in threads]
            with RawHistory.open(folder / "window-raw.db") as raw:
                raw.fill(1_000)
                cached = await compare(_window(threads[1]), raw.last, rounds=rounds, turns=50)
                read = await compare(_window(middle), raw.last, rounds=rounds, turns=50)
            flat = await compare(_window(long), _window(short), rounds=rounds, turns=50)
    peer = "sqlite3 select + json.loads"
    return [
        read.measurement(TOPIC, "50 of 1,000 messages, no cache", peer, goal=2.0),
        cached.measurement(TOPIC, "50 of 1,000 messages, read before", peer, goal=2.0),
        flat.measurement(TOPIC, "50 of 100,000 messages, no cache", "ours, 50 of 100 messages", goal=1.25),
    ]


async def _thread(memory: Recuerdo, length: int) -> ThreadHistory:
    thread = memory.thread(tenant="acme", user="emi", thread=f"of-{length}")
    for _ in range(0, length, _LARGEST_APPEND):
        await thread.append(*[Message.user(TEXT) for _ in range(min(length, _LARGEST_APPEND))])
    return thread


def _window(thread: ThreadHistory) -> Contestant:
    policy = MessageWindow(50)

    async def read() -> None:
        window = await thread.window(policy)
        assert len(window) == 50

    return read
