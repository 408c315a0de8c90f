"""Retrieval recall on LoCoMo, a set of ten long conversations: see benchmarks.evaluation.

The file is CC BY-NC and not part of the project; it is public in getzep/zep-papers,
kg_architecture_agent_memory/locomo_eval/data/locomo.json. Every question that names evidence counts, no LLM is asked.
"""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.recall import Conversation, Question, Ranked, Recall, Turn, found_by, plain_bm25, row, table

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
CHOSEN = ("conv-26", "conv-30", "conv-41", "conv-42", "conv-43")
"""Conversations that weights were chosen on; the others were held out."""

PAPER = "| DRAGON, as the paper has it | | 56.7 | 66.2 | 76.7 | 82.7 |"


def load(path: Path) -> list[Conversation]:
    """The conversations of the file; a picture's caption is part of its turn."""
    return [_conversation(entry) for entry in json.loads(path.read_text("utf-8"))]


def _conversation(entry: dict[str, Any]) -> Conversation:
    said = entry["conversation"]
    turns = [
        _turn(turn, name, datetime.strptime(said[f"{name}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC))
        for name in said
        if re.fullmatch(r"session_\d+", name)
        for turn in said[name]
    ]
    keys = {turn.key for turn in turns}
    questions = [_question(each, keys) for each in entry["qa"]]
    return Conversation(entry["sample_id"], turns, [question for question in questions if question.evidence])


def _turn(turn: dict[str, Any], session: str, said_at: datetime) -> Turn:
    text = "\n".join(filter(None, (turn["text"], turn.get("blip_caption"))))
    return Turn(turn["dia_id"], session, turn["speaker"], text, said_at)


def _question(entry: dict[str, Any], keys: set[str]) -> Question:
    named = (re.findall(r"D(\d+):(\d+)", text) for text in entry.get("evidence", []))
    evidence = {f"D{session}:{int(turn)}" for pairs in named for session, turn in pairs}
    return Question(entry["question"], CATEGORIES[entry["category"]], frozenset(evidence & keys))


def report(conversations: Sequence[Conversation], ranked: dict[str, list[Ranked]]) -> str:
    """A Markdown table of what was found, beside plain BM25."""
    found = {each.name: found_by(each, ranked[each.name]) for each in conversations}
    every = [recall for each in found.values() for recall in each]
    floor = [recall for each in conversations for recall in found_by(each, plain_bm25(each))]
    held_out = [recall for name, each in found.items() if name not in CHOSEN for recall in each]
    lines = [row("all", every), *([row("all, held out", held_out)] if held_out else [])]
    lines += [row("multi-hop, held out", _of("multi-hop", held_out))] if _of("multi-hop", held_out) else []
    lines += [row(category, _of(category, every)) for category in CATEGORIES.values() if _of(category, every)]
    lines += [row("plain BM25, all", floor), row("plain BM25, multi-hop", _of("multi-hop", floor)), PAPER]
    return table(lines)


def _of(category: str, measured: Sequence[Recall]) -> list[Recall]:
    return [each for each in measured if each.category == category]
