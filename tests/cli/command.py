"""The `recuerdo` command as a real process."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from servers import preloaded
from servers.patience import PATIENCE

COMMAND = str(Path(sys.executable).with_name("recuerdo"))
"""The installed program, which starts from nothing; `preloaded.command` is much quicker."""

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


def environment(**settings: str) -> dict[str, str]:
    """This process's environment without its settings for Recuerdo, and with the given ones."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RECUERDO_", "OPENAI_"))}
    return {**kept, "COLUMNS": "200", "TERM": "xterm", **settings}


def run(folder: Path, *arguments: str, said: str | bytes = "", **settings: str) -> subprocess.CompletedProcess[str]:
    """The finished command, to which `said` was piped."""
    done = subprocess.run(
        [preloaded.command(), *arguments],
        cwd=folder,
        env=environment(**settings),
        input=said.encode() if isinstance(said, str) else said,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


class Terminal:
    """The command at a pseudo-terminal, as a person sees it."""

    def __init__(self, folder: Path, *arguments: str, settings: Mapping[str, str] | None = None) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [COMMAND, *arguments],
            cwd=folder,
            env=environment(**(settings or {})),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            preexec_fn=_take_terminal,
        )
        os.close(slave)
        self.shown = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def press_ctrl(self, letter: str) -> None:
        os.write(self._master, bytes([ord(letter.upper()) - 64]))

    def wait_until_idle(self) -> None:
        """Until the process has waited for a second without computing anything."""
        deadline = time.monotonic() + PATIENCE
        quiet, spent = 0, ""
        while quiet < 10:
            assert time.monotonic() < deadline, "the process does not come to rest"
            time.sleep(0.1)
            before, spent = spent, self._state()
            quiet = quiet + 1 if spent == before and spent.startswith("S") else 0

    def _state(self) -> str:
        """Whether it sleeps, and the CPU time that it has spent; where there is no /proc it is taken to sleep."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return "S"
        return f"{fields[0]} {fields[11]} {fields[12]}"

    def read_until(self, text: str) -> str:
        """The output since the last call, up to and including the text. Fails when it does not come."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.shown:
            assert self._read(deadline), f"{text!r} did not come; the terminal shows: {self.shown!r}"
        seen, _, self.shown = self.shown.partition(text)
        return seen + text

    def read_to_end(self) -> tuple[int, str]:
        """The exit status, and what came until then."""
        deadline = time.monotonic() + PATIENCE
        while self._read(deadline):
            pass
        return self.process.wait(PATIENCE), self.shown

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))
        try:
            piece = os.read(self._master, 65536) if ready else b""
        except OSError:  # what Linux says when the process has closed its side
            piece = b""
        self.shown += _ESCAPES.sub("", piece.decode(errors="replace"))
        return bool(piece)


class Server:
    """`recuerdo serve` on a free port."""

    def __init__(self, folder: Path, *arguments: str, **settings: str) -> None:
        self.process = subprocess.Popen(
            [preloaded.command(), "serve", "--port", "0", *arguments],
            cwd=folder,
            env=environment(**settings),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []
        self.url = ""

    def end(self, number: signal.Signals) -> tuple[int, str]:
        """Send the signal; the exit status, and everything that was printed."""
        self.process.send_signal(number)
        rest, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, "".join(self.lines) + rest

    def wait_until_ready(self) -> None:
        """Read on until the server says its URL."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if match := re.search(r"open (http://\S+)/ ", line):
                self.url = match[1]
                return
        raise AssertionError(f"the server ended before it was ready: {''.join(self.lines)}")


@contextmanager
def serving(folder: Path, *arguments: str, **settings: str) -> Generator[Server]:
    """A server that is gone behind the block, however that ends."""
    server = Server(folder, *arguments, **settings)
    try:
        server.wait_until_ready()
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
        server.process.communicate()


def _take_terminal() -> None:
    """Make the pseudo-terminal the controlling one, so that Ctrl-C reaches the process as a signal.

    A test run in the background ignores Ctrl-C, and its children would as well.
    """
    import fcntl
    import termios

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
