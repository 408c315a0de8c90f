"""Conversations in Spanish and Portuguese, and what is asked about them: see tests/data/conversations/README.md."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.recall import Conversation, Question, Turn

FOLDER = Path(__file__).parents[1] / "data" / "conversations"
SPEAKERS = 3
_TALKS_A_SESSION = 3


def conversations(language: str) -> list[Conversation]:
    """One for each speaker: the same talks in another order, with names, places and things of their own."""
    slots, *talks = (FOLDER / f"{language}.txt").read_text("utf-8").strip().split("\n\n")
    values = [_values(slots, speaker) for speaker in range(SPEAKERS)]
    chatter = (FOLDER / f"{language}-chatter.txt").read_text("utf-8").splitlines()
    return [_conversation(f"{language}-{speaker}", talks, chatter, values[speaker]) for speaker in range(SPEAKERS)]


def _values(slots: str, speaker: int) -> dict[str, str]:
    pairs = (line.removeprefix("@").split(" ", 1) for line in slots.splitlines())
    return {name: choices.split(" / ")[speaker] for name, choices in pairs}


def _conversation(name: str, talks: list[str], chatter: list[str], values: dict[str, str]) -> Conversation:
    order = random.Random(name)
    talks = order.sample(talks, len(talks))
    turns: list[Turn] = []
    questions: list[Question] = []
    for number, talk in enumerate(talks):
        session, place = divmod(number, _TALKS_A_SESSION)
        begin = datetime(2026, 1, 5, 18, tzinfo=UTC) + timedelta(days=6 * session, minutes=20 * place)
        lines = [*(line.format(**values) for line in talk.splitlines()), *_small_talk(order, chatter)]
        said = [line for line in lines if not line.startswith("?")]
        keys = [f"{name}-{number}-{line}" for line in range(len(said))]
        turns += [
            Turn(key, f"s-{session}", "", line[2:], begin + timedelta(minutes=at), _role(line))
            for at, (key, line) in enumerate(zip(keys, said, strict=True))
        ]
        questions += [_question(line, keys) for line in lines if line.startswith("?")]
    return Conversation(name, turns, questions)


def _small_talk(order: random.Random, chatter: list[str]) -> list[str]:
    """Two exchanges that answer nothing."""
    starts = order.sample(range(len(chatter) // 2), 2)
    return [line for start in starts for line in chatter[2 * start : 2 * start + 2]]


def _role(line: str) -> str:
    return "assistant" if line.startswith("A ") else "user"


def _question(line: str, keys: list[str]) -> Question:
    text, _, evidence = line.removeprefix("? ").partition(" | ")
    return Question(text, "", frozenset(keys[int(number) - 1] for number in evidence.split()))
