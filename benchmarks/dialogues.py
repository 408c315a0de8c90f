"""Dialogues with the chat, line by line: which facts it takes in, what it ends, and what it answers in between.

tests/data/dialogues has them, with their format. Of each language and way of writing, a hash of its first line puts a
dialogue in the half that may be worked on or in the one that is held out. The model is the offline one.
"""

import argparse
import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from benchmarks.hearing import Figures
from benchmarks.questions import FIRST_DAY, VERDICTS, Asked, Clock, Question, ToldModel, judge, parse_question
from recuerdo import Recuerdo
from recuerdo.agents.chat import Chat
from recuerdo.core.memories import Memory
from recuerdo.core.scope import Owner
from recuerdo.memories.likeness import same_value, telling_words

DATA = Path(__file__).parent.parent / "tests" / "data" / "dialogues"
ANSWERED = {
    name: DATA / name
    for name in (
        *("talk", "later", "asked", "everyday", "pairs", "short", "strangers", "trials", "regions", "long", "unseen"),
        *("visitors", "months", "phones", "testers", "towns", "guests", "callers", "arrivals"),
    )
}
"""Dialogues of which only the answers are labelled.

All of `unseen`, `visitors`, `testers` and `towns` are held out, a quarter of `regions`, `long`, `months` and `phones`.
"""

PEOPLE = DATA / "people"
"""Dialogues with facts and answers that were written last, where the assistant also asks."""

Half = Literal["work", "held"]
HALVES: tuple[Half, Half] = ("work", "held")

_MOST_BESIDE = 4
"""Words that a value may have beside those of its label: how much of a liking is kept is free."""

_MOST_BESIDE_A_PLAN = 7
"""A plan may be kept with its day, its hour and its place."""


class Label(NamedTuple):
    """A fact that a line tells or ends; one that is `optional` may be heard or not."""

    attribute: str
    value: str
    optional: bool = False

    def fits(self, memory: Memory) -> bool:
        """Whether the memory holds the fact."""
        if memory.attribute != self.attribute or memory.value is None:
            return False
        told, wanted = telling_words(memory.value), telling_words(self.value)
        beside = len(told) - len(wanted)
        most = _MOST_BESIDE_A_PLAN if self.attribute == "plan" else _MOST_BESIDE
        return same_value(memory.value, self.value) or (0 <= beside <= most and set(wanted) <= set(told))


class Line(NamedTuple):
    """One message of the user: a statement has labels, a question its answers; `begins` a new thread.

    `answered` is what the assistant says to it instead of the offline model's reply.
    """

    text: str
    begins: bool
    told: list[Label]
    over: list[Label]
    question: Question | None = None
    answered: str | None = None


class Dialogue(NamedTuple):
    """One person's lines, and the half that the dialogue belongs to."""

    name: str
    language: str
    style: str
    half: Half
    lines: list[Line]


class Result(NamedTuple):
    """The outcome of a dialogue: facts, endings of all that it has, verdicts on its answers, and what went wrong."""

    dialogue: Dialogue
    heard: Figures
    ended: int
    endings: int
    verdicts: list[str]
    failures: list[str]


def load(folder: Path = DATA) -> list[Dialogue]:
    """The dialogues of all languages."""
    return [dialogue for path in sorted(folder.glob("*.txt")) for dialogue in _dialogues(path)]


def _dialogues(path: Path) -> Iterator[Dialogue]:
    for block in path.read_text("utf-8").split("\n\n"):
        if block.strip():
            heading, *said = block.strip().splitlines()
            half = _half(path.parent.name, sha256(said[0].encode()).digest()[0])
            yield Dialogue(f"{path.stem}: {said[0][:30]}", path.stem, heading[2:], half, _lines(said))


def _half(folder: str, drawn: int) -> Half:
    """The half of a dialogue for which a number from 0 to 255 was drawn."""
    if folder in ("unseen", "visitors", "testers", "towns"):
        return "held"
    return HALVES[drawn % 4 == 0] if folder in ("regions", "long", "months", "phones") else HALVES[drawn % 2]


def _lines(said: Sequence[str]) -> list[Line]:
    lines: list[Line] = []
    begins = True
    for each in said:
        mark, _, rest = each.partition(" ")
        if each == "--":
            begins = True
        elif mark == "<":
            lines[-1] = lines[-1]._replace(answered=rest)
        elif mark in ("+", "-"):
            (lines[-1].told if mark == "+" else lines[-1].over).extend(map(_label, rest.split("; ")))
        else:
            question = parse_question(rest) if mark == "?" else None
            lines.append(Line(question.text if question else each, begins, [], [], question))
            begins = False
    return lines


def _label(said: str) -> Label:
    attribute, _, value = said.strip("()").partition("=")
    return Label(attribute, value, said.startswith("("))


async def talk(dialogues: Sequence[Dialogue], asked: Asked = lambda question, prompt: None) -> list[Result]:
    """Hold the dialogues, each as a user of its own."""
    clock, model = Clock(), ToldModel()
    with TemporaryDirectory() as folder:
        async with Recuerdo.open(f"sqlite:///{folder}/dialogues.db", clock=clock) as memory:
            chat = Chat(memory.history, memory.memories, model, clock=clock)
            return [await _talk(memory, chat, model, clock, dialogue, asked) for dialogue in dialogues]


async def _talk(
    memory: Recuerdo, chat: Chat, model: ToldModel, clock: Clock, dialogue: Dialogue, asked: Asked
) -> Result:
    owner, held, thread, day = Owner("acme", dialogue.name), list[Memory](), "", 0
    right, missed, wrong, ended = 0, 0, Counter[str](), 0
    verdicts, failures = list[str](), list[str]()
    for number, line in enumerate(dialogue.lines):
        if line.begins:
            thread, day = f"thread-{number}", day + 1
            clock.now = FIRST_DAY + timedelta(days=day)
        model.told = line.answered
        reply = (await chat.reply(owner.thread(thread), line.text)).reply.text
        await memory.flush()
        now = await memory.user(tenant=owner.tenant, user=owner.user).as_of(clock(), limit=100)
        new = [each for each in now if not any(one.id == each.id and one.value == each.value for one in held)]
        for each in new:
            label = _fitting(each, line.told)
            right += label is not None and not label.optional
            if each.attribute and label is None:
                wrong[each.attribute] += 1
                failures.append(f"wrong   {line.text} -> {each.attribute}={each.value}")
        unheard = [each for each in line.told if not each.optional and not any(each.fits(one) for one in now)]
        missed += len(unheard)
        over = [each for each in line.over if not any(each.fits(one) for one in now)]
        ended += len(over)
        failures += [f"missed  {line.text} -> {each.attribute}={each.value}" for each in unheard]
        failures += [f"goes on {line.text} -> {each.attribute}={each.value}" for each in line.over if each not in over]
        if line.question:
            asked(line.question, model.prompt)
            verdicts.append(judge(line.question, reply))
            if verdicts[-1] != "right":
                failures.append(f"{verdicts[-1]:7} {line.text} -> {reply}")
        held = now
    endings = sum(len(line.over) for line in dialogue.lines)
    return Result(dialogue, Figures(right, missed, wrong), ended, endings, verdicts, failures)


def _fitting(memory: Memory, labels: Sequence[Label]) -> Label | None:
    return next((label for label in labels if label.fits(memory)), None)


def table(results: Sequence[Result]) -> str:
    """A Markdown table by half, language and way of writing."""
    lines = [
        "| | dialogues | precision | recall | ended | questions | right | wrong | refused |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for half in HALVES:
        ours = [each for each in results if each.dialogue.half == half]
        lines.append(_row(half, ours))
        for kind in ("es", "pt", "en", "terse", "chatty", "formal"):
            lines.append(_row(f"{half}, {kind}", [e for e in ours if kind in (e.dialogue.language, e.dialogue.style)]))
    return "\n".join([*lines, _row("all", results)])


def _row(name: str, results: Sequence[Result]) -> str:
    parts = [each.heard for each in results]
    wrong = sum((each.wrong for each in parts), Counter[str]())
    heard = Figures(sum(each.right for each in parts), sum(each.missed for each in parts), wrong)
    ended = f"{sum(each.ended for each in results)} of {sum(each.endings for each in results)}"
    row = f"| {name} | {len(results)} | {heard.precision:.3f} | {heard.recall:.3f} | {ended} |"
    return f"{row} {_answers(results)} |"


def answers_table(results: Sequence[Result]) -> str:
    """A Markdown table of the answers alone, by half and language."""
    lines = ["| | dialogues | questions | right | wrong | refused |", "|---|---:|---:|---:|---:|---:|"]
    for half in HALVES:
        ours = [each for each in results if each.dialogue.half == half]
        lines.append(_answers_row(half, ours))
        lines += [
            _answers_row(f"{half}, {kind}", [e for e in ours if e.dialogue.language == kind])
            for kind in ("es", "pt", "en")
        ]
    return "\n".join([*lines, _answers_row("all", results)])


def _answers_row(name: str, results: Sequence[Result]) -> str:
    return f"| {name} | {len(results)} | {_answers(results)} |"


def _answers(results: Sequence[Result]) -> str:
    count = Counter(verdict for each in results for verdict in each.verdicts)
    total = max(1, count.total())
    shares = " | ".join(f"{count[each]} ({100 * count[each] / total:.0f} %)" for each in VERDICTS)
    return f"{count.total()} | {shares}"


async def report() -> str:
    """The tables of all dialogues."""
    facts = table(await talk(load()))
    answers = [answers_table(await talk(load(folder))) for folder in ANSWERED.values()]
    people = table(await talk(load(PEOPLE)))
    within = ["Answers within a thread:", answers[0], "And in the dialogues of `later`:", answers[1]]
    return "\n\n".join([facts, "Dialogues in which the assistant also asks:", people, *within])


def main() -> None:
    """Print the table, and with --failures what went wrong in the half that may be worked on."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--failures", action="store_true", help="show what went wrong in the half that is not held out")
    parser.add_argument("--language", default="", help="es, pt or en alone")
    parser.add_argument("--answers", choices=ANSWERED, help="dialogues of which only the answers are labelled")
    parser.add_argument("--people", action="store_true", help="the dialogues in which the assistant also asks")
    chosen = parser.parse_args()
    folder = ANSWERED[chosen.answers] if chosen.answers else PEOPLE if chosen.people else DATA
    dialogues = [each for each in load(folder) if chosen.language in each.language]
    if chosen.failures:
        dialogues = [each for each in dialogues if each.half == "work"]
    results = asyncio.run(talk(dialogues))
    for each in results if chosen.failures else ():
        print(f"= {each.dialogue.name}", *each.failures, sep="\n")
    print(answers_table(results) if chosen.answers else table(results))


if __name__ == "__main__":
    main()
