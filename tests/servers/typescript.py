"""The TypeScript client, compiled as its users get it, and programs that use it."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from servers.patience import PATIENCE

CLIENT = Path(__file__).parents[2] / "clients" / "typescript"
COMPILER = CLIENT / "node_modules" / ".bin" / "tsc"

_STRICT = ("--strict", "--noUncheckedIndexedAccess", "--target", "ES2022", "--module", "NodeNext", "--skipLibCheck")


def is_missing() -> str:
    """Why the client can't be compiled here; empty if it can."""
    if shutil.which("node") is None:
        return "there is no Node.js on this machine"
    return "" if COMPILER.exists() else "npm could not install the TypeScript compiler"


@cache
def built_client() -> Path:
    """A folder with the compiled package and its tests, one for each process of a test run."""
    folder = Path(tempfile.mkdtemp(prefix="recuerdo-tests-client-"))
    shutil.copytree(CLIENT / "test", folder / "test")
    shutil.copy(CLIENT / "package.json", folder)
    _run([COMPILER, "--project", CLIENT, "--outDir", folder / "dist"], CLIENT)
    return folder


def run_program(code: str, folder: Path) -> str:
    """Check the types of a program in TypeScript, run it in the folder, and return what it prints."""
    (folder / "node_modules").mkdir(exist_ok=True)
    if not (package := folder / "node_modules" / "recuerdo").exists():
        package.symlink_to(built_client())
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    (folder / "program.ts").write_text(code, "utf-8")
    _run([COMPILER, *_STRICT, "program.ts"], folder)
    return _run(["node", "program.js"], folder)


def _run(command: Sequence[str | Path], folder: Path) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stdout[-4000:]}{done.stderr[-4000:]}"
    return done.stdout
