"""Tables for people, JSON for programs."""

import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text


def print_json(value: Any) -> None:
    """The value as indented JSON."""
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")
    sys.stdout.flush()


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """The rows under their headings."""
    table = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*(Text(printable(str(cell))) for cell in row))
    Console().print(table)


def printable(text: str) -> str:
    """The text without what would control the terminal: somebody else wrote it."""
    return "".join(sign if sign in "\n\t" or unicodedata.category(sign) != "Cc" else "\ufffd" for sign in text)
