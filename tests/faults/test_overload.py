"""More clients than a server can serve: some are refused early, and those that are served get all they were promised.

RECUERDO_TEST_CROWD says how many clients there are; `make soak` has 2,000, against the limits that a server has.
"""

import asyncio
import json
import os
import resource
import time
from collections import Counter
from itertools import count
from pathlib import Path
from statistics import quantiles

import httpx

from servers.recuerdo import running_recuerdo

CROWD = int(os.environ.get("RECUERDO_TEST_CROWD", "120"))
IS_FULL = CROWD >= 1000
SECONDS = 20 if IS_FULL else 3
LIMITS = {} if IS_FULL else {"limits": "requests=10000/s, at_once=8"}
LITTLE_SECONDS = 0.5 if IS_FULL else 5
"""Times up to this pass at any load: the small crowd's few requests meet whatever else a busy machine does."""

MOST_MEGABYTES_MORE = 200
BODY = json.dumps({"messages": [{"role": "user", "content": "x" * 200}]}).encode()
HEAD = (
    f"Host: 127.0.0.1\r\nContent-Type: application/json\r\nX-Recuerdo-User: emi\r\nContent-Length: {len(BODY)}\r\n\r\n"
)


async def post(reader, writer, path):
    """The status of the answer to an append, and the seconds to wait before the next."""
    writer.write(f"POST {path} HTTP/1.1\r\n{HEAD}".encode() + BODY)
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    fields = dict(line.split(": ", 1) for line in head.split("\r\n")[1:-2])
    await reader.readexactly(int(fields["content-length"]))
    return int(head.split()[1]), float(fields.get("retry-after", 0))


class Crowd:
    """Clients that append each to a thread of its own, and wait as long as a refusal says."""

    def __init__(self, server, clients):
        self.server, self.clients = server, clients
        self.answers, self.appended, self.waits = Counter(), Counter(), set()
        self.served, self.health = [], []

    def thread(self, number):
        return f"of-{self.clients}-{number}"

    async def run(self, seconds):
        end = time.perf_counter() + seconds
        async with asyncio.TaskGroup() as group:
            group.create_task(self._look(end))
            for number in range(self.clients):
                group.create_task(self._come(number, end, counted=end - 0.6 * seconds))
        return self

    async def _come(self, number, end, counted):
        """Append over one connection after the other: a server closes those that are silent for five seconds."""
        await asyncio.sleep(number / self.clients)
        while time.perf_counter() < end:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.server.port)
            for _ in count():
                began = time.perf_counter()
                status, wait = await post(reader, writer, f"/v1/threads/{self.thread(number)}/messages")
                self.answers[status] += 1
                self.appended[number] += status == 201
                self.served += [time.perf_counter() - began] * (status == 201 and began > counted)
                self.waits |= {wait} if status == 503 else set()
                await asyncio.sleep(wait if IS_FULL else wait / 10)
                if wait > 3 or time.perf_counter() > end:
                    break
            writer.close()

    async def _look(self, end):
        async with httpx.AsyncClient(base_url=self.server.url) as client:
            while (began := time.perf_counter()) < end:
                (await client.get("/healthz")).raise_for_status()
                self.health.append(time.perf_counter() - began)
                await asyncio.sleep(0.1)


def p99(seconds):
    return quantiles(seconds, n=100)[98]


def megabytes(server):
    return int(Path(f"/proc/{server.pid}/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


def test_a_crowd_is_partly_refused_and_the_others_are_served_as_soon_as_of_half_a_crowd(tmp_path):
    files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files[1], files[1]))
    database = f"sqlite:///{tmp_path}/crowd.db"
    with (
        running_recuerdo(database_url=database, embeddings="none", **LIMITS) as server,
        httpx.Client(base_url=server.url) as client,
    ):
        half = asyncio.run(Crowd(server, CROWD // 2).run(SECONDS))
        before = megabytes(server)
        whole = asyncio.run(Crowd(server, CROWD).run(SECONDS))
        assert {*half.answers, *whole.answers} <= {201, 503}
        assert whole.answers[201] > 0
        assert whole.answers[503] > 0
        assert min(whole.waits) >= 1
        assert megabytes(server) - before < MOST_MEGABYTES_MORE
        assert p99(whole.served) < max(LITTLE_SECONDS, 2 * p99(half.served))
        assert p99(whole.health) < max(LITTLE_SECONDS, 2 * p99(half.health))
        for number in range(0, CROWD, 10):  # of what was acknowledged everything is there, and of the refused nothing
            counted = client.get(f"/v1/threads/{whole.thread(number)}", headers={"X-Recuerdo-User": "emi"})
            stored = counted.json()["counts"]["user"] if counted.status_code != 404 else 0
            assert stored == whole.appended[number]
        afterwards = asyncio.run(Crowd(server, 4).run(2))
        assert {*afterwards.answers} == {201}
    resource.setrlimit(resource.RLIMIT_NOFILE, files)
