"""Retrieval recall on BEAM, a set of long chats between a person and an assistant: see benchmarks.evaluation.

The set is public in mohammadtavakoli78/BEAM and not part of the project. Of its sizes, `chats/100K` is read: one user a
chat, one thread a batch. Every question that names messages counts, no LLM is asked.
"""

import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.recall import Conversation, Question, Ranked, Recall, Turn, found_by, plain_bm25, row, table

CHOSEN = frozenset(f"chat-{number}" for number in range(1, 11))
"""Chats that weights were chosen on; the others were held out."""

_END = re.compile(r"\s*->->[^\n]*$")
"""The set's own numbers at the end of what a user says."""


def load(folder: Path) -> list[Conversation]:
    """The chats of a folder such as chats/100K, in order."""
    return [_chat(path) for path in sorted(folder.glob("[0-9]*"), key=lambda path: int(path.name))]


def by_exchange(conversation: Conversation) -> Conversation:
    """The same with exchanges as evidence: a message and its answer."""
    questions = [
        question._replace(evidence=frozenset(map(exchange, question.evidence))) for question in conversation.questions
    ]
    return conversation._replace(questions=questions)


def exchange(key: str) -> str:
    """The exchange that a message belongs to."""
    return f"exchange-{int(key) // 2}"


def report(conversations: Sequence[Conversation], ranked: dict[str, list[Ranked]]) -> str:
    """A Markdown table of what was found, by message and by exchange, beside plain BM25."""
    floor = {conversation.name: plain_bm25(conversation) for conversation in conversations}
    lines: list[str] = []
    for name, found in (("", ranked), ("plain BM25, ", floor)):
        messages, exchanges = _both(conversations, found)
        held_out = [conversation for conversation in conversations if conversation.name not in CHOSEN]
        lines += [row(f"{name}messages", messages), row(f"{name}exchanges", exchanges)]
        if held_out:
            messages, exchanges = _both(held_out, found)
            lines += [row(f"{name}messages, held out", messages), row(f"{name}exchanges, held out", exchanges)]
    messages, _ = _both(conversations, ranked)
    for category in sorted({each.category for each in messages}):
        lines.append(row(category, [each for each in messages if each.category == category]))
    return table(lines)


def _both(conversations: Sequence[Conversation], ranked: dict[str, list[Ranked]]) -> tuple[list[Recall], ...]:
    messages = [each for one in conversations for each in found_by(one, ranked[one.name])]
    exchanges = [each for one in conversations for each in found_by(by_exchange(one), ranked[one.name], exchange)]
    return messages, exchanges


def _chat(folder: Path) -> Conversation:
    said = next(path for name in ("chat_trunecated", "chat") if (path := folder / f"{name}.json").exists())
    turns = list(_turns(json.loads(said.read_text("utf-8"))))
    asked = json.loads((folder / "probing_questions" / "probing_questions.json").read_text("utf-8"))
    keys = {turn.key for turn in turns}
    questions = [
        Question(each["question"], category, frozenset(map(str, _numbers(each.get("source_chat_ids")))) & keys)
        for category, entries in asked.items()
        for each in entries
    ]
    return Conversation(f"chat-{folder.name}", turns, [question for question in questions if question.evidence])


def _turns(batches: Sequence[dict[str, Any]]) -> Iterator[Turn]:
    """A minute after each other from the day that a batch names."""
    now = datetime(2024, 1, 1, tzinfo=UTC)
    for batch in batches:
        for said in (each for group in batch["turns"] for each in group):
            if anchor := said.get("time_anchor"):
                now = max(now, datetime.strptime(anchor, "%B-%d-%Y").replace(tzinfo=UTC))
            now += timedelta(minutes=1)
            text = _END.sub("", said["content"])
            yield Turn(str(said["id"]), f"batch-{batch['batch_number']}", "", text, now, said["role"])


def _numbers(value: Any) -> Iterator[int]:
    """The numbers in nested lists and dicts."""
    match value:
        case int():
            yield value
        case dict():
            yield from _numbers(list(value.values()))  # pyright: ignore[reportUnknownArgumentType]
        case list():
            for each in value:  # pyright: ignore[reportUnknownVariableType]
                yield from _numbers(each)
        case _:
            return
