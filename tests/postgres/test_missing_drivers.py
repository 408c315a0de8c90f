"""The error for a missing driver."""

import subprocess
import sys

import pytest

_OPEN = """
import asyncio, sys
sys.modules[sys.argv[1]] = None
from recuerdo import Recuerdo
from recuerdo.core.errors import MissingExtra

async def main(database, cache):
    try:
        async with Recuerdo.open(database, cache=cache or None, embeddings="none"):
            pass
    except MissingExtra as missing:
        print(missing)

asyncio.run(main(*sys.argv[2:]))
"""


@pytest.mark.parametrize(
    ("driver", "database", "cache", "extra"),
    [
        ("psycopg", "postgresql://localhost/x", "", "recuerdo[postgres]"),
        ("redis", "memory://", "redis://localhost/0", "recuerdo[redis]"),
        ("redis", "memory://", "redis+cluster://localhost/0", "recuerdo[redis]"),
    ],
)
def test_the_extra_is_named(driver, database, cache, extra):
    """The error says which extra to install, and nothing is tried before."""
    command = [sys.executable, "-c", _OPEN, driver, database, cache]
    assert extra in subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
