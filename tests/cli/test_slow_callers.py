"""Callers who send slowly, or too much, take no place from those who don't.

RECUERDO_TEST_FLOOD says how many clients flood the server; `make soak` has 300.
"""

import asyncio
import os
import socket
import time
from contextlib import suppress
from statistics import quantiles

import httpx
from command import serving

SLOW = 500
FLOODING = int(os.environ.get("RECUERDO_TEST_FLOOD", "60"))
HALF_HEAD = b"GET /v1/threads HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
HALF_BODY = b"POST /v1/threads/t/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{"


def connect(url, sent):
    host, port = url.removeprefix("http://").split(":")
    opened = socket.create_connection((host, int(port)), timeout=30)
    opened.sendall(sent)
    return opened


def read_to_end(connection):
    told = b""
    with suppress(ConnectionResetError):  # the server has not read all of what it refuses
        while piece := connection.recv(65536):
            told += piece
    return told


def most_wait(seconds):
    """The longest wait but for a tenth: a busy machine holds some of them up by itself."""
    return quantiles(seconds, n=10)[8]


def asked(url, times):
    """The seconds that each of so many healthy requests took, sent again when the server is too busy."""
    took = []
    with httpx.Client(base_url=url, headers={"X-Recuerdo-User": "emi"}) as client:
        for _ in range(times):
            began = time.perf_counter()
            while (answer := client.get("/v1/threads")).status_code == 503:
                time.sleep(int(answer.headers["Retry-After"]))
            answer.raise_for_status()
            took.append(time.perf_counter() - began)
    return took


def test_slow_connections_are_closed_while_others_are_served(tmp_path):
    """Half of them never end their head, half never their body; before, all stayed open for ever."""
    with serving(tmp_path, RECUERDO_LIMITS="header=4, body=4, connections=900, connections_per_address=900") as server:
        alone = asked(server.url, 200)
        slow = [connect(server.url, HALF_HEAD if number % 2 else HALF_BODY) for number in range(SLOW)]
        beside = asked(server.url, 200)
        told = [read_to_end(connection) for connection in slow]
        for connection in slow:
            connection.close()
        assert sum(answer.startswith(b"HTTP/1.1 408") for answer in told) == SLOW // 2
        assert most_wait(beside) < max(0.3, 10 * most_wait(alone))


def test_a_connection_that_is_kept_alive_may_not_send_its_next_head_for_ever(tmp_path):
    with serving(tmp_path, RECUERDO_LIMITS="header=2") as server:
        connection = connect(server.url, b"GET /ok HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
        connection.sendall(HALF_HEAD)
        assert b"408 Request Timeout" in read_to_end(connection)
        connection.close()


def test_a_long_answer_is_not_taken_for_a_slow_request(tmp_path):
    with serving(tmp_path, RECUERDO_LIMITS="header=1, body=1") as server:
        url = f"{server.url}/threads/{'0' * 8}-0000-4000-8000-{'0' * 12}"
        httpx.post(f"{server.url}/threads", json={"thread_id": url.rpartition("/")[2]}).raise_for_status()
        with httpx.stream("GET", f"{url}/stream") as stream:
            lines = stream.iter_lines()
            time.sleep(4)
            assert stream.status_code == 200
            httpx.post(f"{url}/runs", json={"assistant_id": "recuerdo", "input": {"messages": []}})
            assert next(line for line in lines if line)


def test_connections_beyond_the_limit_are_refused_and_others_go_on(tmp_path):
    limits = "connections=40, connections_per_address=20"
    with (
        serving(tmp_path, RECUERDO_LIMITS=limits) as server,
        httpx.Client(base_url=server.url) as healthy,
    ):
        healthy.get("/ok").raise_for_status()
        idle = [connect(server.url, HALF_HEAD) for _ in range(19)]
        refused = connect(server.url, b"")
        assert read_to_end(refused).startswith(b"HTTP/1.1 503")
        healthy.get("/ok").raise_for_status()
        for connection in (*idle, refused):
            connection.close()
        end = time.monotonic() + 30
        while True:
            try:
                httpx.get(f"{server.url}/ok").raise_for_status()
                break
            except httpx.HTTPError:
                assert time.monotonic() < end


def test_a_flood_is_refused_while_others_are_served(tmp_path):
    """One user floods with many clients, and is refused; another's requests are all answered, soon."""

    async def flood(url, answers, stop):
        async with httpx.AsyncClient(base_url=url, headers={"X-Recuerdo-User": "flood"}) as client:
            while not stop.is_set():
                try:
                    answer = await client.get("/v1/threads")
                except httpx.RemoteProtocolError:  # the connection was idle until now, and is closed at this moment
                    continue
                answers.append(answer.status_code)
                await asyncio.sleep(float(answer.headers.get("retry-after", 0)) / 10)

    async def both(url):
        answers, stop = [], asyncio.Event()
        flooding = [asyncio.create_task(flood(url, answers, stop)) for _ in range(FLOODING)]
        await asyncio.sleep(2)
        beside = await asyncio.to_thread(asked, url, 200)
        stop.set()
        await asyncio.gather(*flooding)
        return answers, beside

    with serving(tmp_path, RECUERDO_LIMITS="requests=300/m") as server:
        alone = asked(server.url, 50)
        answers, beside = asyncio.run(both(server.url))
        assert answers.count(429) > 0
        assert set(answers) <= {200, 429, 503}
        assert most_wait(beside) < max(0.3, 20 * most_wait(alone))
