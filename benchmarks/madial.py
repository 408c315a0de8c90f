"""Which memories `user.search` finds for a dialogue, on MADial-Bench: see benchmarks.evaluation.

The set is public in hejunqing/MADial-Bench and not part of the project. Its English part, `data/en`, is read: 160
memories of two children, and 160 dialogues between a child and an assistant, each with the memories that the
assistant's next words should use. The query is what was said until then, a line a turn, without the names of the
speakers; a child's memories are a user's. The peers embedded both, and ranked by cosine.
"""

import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from benchmarks.recall import Ranked, milliseconds
from recuerdo import Recuerdo

DEPTHS = (1, 3, 5, 10)
CHILDREN = {1: "Bart", 2: "Lisa"}

_SPEAKER = re.compile(r"^<\w+>:\s*")
_MARKS = ("<BOD>", "<EOD>")


class Dialogue(NamedTuple):
    """A turn that should use a memory: the messages before it, the owner of the memories, and the memories that fit."""

    user: str
    text: str
    evidence: frozenset[str]


class Set(NamedTuple):
    """Memories by number, as text, and the dialogues; those at even places were looked at, the others held out."""

    memories: dict[str, str]
    dialogues: Sequence[Dialogue]


def load(folder: Path) -> Set:
    """The English part; the folder is the repository's, or its data/en."""
    folder = next((each for each in (folder / "data" / "en", folder) if each.is_dir()), folder)
    memories: dict[str, Any] = {}
    for line in _lines(folder / "MADial-Bench-en-memory.json"):
        memories |= line
    dialogues = [_dialogue(line) for line in _lines(folder / "MADial-Bench-en-dialogue.json")]
    return Set({number: each["event"] for number, each in memories.items()}, dialogues)


async def rank(url: str, given: Set) -> list[Ranked]:
    """The numbers of the memories that a search finds for each dialogue."""
    async with Recuerdo.open(url) as memory:
        users = {name: memory.user(tenant="madial", user=name) for name in CHILDREN.values()}
        numbers: dict[str, str] = {}
        for number, text in given.memories.items():
            child = next(name for name in users if name in text)
            numbers[(await users[child].add(text, kind="episodic")).id] = number
        await memory.flush()
        ranked: list[Ranked] = []
        for dialogue in given.dialogues:
            begun = time.perf_counter()
            hits = await users[dialogue.user].search(dialogue.text, limit=DEPTHS[-1])
            ranked.append(Ranked([numbers[hit.memory.id] for hit in hits], time.perf_counter() - begun))
        return ranked


def report(given: Set, ranked: Sequence[Ranked]) -> str:
    """A Markdown table of the share of the memories that was found."""
    pairs = [*zip(given.dialogues, ranked, strict=True)]
    head = "| | dialogues | " + " | ".join(f"@{depth}" for depth in DEPTHS) + " |"
    rows = [_row("user.search", pairs), _row("looked at", pairs[::2]), _row("held out", pairs[1::2])]
    return "\n".join([head, "|---|---:" + "|---:" * len(DEPTHS) + "|", *rows, "", milliseconds(ranked)])


def _row(name: str, pairs: Sequence[tuple[Dialogue, Ranked]]) -> str:
    shares = [
        100 * mean(len(one.evidence.intersection(found.keys[:depth])) / len(one.evidence) for one, found in pairs)
        for depth in DEPTHS
    ]
    return f"| {name} | {len(pairs)} | " + " | ".join(f"{share:.1f}" for share in shares) + " |"


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _dialogue(line: dict[str, Any]) -> Dialogue:
    said = (turn.strip() for turn in line["dialogue"][: line["test-turn"][0]])
    text = "\n".join(_SPEAKER.sub("", turn).strip('"') for turn in said if turn not in _MARKS)
    return Dialogue(CHILDREN[line["user-id"]], text, frozenset(map(str, line["relevant-id"])))
