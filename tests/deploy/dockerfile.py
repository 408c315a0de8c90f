"""A Dockerfile, carried out without Docker: its paths stand below a folder, its programs are this machine's."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

_SECONDS = 900


class Instruction(NamedTuple):
    """One instruction, with its lines joined."""

    name: str
    value: str


def instructions(text: str) -> list[list[Instruction]]:
    """The instructions of each stage, which begins with its FROM."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    found = [Instruction(*line.split(maxsplit=1)) for line in joined.splitlines() if line.strip()]
    starts = [place for place, each in enumerate(found) if each.name == "FROM"]
    return [found[start:end] for start, end in zip(starts, [*starts[1:], len(found)], strict=True)]


def build(stage: list[Instruction], context: Path, ignored: str, root: Path) -> None:
    """Carry out the COPY and RUN instructions of a stage below `root`."""
    folder = root
    for name, value in stage:
        if name == "WORKDIR":
            folder = root / value.lstrip("/")
            folder.mkdir(parents=True, exist_ok=True)
        elif name == "COPY" and not value.startswith("--from"):
            *sources, target = value.split()
            for source in sources:
                _copy(context, source, folder / target, ignored)
        elif name == "RUN":
            _run(value, folder, root)


def exec_form(value: str) -> list[str]:
    """The words of a CMD or ENTRYPOINT in its exec form."""
    return [word.strip(",") for word in shlex.split(value.strip("[]"))]


def _copy(context: Path, source: str, target: Path, ignored: str) -> None:
    allowed = [line[1:] for line in ignored.splitlines() if line.startswith("!")]
    assert any(source == each or source.startswith(each + "/") for each in allowed), (
        f".dockerignore leaves out {source}"
    )
    if (context / source).is_dir():
        shutil.copytree(context / source, target, ignore=shutil.ignore_patterns("__pycache__"))
        return
    into = target / Path(source).name if target.is_dir() else target
    into.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(context / source, into)


def _run(command: str, folder: Path, root: Path) -> None:
    below = re.sub(r"(?<![\w.])/(opt|data|src)\b", f"{root}/\\1", command)
    programs = f"{Path(sys.base_prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}"
    home = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    subprocess.run(
        ["bash", "-euc", below],
        cwd=folder,
        env={**home, "PATH": programs, "HOME": str(root)},
        check=True,
        timeout=_SECONDS,
    )
