"""Fixtures for real servers: each is started once a test run, when the first test asks for it.

RECUERDO_TEST_POSTGRES_URL, RECUERDO_TEST_REDIS_URL, RECUERDO_TEST_REDIS_CLUSTER_URL and RECUERDO_TEST_MONGODB_URL
point the `*_url` fixtures at real deployments. The `*_server` fixtures are for tests that kill and restart, which are
skipped then.
"""

import os
from collections.abc import Generator
from contextlib import ExitStack
from typing import Any

import pymongo
import pytest

from recuerdo.core.identifiers import new_id
from servers.mongodb import MongoServer, running_mongodb
from servers.postgres import PostgresServer, fresh_database, running_postgres
from servers.preloaded import can_fork, worker_python
from servers.valkey import ValkeyCluster, ValkeyServer, running_valkey, running_valkey_cluster


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(specs: list[Any]) -> None:
    """Fork the workers from a process that has imported what they will, instead of four times importing it."""
    if can_fork():
        for spec in specs:
            spec.python = worker_python()


@pytest.fixture(scope="session")
def started_servers() -> Generator[ExitStack]:
    """The servers that the run has started, to be ended with it."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture(scope="session")
def postgres_server(started_servers: ExitStack) -> PostgresServer:
    """A PostgreSQL that a test may kill, as long as it is running again when the test ends."""
    _skip_for_a_deployment("RECUERDO_TEST_POSTGRES_URL")
    return started_servers.enter_context(running_postgres())


@pytest.fixture(scope="session")
def postgres_url(request: pytest.FixtureRequest) -> Generator[str]:
    """A database that the run's tests share; each acts as a tenant of its own."""
    with fresh_database(_url(request, "RECUERDO_TEST_POSTGRES_URL", "postgres_server")) as url:
        yield url


@pytest.fixture(scope="session")
def encrypted_postgres_url(request: pytest.FixtureRequest) -> Generator[str]:
    """A database that tests of encryption share: with data keys in it, it opens with a master key alone."""
    with fresh_database(_url(request, "RECUERDO_TEST_POSTGRES_URL", "postgres_server")) as url:
        yield url


@pytest.fixture
def empty_postgres_url(request: pytest.FixtureRequest) -> Generator[str]:
    """A database that nobody has used, for one test."""
    with fresh_database(_url(request, "RECUERDO_TEST_POSTGRES_URL", "postgres_server")) as url:
        yield url


@pytest.fixture(scope="session")
def valkey_server(started_servers: ExitStack) -> ValkeyServer:
    """A Valkey that a test may kill, as long as it is running again when the test ends."""
    _skip_for_a_deployment("RECUERDO_TEST_REDIS_URL")
    return started_servers.enter_context(running_valkey())


@pytest.fixture(scope="session")
def redis_url(request: pytest.FixtureRequest) -> str:
    """A Redis or Valkey that the run's tests share."""
    return _url(request, "RECUERDO_TEST_REDIS_URL", "valkey_server")


@pytest.fixture(scope="session")
def valkey_cluster(started_servers: ExitStack) -> ValkeyCluster:
    """A cluster of three masters that a test may kill, as long as it is whole again when the test ends."""
    _skip_for_a_deployment("RECUERDO_TEST_REDIS_CLUSTER_URL")
    return started_servers.enter_context(running_valkey_cluster())


@pytest.fixture(scope="session")
def redis_cluster_url(request: pytest.FixtureRequest) -> str:
    """A Redis Cluster that the run's tests share: the URL of one of its nodes."""
    return _url(request, "RECUERDO_TEST_REDIS_CLUSTER_URL", "valkey_cluster")


@pytest.fixture(scope="session")
def mongodb_server(started_servers: ExitStack) -> MongoServer:
    """A MongoDB-compatible server that a test may kill, as long as it is running again when the test ends."""
    _skip_for_a_deployment("RECUERDO_TEST_MONGODB_URL")
    return started_servers.enter_context(running_mongodb())


@pytest.fixture(scope="session")
def mongodb_url(request: pytest.FixtureRequest) -> str:
    """A MongoDB that the run's tests share; each acts as a tenant of its own."""
    return _url(request, "RECUERDO_TEST_MONGODB_URL", "mongodb_server")


@pytest.fixture(scope="session")
def standalone_mongodb_url(started_servers: ExitStack) -> str:
    """A MongoDB without transactions, that the run's tests share."""
    return started_servers.enter_context(running_mongodb(standalone=True)).url


@pytest.fixture
def empty_mongodb_url(mongodb_url: str) -> Generator[str]:
    """A database that nobody has used, and that is gone behind the test."""
    host, question, options = mongodb_url.partition("?")
    name = f"tests-{new_id()}"
    yield f"{host.rstrip('/')}/{name}{question}{options}"
    with pymongo.MongoClient[Any](mongodb_url) as client, pymongo.timeout(60):
        client.drop_database(name)


def _url(request: pytest.FixtureRequest, variable: str, server: str) -> str:
    return os.environ.get(variable) or request.getfixturevalue(server).url


def _skip_for_a_deployment(variable: str) -> None:
    if os.environ.get(variable):
        pytest.skip(f"{variable} names a deployment, and this test would kill it")
