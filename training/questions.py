"""Trains what tells questions and the types of their answers: `make questions` writes `answer_type.npz`, and a report.

It learns from the vectors that the tagger's network makes of the messages, so that it is trained after the tagger.
"""

import argparse
import random
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from benchmarks.dialogues import DATA, load
from numpy.typing import NDArray

from recuerdo.agents.offline.conversation import sentences
from recuerdo.memories.extraction import tagger
from recuerdo.memories.extraction.answer_type import (
    ANSWER_TYPES,
    CLASSES,
    SPEECH_ACTS,
    WEIGHTS,
    AnswerType,
    ExpectedAnswer,
    SpeechAct,
    likely,
)
from recuerdo.memories.extraction.words import fold
from training.fitting import fit, fit_mean
from training.messages import Message, marked

Array = NDArray[np.float32]

FOLDER = Path(__file__).parent / "data" / "questions"
ACTS = FOLDER.with_name("acts")
DIALOGUES = (DATA, *(DATA / name for name in ("people", "talk", "later", "asked", "everyday", "pairs", "short")))
_HELD_OUT = 10
"""One question in so many is held out, by a hash of its text."""

_STATEMENTS = 40
"""One of so many messages that tell something is taken for the types of answers, which have less to learn from."""

_UNMARKED = 6
"""One of so many for what tells questions from statements."""

_TIMES = 6
"""How often the sentences come that were written for that: few have no mark and are as short."""


_ACTS_OF_MARKS: Mapping[str, SpeechAct] = {".": "tells", "?": "asks", "!": "requests"}


class Labelled(NamedTuple):
    """A message, what would answer it, the likeliest first, and what it does."""

    text: str
    kinds: Sequence[tuple[AnswerType, bool]]
    act: SpeechAct = "tells"

    @property
    def is_held_out(self) -> bool:
        """Whether nothing is learned from it."""
        return sha256(self.text.encode()).digest()[0] % _HELD_OUT == 0


def written() -> Iterator[Labelled]:
    """The messages that were written for the training, as `text => kind,kind`; a minus asks about the past.

    What nothing that was told answers is `none` where it tells, `none?` where it asks and `none!` where it requests.
    """
    for path in sorted(FOLDER.glob("??-*.txt")):
        for line in path.read_text("utf-8").splitlines():
            text, _, kinds = line.rpartition(" => ")
            act = "tells" if kinds == "none" else "requests" if kinds.endswith("!") else "asks"
            yield Labelled(text, [_kind(each.strip()) for each in kinds.rstrip("?!").split(",")], act)


def told() -> Iterator[Labelled]:
    """Some messages that the tagger learns from: they tell something, and so ask for nothing."""
    return (Labelled(each.text, [("none", False)]) for each in islice(_telling(), 0, None, _STATEMENTS))


def _telling() -> Iterator[Message]:
    return (each for each in marked() if each.marks and not each.question and "?" not in each.text)


class Unmarked(NamedTuple):
    """A sentence without its marks, what it does, and whether nothing is learned from it."""

    text: str
    act: SpeechAct
    is_held_out: bool


def unmarked() -> Iterator[Unmarked]:
    """The questions, the sentences of messages that tell something, and both from the dialogues."""
    for each in written():
        yield Unmarked(_bare(each.text), each.act, each.is_held_out)
    for message in islice(_telling(), 0, None, _UNMARKED):
        for sentence in sentences(message.text)[:2]:
            yield Unmarked(_bare(sentence), "tells", message.is_held_out)
    for dialogue in (each for folder in DIALOGUES for each in load(folder)):
        for line in dialogue.lines:
            if line.question or "?" not in line.text:
                said = [line.text] if line.question else sentences(line.text)[:2]
                act = "asks" if line.question else "tells"
                yield from (Unmarked(_bare(each), act, dialogue.half == "held") for each in said)


def hard_to_tell() -> Iterator[Unmarked]:
    """The statements that look like questions, and the short messages of both kinds, of `data/acts`."""
    for path in sorted(ACTS.glob("??-*.txt")):
        for line in path.read_text("utf-8").splitlines():
            is_held_out = path.stem.endswith("held")
            act = _ACTS_OF_MARKS[line[0]]
            yield from [Unmarked(_bare(line[2:]), act, is_held_out)] * (1 if is_held_out else _TIMES)


def _bare(text: str) -> str:
    """The text without marks, and every other one without accents, as people in a hurry type."""
    text = text.strip("¿?¡!. ")
    return fold(text) if sha256(text.encode()).digest()[1] % 2 else text


def _kind(named: str) -> tuple[AnswerType, bool]:
    return next(each for each in ANSWER_TYPES if each == named.removeprefix("-")), named.startswith("-")


def _typings(text: str) -> Sequence[str]:
    """The message as others would type it."""
    bare = text.strip("¿?")
    return list(dict.fromkeys((text, fold(bare), bare if bare != text else f"{text}?")))


def train(messages: Sequence[Labelled], network: tagger.Tagger, epochs: int, seed: int) -> Mapping[str, Array]:
    """Learn from each message in several typings, with the first of its kinds more often than the others."""
    chance = random.Random(seed)  # noqa: S311
    given = [(network.vector(typed), each.kinds) for each in messages for typed in _typings(each.text)]
    vectors = np.stack([vector for vector, _ in given])
    labels = (np.array([CLASSES.index(_one(kinds, chance)) for _, kinds in given]) for _ in range(epochs))
    return fit(vectors, labels, len(CLASSES), epochs, seed)


def train_asking(given: Sequence[Unmarked], network: tagger.Tagger, epochs: int, seed: int) -> Mapping[str, Array]:
    """Learn which sentences ask, request or tell."""
    labels = np.array([SPEECH_ACTS.index(each.act) for each in given])
    vectors = np.stack([network.vector(each.text) for each in given])
    return fit_mean(vectors, labels, len(SPEECH_ACTS), epochs, seed)


def _one(kinds: Sequence[tuple[AnswerType, bool]], chance: random.Random) -> tuple[AnswerType, bool]:
    return kinds[0] if chance.random() < 0.7 else chance.choice(kinds)


def main() -> None:
    """Train on all messages that are not held out, and write the weights."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--to", type=Path, default=WEIGHTS, help="the file of weights")
    options = parser.parse_args()
    if (network := tagger.load()) is None:
        raise SystemExit("onnxruntime is not installed: run `make setup`.")
    messages = [each for each in (*written(), *told()) if fold(each.text).strip()]
    types = train([each for each in messages if not each.is_held_out], network, options.epochs, options.seed)
    asking = [each for each in (*unmarked(), *hard_to_tell()) if fold(each.text).strip()]
    asks = train_asking([each for each in asking if not each.is_held_out], network, options.epochs // 2, options.seed)
    both = {f"{name}.{part}": each for name, own in (("types", types), ("asks", asks)) for part, each in own.items()}
    np.savez_compressed(options.to, **{name: weight.astype(np.float16) for name, weight in both.items()})  # pyright: ignore[reportArgumentType]
    report(types, network, [each for each in messages if each.is_held_out])
    report_asking(asks, network, [each for each in asking if each.is_held_out])


def report_asking(weights: Mapping[str, Array], network: tagger.Tagger, given: Sequence[Unmarked]) -> None:
    """Print what share of each kind of sentence is known, and what share of those that tell is taken for another."""
    known = [(SPEECH_ACTS[int(likely(network.vector(each.text), weights).argmax())], each.act) for each in given]
    shares = {
        act: np.mean([found == act for found, own in known if own == act])
        for act in SPEECH_ACTS
        if any(own == act for _, own in known)
    }
    print("; ".join(f"{act}: {share:.3f} known" for act, share in shares.items()))


def likeliest(expected: ExpectedAnswer) -> AnswerType:
    """The type with the greatest chance."""
    return max(expected.types, key=expected.types.__getitem__)


def report(weights: Mapping[str, Array], network: tagger.Tagger, messages: Sequence[Labelled]) -> None:
    """Print how often the likeliest kind is one of the written ones, of all and where it is nearly certain."""
    right, sure = list[bool](), list[bool]()
    for each in messages:
        expected = ExpectedAnswer.of(likely(network.vector(each.text), weights).tolist())
        best = likeliest(expected)
        right.append(best in {kind for kind, _ in each.kinds})
        if expected.types[best] > 0.8:
            sure.append(right[-1])
    print(f"{len(right)} held out: {np.mean(right):.3f} right; {len(sure)} nearly certain: {np.mean(sure):.3f} right")


if __name__ == "__main__":
    main()
