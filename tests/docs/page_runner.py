"""Runs a page as its reader would: the Python in order, the commands against a real server."""

import ast
import asyncio
import io
import os
import re
import signal
import subprocess
import sys
from contextlib import AsyncExitStack, redirect_stdout
from pathlib import Path
from types import CodeType
from typing import Any

from markdown_blocks import Block

from servers import preloaded, typescript
from servers.patience import PATIENCE

BIN = Path(sys.executable).parent
SHOWN_ADDRESS = re.compile(r"http://(?:127\.0\.0\.1|localhost):8080")

_SERVES = re.compile(r"(?:(?P<settings>(?:\w+=\S+ )*)recuerdo serve(?P<flags>.*)|make run)")
_CTRL_C = "^C"
_TYPED = "> "


class PageRunner:
    """One page, in one folder. Its Python shares one namespace and may `await` at the top level.

    In a `console` block a line that starts with `$ ` is a command, `> ` is typed into it, and the rest is what it
    prints: `...` stands for anything, and white space does not count, so that JSON can be shown in lines.
    `make run` and `recuerdo serve` go on in the background until `^C` or the end of the page.
    """

    def __init__(self, page: Path, folder: Path) -> None:
        self._page = page
        self._folder = folder
        self._stack = AsyncExitStack()
        self._names: dict[str, Any] = {"__name__": "__page__", "page": self._stack}
        self._server: subprocess.Popen[str] | None = None
        self._url = ""
        self._printed: str | None = ""
        """Nothing where it can't be run on this machine."""

    async def run(self, block: Block) -> None:
        """Run one block. Fails when it does not do what the page shows."""
        if block.file:
            (self._folder / block.file).write_text(block.code, "utf-8")
        elif block.language == "python":
            await self._run_python(block)
        elif block.language == "typescript":
            await asyncio.to_thread(self._run_typescript, block)
        elif block.language == "output" and self._printed is not None:
            self._check(block.code, self._printed, block.line)
        elif block.language in ("console", "bash"):
            await asyncio.to_thread(self._run_commands, block)

    async def close(self) -> None:
        """Close what the page has opened, and stop its server."""
        await self._stack.aclose()
        self._stop_server(signal.SIGKILL)

    async def _run_python(self, block: Block) -> None:
        # the empty lines let a traceback name the page's own lines
        code = compile(
            "\n" * (block.line - 1) + self._addressed(block.code),
            str(self._page),
            "exec",
            ast.PyCF_ALLOW_TOP_LEVEL_AWAIT,
        )
        printed = io.StringIO()
        with redirect_stdout(printed):
            await _execute(code, self._names)
        self._printed = printed.getvalue()

    def _run_typescript(self, block: Block) -> None:
        self._printed = (
            None if typescript.is_missing() else typescript.run_program(self._addressed(block.code), self._folder)
        )

    def _addressed(self, code: str) -> str:
        """The code with the address of the page's own server, while that runs."""
        return code if self._server is None else SHOWN_ADDRESS.sub(self._url, code)

    def _run_commands(self, block: Block) -> None:
        for command, shown in _commands(block):
            if command == _CTRL_C:
                printed = self._stop_server(signal.SIGINT)
            elif match := _SERVES.fullmatch(command):
                printed = self._start_server(match["settings"] or "", match["flags"] or "")
            else:
                printed = self._shell(command, shown)
            self._check("\n".join(line for line in shown if not line.startswith(_TYPED)), printed, block.line)
            self._printed = printed

    def _shell(self, command: str, shown: list[str]) -> str:
        if SHOWN_ADDRESS.search(command) and self._server is None:
            self._start_server("", "")
        typed = "".join(f"{line.removeprefix(_TYPED)}\n" for line in shown if line.startswith(_TYPED))
        done = subprocess.run(
            ["bash", "-c", f"set -e -o pipefail\n{SHOWN_ADDRESS.sub(self._url, command)}"],
            cwd=self._folder,
            env=self._environment(),
            input=typed,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, f"{self._page.name}: {command!r} failed: {done.stdout}"
        return done.stdout.replace(self._url or "\0", "http://127.0.0.1:8080")

    def _start_server(self, settings: str, flags: str) -> str:
        assert self._server is None, "stop the server with ^C before it is started again"
        given = dict(setting.split("=", 1) for setting in settings.split())
        self._server = subprocess.Popen(
            [preloaded.command(), "serve", "--port", "0", *flags.split()],
            cwd=self._folder,
            env=self._environment() | given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self._server.stdout is not None
        lines: list[str] = []
        for line in self._server.stdout:
            lines.append(line)
            if match := re.search(r"open (http://\S+)/ ", line):
                self._url = match[1]
                return "".join(lines).replace(self._url, "http://127.0.0.1:8080")
        raise AssertionError(f"{self._page.name}: the server did not start: {''.join(lines)}")

    def _stop_server(self, number: signal.Signals) -> str:
        if self._server is None:
            return ""
        server, self._server = self._server, None
        server.send_signal(number)
        return server.communicate(timeout=PATIENCE)[0]

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("RECUERDO_", "OPENAI_"))}
        programs = [str(Path(preloaded.command()).parent), str(BIN), os.environ["PATH"]]
        # on a busy machine a server would say that requests are slow, which no page shows
        return kept | {"PATH": os.pathsep.join(programs), "COLUMNS": "200", "RECUERDO_SLOW_REQUEST": "0"}

    def _check(self, shown: str, printed: str, line: int) -> None:
        assert not shown.strip() or _matches(shown, printed), (
            f"{self._page.name}:{line} shows\n{shown}\nand it prints\n{printed}"
        )


async def _execute(code: CodeType, names: dict[str, Any]) -> None:
    result = eval(code, names)
    if asyncio.iscoroutine(result):
        await result


def _matches(shown: str, printed: str) -> bool:
    wanted = ".*".join(re.escape(_compact(piece)) for piece in shown.split("..."))
    return re.fullmatch(wanted, _compact(printed), re.DOTALL) is not None


def _compact(text: str) -> str:
    return "".join(text.split())


def _commands(block: Block) -> list[tuple[str, list[str]]]:
    """Each command and the lines behind it; a `bash` block is one command that shows nothing."""
    if block.language == "bash":
        return [(block.code.strip(), [])]
    commands: list[tuple[str, list[str]]] = []
    for line in re.sub(r"\\\n\s*", "", block.code).splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif line == _CTRL_C:
            commands.append((line, []))
        else:
            assert commands, f"line {block.line}: a console block starts with a command, `$ ...`"
            commands[-1][1].append(line)
    return commands
