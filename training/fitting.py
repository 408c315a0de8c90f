"""Fits a network of one hidden layer, which tells classes of vectors apart."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from recuerdo.memories.extraction.answer_type import likely

Array = NDArray[np.float32]

_HIDDEN, _BATCH, _RATE, _DECAY, _DROPPED = 96, 32, 1e-3, 1e-3, 0.3

_NETWORKS = 8
"""Of so many networks the mean is taken: what one of them takes for a question depends on its first weights."""


class Adam:
    """Adam (Kingma and Ba, 2015): the moments of gradients; `decay` is that of the second moment, for one step."""

    def __init__(self, weights: Iterable[Array], decay: float) -> None:
        self._first = [np.zeros_like(each) for each in weights]
        self._second = [np.zeros_like(each) for each in self._first]
        self._decay = decay
        self.steps = 0

    def directions(self, gradients: Iterable[Array]) -> Iterator[Array]:
        """Take one step: the directions in which to move the weights, in their order."""
        self.steps += 1
        for first, second, gradient in zip(self._first, self._second, gradients, strict=True):
            first += 0.1 * (gradient - first)
            second += self._decay * (gradient**2 - second)
            mean, spread = first / (1 - 0.9**self.steps), second / (1 - (1 - self._decay) ** self.steps)
            yield mean / (np.sqrt(spread) + 1e-8)


def fit(
    vectors: Array, labels: Iterator[NDArray[np.int64]], classes: int, epochs: int, seed: int
) -> Mapping[str, Array]:
    """Learn classes with one hidden layer; each epoch may have other labels."""
    generator = np.random.default_rng(seed)
    weights: dict[str, Array] = {
        "hidden": generator.normal(0, vectors.shape[1] ** -0.5, (vectors.shape[1], _HIDDEN)).astype(np.float32),
        "hidden_bias": np.zeros(_HIDDEN, np.float32),
        "output": generator.normal(0, _HIDDEN**-0.5, (_HIDDEN, classes)).astype(np.float32),
        "output_bias": np.zeros(classes, np.float32),
    }
    adam = Adam(weights.values(), 0.001)
    for epoch, own in zip(range(epochs), labels, strict=False):
        order = generator.permutation(len(vectors))
        for some in (order[at : at + _BATCH] for at in range(0, len(order), _BATCH)):
            _learn(vectors[some], own[some], weights, adam, generator, 1 - epoch / epochs)
    return weights


def fit_mean(vectors: Array, labels: NDArray[np.int64], classes: int, epochs: int, seed: int) -> Mapping[str, Array]:
    """Learn classes with several networks, from this seed on, and join them into one with the mean of their scores."""
    networks = [fit(vectors, repeat(labels), classes, epochs, each) for each in range(seed, seed + _NETWORKS)]
    joined = {name: np.concatenate([each[name] for each in networks], -1) for name in ("hidden", "hidden_bias")}
    output = np.concatenate([each["output"] for each in networks]) / _NETWORKS
    return {**joined, "output": output, "output_bias": np.mean([each["output_bias"] for each in networks], 0)}


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
