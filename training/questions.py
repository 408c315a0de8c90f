"""Trains what tells the type of an answer: `make questions` writes `answer_type.npz`, and prints its accuracy.

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
from numpy.typing import NDArray

from recuerdo.agents.offline.answer_type import ANSWER_TYPES, CLASSES, WEIGHTS, AnswerType, ExpectedAnswer, likely
from recuerdo.memories.extraction import tagger
from recuerdo.memories.extraction.words import fold
from training.adam import Adam
from training.messages import marked

Array = NDArray[np.float32]

FOLDER = Path(__file__).parent / "data" / "questions"
_HIDDEN, _BATCH, _RATE, _DECAY, _DROPPED = 96, 32, 1e-3, 1e-3, 0.3
_HELD_OUT = 10
"""One question in so many is held out, by a hash of its text."""

_STATEMENTS = 40
"""One of so many messages that tell something is taken."""


class Labelled(NamedTuple):
    """A message, and what would answer it, the likeliest first."""

    text: str
    kinds: Sequence[tuple[AnswerType, bool]]

    @property
    def is_held_out(self) -> bool:
        """Whether nothing is learned from it."""
        return sha256(self.text.encode()).digest()[0] % _HELD_OUT == 0


def written() -> Iterator[Labelled]:
    """The messages that were written for the training, as `text => kind,kind`; a minus asks about the past."""
    for path in sorted(FOLDER.glob("??-*.txt")):
        for line in path.read_text("utf-8").splitlines():
            text, _, kinds = line.rpartition(" => ")
            yield Labelled(text, [_kind(each.strip()) for each in kinds.split(",")])


def told() -> Iterator[Labelled]:
    """Some messages that the tagger learns from: they tell something, and so ask for nothing."""
    telling = (each for each in marked() if each.marks and not each.question and "?" not in each.text)
    return (Labelled(each.text, [("none", False)]) for each in islice(telling, 0, None, _STATEMENTS))


def _kind(named: str) -> tuple[AnswerType, bool]:
    return next(each for each in ANSWER_TYPES if each == named.removeprefix("-")), named.startswith("-")


def _typings(text: str) -> Sequence[str]:
    """The message as others would type it."""
    bare = text.strip("¿?")
    return list(dict.fromkeys((text, fold(bare), bare if bare != text else f"{text}?")))


def train(messages: Sequence[Labelled], network: tagger.Tagger, epochs: int, seed: int) -> Mapping[str, Array]:
    """Learn from each message in several typings, with the first of its kinds more often than the others."""
    chance, generator = random.Random(seed), np.random.default_rng(seed)  # noqa: S311
    given = [(network.vector(typed), each.kinds) for each in messages for typed in _typings(each.text)]
    vectors = np.stack([vector for vector, _ in given])
    weights: dict[str, Array] = {
        "hidden": generator.normal(0, vectors.shape[1] ** -0.5, (vectors.shape[1], _HIDDEN)).astype(np.float32),
        "hidden_bias": np.zeros(_HIDDEN, np.float32),
        "output": generator.normal(0, _HIDDEN**-0.5, (_HIDDEN, len(CLASSES))).astype(np.float32),
        "output_bias": np.zeros(len(CLASSES), np.float32),
    }
    adam = Adam(weights.values(), 0.001)
    for epoch in range(epochs):
        labels = np.array([CLASSES.index(_one(kinds, chance)) for _, kinds in given])
        order = generator.permutation(len(given))
        for some in (order[at : at + _BATCH] for at in range(0, len(order), _BATCH)):
            _learn(vectors[some], labels[some], weights, adam, generator, 1 - epoch / epochs)
    return weights


def _one(kinds: Sequence[tuple[AnswerType, bool]], chance: random.Random) -> tuple[AnswerType, bool]:
    return kinds[0] if chance.random() < 0.7 else chance.choice(kinds)


def _learn(
    vectors: Array,
    labels: NDArray[np.int64],
    weights: dict[str, Array],
    adam: Adam,
    generator: np.random.Generator,
    rest: float,
) -> None:
    """Take one step of Adam, without some numbers of the vectors."""
    vectors = vectors * (generator.random(vectors.shape, dtype=np.float32) > _DROPPED) / (1 - _DROPPED)
    hidden = np.maximum(vectors @ weights["hidden"] + weights["hidden_bias"], 0)
    wrong = likely(vectors, weights)
    wrong[range(len(labels)), labels] -= 1
    wrong /= len(labels)
    inside = wrong @ weights["output"].T * (hidden > 0)
    gradients = (vectors.T @ inside, inside.sum(0), hidden.T @ wrong, wrong.sum(0))
    for weight, direction in zip(weights.values(), adam.directions(gradients), strict=True):
        weight -= _RATE * rest * (direction + (_DECAY * weight if weight.ndim > 1 else 0))


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
    weights = train([each for each in messages if not each.is_held_out], network, options.epochs, options.seed)
    np.savez_compressed(options.to, **{name: weight.astype(np.float16) for name, weight in weights.items()})  # pyright: ignore[reportArgumentType]
    report(weights, network, [each for each in messages if each.is_held_out])


def report(weights: Mapping[str, Array], network: tagger.Tagger, messages: Sequence[Labelled]) -> None:
    """Print how often the likeliest kind is one of the written ones, of all and where it is nearly certain."""
    right, sure = list[bool](), list[bool]()
    for each in messages:
        expected = ExpectedAnswer.of(likely(network.vector(each.text), weights).tolist())
        best = expected.likeliest()
        right.append(best in {kind for kind, _ in each.kinds})
        if expected.types[best] > 0.8:
            sure.append(right[-1])
    print(f"{len(right)} held out: {np.mean(right):.3f} right; {len(sure)} nearly certain: {np.mean(sure):.3f} right")


if __name__ == "__main__":
    main()
