"""One seed: clients, faults, and the judgement of what the clients were told."""

import secrets
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence

import httpx

from checker.clients import THREADS, Answer, Client, read_page, thread_name
from checker.deployment import Deployment
from checker.judge import Final, Violation, judge
from checker.mishaps import befall, plan
from checker.record import Forked, Read, Record
from recuerdo.concurrency.breaker import LONGEST_PAUSE
from recuerdo.core.threads import NOWHERE

CLIENTS = 8
QUIET_SECONDS = 0.8
PATIENCE = 180.0
"""Seconds that the clients get to be answered, and the replicas to agree, when nothing goes wrong any more: far more
than they need on a machine that has time for them.
"""

ENOUGH = Counter({"Appended": 21, "Read": 1, "cached read": 1, "Window": 1, "Archived": 1, "Erased": 1, "Forked": 1})
"""How many answers of each kind there are at least: a trial in which nothing happens proves nothing."""

_KEPT = 200
_FAILURES = "recuerdo_cache_failures_total "


def run(deployment: Deployment, seed: int) -> Record:
    """Raises Violation, naming the seed and what went wrong in it."""
    failures = _cache_failures(deployment)
    if failures:  # by the trial before: a replica may keep away from the cache yet, which is no failure that counts
        time.sleep(LONGEST_PAUSE)
    record, end = Record(), threading.Event()
    name = f"{seed}-{secrets.token_hex(3)}"
    clients = [Client(f"c{number}", name, deployment.urls, record, end) for number in range(CLIENTS)]
    lives = [threading.Thread(target=client.live, daemon=True) for client in clients]
    for life in lives:
        life.start()
    time.sleep(QUIET_SECONDS)
    quiet_until = time.monotonic() if _cache_failures(deployment) == failures else 0.0
    steps = plan(seed)
    befall(deployment, seed, steps)
    _go_on_until_enough(record, clients, lives)
    end.set()
    for life in lives:
        life.join(PATIENCE)
    _check(record, clients, deployment, name, quiet_until, steps)
    return record


def _go_on_until_enough(record: Record, clients: Sequence[Client], lives: Sequence[threading.Thread]) -> None:
    """Behind the faults, on a machine that was too busy for every kind of operation to be answered among them."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and any(life.is_alive() for life in lives):
        lacking = [*(ENOUGH - counted(record))]
        if not lacking:
            return
        for client in clients:
            client.lacking = lacking
        time.sleep(0.05)


def _check(
    record: Record, clients: list[Client], deployment: Deployment, name: str, quiet_until: float, steps: object
) -> None:
    try:
        failures = [client.failure for client in clients if client.failure is not None]
        if failures:
            raise Violation(f"a client was told what it should not be: {failures}")
        judge(record, _settled(deployment, record, name), quiet_until)
    except AssertionError as violation:
        logs = "\n".join(replica.server.log.read_text()[-2000:] for replica in deployment.replicas)
        raise Violation(f"seed {name}, {steps}: {violation}\n{logs}") from violation


def _cache_failures(deployment: Deployment) -> float:
    """How often the replicas missed the cache so far: on a busy machine even without a fault."""
    pages = [httpx.get(f"{replica.server.url}/metrics").text for replica in deployment.replicas]
    lines = [line for page in pages for line in page.splitlines() if line.startswith(_FAILURES)]
    assert len(lines) == len(pages), "a replica does not tell how often its cache failed"
    return sum(float(line.removeprefix(_FAILURES)) for line in lines)


def _settled(deployment: Deployment, record: Record, name: str) -> dict[str, Final]:
    """The database's state when every replica says the same, strong and cached."""
    threads = [thread_name(name, number) for number in range(THREADS)]
    threads += [fork.target for fork in record.of(Forked)]
    deadline = time.monotonic() + PATIENCE
    with httpx.Client(headers={"X-Recuerdo-User": "emi"}) as http:
        while True:
            stored = deployment.stores.database.stored(thread_name(name, ""))
            wrong = list(_disagreements(http, deployment, threads, stored))
            if not wrong:
                return stored
            if time.monotonic() > deadline:
                raise Violation(f"I5: the replicas never agree with the database: {wrong}")
            time.sleep(0.2)


def _disagreements(
    http: httpx.Client, deployment: Deployment, threads: list[str], stored: dict[str, Final]
) -> Iterable[str]:
    for url in deployment.urls:
        for thread in threads:
            final = stored.get(thread, Final(NOWHERE, ()))
            for limit, consistency in ((1000, "strong"), (_KEPT, "cached")):
                told = read_page(_asking(http, url), thread, {"limit": limit, "consistency": consistency})
                if told != (final.version, final.messages[-limit:]):
                    yield f"{consistency} {thread} of {url}: {told} and not {final}"


def _asking(http: httpx.Client, url: str):
    def ask(path: str, also: tuple[int, ...], **request) -> Answer | None:
        """None where the replica has not recovered yet: it is asked again until all agree."""
        response = http.get(f"{url}/v1/threads/{path}", **request)
        if response.status_code == httpx.codes.SERVICE_UNAVAILABLE:
            return None
        assert response.status_code in (httpx.codes.OK, *also), f"{url} answers {response.text}"
        return Answer(response.status_code, response.json())

    return ask


def counted(record: Record) -> Counter[str]:
    """How many operations of each kind were answered."""
    return Counter(
        "cached read" if isinstance(each, Read) and each.is_cached else type(each).__name__
        for each in list(record.operations)
        if each.is_acknowledged
    )
