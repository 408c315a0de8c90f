"""Precision and recall of what is heard, ended, forgotten and answered: `python -m training.report`.

Nothing was learned from these messages: of the training's files every twelfth, the files `unseen-*.txt`, which other
hands wrote last, and the detectors' `utterances_*_unseen.jsonl`.
"""

from collections.abc import Callable, Iterator, Sequence

from benchmarks.hearing import Figures, compare

from recuerdo.memories.extract import by_detectors, listen
from recuerdo.memories.extraction import cross_encoder
from recuerdo.memories.extraction.context import Heard
from recuerdo.memories.extraction.cross_encoder import CrossEncoder
from training.examples import Example, changes, stories, told
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
    report_comparisons()


def report_comparisons() -> None:
    """Print how well the cross-encoder finds what a message ends or is to forget, and what answers a question."""
    encoder = cross_encoder.load()
    if encoder is None:
        raise SystemExit("onnxruntime is not installed: run `make setup`.")
    of_stories = [each for story in stories(held_out=True) for each in told(story)]
    report_changes(encoder, [*changes(held_out=True)])
    report_changes(encoder, of_stories)
    report_answers(encoder, [each for each in of_stories if each.task == "answer"])


def report_changes(encoder: CrossEncoder, given: Sequence[Example]) -> None:
    """Print precision and recall of what messages end and orders forget."""
    print("\n| messages | number | from | precision | recall |\n|---|---:|---:|---:|---:|")
    for task, compare_with in (("end", encoder.ended), ("forget", encoder.forgotten)):
        some = [each for each in given if each.task == task]
        if not some:
            continue
        found = [(compare_with(each.text, each.sentences), each.right) for each in some]
        for least in (0.5, 0.7, 0.8, 0.9):
            chosen = [
                (chance >= least, right)
                for chances, rights in found
                for chance, right in zip(chances, rights, strict=True)
            ]
            both = sum(is_chosen and right for is_chosen, right in chosen)
            precision = both / max(1, sum(is_chosen for is_chosen, _ in chosen))
            recall = both / max(1, sum(right for _, right in chosen))
            print(f"| {task} | {len(some)} | {least} | {precision:.3f} | {recall:.3f} |", flush=True)


def report_answers(encoder: CrossEncoder, given: Sequence[Example]) -> None:
    """Print how many questions have a sentence that is as likely as an answer has to be, and how many a wrong one."""
    print("\n| questions | from | right | wrong | wrong, of those without an answer |\n|---:|---:|---:|---:|---:|")
    found = [(encoder.answering(each.text, each.sentences), each.right) for each in given]
    for least in (0.3, 0.5, 0.7):
        best = [(max(zip(chances, right, strict=True)), any(right)) for chances, right in found]
        sure = [(is_right, has_answer) for (chance, is_right), has_answer in best if chance >= least]
        right, wrong = sum(is_right for is_right, _ in sure), sum(has and not is_right for is_right, has in sure)
        print(f"| {len(given)} | {least} | {right} | {wrong} | {len(sure) - right - wrong} |", flush=True)


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
