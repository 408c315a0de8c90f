"""Child processes for the tests: the scripts beside this file, and what they tell on their standard output."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent


@asynccontextmanager
async def child(script: str, *arguments: object) -> AsyncGenerator[Process]:
    """Run `processes/<script>.py`; it is dead when the block ends, and so is what it forked."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(_HERE / "processes" / f"{script}.py"),
        *map(str, arguments),
        stdin=PIPE,
        stdout=PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(_HERE), *sys.path])},
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.communicate()


async def reports(process: Process) -> list[Any]:
    """Everything that the process says from now until its end, a JSON value a line.

    A last line without its end was never said.
    """
    assert process.stdout is not None
    said = await process.stdout.read()
    return [json.loads(line) for line in said.split(b"\n")[:-1]]


async def line(process: Process) -> str:
    """The next line that the process says."""
    assert process.stdout is not None
    return (await process.stdout.readline()).decode().strip()


async def finished(script: str, *arguments: object) -> list[Any]:
    """The output of a process that runs to a good end."""
    async with child(script, *arguments) as process:
        said = await reports(process)
        assert await process.wait() == 0, f"{script} failed"
        return said
