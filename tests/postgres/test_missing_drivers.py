"""The error for a missing driver."""

import subprocess
import sys

_OPEN = """
import asyncio, sys
sys.modules["psycopg"] = sys.modules["redis"] = None
from recuerdo import Recuerdo
from recuerdo.core.errors import MissingExtra

async def main(database, cache):
    try:
        async with Recuerdo.open(database, cache=cache or None, embeddings="none"):
            pass
    except MissingExtra as missing:
        print(str(missing).replace("\\n", " "))

for line in sys.stdin:
    asyncio.run(main(*line.rstrip("\\n").split(" ")))
"""

_EXTRAS = {
    "postgresql://localhost/x ": "recuerdo[postgres]",
    "memory:// redis://localhost/0": "recuerdo[redis]",
    "memory:// redis+cluster://localhost/0": "recuerdo[redis]",
}
"""Of each database and cache."""


def test_the_extra_is_named() -> None:
    """The error says which extra to install, and nothing is tried before."""
    command = [sys.executable, "-c", _OPEN]
    done = subprocess.run(command, input="\n".join(_EXTRAS), stdout=subprocess.PIPE, text=True, check=True)
    for extra, said in zip(_EXTRAS.values(), done.stdout.splitlines(), strict=True):
        assert extra in said
