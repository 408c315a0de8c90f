"""Documents, messages, docstrings and comments are plain English: phrases that needed a second reading stay out."""

import re
from collections import Counter
from pathlib import Path

from source_tree import PACKAGE, ROOT

AVOID = {
    "somebody": "name the subject: another process, a user, a caller",
    "whoever": "name the subject: the caller that ..., any process that ...",
    "upkeep": "maintenance",
    "looks after": "handles, monitors, runs",
    "looked after": "handled, monitored",
    "by itself": "automatically",
    "by themselves": "automatically",
    "knows of": "knows, has",
    "lies in": "is stored in",
    "is at work": "is running",
    "good for nothing": "invalid",
    "believes us": "authenticates us",
    "no telling": "unknown",
}
"""What to write instead of each phrase."""

LEFT_IN_CODE = {
    "somebody": 117,
    "whoever": 79,
    "upkeep": 1,
    "knows of": 5,
    "lies in": 5,
    "by itself": 4,
    "is at work": 2,
    "by themselves": 4,
    "no telling": 3,
    "looks after": 2,
}
"""How often the source still has a phrase. These numbers may only fall."""

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_pages_are_plain_english() -> None:
    _check(PAGES, {})


def test_the_source_is_plain_english() -> None:
    _check(sorted(PACKAGE.rglob("*.py")), LEFT_IN_CODE)


def _check(paths: list[Path], left: dict[str, int]) -> None:
    found = Counter(phrase for path in paths for phrase in _phrases(path))
    more = {phrase: AVOID[phrase] for phrase in found if found[phrase] > left.get(phrase, 0)}
    assert not more, f"There is more of these than is left from before; write instead: {more}"


def _phrases(path: Path) -> list[str]:
    words = " ".join(path.read_text("utf-8").lower().split())
    return [phrase for phrase in AVOID for _ in re.findall(rf"\b{phrase}\b", words)]
