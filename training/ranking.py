"""Trains the ranking of answers: `make ranking` writes `recuerdo/agents/offline/ranking.json`.

It learns from the halves of `tests/data/dialogues` and `tests/data/questions` that may be worked on. The offline model
holds them; each question is an example: the sentences of its prompt, and which of them answer it, if one does.
"""

import argparse
import asyncio
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from benchmarks import questions
from benchmarks.dialogues import DATA, Dialogue, load, talk
from benchmarks.questions import Life, Question, ask, judge
from numpy.typing import NDArray

from recuerdo.agents.offline.answers import entries
from recuerdo.agents.offline.conversation import OfflinePrompt, read, remaining
from recuerdo.agents.offline.quotes import candidates
from recuerdo.agents.offline.ranking import WEIGHTS, Network, compare
from recuerdo.core.messages import Message
from recuerdo.memories.extract import listen
from training.adam import Adam

Array = NDArray[np.float64]

FOLDERS = (DATA, *(DATA / name for name in ("people", "talk", "later", "asked", "everyday", "pairs")))
_HIDDEN, _NETWORKS = 8, 4
"""Several networks learn by themselves, and are added up to one."""

_PARTS, _TOLD = 1, (0.1, 0.7)
"""How often a question is asked anew over a part of the sentences, and how large that part may be."""

_EPOCHS, _QUESTIONS, _RATE, _DECAY = 40, 16, 3e-3, 2e-3


class Example(NamedTuple):
    """A question: the features of its sentences, sentences by features, and which sentences answer it."""

    features: Array
    answers: NDArray[np.bool_]


def examples(dialogues: Sequence[Dialogue], lives: Sequence[Life]) -> list[Example]:
    """Hold the dialogues, live the lives, and return their questions but for those that no whole sentence answers."""
    found, chance = list[Example](), random.Random(0)  # noqa: S311

    def asked(question: Question, prompt: Sequence[Message]) -> None:
        found.extend(_examples(question, remaining(read(entries(prompt)), listen), chance))

    asyncio.run(talk(dialogues, asked))
    asyncio.run(ask(lives, asked))
    return found


def _examples(question: Question, conversation: OfflinePrompt, chance: random.Random) -> Iterator[Example]:
    """The question over all sentences, and over some of them, as if less or nothing of it had been told."""
    locale = conversation.locale()
    said = candidates(conversation, locale)
    for share in (1.0, *(chance.uniform(*_TOLD) for _ in range(_PARTS))):
        told = [each for each in said if share == 1 or chance.random() < share]
        compared = compare(conversation, question.text, locale, told)
        answers = [bool(question.right) and judge(question, f"«{each.quote.text}»") == "right" for each, _ in compared]
        if compared and (any(answers) or not question.right or share < 1):
            yield Example(np.array([features for _, features in compared]), np.array(answers))


class _Learner:
    """One hidden layer beside direct weights."""

    def __init__(self, width: int, seed: int) -> None:
        chance = np.random.default_rng(seed)
        self.weights: list[Array] = [
            chance.normal(0, width**-0.5, (width, _HIDDEN)),
            np.zeros(_HIDDEN),
            chance.normal(0, _HIDDEN**-0.5, _HIDDEN),
            np.zeros(width),
            np.zeros(1),
        ]
        self._adam = Adam(self.weights, 0.001)

    def learn(self, some: Sequence[Example]) -> float:
        """Take one step towards the sentences that answer, or towards no answer, and return the loss before it."""
        hidden_weights, bias, output, direct, start = self.weights
        features = np.concatenate([each.features for each in some])
        hidden = np.maximum(features @ hidden_weights + bias, 0)
        scores = hidden @ output + features @ direct + start
        gradient, loss, at = np.zeros(len(features)), 0.0, 0
        for each in some:
            end = at + len(each.answers)
            own = np.append(scores[at:end], 0.0)
            likely = np.exp(own - own.max())
            likely /= likely.sum()
            right = likely * np.append(each.answers, not each.answers.any())
            loss -= float(np.log(right.sum() + 1e-12)) / len(some)
            gradient[at:end] = (likely - right / right.sum())[:-1] / len(some)
            at = end
        inside = np.outer(gradient, output) * (hidden > 0)
        gradients = (
            features.T @ inside + _DECAY * hidden_weights,
            inside.sum(0),
            hidden.T @ gradient + _DECAY * output,
            features.T @ gradient + _DECAY * direct,
            gradient.sum(keepdims=True),
        )
        for weight, direction in zip(self.weights, self._adam.directions(gradients), strict=True):
            weight -= _RATE * direction
        return loss


def train(given: Sequence[Example], epochs: int = _EPOCHS) -> Network:
    """Learn from the questions; the scale of each feature becomes a part of the weights."""
    every = np.concatenate([each.features for each in given])
    mean, scale = every.mean(0), every.std(0) + 0.1
    scaled = [Example((each.features - mean) / scale, each.answers) for each in given]
    learners: list[_Learner] = []
    for seed in range(_NETWORKS):
        learner, chance = _Learner(every.shape[1], seed), np.random.default_rng(seed)
        losses = [learner.learn([scaled[at] for at in some]) for some in _batches(len(scaled), epochs, chance)]
        print(f"network {seed + 1} of {_NETWORKS}: loss {np.mean(losses[-50:]):.4f}", flush=True)
        learners.append(learner)
    return _added(learners, mean, scale)


def _batches(number: int, epochs: int, chance: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    for _ in range(epochs):
        order = chance.permutation(number)
        yield from (order[at : at + _QUESTIONS] for at in range(0, number, _QUESTIONS))


def _added(learners: Sequence[_Learner], mean: Array, scale: Array) -> Network:
    """The mean of the networks, over features as they are."""
    hidden, bias, output, direct, start = (
        [each.weights[part] for each in learners] for part in range(len(learners[0].weights))
    )
    layer, through = np.concatenate(hidden, 1), np.mean(direct, 0)
    rounded = [
        (layer / scale[:, None]).T,
        np.concatenate(bias) - (mean / scale) @ layer,
        np.concatenate(output) / len(learners),
        through / scale,
        np.mean(start) - (mean / scale) @ through,
    ]
    return Network(*(np.round(each, 4).tolist() for each in rounded))


def main() -> None:
    """Train on the halves that may be worked on, and write the weights."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--to", type=Path, default=WEIGHTS, help="the file of weights")
    options = parser.parse_args()
    dialogues = [each for folder in FOLDERS for each in load(folder) if each.half == "work"]
    lives = [each for each in questions.load() if each.half != "held"]
    given = examples(dialogues, lives)
    print(f"{len(given)} examples of {len(dialogues)} dialogues and {len(lives)} lives")
    options.to.write_bytes(msgspec.json.format(msgspec.json.encode(train(given)), indent=0) + b"\n")


if __name__ == "__main__":
    main()
