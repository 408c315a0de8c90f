"""The tagger's network as it learns: the forward pass with what the backward pass needs."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from recuerdo.memories.extraction.tagger import AFFIXES, DILATIONS, LABELS, SHAPE, Features, shifted
from training.adam import Adam

Array = NDArray[np.float32]

HIDDEN = 192
_WORD, _AFFIX = 24, 12
_CLASSES = 1 + 2 * len(LABELS)
_SMOOTHING = 0.03
_DECAY = 0.01
_WARM_UP = 200
_RATE = 2e-3


class Batch(NamedTuple):
    """Messages side by side, padded to the longest: `present` is 1 where words are, `counts` where labels count."""

    vectors: Array
    shapes: Array
    rows: NDArray[np.int64]
    affixes: NDArray[np.int64]
    present: Array
    labels: NDArray[np.int64]
    counts: Array


def batch(read: Sequence[Features], labels: Sequence[Sequence[int]]) -> Batch:
    """Put messages beside each other; labels are those of the last words, the others are of a question."""
    shape = (len(read), max(len(each.rows) for each in read))
    made = Batch(
        np.zeros((*shape, read[0].vectors.shape[1]), np.float32),
        np.zeros((*shape, SHAPE), np.float32),
        np.zeros(shape, np.int64),
        np.zeros((*shape, 2), np.int64),
        np.zeros(shape, np.float32),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.float32),
    )
    for row, (each, its) in enumerate(zip(read, labels, strict=True)):
        length = len(each.rows)
        made.vectors[row, :length], made.shapes[row, :length] = each.vectors, each.shapes
        made.rows[row, :length], made.affixes[row, :length] = each.rows, each.affixes
        made.present[row, :length] = 1
        made.labels[row, length - len(its) : length] = its
        made.counts[row, length - len(its) : length] = 1
    return made


class Network:
    """The weights by name, their momenta, and their moving average, which is what is kept."""

    def __init__(self, vector: int, words: int, random: np.random.Generator, hidden: int = HIDDEN) -> None:
        def layer(inputs: int, outputs: int, scale: float = 1.0) -> Array:
            return (random.normal(size=(inputs, outputs)) * scale * np.sqrt(2 / inputs)).astype(np.float32)

        inputs = vector + SHAPE + _WORD + 2 * _AFFIX
        self.weights: dict[str, Array] = {
            "words": (random.normal(size=(words + 1, _WORD)) * 0.1).astype(np.float32),
            "affixes": (random.normal(size=(AFFIXES, _AFFIX)) * 0.1).astype(np.float32),
            "input": layer(inputs, hidden),
            "input_bias": np.zeros(hidden, np.float32),
            "whole": layer(hidden, hidden, 0.3),
            "output": layer(2 * hidden, _CLASSES, 0.3),
            "output_bias": np.zeros(_CLASSES, np.float32),
        }
        for number in range(len(DILATIONS)):
            self.weights[f"layer{number}"] = layer(3 * hidden, hidden, 0.5)
            self.weights[f"layer{number}_bias"] = np.zeros(hidden, np.float32)
        self.average = {name: weight.copy() for name, weight in self.weights.items()}
        self._adam = Adam(self.weights.values(), 0.01)
        self._random, self._hidden = random, hidden

    def learn(self, given: Batch, progress: float, dropout: float = 0.25) -> float:
        """Take one step, and return the loss before it; `progress` runs from 0 to 1."""
        kept = self._forward(given, dropout)
        likely = kept["likely"]
        right = np.take_along_axis(likely, given.labels[..., None], -1)[..., 0]
        number = given.counts.sum()
        wrong = likely - _SMOOTHING / _CLASSES
        np.put_along_axis(
            wrong,
            given.labels[..., None],
            np.take_along_axis(wrong, given.labels[..., None], -1) - (1 - _SMOOTHING),
            -1,
        )
        self._descend(self._backward(given, kept, wrong * given.counts[..., None] / number), progress)
        return float(-(np.log(right + 1e-9) * given.counts).sum() / number)

    def likely(self, given: Batch) -> Array:
        """How likely each word of each message has each label, as the weights are now."""
        return self._forward(given, 0)["likely"]

    def _dropped(self, values: Array, share: float) -> Array:
        return (self._random.random(values.shape, dtype=np.float32) > share).astype(np.float32) / (1 - share)

    def _forward(self, given: Batch, dropout: float) -> dict[str, Any]:
        weights, present = self.weights, given.present[..., None]
        affixes = weights["affixes"]
        inputs = np.concatenate(
            (
                given.vectors,
                given.shapes,
                weights["words"][given.rows],
                affixes[given.affixes[..., 0]],
                affixes[given.affixes[..., 1]],
            ),
            -1,
        )
        kept: dict[str, Any] = {"input_mask": self._dropped(inputs, dropout / 2)}
        kept["inputs"] = inputs = inputs * kept["input_mask"]
        kept["hidden"] = hidden = np.maximum(inputs @ weights["input"] + weights["input_bias"], 0) * present
        for number, dilation in enumerate(DILATIONS):
            around = np.concatenate((shifted(hidden, dilation), hidden, shifted(hidden, -dilation)), -1)
            told = np.maximum(around @ weights[f"layer{number}"] + weights[f"layer{number}_bias"], 0) * present
            kept[f"mask{number}"] = self._dropped(told, dropout)
            kept[f"around{number}"], kept[f"told{number}"] = around, told
            hidden = hidden + told * kept[f"mask{number}"]
        kept["most"] = np.where(present > 0, hidden, -np.inf).argmax(1)[:, None]
        kept["greatest"] = np.take_along_axis(hidden, kept["most"], 1)
        kept["whole"] = np.maximum(kept["greatest"] @ weights["whole"], 0)
        kept["last"] = np.concatenate((hidden, np.broadcast_to(kept["whole"], hidden.shape)), -1)
        scores = kept["last"] @ weights["output"] + weights["output_bias"]
        likely = np.exp(scores - scores.max(-1, keepdims=True))
        kept["likely"] = likely / likely.sum(-1, keepdims=True)
        return kept

    def _backward(self, given: Batch, kept: dict[str, Any], wrong: Array) -> dict[str, Array]:
        weights, gradients = self.weights, dict[str, Array]()
        gradients["output"], gradients["output_bias"] = _flat(kept["last"]).T @ _flat(wrong), _flat(wrong).sum(0)
        last = wrong @ weights["output"].T
        hidden, whole = (
            last[..., : self._hidden].copy(),
            last[..., self._hidden :].sum(1, keepdims=True) * (kept["whole"] > 0),
        )
        gradients["whole"] = _flat(kept["greatest"]).T @ _flat(whole)
        greatest = np.zeros_like(hidden)
        np.put_along_axis(greatest, kept["most"], whole @ weights["whole"].T, 1)
        hidden += greatest
        for number in reversed(range(len(DILATIONS))):
            told = hidden * (kept[f"told{number}"] > 0) * kept[f"mask{number}"]
            gradients[f"layer{number}"] = _flat(kept[f"around{number}"]).T @ _flat(told)
            gradients[f"layer{number}_bias"] = _flat(told).sum(0)
            before, here, behind = np.split(told @ weights[f"layer{number}"].T, 3, -1)
            hidden = hidden + here + shifted(before, -DILATIONS[number]) + shifted(behind, DILATIONS[number])
        hidden *= (kept["hidden"] > 0) * given.present[..., None]
        gradients["input"], gradients["input_bias"] = _flat(kept["inputs"]).T @ _flat(hidden), _flat(hidden).sum(0)
        inputs = _flat((hidden @ weights["input"].T * kept["input_mask"])[..., -_WORD - 2 * _AFFIX :])
        gradients["words"], gradients["affixes"] = np.zeros_like(weights["words"]), np.zeros_like(weights["affixes"])
        np.add.at(gradients["words"], given.rows.ravel(), inputs[:, :_WORD])
        np.add.at(gradients["affixes"], given.affixes[..., 0].ravel(), inputs[:, _WORD : _WORD + _AFFIX])
        np.add.at(gradients["affixes"], given.affixes[..., 1].ravel(), inputs[:, _WORD + _AFFIX :])
        return gradients

    def _descend(self, gradients: dict[str, Array], progress: float) -> None:
        """One step of Adam with weight decay, slower towards the end."""
        directions = self._adam.directions(gradients[name] for name in self.weights)
        for (name, weight), direction in zip(self.weights.items(), directions, strict=True):
            steps = self._adam.steps
            rate = _RATE * min(1, steps / _WARM_UP) * (0.5 * (1 + np.cos(np.pi * progress)) + 0.02)
            weight -= rate * (direction + (_DECAY * weight if weight.ndim > 1 else 0))
            self.average[name] += (0.01 if steps > _WARM_UP else 1) * (weight - self.average[name])


def _flat(values: Array) -> Array:
    return values.reshape(-1, values.shape[-1])
