"""Trains the tagger: `make tagger` writes its weights, `python -m training.train --help` tells more.

The vectors of pieces of words come from the offline embedding model (Universal Sentence Encoder, Apache-2.0), folded,
and turned to the directions in which they differ most. The rest is learned from the labelled messages.
"""

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recuerdo.memories.extraction.lexicon import names, places
from recuerdo.memories.extraction.tagger import LABELS, LONGEST_QUESTION, WEIGHTS, Features, WordTable
from recuerdo.memories.extraction.words import fold, words_of
from training.messages import Mark, Message, marked, utterances
from training.network import HIDDEN, Network, batch
from training.pieces import pieces

_BATCH = 32
_FEWEST = 4
"""How often a word has to occur to have a row of its own."""

_FORGOTTEN = 0.15
"""How many words lose their row while learning, so that the network can do without."""

_KEPT = ("remember", "relative", "age", "birthday", "email", "phone", "plan", "preference", "diet")
"""Values of these aren't exchanged for others: what stands around them depends on them."""


class Labelled(NamedTuple):
    """A message's features and the labels of its words."""

    features: Features
    labels: list[int]


def train(
    messages: Sequence[Message], table: WordTable, words: int, epochs: int, seed: int, hidden: int = HIDDEN
) -> Network:
    """Learn from the messages, which are varied anew in each epoch."""
    chance, generator = random.Random(seed), np.random.default_rng(seed)  # noqa: S311
    values = _values(messages)
    network = Network(table.width, words, generator, hidden)
    for epoch in range(epochs):
        told = [label(_varied(message, values, chance), table) for message in messages]
        told = sorted((each for each in told if each.labels), key=lambda each: len(each.labels) + 6 * chance.random())
        batches = [told[start : start + _BATCH] for start in range(0, len(told), _BATCH)]
        chance.shuffle(batches)
        losses: list[float] = []
        for number, some in enumerate(batches):
            given = batch([each.features for each in some], [each.labels for each in some])
            given.rows[generator.random(given.rows.shape) < _FORGOTTEN] = 0
            losses.append(network.learn(given, (epoch + number / len(batches)) / epochs))
        print(f"epoch {epoch + 1} of {epochs}: loss {np.mean(losses):.4f}", flush=True)
    return network


def label(message: Message, table: WordTable) -> Labelled:
    """The message as the network reads it, with a label for each of its words."""
    said = words_of(message.text)
    asked = words_of(message.question)[-LONGEST_QUESTION:] if message.question else []
    labels = [0] * len(said)
    for mark in message.marks:
        inside = [index for index, word in enumerate(said) if word.start < mark.end and mark.start < word.end]
        number = LABELS.index((mark.label.removeprefix("-"), "over" if mark.label[0] == "-" else "holds"))  # type: ignore[arg-type]
        for index in inside:
            labels[index] = 2 * number + (1 if index == inside[0] else 2)
    return Labelled(table.features(asked, said), labels)


def _values(messages: Sequence[Message]) -> Mapping[str, Sequence[str]]:
    """The values of each label, sorted."""
    values: defaultdict[str, set[str]] = defaultdict(set)
    for message in messages:
        for mark in message.marks:
            values[mark.label.removeprefix("-")].add(message.text[mark.start : mark.end])
    values["name"] |= names.GIVEN
    values["city"] |= places.KNOWN
    values["origin"] |= places.KNOWN
    return {each: sorted(found) for each, found in values.items()}


def _varied(message: Message, values: Mapping[str, Sequence[str]], chance: random.Random) -> Message:
    """The message with some other values, and as others would type it."""
    text, marks = message.text, message.marks
    if chance.random() < 0.5:
        text, marks = _exchanged(message, values, chance)
    typed = chance.random()
    if typed < 0.25:
        text = text.lower()
    elif typed < 0.4:
        text = fold(text)
    if chance.random() < 0.15:
        text = text.rstrip(".!")
    return Message(text, message.question, marks)


def _exchanged(message: Message, values: Mapping[str, Sequence[str]], chance: random.Random) -> tuple[str, list[Mark]]:
    text, marks, position = "", list[Mark](), 0
    for mark in message.marks:
        text += message.text[position : mark.start]
        value, kind = message.text[mark.start : mark.end], mark.label.removeprefix("-")
        if kind not in _KEPT and chance.random() < 0.5:
            other = chance.choice(values[kind])
            value = other[:1].upper() + other[1:] if value[:1].isupper() else other.lower()
        marks.append(Mark(len(text), len(text) + len(value), mark.label))
        text, position = text + value, mark.end
    return text + message.text[position:], marks


def _common_words(messages: Sequence[Message]) -> Iterator[str]:
    number = Counter(word.folded for message in messages for word in words_of(message.text))
    return (word for word, times in number.most_common() if times >= _FEWEST)


def main() -> None:
    """Train on all messages that are not held out, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=13)
    parser.add_argument("--seed", type=int, default=0, help="of the first weights and of all variation")
    parser.add_argument("--to", type=Path, default=WEIGHTS, help="the file of weights")
    options = parser.parse_args()
    messages = [*utterances(), *(each for each in marked() if not each.is_held_out)]
    known, vectors = pieces()
    rows = [*_common_words(messages)]
    network = train(messages, WordTable(known, vectors, rows), len(rows), options.epochs, options.seed)
    np.savez_compressed(
        options.to,
        pieces=np.frombuffer("\n".join(known).encode(), np.uint8),
        rows=np.frombuffer("\n".join(rows).encode(), np.uint8),
        vectors=vectors,
        **{name: weight.astype(np.float16) for name, weight in network.average.items()},  # pyright: ignore[reportArgumentType]
    )


if __name__ == "__main__":
    main()
