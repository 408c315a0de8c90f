"""The labelled dialogues are written as the judge reads them."""

import re
from pathlib import Path

import pytest

DIALOGUES = Path(__file__).parent.parent / "data" / "dialogues"
COMMA = re.compile(r",\s|[^\W\d],|,[^\W\d]")
"""A comma between alternatives, which is none of a number: `12,50`."""


@pytest.mark.parametrize("path", sorted(DIALOGUES.rglob("*.txt")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_alternatives_of_an_answer_stand_apart_by_slashes(path: Path) -> None:
    questions = [line for line in path.read_text("utf-8").splitlines() if line.startswith("? ")]
    assert [line for line in questions if COMMA.search(line.partition("|")[2])] == []
