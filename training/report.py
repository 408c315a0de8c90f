"""Precision and recall of what is heard, without and with the tagger: `python -m training.report`.

Nothing was learned from these messages: of the training's files every twelfth, the files `unseen-*.txt`, which other
hands wrote last, and the detectors' `utterances_*_unseen.jsonl`.
"""

from collections.abc import Callable, Iterator, Sequence

from benchmarks.hearing import Figures, compare

from recuerdo.memories.extract import by_detectors, listen
from recuerdo.memories.extraction.context import Heard
from training.messages import FOLDER, UTTERANCES, Message, marked, parse, utterances_of

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


def figures(messages: Sequence[Message], hear: Listen) -> Figures:
    """Hear all messages, and compare with their marks."""
    return compare(((hear(each.text, each.question).facts, _wanted(each)) for each in messages), ignored="remember")


def _wanted(message: Message) -> list[tuple[str, str]]:
    marks = [mark for mark in message.marks if not mark.label.startswith("-")]
    return [(mark.label, message.text[mark.start : mark.end]) for mark in marks]


if __name__ == "__main__":
    main()
