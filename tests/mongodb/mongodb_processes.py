"""Runs `mongodb_child.py`."""

import asyncio
import json
import os
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

from servers.preloaded import python

HERE = Path(__file__).parent


async def ran(*arguments: object) -> tuple[int, list[Any]]:
    """The process's exit code, and what it said."""
    process = await asyncio.create_subprocess_exec(
        python(),
        str(HERE / "mongodb_child.py"),
        *map(str, arguments),
        stdout=PIPE,
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
    )
    said, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, [json.loads(line) for line in said.splitlines()]
