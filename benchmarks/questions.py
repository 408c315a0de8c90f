"""Questions that are asked in a new thread after a life: what share the chat answers rightly, wrongly, or not at all.

tests/data/questions has the lives. The model is the offline one, which can only answer from what its prompt carries.
"""

import argparse
import asyncio
import re
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from recuerdo import Message, Recuerdo
from recuerdo.agents.chat import Chat
from recuerdo.agents.offline import OfflineModel
from recuerdo.core.scope import Owner
from recuerdo.core.words import words_of

DATA = Path(__file__).parent.parent / "tests" / "data" / "questions"
FIRST_DAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
HALVES = ("seen", "later", "last", "narrow", "wide", "held")
"""`later`, `last`, `narrow` and `wide` were written before the rules that answer them, and are seen since."""

VERDICTS = ("right", "wrong", "refused")

_REFUSAL = re.compile(
    r"\b(?:no lo se|no se nada|no me has|no me lo has|nao sei|ainda nao me|nao me (?:disse|contou)|i don t know"
    r"|haven t told|not sure)\b"
)


class Question(NamedTuple):
    """A question, the alternatives that answer it (each of parts; none: it has no answer), and what makes it wrong."""

    text: str
    right: Sequence[Sequence[str]]
    wrong: Sequence[str]


Asked = Callable[[Question, Sequence[Message]], None]
"""Called with each question and the prompt that it was answered by."""


class Life(NamedTuple):
    """The user's messages in each thread, with the assistant's answers where they are given, and the questions."""

    name: str
    language: str
    style: str
    half: str
    threads: list[tuple[int, list[tuple[str, str | None]]]]
    questions: list[Question]


class Answer(NamedTuple):
    """One question, the reply and what it is worth."""

    life: Life
    question: Question
    reply: str
    verdict: str


class ToldModel:
    """The offline model, or what a labelled set says that the assistant answered; `prompt` is the last one."""

    def __init__(self) -> None:
        self.told: str | None = None
        self.prompt: Sequence[Message] = ()

    @property
    def name(self) -> str:
        return "offline" if self.told is None else "told"

    async def stream(self, prompt: Sequence[Message]) -> AsyncGenerator[str, None]:
        self.prompt = prompt
        if self.told is not None:
            yield self.told
            return
        async for piece in OfflineModel().stream(prompt):
            yield piece


class Clock:
    """A clock that is set, and goes on by a second whenever it is read."""

    def __init__(self) -> None:
        self.now = FIRST_DAY

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def load(folder: Path = DATA) -> list[Life]:
    """The lives of all languages."""
    return [life for path in sorted(folder.glob("*.txt")) for life in _lives(path)]


def _lives(path: Path) -> Iterator[Life]:
    life: Life | None = None
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.startswith("= "):
            if life is not None:
                yield life
            style, half = line[2:].split()
            life = Life(f"{path.stem}-{number}", path.stem, style, half, [], [])
        elif life is None or not line.strip():
            continue
        elif line.startswith("@"):
            life.threads.append((int(line[1:]), []))
        elif line.startswith("< "):
            said = life.threads[-1][1]
            said[-1] = (said[-1][0], line[2:])
        elif line.startswith("? "):
            life.questions.append(parse_question(line[2:]))
        else:
            life.threads[-1][1].append((line, None))
    if life is not None:
        yield life


def parse_question(line: str) -> Question:
    """The question of a line `text | right / right | wrong / wrong`."""
    text, right, wrong = (part.strip() for part in line.split("|"))
    alternatives = [[_folded(part) for part in each.split("+")] for each in right.split(" / ")]
    return Question(text, [] if right == "-" else alternatives, [*filter(None, map(_folded, wrong.split(" / ")))])


def _folded(text: str) -> str:
    return " ".join(words_of(text))


def judge(question: Question, reply: str) -> str:
    """`right`, `wrong`, or `refused`: the reply says that it doesn't know what could be known."""
    said = f" {_folded(reply)} "
    if any(f" {each} " in said for each in question.wrong):
        return "wrong"
    refused = bool(_REFUSAL.search(said))
    if not question.right:
        return "right" if refused else "wrong"
    if any(all(f" {part} " in said for part in parts) for parts in question.right):
        return "right"
    return "refused" if refused else "wrong"


async def ask(lives: Sequence[Life], asked: Asked = lambda question, prompt: None) -> list[Answer]:
    """Live the lives, each as a user of its own, and ask."""
    clock, model = Clock(), ToldModel()
    with TemporaryDirectory() as folder:
        async with Recuerdo.open(f"sqlite:///{folder}/questions.db", clock=clock) as memory:
            chat = Chat(memory.history, memory.memories, model, clock=clock)
            return [answer for life in lives for answer in await _ask(memory, chat, model, clock, life, asked)]


async def _ask(memory: Recuerdo, chat: Chat, model: ToldModel, clock: Clock, life: Life, asked: Asked) -> list[Answer]:
    owner, day = Owner("acme", life.name), 0
    for day, said in life.threads:
        clock.now = FIRST_DAY + timedelta(days=day)
        for text, model.told in said:
            await chat.reply(owner.thread(f"day-{day}"), text)
    model.told = None
    await memory.flush()
    clock.now = FIRST_DAY + timedelta(days=day + 1)
    answers: list[Answer] = []
    for question in life.questions:
        reply = (await chat.reply(owner.thread("questions"), question.text)).reply.text
        asked(question, model.prompt)
        answers.append(Answer(life, question, reply, judge(question, reply)))
    return answers


def table(answers: Sequence[Answer]) -> str:
    """A Markdown table of the verdicts, by half, language and way of writing."""
    lines = ["| | questions | right | wrong | refused |", "|---|---:|---:|---:|---:|"]
    for half in HALVES:
        ours = [each for each in answers if each.life.half == half]
        lines.append(_row(half, ours))
        for kind in sorted({(each.life.language, each.life.style) for each in ours}):
            lines.append(
                _row(f"{half}, {' '.join(kind)}", [e for e in ours if (e.life.language, e.life.style) == kind])
            )
    doubted = sum(each.verdict == "right" and _doubts(each) for each in answers)
    note = f"{doubted} of the right answers quote the passage and say that they are not sure."
    return "\n".join([*lines, _row("all", answers), "", note])


def _doubts(answer: Answer) -> bool:
    return bool(answer.question.right and _REFUSAL.search(_folded(answer.reply)))


def _row(name: str, answers: Sequence[Answer]) -> str:
    count = Counter(each.verdict for each in answers)
    shares = " | ".join(f"{count[each]} ({100 * count[each] / max(1, len(answers)):.0f} %)" for each in VERDICTS)
    return f"| {name} | {len(answers)} | {shares} |"


async def report() -> str:
    """The table of all lives."""
    return table(await ask(load()))


def main() -> None:
    """Print the table, and with --failures what went wrong in the halves that may be seen."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--failures", action="store_true", help="show the answers of the lives that may be seen that are not right"
    )
    parser.add_argument("--language", default="", help="es, pt or en alone")
    chosen = parser.parse_args()
    answers = asyncio.run(ask([life for life in load() if chosen.language in life.language]))
    for life, question, reply, verdict in answers if chosen.failures else ():
        if life.half != "held" and verdict != "right":
            print(f"{verdict:8} {life.name} {question.text} -> {reply}")
    print(table(answers))


if __name__ == "__main__":
    main()
