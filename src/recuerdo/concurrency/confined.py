"""Runs work on untrusted input in a process of its own, with limits of CPU time, memory and duration.

The process gets its input on its standard input and nothing else: no secret of the environment, no open file.
"""

import asyncio
import os
import signal
import sys
from typing import NamedTuple

from recuerdo.concurrency.confine import OUT_OF_MEMORY


class Confinement(NamedTuple):
    """Limits of a process: seconds of CPU, bytes of memory, and seconds until it must be done."""

    cpu_seconds: int
    memory_bytes: int
    seconds: float


class ConfinementExceeded(Exception):
    """The process was stopped, because it exceeded the `limit`."""

    def __init__(self, limit: str) -> None:
        super().__init__(limit)
        self.limit = limit


class ConfinedProcessDied(Exception):
    """The process ended without an answer and not by a limit; it says what it last wrote."""


_LAST_WORDS = 400


async def run_confined(module: str, given: bytes, limits: Confinement) -> bytes:
    """Run `main()` of the module, which calls `confine` first, and return what it writes for what it is given.

    Raises ConfinementExceeded and ConfinedProcessDied. The process ends with the caller, whatever happens.
    """
    process = await asyncio.create_subprocess_exec(
        *(
            sys.executable,
            "-P",
            "-c",
            f"import {module}; {module}.main()",
            str(limits.cpu_seconds),
            str(limits.memory_bytes),
        ),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": os.defpath, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OPENBLAS_NUM_THREADS": "1"},
    )
    try:
        async with asyncio.timeout(limits.seconds):
            written, complaints = await process.communicate(given)
    except TimeoutError:
        raise ConfinementExceeded(f"{limits.seconds:g} seconds") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode == 0:
        return written
    if process.returncode == OUT_OF_MEMORY:
        raise ConfinementExceeded(f"{limits.memory_bytes // 2**20} MB of memory")
    if process.returncode == -getattr(signal, "SIGXCPU", 0):
        raise ConfinementExceeded(f"{limits.cpu_seconds} seconds of computing")
    raise ConfinedProcessDied(complaints[-_LAST_WORDS:].decode(errors="replace").strip() or str(process.returncode))
