"""How much of the evidence a search of histories finds, whatever the conversations are."""

import time
from collections.abc import Sequence
from datetime import datetime
from statistics import mean, median
from typing import NamedTuple

import numpy as np

from recuerdo import Message, Recuerdo
from recuerdo.core.words import words_of
from recuerdo.memories import UserMemory
from recuerdo.searching.words import significant, stem

DEPTHS = (5, 10, 25, 50)


class Turn(NamedTuple):
    """One message of a conversation: `key` is what evidence names it by, `session` becomes a thread."""

    key: str
    session: str
    author: str
    text: str
    said_at: datetime
    role: str = "user"


class Question(NamedTuple):
    """A question and the keys of the turns that answer it."""

    text: str
    category: str
    evidence: frozenset[str]


class Conversation(NamedTuple):
    """All that two people, or a person and an assistant, said, and what is asked about it."""

    name: str
    turns: Sequence[Turn]
    questions: Sequence[Question]


class Recall(NamedTuple):
    """The share of a question's evidence among the best 5, 10, 25 and 50, and the seconds that the search took."""

    category: str
    found: tuple[float, ...]
    seconds: float


async def store(memory: Recuerdo, conversation: Conversation) -> None:
    """One user for the conversation, one thread for each session."""
    sessions = dict.fromkeys(turn.session for turn in conversation.turns)
    for session in sessions:
        thread = memory.thread(tenant="recall", user=conversation.name, thread=session)
        turns = [turn for turn in conversation.turns if turn.session == session]
        await thread.append(*map(_message, turns))


async def search(memory: Recuerdo, conversation: Conversation) -> list[Recall]:
    """The recall of each question, when all vectors are made."""
    user = memory.user(tenant="recall", user=conversation.name)
    await user.search_history(conversation.questions[0].text)
    await memory.flush()
    return [await _recall(user, question) for question in conversation.questions]


def plain_bm25(conversation: Conversation) -> list[Recall]:
    """The floor: stems of each turn alone with its author, k1 1.2, b 0.75."""
    turns = [
        [stem(word) for word in significant(words_of(f"{turn.author} {turn.text}"))] for turn in conversation.turns
    ]
    lengths = np.array([len(words) for words in turns])
    norm = 1.2 * (0.25 + 0.75 * lengths / lengths.mean())
    measured: list[Recall] = []
    for question in conversation.questions:
        scores = np.zeros(len(turns))
        for word in {stem(word) for word in significant(words_of(question.text))}:
            counts = np.array([words.count(word) for words in turns])
            holding = (counts > 0).sum()
            scores += np.log(1 + (len(turns) - holding + 0.5) / (holding + 0.5)) * counts * 2.2 / (counts + norm)
        order: list[int] = np.argsort(-scores, kind="stable").tolist()
        ranked = [conversation.turns[place].key for place in order]
        measured.append(Recall(question.category, _shares(ranked, question), 0.0))
    return measured


def row(name: str, measured: Sequence[Recall]) -> str:
    """One row of a Markdown table, in per cent."""
    shares = (100 * mean(each.found[depth] for each in measured) for depth in range(len(DEPTHS)))
    return f"| {name} | {len(measured)} | " + " | ".join(f"{share:.1f}" for share in shares) + " |"


def milliseconds(measured: Sequence[Recall]) -> str:
    """The median and the 95th percentile of the searches' times."""
    times = sorted(1000 * each.seconds for each in measured)
    return f"{median(times):.1f} ms a query (median), {times[int(len(times) * 0.95)]:.1f} ms (95th percentile)"


async def _recall(user: UserMemory, question: Question) -> Recall:
    begin = time.perf_counter()
    hits = await user.search_history(question.text, DEPTHS[-1])
    seconds = time.perf_counter() - begin
    return Recall(question.category, _shares([hit.message.id for hit in hits], question), seconds)


def _shares(ranked: Sequence[str], question: Question) -> tuple[float, ...]:
    return tuple(len(question.evidence.intersection(ranked[:depth])) / len(question.evidence) for depth in DEPTHS)


def _message(turn: Turn) -> Message:
    make = Message.assistant if turn.role == "assistant" else Message.user
    return make(turn.text, id=turn.key, name=turn.author or None, created_at=turn.said_at)
