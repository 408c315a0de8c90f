"""Retrieval recall on LoCoMo, a set of ten long conversations: python -m benchmarks.locomo locomo10.json

The file is CC BY-NC and not part of the project; it is public in getzep/zep-papers,
kg_architecture_agent_memory/locomo_eval/data/locomo.json. Every question that names evidence counts, no LLM is asked.
"""

import argparse
import asyncio
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.recall import DEPTHS, Conversation, Question, Recall, Turn, milliseconds, plain_bm25, row, search, store
from recuerdo import Recuerdo

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
HELD_OUT = ("conv-48", "conv-49", "conv-50")
"""Conversations that no weight was chosen on."""

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


async def measure(url: str, conversations: list[Conversation]) -> dict[str, list[Recall]]:
    """The recall of each conversation's questions."""
    measured: dict[str, list[Recall]] = {}
    async with Recuerdo.open(url) as memory:
        for conversation in conversations:
            await store(memory, conversation)
            measured[conversation.name] = await search(memory, conversation)
    return measured


def report(conversations: list[Conversation], measured: dict[str, list[Recall]]) -> str:
    """A Markdown table."""
    every = [each for one in measured.values() for each in one]
    floor = [each for conversation in conversations for each in plain_bm25(conversation)]
    held_out = [each for name in HELD_OUT for each in measured.get(name, [])]
    lines = ["| | questions | " + " | ".join(f"@{depth}" for depth in DEPTHS) + " |", "|---|---:" + "|---:" * 4 + "|"]
    lines += [row("all", every), *([row("held out", held_out)] if held_out else [])]
    for category in CATEGORIES.values():
        lines.append(row(category, [each for each in every if each.category == category]))
    lines += [row("plain BM25, all", floor)]
    lines += [row("plain BM25, multi-hop", [each for each in floor if each.category == "multi-hop"]), PAPER]
    return "\n".join([*lines, "", milliseconds(every)])


def main() -> None:
    """Parse the arguments, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.locomo", description=__doc__)
    parser.add_argument("file", type=Path, help="locomo10.json")
    parser.add_argument("--database", help="a database URL (default: a new SQLite file)")
    arguments = parser.parse_args()
    conversations = load(arguments.file)
    with TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        url = arguments.database or f"sqlite:///{folder}/recuerdo.db"
        print(report(conversations, asyncio.run(measure(url, conversations))))


if __name__ == "__main__":
    main()
