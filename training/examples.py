"""Examples of texts that are compared with sentences: questions with their answers, messages that end or forget some.

The questions are those of `tests/data/dialogues` and `tests/data/questions`, of the halves that may be worked on, and
the messages those of `training/data/changes`.
"""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import questions
from benchmarks.dialogues import ANSWERED, DATA, PEOPLE, load, talk
from benchmarks.questions import Question, ask, judge

from recuerdo.agents.offline.answers import entries
from recuerdo.agents.offline.conversation import read, remaining
from recuerdo.agents.offline.quotes import candidates
from recuerdo.agents.offline.ranking import compared
from recuerdo.core.messages import Message
from recuerdo.memories.extract import listen
from recuerdo.memories.extraction.cross_encoder import ComparedSentence, Task
from recuerdo.memories.forgetting import may_ask_to_forget

CHANGES = Path(__file__).parent / "data" / "changes"
FOLDERS = (DATA, PEOPLE, *(folder for name, folder in ANSWERED.items() if name != "unseen"))


class Example(NamedTuple):
    """A text, the sentences that it is compared with, and which of them answer it, end or are to be forgotten."""

    task: Task
    text: str
    sentences: Sequence[ComparedSentence]
    right: Sequence[bool]


def changes(*, held_out: bool) -> Iterator[Example]:
    """The lists of sentences, each with the messages that end or forget some of them."""
    for path in sorted(CHANGES.glob("??-*.txt")):
        if path.stem.endswith("held") == held_out:
            for block in path.read_text("utf-8").split("\n\n"):
                yield from _changes(block.strip().splitlines())


def _changes(lines: Sequence[str]) -> Iterator[Example]:
    """A list of numbered sentences, and messages: `> message | 2,5` ends two of them, `! order | 3` forgets one."""
    kept = [ComparedSentence(line.partition(" ")[2], remembered=True) for line in lines if line[0].isdigit()]
    for line in lines:
        if line[0] in ">!":
            text, _, numbers = line[2:].rpartition(" | ")
            concerned = set[int]() if numbers == "-" else set(map(int, numbers.split(",")))
            right = [number in concerned for number in range(1, len(kept) + 1)]
            yield Example("end" if line[0] == ">" else "forget", text, kept, right)
            if line[0] == ">" and may_ask_to_forget(text):
                yield Example("forget", text, kept, [False] * len(kept))  # not every `drop` is an order


def answered() -> list[Example]:
    """Hold the dialogues and live the lives: each question with the sentences of its prompt."""
    found: list[Example] = []

    def asked(question: Question, prompt: Sequence[Message]) -> None:
        example = of_prompt(question, prompt)
        if example.sentences and (any(example.right) or not question.right):
            found.append(example)

    asyncio.run(talk([each for folder in FOLDERS for each in load(folder) if each.half == "work"], asked))
    asyncio.run(ask([each for each in questions.load() if each.half != "held"], asked))
    return found


def of_prompt(question: Question, prompt: Sequence[Message]) -> Example:
    """A question with the sentences of its prompt; none may be right."""
    conversation = remaining(read(entries(prompt)), listen)
    said = compared(conversation, candidates(conversation, conversation.locale()))
    return Example("answer", question.text, [*said.values()], _answers(question, [*said]))


def _answers(question: Question, sentences: Sequence[str]) -> list[bool]:
    """Which sentences answer: where each has the wrong value as well (`Hugo reads law and Rupert music`), the last."""
    right = [bool(question.right) and judge(question, f"«{each}»") == "right" for each in sentences]
    if question.right and not any(right):
        both = [judge(question._replace(wrong=[]), f"«{each}»") == "right" for each in sentences]
        last = max((place for place, has in enumerate(both) if has), default=-1)
        right = [place == last for place in range(len(sentences))]
    return right
