"""SECURITY.md: each promise names tests, and these exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = [
    line
    for line in (ROOT / "SECURITY.md").read_text("utf-8").partition("## Promises")[2].partition("\n## ")[0].splitlines()
    if line.startswith("| ") and not line.startswith("| promise")
]
TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
DEFINED = re.compile(r"^ *(?:async )?def (test_\w+)\(", re.MULTILINE)


def test_there_are_promises() -> None:
    assert len(ROWS) > 20


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2:50])
def test_a_promise_names_tests_that_exist(row: str) -> None:
    _, promise, tests, _ = row.split("|")
    named = TEST.findall(tests)
    assert named, f"name the tests that hold: {promise}"
    assert TEST.sub("", tests).replace(",", "").strip() == "", "write tests as `tests/x.py::test_y`"
    for file, name in named:
        assert name in _tests_of(ROOT / file), f"there is no test {file}::{name}"


def _tests_of(file: Path) -> set[str]:
    """By their lines: CPython 3.11 fails now and then to make a syntax tree (python/cpython#106905)."""
    return set(DEFINED.findall(file.read_text("utf-8"))) if file.is_file() else set()
