"""The fenced blocks of a Markdown page, and what its comments say about them.

<!-- skip: it would install from the network -->     the next block is not run
<!-- file: my_adapter.py -->                          the next block is written to that file
<!-- python                                           Python that is run and not shown
...
-->
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]

_PIECES = re.compile(
    r"^(?P<indent>[ ]*)(?P<fence>`{3,})(?P<language>[^\n`]*)\n(?P<code>.*?)^(?P=indent)(?P=fence)[ ]*$"
    r"|^<!--[ ]*(?P<word>skip|file|python)(?::[ ]*(?P<value>[^\n]*?))?(?:\n(?P<hidden>.*?))?[ ]*-->[ ]*$",
    re.DOTALL | re.MULTILINE,
)


class Block(NamedTuple):
    """A piece of code: its language, its text, the line that it starts at, and what a comment said about it."""

    language: str
    code: str
    line: int
    skip: str = ""
    file: str = ""
    is_hidden: bool = False


def pages() -> list[Path]:
    """Everything whose code must run."""
    return [*sorted(ROOT.glob("README*.md")), *sorted(path for path in (ROOT / "docs").rglob("*.md"))]


def page_name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks_of(path: Path) -> list[Block]:
    return list(blocks(path.read_text("utf-8")))


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a page, in order; an `output` block tells what the one before it prints."""
    about = {"skip": "", "file": ""}
    for piece in _PIECES.finditer(text):
        line = text.count("\n", 0, piece.start()) + 2
        if piece["word"] == "python":
            yield Block("python", piece["hidden"] or "", line, is_hidden=True)
        elif piece["word"]:
            about[piece["word"]] = piece["value"] or "no reason given"
        else:
            yield Block(piece["language"].strip(), _dedent(piece["code"], len(piece["indent"])), line, **about)
            about = {"skip": "", "file": ""}


def _dedent(code: str, width: int) -> str:
    return "".join(line[width:] if line.strip() else "\n" for line in code.splitlines(keepends=True))
