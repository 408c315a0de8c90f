"""How many files and functions an operation enters: a ratchet, whose figures may only fall."""

import re
import subprocess
import sys

import pytest
from source_tree import ROOT

# Goals: append 12 and 35, window 11 and 30, memory search over HTTP 15 and 45, chat turn 45 and 220, runs/stream 70 and
# 350, checkpoint put 20 and 90. Lower a figure in the commit that earns it.
MOST = {
    "append": (11, 33),
    "window": (8, 30),
    "memory search over HTTP": (15, 47),
    "chat turn": (48, 370),
    "runs/stream": (91, 732),
    "checkpoint put": (12, 66),
}
_LINE = re.compile(r"(?P<name>.+): (?P<files>\d+) files, (?P<functions>\d+) functions")


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[int, int]]:
    """The figures, measured in a process of its own, which no plugin and no coverage profiles."""
    command = [sys.executable, str(ROOT / "scripts" / "paths.py")]
    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=240).stdout
    return {each["name"]: (int(each["files"]), int(each["functions"])) for each in _LINE.finditer(output)}


@pytest.mark.parametrize("operation", MOST)
def test_an_operation_enters_no_more_files_and_functions_than_before(
    operation: str, found: dict[str, tuple[int, int]]
) -> None:
    files, functions = found[operation]
    most_files, most_functions = MOST[operation]
    is_longer = files > most_files or functions > most_functions
    assert not is_longer, (
        f"`{operation}` enters {files} files and {functions} functions, and may enter {MOST[operation]}: "
        f'`python scripts/paths.py --list "{operation}"` names them. Merge steps that only pass on.'
    )


def test_the_table_names_every_operation(found: dict[str, tuple[int, int]]) -> None:
    assert found.keys() == MOST.keys()
