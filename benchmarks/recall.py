"""How much of the evidence a search of histories finds, whatever the conversations are."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from statistics import mean, median
from typing import NamedTuple

import numpy as np

from recuerdo import Message, Recuerdo
from recuerdo.core.words import words_of
from recuerdo.memories import UserMemory
from recuerdo.searching.lexicon import significant
from recuerdo.searching.vocabulary import stem

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


class Ranked(NamedTuple):
    """The results of a search, best first, and the seconds that it took."""

    keys: Sequence[str]
    seconds: float = 0.0


class Recall(NamedTuple):
    """The share of a question's evidence among the best 5, 10, 25 and 50."""

    category: str
    found: tuple[float, ...]


async def rank(url: str, conversations: Sequence[Conversation]) -> dict[str, list[Ranked]]:
    """Return the results of `user.search_history` for the questions of each conversation, by its name."""
    async with Recuerdo.open(url) as memory:
        ranked: dict[str, list[Ranked]] = {}
        for conversation in conversations:
            await store(memory, conversation)
            ranked[conversation.name] = await search(memory, conversation)
        return ranked


async def store(memory: Recuerdo, conversation: Conversation) -> None:
    """One user for the conversation, one thread for each session."""
    sessions = dict.fromkeys(turn.session for turn in conversation.turns)
    for session in sessions:
        thread = memory.thread(tenant="recall", user=conversation.name, thread=session)
        turns = [turn for turn in conversation.turns if turn.session == session]
        await thread.append(*map(_message, turns))


async def search(memory: Recuerdo, conversation: Conversation) -> list[Ranked]:
    """Return each question's results when all vectors are made."""
    user = memory.user(tenant="recall", user=conversation.name)
    await user.search_history(conversation.questions[0].text)
    await memory.flush()
    return [await _rank(user, question) for question in conversation.questions]


def plain_bm25(conversation: Conversation) -> list[Ranked]:
    """The floor: stems of each turn alone with its author, k1 1.2, b 0.75."""
    turns = [
        Counter(stem(word) for word in significant(words_of(f"{turn.author} {turn.text}")))
        for turn in conversation.turns
    ]
    lengths = np.array([words.total() for words in turns])
    norm = 1.2 * (0.25 + 0.75 * lengths / lengths.mean())
    ranked: list[Ranked] = []
    for question in conversation.questions:
        scores = np.zeros(len(turns))
        for word in {stem(word) for word in significant(words_of(question.text))}:
            counts = np.array([words[word] for words in turns])
            holding = (counts > 0).sum()
            scores += np.log(1 + (len(turns) - holding + 0.5) / (holding + 0.5)) * counts * 2.2 / (counts + norm)
        order: list[int] = np.argsort(-scores, kind="stable").tolist()
        ranked.append(Ranked([conversation.turns[place].key for place in order]))
    return ranked


def found_by(
    conversation: Conversation, ranked: Sequence[Ranked], unit: Callable[[str], str] = lambda key: key
) -> list[Recall]:
    """How much of the evidence was found; it names the `unit` that a turn's key belongs to."""
    pairs = zip(conversation.questions, ranked, strict=True)
    return [Recall(question.category, _shares([*map(unit, each.keys)], question)) for question, each in pairs]


def table(rows: Sequence[str]) -> str:
    """A Markdown table of rows of recall."""
    head = "| | questions | " + " | ".join(f"@{depth}" for depth in DEPTHS) + " |"
    return "\n".join([head, "|---|---:" + "|---:" * len(DEPTHS) + "|", *rows])


def row(name: str, measured: Sequence[Recall]) -> str:
    """One row of a Markdown table, in per cent."""
    shares = (100 * mean(each.found[depth] for each in measured) for depth in range(len(DEPTHS)))
    return f"| {name} | {len(measured)} | " + " | ".join(f"{share:.1f}" for share in shares) + " |"


def milliseconds(ranked: Iterable[Ranked]) -> str:
    """The median and the 95th percentile of the searches' times."""
    times = sorted(1000 * each.seconds for each in ranked)
    return f"{median(times):.1f} ms a query (median), {times[int(len(times) * 0.95)]:.1f} ms (95th percentile)"


async def _rank(user: UserMemory, question: Question) -> Ranked:
    begin = time.perf_counter()
    hits = await user.search_history(question.text, DEPTHS[-1])
    return Ranked([hit.message.id or "" for hit in hits], time.perf_counter() - begin)


def _shares(ranked: Sequence[str], question: Question) -> tuple[float, ...]:
    return tuple(len(question.evidence.intersection(ranked[:depth])) / len(question.evidence) for depth in DEPTHS)


def _message(turn: Turn) -> Message:
    make = Message.assistant if turn.role == "assistant" else Message.user
    return make(turn.text, id=turn.key, name=turn.author or None, created_at=turn.said_at)
