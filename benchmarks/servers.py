"""The servers of a run: those that the tests start, or the ones that the tests' variables name."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from servers.postgres import fresh_database, running_postgres
from servers.valkey import running_valkey


@contextmanager
def postgres_url() -> Generator[str]:
    """The URL of an empty database: on a server of our own, or on RECUERDO_TEST_POSTGRES_URL."""
    if url := os.environ.get("RECUERDO_TEST_POSTGRES_URL"):
        with fresh_database(url) as database:
            yield database
        return
    with running_postgres() as server, fresh_database(server.url) as database:
        yield database


@contextmanager
def redis_url() -> Generator[str]:
    """The URL of a Redis or Valkey: one of our own, or RECUERDO_TEST_REDIS_URL."""
    if url := os.environ.get("RECUERDO_TEST_REDIS_URL"):
        yield url
        return
    with running_valkey() as server:
        yield server.url
