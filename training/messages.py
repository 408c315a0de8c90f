"""The labelled messages that the tagger learns from: `[value](label)` marks a value, `question >> answer` an answer."""

import json
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from recuerdo.memories.extraction.words import fold

FOLDER = Path(__file__).parent / "data"
UTTERANCES = Path(__file__).parent.parent / "tests" / "data"
_MARK = re.compile(r"\[([^\[\]]+)\]\((-?[a-z_]+)\)")
_HELD_OUT = 12
"""One message in so many is held out, by a hash of its text."""


class Mark(NamedTuple):
    """A value in a message; a label with a minus says that it is over, or never was."""

    start: int
    end: int
    label: str


class Message(NamedTuple):
    """What a user writes, behind the assistant's question if there was one."""

    text: str
    question: str | None
    marks: Sequence[Mark]

    @property
    def is_held_out(self) -> bool:
        """Whether nothing is learned from it."""
        return sha256(self.text.encode()).digest()[0] % _HELD_OUT == 0


def marked(files: str = "??-*.txt") -> Iterator[Message]:
    """The messages that were written for the training, in the files of these names."""
    for path in sorted(FOLDER.glob(files)):
        yield from map(parse, path.read_text("utf-8").splitlines())


def parse(line: str) -> Message:
    """Read one line of a file."""
    question, arrow, answer = line.partition(" >> ")
    text, marks, position = "", list[Mark](), 0
    said = answer if arrow else line
    for mark in _MARK.finditer(said):
        text += said[position : mark.start()]
        marks.append(Mark(len(text), len(text) + len(mark[1]), mark[2]))
        text, position = text + mark[1], mark.end()
    return Message(text + said[position:], question if arrow else None, marks)


def utterances() -> Iterator[Message]:
    """The detectors' labelled utterances but for those that nobody looks into."""
    for path in sorted(UTTERANCES.glob("utterances*.jsonl")):
        if "unseen" not in path.name:
            yield from utterances_of(path)


def utterances_of(path: Path) -> Iterator[Message]:
    """The utterances of a file, but for those with a value that isn't in the text."""
    for line in path.read_text("utf-8").splitlines():
        told = json.loads(line)
        marks = list(_found(fold(told["text"]), told["facts"]))
        if len(marks) == len(told["facts"]):
            yield Message(told["text"], told.get("question"), marks)


def _found(text: str, facts: Sequence[dict[str, str]]) -> Iterator[Mark]:
    taken: list[Mark] = []
    for fact in facts:
        for found in re.finditer(rf"(?<!\w){re.escape(fold(fact['value']))}(?!\w)", text):
            if fact["attribute"] != "remember" and not any(
                mark.start < found.end() and found.start() < mark.end for mark in taken
            ):
                taken.append(Mark(*found.span(), fact["attribute"]))
                yield taken[-1]
                break
