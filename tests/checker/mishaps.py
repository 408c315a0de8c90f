"""The faults, by name: each begins when its block is entered and is made good behind it."""

import random
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager

from checker.deployment import Deployment, Replica
from servers.process import Server
from servers.proxy import Proxy

LATENCY = 0.5
_SMALL_CACHE = "2mb"

Fault = Callable[[Deployment, Replica], AbstractContextManager[None]]


@contextmanager
def _killed(server: Server) -> Generator[None]:
    server.kill()
    yield
    if not server.answers():  # whoever made room on its disk has started it
        server.start()


@contextmanager
def _flushed(deployment: Deployment) -> Generator[None]:
    with deployment.stores.valkey.client() as client:
        client.flushall()
    yield


@contextmanager
def _shrunk(deployment: Deployment) -> Generator[None]:
    """It evicts nearly everything, its own scripts' keys as well."""
    with deployment.stores.valkey.client() as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        client.config_set("maxmemory", _SMALL_CACHE)
        yield
        client.config_set("maxmemory", 0)


@contextmanager
def _slowed(proxy: Proxy) -> Generator[None]:
    proxy.slow(LATENCY)
    yield
    proxy.heal()


@contextmanager
def _cut(proxy: Proxy) -> Generator[None]:
    proxy.cut()
    yield
    proxy.heal()


@contextmanager
def _hanging(proxy: Proxy) -> Generator[None]:
    proxy.hang()
    yield
    proxy.heal()


@contextmanager
def _full_disk(deployment: Deployment) -> Generator[None]:
    """A database that gave up when it could not write its log is started again when there is room."""
    database = deployment.stores.database.server
    if database.disk is None:
        yield
        return
    database.disk.fill()
    yield
    database.disk.make_room()
    if not database.answers():
        database.kill()
        database.start()


FAULTS: dict[str, Fault] = {
    "kill a server": lambda _, replica: _killed(replica.server),
    "kill the database": lambda deployment, _: _killed(deployment.stores.database.server),
    "kill the cache": lambda deployment, _: _killed(deployment.stores.valkey),
    "flush the cache": lambda deployment, _: _flushed(deployment),
    "shrink the cache": lambda deployment, _: _shrunk(deployment),
    "fill the disk": lambda deployment, _: _full_disk(deployment),
    "slow database": lambda _, replica: _slowed(replica.to_database),
    "slow cache": lambda _, replica: _slowed(replica.to_cache),
    "cut database": lambda _, replica: _cut(replica.to_database),
    "cut cache": lambda _, replica: _cut(replica.to_cache),
    "cut clients": lambda _, replica: _cut(replica.door),
    "half-open database": lambda _, replica: _hanging(replica.to_database),
    "half-open cache": lambda _, replica: _hanging(replica.to_cache),
    "half-open clients": lambda _, replica: _hanging(replica.door),
}
"""In the order in which those that come together begin, but for the cache, which is killed last: what is gone can't be
flushed. They are made good in the opposite order.
"""

_ROUNDS = 3


def plan(seed: int) -> list[list[str]]:
    """The faults of one trial, one after the other. Three seeds in a row have seen every fault."""
    everything = list(FAULTS)
    random.Random(f"faults of {seed // _ROUNDS}").shuffle(everything)
    mine = everything[seed % _ROUNDS :: _ROUNDS]
    chance = random.Random(f"faults together of {seed}")
    together = [[name, chance.choice(everything)] if chance.random() < 0.25 else [name] for name in mine]
    return [sorted(set(names), key=_order) for names in together]


def _order(name: str) -> tuple[bool, int]:
    return name == "kill the cache", list(FAULTS).index(name)


def befall(deployment: Deployment, seed: int, steps: Sequence[Sequence[str]]) -> None:
    """Let everything go wrong, step by step."""
    chance = random.Random(f"times of {seed}")
    for names in steps:
        with ExitStack() as stack:
            for name in names:
                stack.enter_context(FAULTS[name](deployment, chance.choice(deployment.replicas)))
            time.sleep(chance.uniform(0.3, 0.7))
        time.sleep(chance.uniform(0.1, 0.3))
