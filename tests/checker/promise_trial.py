"""One seed: people at two replicas, and the judgement of what they were told."""

import secrets
import threading
from collections.abc import Generator
from contextlib import contextmanager

import redis

from checker.deployment import Deployment
from checker.judge import Violation
from checker.pauses import Pauses
from checker.people import Deployed, Person
from checker.promises import judge_promises
from checker.record import Record
from servers.proxy import Proxy

PEOPLE = 4
LATENCIES = (0.0075, 0.01, 0.015)
"""Seconds on the way from the first replica to its database, and as many back, by the seed. The second one is nearer.
"""

_PATIENCE = 120.0


def play(deployment: Deployment, seed: int) -> Record:
    """Raises Violation, naming the seed."""
    record, name = Record(), f"{seed}-{secrets.token_hex(3)}"
    delays = (LATENCIES[seed % len(LATENCIES)], 0.0)
    ways = {each.url: (each.to_database, delay) for each, delay in zip(deployment.replicas, delays, strict=True)}
    for way, delay in ways.values():
        way.slow(delay)
    pauses = Pauses(deployment.replicas)
    with deployment.stores.valkey.client() as cache:
        has_runs = deployment.stores.database.has_runs
        deployed = Deployed(deployment.urls, pauses, lambda url: _away(*ways[url]), cache.flushall, has_runs)
        people = [Person(f"p{number}", name, deployed, record) for number in range(PEOPLE)]
        lives = [threading.Thread(target=person.live, daemon=True) for person in people]
        for life in lives:
            life.start()
        for life in lives:
            life.join(_PATIENCE)
        for person in people:
            person.look_into({"database": deployment.stores.database.rows(), "cache": _cached(cache)})
    _check(record, people, deployment, name)
    return record


def _cached(cache: "redis.Redis") -> list[str]:
    """Everything that the cache has, as texts."""
    read = {
        "hash": cache.hgetall,
        "string": cache.get,
        "stream": cache.xrange,
        "list": lambda key: cache.lrange(key, 0, -1),
        "set": cache.smembers,
        "zset": lambda key: cache.zrange(key, 0, -1),
    }
    found = [(key, cache.type(key)) for key in cache.scan_iter()]
    return [f"{key} {read[kind](key)}" for key, kind in found if kind in read]


@contextmanager
def _away(way: Proxy, delay: float) -> Generator[None]:
    way.cut()
    yield
    way.heal()
    way.slow(delay)


def _check(record: Record, people: list[Person], deployment: Deployment, name: str) -> None:
    try:
        failures = [person.failure for person in people if person.failure is not None]
        if failures:
            raise Violation(f"somebody was told what they should not be: {failures}")
        judge_promises(record)
    except AssertionError as violation:
        logs = "\n".join(replica.server.log.read_text()[-2000:] for replica in deployment.replicas)
        raise Violation(f"seed {name}: {violation}\n{logs}") from violation
