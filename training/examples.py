"""Examples of texts that are compared with sentences: questions with their answers, messages that end or forget some.

The questions are those of `tests/data/dialogues` and `tests/data/questions`, of the halves that may be worked on, and
the messages those of `training/data/changes`. The lists of `training/data/stories` have both.
"""

import asyncio
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import questions
from benchmarks.dialogues import ANSWERED, DATA, PEOPLE, load, talk
from benchmarks.questions import Question, ask, judge

from recuerdo.agents.offline.answers import entries
from recuerdo.agents.offline.conversation import read, remaining
from recuerdo.agents.offline.quotes import Quote, candidates
from recuerdo.agents.offline.ranking import closest, compared, shares_of_words
from recuerdo.core.messages import Message
from recuerdo.memories.extract import listen
from recuerdo.memories.extraction.cross_encoder import ComparedSentence, Task
from recuerdo.memories.forgetting import may_ask_to_forget
from recuerdo.memories.locales.registry import LOCALES

CHANGES, STORIES = (Path(__file__).parent / "data" / name for name in ("changes", "stories"))
FOLDERS = (DATA, PEOPLE, *(folder for name, folder in ANSWERED.items() if name != "unseen"))

_NUMBERED = re.compile(r"\d+(?:<(?P<over>[\d,]+))? (?P<text>.+)")

_KNOWN_AS_OVER, _FORGOTTEN, _REMEMBERED, _EARLIER_DAY = 0.5, 0.7, 0.75, 0.6
"""Of the sentences of a story: how often one that is over is marked as such, and is no longer compared with news; how
often one that holds is in a memory; and how often all were told in other conversations.
"""


class Example(NamedTuple):
    """A text, the sentences that it is compared with, and which of them answer it, end or are to be forgotten."""

    task: Task
    text: str
    sentences: Sequence[ComparedSentence]
    right: Sequence[bool]


def changes(*, held_out: bool, files: str = "??-*.txt") -> Iterator[Example]:
    """The lists of sentences, each with the messages that end or forget some of them."""
    for _, lines in _lists(CHANGES, files, held_out=held_out):
        yield from _changes(lines)


def _lists(folder: Path, files: str, *, held_out: bool) -> Iterator[tuple[str, list[str]]]:
    """The language and the lines of each list in those files of a folder."""
    for path in sorted(folder.glob(files)):
        if ("held" in path.stem) == held_out:
            for block in path.read_text("utf-8").split("\n\n"):
                yield path.stem[:2], block.strip().splitlines()


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


class Story(NamedTuple):
    """What a person tells, oldest first, and the numbers of those sentences that each of them ends, from 0 on.

    Questions have the numbers of the sentences that answer them, if any do.
    """

    language: str
    told: list[str]
    ends: list[set[int]]
    questions: list[tuple[str, set[int]]]


def stories(*, held_out: bool) -> Iterator[Story]:
    """The lists of sentences with questions about them: `5<2 text` ends the second, `? question | 5` asks."""
    for language, lines in _lists(STORIES, "??-*.txt", held_out=held_out):
        yield _story(language, lines)


def _story(language: str, lines: Sequence[str]) -> Story:
    story = Story(language, [], [], [])
    for line in lines:
        if line.startswith("? "):
            text, _, numbers = line[2:].rpartition(" | ")
            story.questions.append((text, _numbers(numbers)))
        elif numbered := _NUMBERED.fullmatch(line):
            story.told.append(numbered["text"])
            story.ends.append(_numbers(numbered["over"] or "-"))
    return story


def _numbers(said: str) -> set[int]:
    return set() if said == "-" else {int(number) - 1 for number in said.split(",")}


def told(story: Story, seed: int = 0) -> Iterator[Example]:
    """The questions of a story, each with the sentences that are read beside it, and its sentences as news."""
    chance = random.Random(seed)  # noqa: S311
    for question, answers in story.questions:
        yield _asked(story, question, answers, chance)
    over = set[int]()
    for number, text in enumerate(story.told):
        held = [each for each in range(number) if each not in over or chance.random() > _FORGOTTEN]
        over |= story.ends[number]
        if held:
            before = [ComparedSentence(story.told[each], remembered=True) for each in held]
            yield Example("end", text, before, [each in story.ends[number] for each in held])


def _asked(story: Story, question: str, answers: set[int], chance: random.Random) -> Example:
    over, length = set[int]().union(*story.ends), len(story.told)
    here = length if chance.random() < _EARLIER_DAY else chance.randrange(length)
    said = [Quote(text, "user", here=number >= here) for number, text in enumerate(story.told)]
    shares = shares_of_words(question, said, LOCALES[story.language].offline)
    near = {each.text for each in closest(said, shares)}
    kept = [number for number, text in enumerate(story.told) if text in near or number in answers]
    sentences = list[ComparedSentence]()
    for number in kept:
        ended = number in over and chance.random() < _KNOWN_AS_OVER
        remembered = not ended and chance.random() < _REMEMBERED
        sentences.append(ComparedSentence(story.told[number], remembered=remembered, ended=ended, here=number >= here))
    return Example("answer", question, sentences, [number in answers for number in kept])


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
    """A question with the sentences of its prompt that are read beside it; none may be right."""
    conversation = remaining(read(entries(prompt)), listen)
    locale = conversation.locale()
    quotes = candidates(conversation, locale)
    said = compared(conversation, closest(quotes, shares_of_words(question.text, quotes, locale)))
    return Example("answer", question.text, [*said.values()], _answers(question, [*said]))


def _answers(question: Question, sentences: Sequence[str]) -> list[bool]:
    """Which sentences answer: where each has the wrong value as well (`Hugo reads law and Rupert music`), the last."""
    right = [bool(question.right) and judge(question, f"«{each}»") == "right" for each in sentences]
    if question.right and not any(right):
        both = [judge(question._replace(wrong=[]), f"«{each}»") == "right" for each in sentences]
        last = max((place for place, has in enumerate(both) if has), default=-1)
        right = [place == last for place in range(len(sentences))]
    return right
