"""How long a fresh process takes to be of use."""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from pathlib import Path

from benchmarks.rounds import Contestant, Measurement, compare

TOPIC = "start"
_PROJECT = Path(__file__).parents[1]
_SERVE = ("-c", "from recuerdo.cli import main; main()", "serve", "--port", "0")
_ADDRESS = re.compile(r"http://[^/\s]+")
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""An installed package has its bytecode: where none may be kept, each process compiles all modules anew."""


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """The import, and the server from its start to its first answer and its first chat, in fresh processes."""
    rounds = 15 if full else 5
    nothing = _python("pass")
    asyncios = await compare(_python("import asyncio"), nothing, rounds=rounds, turns=3)
    asyncio_alone = asyncios.ours - asyncios.theirs
    imported = [
        await _imported(statement, asyncio_alone, rounds)
        for statement in ("import recuerdo", "from recuerdo import Recuerdo")
    ]
    served = await compare(_server(folder, _get_ok), nothing, rounds=rounds, turns=1)
    ready = served.measurement(TOPIC, "serve, until /ok answers", "python -c pass")
    await _server(folder, _tell)()
    chatted = await compare(_server(folder, _ask), nothing, rounds=rounds, turns=1)
    first = chatted.ours - served.ours
    chat = Measurement(TOPIC, "the first chat, of a known user, right after that", first, goal_seconds=1.0)
    lines = [*imported, ready._replace(goal_seconds=3.0), chat]
    return [*lines, *await _first_run(folder)] if full else lines


async def _first_run(folder: Path) -> list[Measurement]:
    """Take `make run` apart, on a machine that has never seen the project: a fresh clone, and no caches."""
    project = folder / "project"
    subprocess.run(["git", "clone", "--quiet", _PROJECT, project], check=True)  # noqa: ASYNC221
    places = {name: str(folder / name) for name in ("HOME", "XDG_CACHE_HOME", "PIP_CACHE_DIR", "UV_CACHE_DIR")}
    began = time.perf_counter()
    subprocess.run(["make", "--silent", ".venv/.ready-run"], cwd=project, check=True, env=_ENVIRONMENT | places)  # noqa: ASYNC221
    taken = {"make run of a fresh clone: install": time.perf_counter() - began}
    serve = _server(folder, _get_ok, str(project / ".venv/bin/python"))
    for which in ("its first start, which compiles what it imports", "its second start"):
        began = time.perf_counter()
        await serve()
        taken[which] = time.perf_counter() - began
    return [Measurement(TOPIC, case, seconds) for case, seconds in taken.items()]


async def _imported(statement: str, asyncio_alone: float, rounds: int) -> Measurement:
    compared = await compare(_python(statement), _python("pass"), rounds=rounds, turns=3)
    seconds = compared.ours - compared.theirs
    case = f"{statement}, above `python -c pass`"
    return Measurement(
        TOPIC, case, seconds, "import asyncio", asyncio_alone, seconds / asyncio_alone, goal_seconds=0.150
    )


def _python(statement: str) -> Contestant:
    async def run() -> None:
        command = [sys.executable, "-c", statement]
        subprocess.run(command, check=True, env=_ENVIRONMENT)  # noqa: ASYNC221 (nothing else is going on)

    return run


def _server(folder: Path, ask: Callable[[str], None], python: str = sys.executable) -> Contestant:
    environment = {**_ENVIRONMENT, "RECUERDO_DATABASE_URL": f"sqlite:///{folder}/serve.db"}

    async def start() -> None:
        server = await asyncio.create_subprocess_exec(python, *_SERVE, stdout=PIPE, stderr=DEVNULL, env=environment)
        try:
            await asyncio.to_thread(ask, await _address(server))
        finally:
            server.kill()
            await server.communicate()

    return start


async def _address(server: Process) -> str:
    assert server.stdout is not None
    async for line in server.stdout:
        if found := _ADDRESS.search(line.decode()):
            return found[0]
    raise RuntimeError("the server ended before it said where it listens: run `recuerdo serve` to see why")


def _get_ok(address: str) -> None:
    with urllib.request.urlopen(f"{address}/ok", timeout=10) as answer:
        assert answer.status == 200


def _tell(address: str) -> None:
    _chat(address, "Hola, me llamo Emiliano y trabajo en Data Oilers")


def _ask(address: str) -> None:
    _chat(address, "¿Dónde trabajo?")


def _chat(address: str, text: str) -> None:
    headers = {"Content-Type": "application/json", "X-Recuerdo-User": "emi"}
    request = urllib.request.Request(f"{address}/v1/chat", json.dumps({"message": text}).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert answer.status == 200
