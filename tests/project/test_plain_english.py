"""Documents, messages, docstrings and comments are plain English: phrases that needed a second reading stay out."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from source_tree import PACKAGE, ROOT

AVOID = {
    "somebody": "name the subject: another process, a user, a caller",
    "whoever": "name the subject: the caller that ..., any process that ...",
    "believed": "accepted, trusted, verified",
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
    "nobody's": "no caller's; or say what is missing: without an author",
    "gone on with": "continued",
    "goes on with": "continues",
    "go on with": "continue",
}
"""The words to write instead of each phrase."""

LEFT_IN_CODE = {"somebody": 2}
"""How often the source has a phrase: words that detectors read. These may only fall."""

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
SOURCES = sorted(PACKAGE.rglob("*.py"))
FOLDERS = ("src", "tests", "scripts", "benchmarks", "examples")

_WORDS = r"(?:Whoever|Whose|Whom|Who|What)\b"
_CLAUSE = re.compile(_WORDS + r"(?!.*\?$)", re.DOTALL)


def test_pages_are_plain_english() -> None:
    _check(PAGES, {})


def test_the_source_is_plain_english() -> None:
    _check(SOURCES, LEFT_IN_CODE)


def test_docstrings_are_sentences() -> None:
    """Docstrings and comments say what a thing is, does or returns: no "What a line says.", which has no subject."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    found = [f"{path.relative_to(ROOT)}: {clause}" for path in paths for clause in _clauses(path)]
    assert not found, f"Begin these with what the thing is, does or returns: {found}"


def test_clauses_are_recognised() -> None:
    for text in ("What a line says.", "Returns it.\n\n  Who asks is\nknown.", "It waits. Whoever asks, waits too."):
        assert list(_clauses_of(text)), text
    for text in ("What is it?", "Return what it is.", "The `question` is asked: What do you do?", "Whatever it is."):
        assert not list(_clauses_of(text)), text


def _check(paths: list[Path], left: dict[str, int]) -> None:
    found = Counter(phrase for path in paths for phrase in _phrases(path))
    more = {phrase: AVOID[phrase] for phrase in found if found[phrase] > left.get(phrase, 0)}
    assert not more, f"There is more of these than is left from before; write instead: {more}"


def _phrases(path: Path) -> list[str]:
    words = " ".join(path.read_text("utf-8").lower().split())
    return [phrase for phrase in AVOID for _ in re.findall(rf"\b{phrase}\b", words)]


def _clauses(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8")
    if not re.search(_WORDS, text):  # as of most files, which are not parsed then
        return
    for docstring in _docstrings(ast.parse(text)):
        yield from _clauses_of(docstring)
    for comment in re.findall(r"(?:^|  )# (.*)", text, re.MULTILINE):
        if _CLAUSE.match(comment):
            yield comment


def _clauses_of(docstring: str) -> Iterator[str]:
    for sentence in re.split(r"(?<=[.?!]) |\n\n", re.sub(r"(?<!\n)\n(?!\n) *", " ", docstring.strip())):
        if _CLAUSE.match(sentence.strip()):
            yield sentence


def _docstrings(tree: ast.AST) -> Iterator[str]:
    """The strings that stand alone: of modules, classes and functions, and below an attribute."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text
            case _:
                pass
