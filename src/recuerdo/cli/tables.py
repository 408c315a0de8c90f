"""Tables for people, JSON for programs."""

import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

_TO_COPY = ("id", "action", "memory")
"""Columns of what other commands ask for: however narrow the terminal, it stays in one piece."""


def print_json(value: Any) -> None:
    """The value as indented JSON."""
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")
    sys.stdout.flush()


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """The rows under their headings. What does not fit into its line goes on in the next, and nothing is left out."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column in _TO_COPY)
    for row in rows:
        table.add_row(*(Text(printable(str(cell))) for cell in row))
    Console().print(table)


def printable(text: str) -> str:
    """The text without what would control the terminal: somebody else wrote it."""
    return "".join(sign if sign in "\n\t" or unicodedata.category(sign) != "Cc" else "\ufffd" for sign in text)
