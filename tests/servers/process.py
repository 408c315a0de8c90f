"""Server processes that a test run starts, kills and restarts, and that never outlive it."""

import ctypes
import fcntl
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from servers.preloaded import PROGRAMS, ForkedProcess, can_fork, fork

_PREFIX = "recuerdo-tests-"
_PORTS = range(10_081, 32_000)
"""Above the last that browsers refuse to open, and below those from which systems choose for clients: 32,768 and more
on Linux, 49,152 and more elsewhere."""

_SHARES = 16
"""Each process of a test run takes ports of its own share: one that is free may be another's server that restarts."""

_START_SECONDS = 120.0
_SECONDS_TO_LOCK = 60.0
"""How old a folder is at least when nobody is about to lock it any more."""

_PAUSE = 0.01
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


class ServerProcess:
    """One server process, with its log in `folder`. The kernel ends it when the test run dies."""

    def __init__(
        self,
        command: Sequence[str | Path],
        folder: Path,
        *,
        user: str | None = None,
        end: int = signal.SIGTERM,
        cwd: str | Path = "/",
    ) -> None:
        self._command = [str(part) for part in command]
        self._log = folder / "server.log"
        self._user = user
        self._end = end
        self._cwd = cwd
        self._process: subprocess.Popen[bytes] | ForkedProcess | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None, "the server is not running"
        return self._process.pid

    def start(self, is_ready: Callable[[], bool], patience: float = _START_SECONDS) -> None:
        """Start it and wait `patience` seconds at most until it answers.

        Raises RuntimeError with the end of its log when it does not.
        """
        self._process = self._started()
        deadline = time.monotonic() + patience
        while not is_ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise RuntimeError(
                    f"{self._command[0]} did not start: {self._log.read_text('utf-8', 'replace')[-2000:]}"
                )
            time.sleep(_PAUSE)

    def _started(self) -> "subprocess.Popen[bytes] | ForkedProcess":
        with self._log.open("ab") as log:
            started: Any = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._cwd,
                start_new_session=True,
                preexec_fn=self._die_with_the_test_run(),
                **dropped_to(self._user),
            )
        return started

    def stop(self) -> None:
        """End it as an operator would."""
        self._signal(self._end)

    def kill(self) -> None:
        """kill -9, its children included."""
        self._signal(signal.SIGKILL)

    def pause(self) -> None:
        """Let it hang: connections stay open, and nothing answers until `resume`.

        A signal only asks: on a busy machine a process may answer once more behind it, or start a child.
        """
        self._send(signal.SIGSTOP)
        while not all(_hangs(pid) for pid in [self.pid, *_children(self.pid)]):
            time.sleep(_PAUSE)
            self._send(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        self._send(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        if self._process is None:
            return
        if number == signal.SIGKILL:
            self._kill()
            return
        self._process.send_signal(number)
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._kill()
        self._process = None

    def _kill(self) -> None:
        """Kill it and its children, and wait until none of them holds memory, files or a port any more.

        A PostgreSQL starts nowhere while a child of its predecessor is about to end, and a process that runs may
        always have started one more: it is stopped before its children are counted.
        """
        assert self._process is not None
        self.pause()
        killed = [self.pid, *_children(self.pid)]
        for pid in killed:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        while not all(_has_ended(pid) for pid in killed):
            time.sleep(_PAUSE)
        self._process = None

    def _send(self, number: int) -> None:
        for pid in [self.pid, *_children(self.pid)]:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def _die_with_the_test_run(self) -> Callable[[], None]:
        parent, end = os.getpid(), self._end

        def prepare() -> None:
            _libc.prctl(_PR_SET_PDEATHSIG, end)
            if os.getppid() != parent:
                os._exit(1)

        return prepare


class PreloadedProcess(ServerProcess):
    """A command of `recuerdo` or Python in the folder, forked from a process that has imported it; see `preloaded`."""

    def __init__(self, command: Sequence[str], variables: Mapping[str, str], folder: Path) -> None:
        super().__init__(command, folder, cwd=folder)
        self._variables = variables

    def _started(self) -> ForkedProcess:
        return fork(self._command, self._variables, self._log, self._cwd, self._end)


class Server(ABC):
    """A server that a test may start, stop, kill -9, restart on its port, and let hang."""

    _process: ServerProcess

    @abstractmethod
    def _is_ready(self) -> bool:
        """Whether it answers."""

    def answers(self) -> bool:
        """Whether it is there for its clients."""
        return self._is_ready()

    def start(self) -> None:
        """Start, on the same port as before, with what it had kept."""
        self._process.start(self._is_ready)

    def stop(self) -> None:
        """Shut down."""
        self._process.stop()

    def kill(self) -> None:
        """kill -9 of the server and all its children at once."""
        self._process.kill()

    def restart(self) -> None:
        """Stop and start."""
        self.stop()
        self.start()

    def pause(self) -> None:
        """Let the server and all its children hang."""
        self._process.pause()

    def resume(self) -> None:
        """Let them go on."""
        self._process.resume()


def recuerdo_process(command: Sequence[str], folder: Path, **settings: str) -> ServerProcess:
    """A process of the command, in the folder, with no settings but these, e.g. `database_url`."""
    own = {f"RECUERDO_{name.upper()}": value for name, value in settings.items()}
    if command[0] in PROGRAMS and not {"--reload", "--workers"} & {*command} and can_fork():
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RECUERDO_")}
        return PreloadedProcess(command, kept | own, folder)
    unset = [flag for name in os.environ if name.startswith("RECUERDO_") for flag in ("--unset", name)]
    variables = [f"{name}={value}" for name, value in own.items()]
    return ServerProcess(["env", *unset, *variables, *command], folder, cwd=folder)


def dropped_to(user: str | None) -> dict[str, Any]:
    """The arguments of `subprocess.Popen` that run a command as the user; None stays who we are."""
    if user is None:
        return {}
    entry = pwd.getpwnam(user)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def free_port() -> int:
    """A TCP port of the loopback that nobody listens on, and that the system gives to no client meanwhile.

    It was not given before: its server may not listen yet.
    """
    for port in islice(_own_ports(), 100):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("100 ports were tried, and all of them are in use. Stop other servers of this machine.")


@cache
def _own_ports() -> Iterator[int]:
    """The ports of this process's share, again and again in one random order."""
    share = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % _SHARES
    ports = _PORTS[share::_SHARES]
    return cycle(random.SystemRandom().sample(ports, len(ports)))


@contextmanager
def server_folder() -> Generator[Path]:
    """A folder for a server's data that every user can enter, gone behind the block.

    Folders of test runs that were killed are removed too: nobody holds their lock any more.
    """
    place = next(Path(each) for each in (tempfile.gettempdir(), "/tmp", "/var/tmp") if open_to_all(Path(each)))
    _remove_abandoned(place)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
    folder.chmod(0o755)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def open_to_all(path: Path) -> bool:
    """Whether every user can read the path."""
    return all(each.stat().st_mode & 0o005 == 0o005 for each in (path, *path.parents))


def _remove_abandoned(place: Path) -> None:
    for folder in place.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime < _SECONDS_TO_LOCK:
                continue
        with suppress(OSError), (folder / "lock").open("r") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)


def _hangs(pid: int) -> bool:
    """Whether each of its threads has stopped or ended; taken for granted where there is no /proc."""
    return all(state in "TtZX" for state in _thread_states(pid))


def _has_ended(pid: int) -> bool:
    """Whether it has given back all that it held; taken for granted where there is no /proc."""
    return all(state in "ZX" for state in _thread_states(pid))


def _thread_states(pid: int) -> list[str]:
    with suppress(FileNotFoundError, ProcessLookupError):  # it may end while it is looked at
        return [_state(thread) for thread in Path(f"/proc/{pid}/task").iterdir()]
    return []


def _state(thread: Path) -> str:
    with suppress(OSError):
        return (thread / "stat").read_text().rpartition(")")[2].split()[0]
    return "X"


def _children(pid: int) -> list[int]:
    with suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []
