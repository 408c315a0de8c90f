"""The test servers themselves."""

import socket
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pymongo
import redis

from servers.mongodb import MongoServer
from servers.postgres import PostgresServer
from servers.valkey import ValkeyServer

_FOREVER = """
import signal
from servers.valkey import running_valkey
with running_valkey() as server:
    print(server.port, flush=True)
    signal.pause()
"""


def test_postgres_keeps_what_it_acknowledged(postgres_server: PostgresServer) -> None:
    """After kill -9 the server comes back on the same port with the same data."""
    with psycopg.connect(postgres_server.url, autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (n int)")
        connection.execute("INSERT INTO kept VALUES (1)")
        postgres_server.kill()
    postgres_server.start()
    with psycopg.connect(postgres_server.url, autocommit=True) as connection:
        assert connection.execute("SELECT n FROM kept").fetchall() == [(1,)]
        connection.execute("DROP TABLE kept")


def test_postgres_asks_for_a_password(postgres_server: PostgresServer) -> None:
    """A connection without the password is refused, as on a deployment."""
    try:
        psycopg.connect(f"postgresql://postgres@127.0.0.1:{postgres_server.port}/postgres").close()
    except psycopg.OperationalError as error:
        assert "password" in str(error)  # noqa: PT017
    else:
        raise AssertionError("it let us in")


def test_valkey_comes_back_empty(valkey_server: ValkeyServer) -> None:
    """After kill -9 the cache is back on the same port, and empty."""
    with valkey_server.client() as client:
        client.set("kept", "1")
        valkey_server.kill()
        valkey_server.start()
        assert client.get("kept") is None


def test_the_cluster_serves_every_slot(redis_cluster_url: str) -> None:
    """Keys of all three masters can be written and read."""
    with redis.RedisCluster.from_url(redis_cluster_url) as cluster:
        for number in range(50):
            cluster.set(f"key-{number}", number)
        assert [int(cluster.get(f"key-{number}")) for number in range(50)] == list(range(50))
        assert len(cluster.get_primaries()) == 3


def test_mongodb_keeps_what_it_acknowledged(mongodb_server: MongoServer) -> None:
    """After kill -9 the server comes back on the same port with the same data."""
    with pymongo.MongoClient(mongodb_server.url) as client:
        client.test_servers.kept.insert_one({"_id": 1})
        mongodb_server.kill()
        mongodb_server.start()
        assert client.test_servers.kept.find_one() == {"_id": 1}
        client.drop_database("test_servers")


def test_a_killed_run_leaves_no_server() -> None:
    """When a test run dies by kill -9, its servers end too."""
    tests = Path(__file__).parents[1]
    with subprocess.Popen([sys.executable, "-c", _FOREVER], cwd=tests, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        port = int(run.stdout.readline())
        run.kill()
    deadline = time.monotonic() + 60
    while _listens(port):
        assert time.monotonic() < deadline, "the server outlived its test run"
        time.sleep(0.05)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return False
    return True
