"""Small files, short functions, and names that say something."""

import re
from pathlib import Path

from source_tree import PACKAGE, ROOT, functions, lines_of

MOST_LINES_OF_A_FILE = 600
MOST_LINES_OF_A_FUNCTION = 60
MOST_LINES_OF_THE_PACKAGE = 93276
"""A ratchet, see docs/adr/0072-how-large-the-house-is.md: lower it where lines go, and say there what raises it."""

SAYS_NOTHING = re.compile(r"(^|_)(util|utils|helper|helpers|common|base|manager|misc)(_|$)")


def test_no_file_is_longer_than_600_lines() -> None:
    sizes = {str(path.relative_to(ROOT)): path.read_text("utf-8").count("\n") for path in _python_files()}
    too_long = {where: size for where, size in sizes.items() if size > MOST_LINES_OF_A_FILE}
    assert not too_long, f"split these files by what they are about: {too_long}"


def test_no_function_is_longer_than_60_lines() -> None:
    too_long = {
        f"{module.where}:{function.lineno} {function.name}": lines_of(function)
        for module, function in functions()
        if lines_of(function) > MOST_LINES_OF_A_FUNCTION
    }
    assert not too_long, f"these functions do more than one thing: {too_long}"


def test_the_package_has_no_more_lines_than_before() -> None:
    lines = sum(path.read_text("utf-8").count("\n") for path in PACKAGE.rglob("*.py"))
    assert lines <= MOST_LINES_OF_THE_PACKAGE, f"src has {lines} lines of Python: take away what is not needed"


def test_no_file_or_folder_has_a_name_that_says_nothing() -> None:
    names = [path.relative_to(ROOT) for folder in (PACKAGE, ROOT / "tests") for path in folder.rglob("*")]
    ours = [name for name in names if not {"__pycache__", "node_modules"} & {*name.parts}]
    vague = [str(name) for name in ours if SAYS_NOTHING.search(name.stem)]
    assert not vague, f"name these for what they do: {vague}"


def _python_files() -> list[Path]:
    return [path for folder in ("src", "tests", "benchmarks") for path in sorted((ROOT / folder).rglob("*.py"))]
