"""A fleet that is too large for one machine, simulated: 100 replicas in three zones, a million users, a failing zone.

    python -m benchmarks.fleet                  # the million, an hour of its busiest time
    python -m benchmarks.fleet --users 10000 --replicas 10
    python -m benchmarks.fleet costs            # what it costs a month, by three price lists

The same seed gives the same figures. The caches are models: what they keep and forget follows `recuerdo.caching`, and
how long anything takes is not simulated. A turn reads a window, strong, and appends twice. A replica keeps the newest
messages of threads up to its bytes; the shared cache is three masters without replicas, one in each zone, and what its
zone had is gone with it. Users are sent to any replica, or always to the same while it is there.
"""

import argparse
import heapq
import random
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from recuerdo.caching.history import DEFAULT_BYTES, MOST_RECORDS

ZONES = 3
TURNS_OF_A_DAY = 20
ACTIVE = 0.1
"""The share of users who talk on a day."""

BUSIEST = 5.0
"""The busiest hour, as a multiple of the mean."""

TURNS_OF_A_VISIT = 5
SECONDS_BETWEEN_TURNS = 30.0
MESSAGE_BYTES = 600
"""Of a message in a cache, with what its keys and the server need."""

SECONDS = 3600.0
FAILS, RETURNS = 1200.0, 2400.0
"""When a zone fails, and when it is back, empty."""

MINUTE = 60.0


class Fleet(NamedTuple):
    """The size of a fleet, and how its users are sent to replicas."""

    users: int = 1_000_000
    replicas: int = 100
    sticky: bool = False
    replica_bytes: int = DEFAULT_BYTES
    shared_bytes: int = 12 * 2**30
    seed: int = 1


class Entries:
    """Threads and how far each is known, up to so many bytes: the one that was used longest ago is forgotten."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._bytes = 0
        self._lengths: OrderedDict[int, int] = OrderedDict()

    def knows(self, user: int, length: int) -> bool:
        """Whether the thread is known at this length, or later."""
        found = self._lengths.get(user)
        if found is None or found < length:
            return False
        self._lengths.move_to_end(user)
        return True

    def extends(self, user: int, length: int, by: int) -> None:
        """An append: what was known up to it is known behind it; what was not, or not so far, is forgotten."""
        known = self._lengths.get(user)
        if known is None:
            return
        if known == length:
            self.put(user, length + by)
        else:
            self._drop(user)

    def put(self, user: int, length: int) -> None:
        """The thread is known at this length."""
        self._drop(user)
        self._lengths[user] = length
        self._bytes += _size(length)
        while self._bytes > self._most:
            _, forgotten = self._lengths.popitem(last=False)
            self._bytes -= _size(forgotten)

    def _drop(self, user: int) -> None:
        if (known := self._lengths.pop(user, None)) is not None:
            self._bytes -= _size(known)


def _size(length: int) -> int:
    return min(length, MOST_RECORDS) * MESSAGE_BYTES


class Simulation:
    """The fleet while it runs. `minutes` counts, for each minute, what every turn needed."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self.minutes: list[Counter[str]] = [Counter() for _ in range(int(SECONDS / MINUTE))]
        self._random = random.Random(fleet.seed)
        self._local = [Entries(fleet.replica_bytes) for _ in range(fleet.replicas)]
        self._shared: list[Entries | None] = [Entries(fleet.shared_bytes // ZONES) for _ in range(ZONES)]
        self._lengths = [int(self._random.paretovariate(1.2) * 10) for _ in range(fleet.users)]
        self._failed: int | None = None

    def run(self) -> list[Counter[str]]:
        """Play the hour; the counts of its minutes."""
        for at, user in self._turns():
            self._fail_or_return(at)
            self._turn(self.minutes[int(at / MINUTE)], user)
        return self.minutes

    def _turns(self) -> Iterator[tuple[float, int]]:
        """The times of turns and their users: visits come at random, and each has some turns."""
        rate = self.fleet.users * ACTIVE * TURNS_OF_A_DAY * BUSIEST / 86_400
        waiting: list[tuple[float, int, int]] = []
        at = 0.0
        while True:
            at += self._random.expovariate(rate / TURNS_OF_A_VISIT)
            while waiting and waiting[0][0] <= min(at, SECONDS):
                now, user, left = heapq.heappop(waiting)
                if now >= SECONDS:
                    return
                yield now, user
                if left:
                    heapq.heappush(waiting, (now + self._random.expovariate(1 / SECONDS_BETWEEN_TURNS), user, left - 1))
            if at >= SECONDS:
                return
            heapq.heappush(waiting, (at, self._random.randrange(self.fleet.users), TURNS_OF_A_VISIT - 1))

    def _fail_or_return(self, at: float) -> None:
        if self._failed is None and FAILS <= at < RETURNS:
            self._failed = ZONES - 1
            self._shared[self._failed] = None
        elif self._failed is not None and at >= RETURNS:
            self._shared[self._failed] = Entries(self.fleet.shared_bytes // ZONES)
            for replica in range(self._failed, self.fleet.replicas, ZONES):
                self._local[replica] = Entries(self.fleet.replica_bytes)
            self._failed = None

    def _turn(self, counts: Counter[str], user: int) -> None:
        local, shared, length = self._local[self._replica(user)], self._shared[user % ZONES], self._lengths[user]
        counts["turns"] += 1
        counts["heads"] += 1
        if local.knows(user, length):
            counts["from the process"] += 1
        else:
            if shared is not None and shared.knows(user, length):
                counts["from the shared cache"] += 1
            else:
                counts["from the database"] += 1
                if shared is not None:
                    shared.put(user, length)
            local.put(user, length)
        for place in range(2):
            local.extends(user, length + place, 1)
            if shared is not None:
                shared.extends(user, length + place, 1)
            counts["told the shared cache"] += shared is not None
        self._lengths[user] = length + 2

    def _replica(self, user: int) -> int:
        if not self.fleet.sticky:
            return self._choose(self._random.randrange)
        own = user % self.fleet.replicas
        return own if own % ZONES != self._failed else self._choose(random.Random(user).randrange)

    def _choose(self, draw: Callable[[int], int]) -> int:
        while (replica := draw(self.fleet.replicas)) % ZONES == self._failed:
            pass
        return replica


class Phase(NamedTuple):
    """A part of the hour, by its minutes."""

    name: str
    first: int
    last: int


PHASES = (
    Phase("before", 10, 20),
    Phase("the minute of the failure", 20, 21),
    Phase("ten minutes later", 30, 40),
    Phase("the minute of the return", 40, 41),
    Phase("ten minutes later", 50, 60),
)


def shares(minutes: list[Counter[str]], phase: Phase) -> dict[str, float]:
    """The shares of windows that came from each place, and how many the database gave a second."""
    total: Counter[str] = sum(minutes[phase.first : phase.last], Counter())
    places = ("from the process", "from the shared cache", "from the database")
    seconds = (phase.last - phase.first) * MINUTE
    return {place: total[place] / total["turns"] for place in places} | {"reads": total["from the database"] / seconds}


def recovery(minutes: list[Counter[str]], since: int, until: int) -> int | None:
    """Minutes from the event until the database gives at most 1.1 times as many windows as before it."""
    usual = shares(minutes, PHASES[0])["from the database"] * 1.1
    share = [shares(minutes, Phase("", minute, minute + 1))["from the database"] for minute in range(until)]
    return next((minute - since for minute in range(since, until) if share[minute] <= usual), None)


def report(fleet: Fleet) -> Iterator[str]:
    """The rows of a table in Markdown."""
    minutes = Simulation(fleet).run()
    total: Counter[str] = sum(minutes, Counter())
    routed = "always the same" if fleet.sticky else "any"
    yield f"{fleet.users:,} users, {fleet.replicas} replicas, each user at {routed} replica, seed {fleet.seed}:"
    yield f"{total['turns'] / SECONDS:.0f} turns a second"
    yield "| phase | process | shared cache | database | windows of the database a second |"
    yield "|---|---:|---:|---:|---:|"
    for phase in PHASES:
        part = shares(minutes, phase)
        places = " | ".join(f"{part[place]:.1%}" for place in list(part)[:3])
        yield f"| {phase.name} | {places} | {part['reads']:.1f} |"
    failed, returned = _shown(recovery(minutes, 20, 40)), _shown(recovery(minutes, 40, 60))
    yield "minutes until the database gives as many windows as before:"
    yield f"{failed} behind the failure, {returned} behind the return"
    told = total["told the shared cache"] / total["turns"]
    yield f"commands to the shared cache for the two appends of a turn: {told:.2f}; to other replicas: 0"


def _shown(minutes: int | None) -> str:
    return "never within it" if minutes is None else str(minutes)


class Prices(NamedTuple):
    """Prices in US dollars a month: assumptions of 2026-11, rounded from public lists without discounts. Edit them."""

    server_core: float
    database_core: float
    database_gb: float
    cache_gb: float
    backup_gb: float


PRICES = {
    "AWS": Prices(server_core=30, database_core=61, database_gb=0.115, cache_gb=18, backup_gb=0.023),
    "Google Cloud": Prices(server_core=25, database_core=51, database_gb=0.17, cache_gb=25, backup_gb=0.02),
    "Azure": Prices(server_core=35, database_core=65, database_gb=0.115, cache_gb=27, backup_gb=0.018),
}

STORED_BYTES = 599
"""Of a message in PostgreSQL, with its indexes: measured, `python -m benchmarks million`."""

TURN_SECONDS = 0.019
"""Of a core of a server, for a turn with documents, without the model's time."""

DATABASE_SECONDS = 0.002
"""Of a core of PostgreSQL, for a turn's statements: an assumption on the safe side."""


class Load(NamedTuple):
    """The load that a month is calculated for."""

    messages: float
    turns_a_second: float
    cache_gb: float


LOADS = {
    "10^6 messages, 0.1 turns a second": Load(1e6, 0.1, 0),
    "10^8 messages, 12 turns a second": Load(1e8, 12, 1),
    "10^9 messages, 120 turns a second": Load(1e9, 120, 12),
    "10^10 messages, 1,200 turns a second": Load(1e10, 1200, 120),
}


def month(load: Load, prices: Prices) -> float:
    """Servers at half their power, two at least; a primary and a standby with 30 % of free disk; a cache; a backup."""
    server_cores = max(2.0, 2 * load.turns_a_second * TURN_SECONDS)
    database_cores = max(2.0, 2 * load.turns_a_second * DATABASE_SECONDS)
    stored = load.messages * STORED_BYTES / 1e9
    database = 2 * (database_cores * prices.database_core + 1.3 * stored * prices.database_gb)
    return server_cores * prices.server_core + database + load.cache_gb * prices.cache_gb + stored * prices.backup_gb


def costs() -> Iterator[str]:
    """The rows of a table in Markdown."""
    yield f"| load | {' | '.join(PRICES)} |"
    yield "|---|" + "---:|" * len(PRICES)
    for name, load in LOADS.items():
        yield f"| {name} | {' | '.join(f'${month(load, prices):,.0f}' for prices in PRICES.values())} |"


def main() -> None:
    """Parse the arguments, simulate or calculate, print."""
    defaults: dict[str, Any] = Fleet._field_defaults
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fleet", description=__doc__)
    parser.add_argument("what", nargs="?", choices=("hour", "costs"), default="hour")
    for name in ("users", "replicas", "seed"):
        parser.add_argument(f"--{name}", type=int, default=defaults[name])
    asked = parser.parse_args()
    if asked.what == "costs":
        print("\n".join(costs()))
        return
    for sticky in (False, True):
        fleet = Fleet(asked.users, asked.replicas, sticky, seed=asked.seed)
        print("\n".join(report(fleet)), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
