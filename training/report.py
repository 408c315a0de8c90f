"""Precision and recall of what is heard, without and with the tagger: `python -m training.report`.

Nothing was learned from these messages: of the training's files every twelfth, the files `unseen-*.txt`, which other
hands wrote last, and the detectors' `utterances_*_unseen.jsonl`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from recuerdo.core.memories import Fact
from recuerdo.memories.extract import by_detectors, listen
from recuerdo.memories.extraction.context import Heard
from recuerdo.memories.likeness import same_value
from training.messages import FOLDER, UTTERANCES, Mark, Message, marked, parse, utterances_of

Listen = Callable[[str, str | None], Heard]


def main() -> None:
    """Print one table."""
    print("| messages | number | | precision | recall | wrong by attribute |\n|---|---:|---|---:|---:|---|")
    for name, messages in sets():
        for how, hear in (("detectors", by_detectors), ("with the tagger", listen)):
            heard = figures(messages, hear)
            worst = ", ".join(f"{attribute} {number}" for attribute, number in heard.wrong.most_common(6))
            print(
                f"| {name} | {len(messages)} | {how} | {heard.precision:.3f} | {heard.recall:.3f} | {worst} |",
                flush=True,
            )


def sets() -> Iterator[tuple[str, Sequence[Message]]]:
    """The messages that nothing was learned from, by where they come from."""
    yield "held out", [each for each in marked() if each.is_held_out]
    for path in sorted(FOLDER.glob("unseen-*.txt")):
        yield path.stem, [parse(line) for line in path.read_text("utf-8").splitlines()]
    for path in sorted(UTTERANCES.glob("utterances*_unseen.jsonl")):
        yield path.stem, [*utterances_of(path)]


class Figures(NamedTuple):
    """What was heard rightly, what was missed, and what was heard wrongly, by attribute."""

    right: int
    missed: int
    wrong: Counter[str]

    @property
    def precision(self) -> float:
        """How much of what was heard is right."""
        return self.right / max(1, self.right + self.wrong.total())

    @property
    def recall(self) -> float:
        """How much of what was told was heard."""
        return self.right / max(1, self.right + self.missed)


def figures(messages: Sequence[Message], hear: Listen) -> Figures:
    """Hear all messages, and compare with their marks."""
    right, missed, wrong = 0, 0, Counter[str]()
    for message in messages:
        wanted = [mark for mark in message.marks if not mark.label.startswith("-")]
        for fact in hear(message.text, message.question).facts:
            found = next((mark for mark in wanted if _is(message, mark, fact)), None)
            if found:
                right += 1
                wanted.remove(found)
            elif fact.attribute != "remember":
                wrong[fact.attribute] += 1
        missed += len(wanted)
    return Figures(right, missed, wrong)


def _is(message: Message, mark: Mark, fact: Fact) -> bool:
    return mark.label == fact.attribute and same_value(message.text[mark.start : mark.end], fact.value)


if __name__ == "__main__":
    main()
