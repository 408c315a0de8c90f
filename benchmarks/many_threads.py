"""Lists and searches of a user with very many threads, beside those of a user with a thousand in the same database."""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.rounds import Contestant, Measurement, compare
from benchmarks.rows import ThreadRows, fill
from benchmarks.servers import postgres_url
from recuerdo import Recuerdo
from recuerdo.core.scope import Owner, Scope

TOPIC = "many-threads"
_MANY, _MANY_WHEN_FULL, _FEW = 10_000, 100_000, 1_000


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """Each thread has a message, and each ended a minute before the next; a search is compared once it has an index."""
    measured: list[Measurement] = []
    for database in (nullcontext(f"sqlite:///{folder}/many-threads.db"), postgres_url()):
        with database as url:
            measured += await _measure(url, _MANY_WHEN_FULL if full else _MANY, 20 if full else 10)
    return measured


async def _measure(url: str, many: int, rounds: int) -> list[Measurement]:
    async with Recuerdo.open(url, embeddings="none"):
        pass  # the tables are there
    now, minute = datetime.now(UTC), timedelta(minutes=1)
    for user, count in (("many", many), ("few", _FEW)):
        fill(url, [ThreadRows(Scope("acme", user, f"{user}-{each}"), 1, now - each * minute) for each in range(count)])
    measured: list[Measurement] = []
    async with Recuerdo.open(url, embeddings="none") as memory:
        for case, contestant in _CASES.items():
            ours, theirs = (contestant(memory, user) for user in ("many", "few"))
            found = await compare(ours, theirs, rounds=rounds, turns=5)
            case = f"{case}, of {many:,} threads, {url.partition(':')[0]}"
            goal = None if contestant is _search else 1.3  # which compares the question with each message
            measured.append(found.measurement(TOPIC, case, f"ours, of {_FEW:,}", goal))
    return measured


def _threads(memory: Recuerdo, user: str) -> Contestant:
    return lambda: memory.history.threads(Owner("acme", user), limit=20)


def _messages(memory: Recuerdo, user: str) -> Contestant:
    return lambda: memory.user(tenant="acme", user=user).messages(limit=20)


def _search(memory: Recuerdo, user: str) -> Contestant:
    return lambda: memory.user(tenant="acme", user=user).search_history("xylophone", limit=5)


_CASES: Mapping[str, Callable[[Recuerdo, str], Contestant]] = {
    "the last 20 threads": _threads,
    "the last 20 messages of all threads": _messages,
    "a search of all threads, once indexed": _search,
}
