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
    "chat turn": (48, 307),
    "runs/stream": (91, 624),
    "checkpoint put": (12, 53),
}
MOST_WITH_ANOTHER_MODEL = {**MOST, "chat turn": (41, 218), "runs/stream": (82, 511)}
_LINE = re.compile(r"(?P<name>.+): (?P<files>\d+) files, (?P<functions>\d+) functions")


def measured(*options: str) -> dict[str, tuple[int, int]]:
    """The figures, measured in a process of its own, which no plugin and no coverage profiles."""
    command = [sys.executable, str(ROOT / "scripts" / "paths.py"), *options]
    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=240).stdout
    return {each["name"]: (int(each["files"]), int(each["functions"])) for each in _LINE.finditer(output)}


@pytest.mark.parametrize(("options", "most"), [((), MOST), (("--another-model",), MOST_WITH_ANOTHER_MODEL)])
def test_an_operation_enters_no_more_files_and_functions_than_before(
    options: tuple[str, ...], most: dict[str, tuple[int, int]]
) -> None:
    found = measured(*options)
    assert found.keys() == most.keys()
    longer = {
        operation: figures
        for operation, figures in found.items()
        if any(entered > allowed for entered, allowed in zip(figures, most[operation], strict=True))
    }
    assert not longer, (
        f"These enter more files or functions than {most} allows: {longer}. `python scripts/paths.py "
        f"{' '.join(options)} --list OPERATION` names them. Merge steps that only pass on."
    )
