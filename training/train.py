"""Trains the tagger: `make tagger` writes its network, `python -m training.train --help` tells more.

The network begins as a multilingual sentence encoder, and learns from the labelled messages. What is written has only
the pieces of words that the three languages need, and numbers of eight bits.
"""

import argparse
import math
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from recuerdo.memories.extraction.lexicon import names, places
from recuerdo.memories.extraction.tagger import LABELS, LONGEST_QUESTION, NETWORK, SHAPE, TaggerInput, tagger_input
from recuerdo.memories.extraction.transformer import PADDING, PIECES, SPECIAL_PIECES, Pieces, known_pieces
from recuerdo.memories.extraction.words import all_words, fold
from training.messages import Mark, Message, marked, utterances
from training.transformer import (
    SLOWER,
    Encoder,
    Rates,
    TaggerNetwork,
    export,
    half_precision,
    learn,
    stored_encoder,
    stored_weights,
)

_BATCH, _WARM_UP = 32, 300
_RATE, _RATE_OF_HEAD = 1.5e-4, 1e-3
_SMOOTHING = 0.03
_OTHERS = 3
"""How many known messages a network that goes on learning sees beside each new one."""

_MOST_WORDS = 90
_NO_WORD = -100
"""What torch calls the label of no word."""

_KEPT = ("remember", "relative", "age", "birthday", "email", "phone", "plan", "preference", "diet")
"""Values of these aren't exchanged for others: what stands around them depends on them."""

_MOST_PIECES = 32_000
_LATIN = re.compile(r"▁?[A-Za-zÀ-ÖØ-öø-ÿ0-9'’\-.,!?¿¡&@#/+:;()\"«»%$€ªº°_*=…–—]*")

Labelled = tuple[TaggerInput, list[int]]


def train(
    messages: Sequence[Message], network: TaggerNetwork, pieces: Pieces, epochs: int, seed: int, share: float = 1.0
) -> None:
    """Learn from the messages, which are varied anew in each epoch, at a share of the rates."""
    torch.manual_seed(seed)
    chance, values = random.Random(seed), _values(messages)  # noqa: S311
    learn(
        network,
        Rates(share * _RATE, share * _RATE_OF_HEAD, _WARM_UP),
        epochs,
        epochs * math.ceil(len(messages) / _BATCH),
        lambda: _batches([label(_varied(each, values, chance), pieces) for each in messages], chance),
        lambda some: _loss(network, some),
    )


def _loss(network: TaggerNetwork, some: Sequence[Labelled]) -> Tensor:
    *given, labels = _batch(some)
    with half_precision():
        scores = network(*given)[0].float()
    return functional.cross_entropy(
        scores.flatten(0, 1), labels.flatten(), label_smoothing=_SMOOTHING, ignore_index=_NO_WORD
    )


def label(message: Message, pieces: Pieces) -> Labelled:
    """The message as the network reads it, with a label for each of its words."""
    said = all_words(message.text)[:_MOST_WORDS]
    asked = all_words(message.question)[-LONGEST_QUESTION:] if message.question else []
    labels = [0] * len(said)
    for mark in message.marks:
        inside = [index for index, word in enumerate(said) if word.start < mark.end and mark.start < word.end]
        number = LABELS.index((mark.label.removeprefix("-"), "over" if mark.label[0] == "-" else "holds"))  # type: ignore[arg-type]
        for index in inside:
            labels[index] = 2 * number + (1 if index == inside[0] else 2)
    return tagger_input(pieces, message.question or "", asked, message.text, said), labels


def _batches(told: Sequence[Labelled], chance: random.Random) -> Iterator[Sequence[Labelled]]:
    """Messages of like length together."""
    ordered = sorted((each for each in told if each[1]), key=lambda each: len(each[0].pieces) + 6 * chance.random())
    starts = list(range(0, len(ordered), _BATCH))
    chance.shuffle(starts)
    return (ordered[start : start + _BATCH] for start in starts)


def _batch(some: Sequence[Labelled]) -> tuple[Tensor, ...]:
    """Messages side by side, padded to the longest: the network's input and the labels."""
    length, words = max(len(each.pieces) for each, _ in some), max(len(labels) for _, labels in some)
    pieces, first, last, labels = (
        torch.full((len(some), size), value)
        for size, value in ((length, PADDING), (words, 0), (words, 0), (words, _NO_WORD))
    )
    shapes = torch.zeros(len(some), words, SHAPE)
    for row, (each, its) in enumerate(some):
        pieces[row, : len(each.pieces)] = torch.tensor(each.pieces)
        first[row, : len(its)], last[row, : len(its)] = torch.tensor(each.first), torch.tensor(each.last)
        shapes[row, : len(its)] = torch.tensor(each.shapes, dtype=torch.float)
        labels[row, : len(its)] = torch.tensor(its)
    present = torch.arange(length) < torch.tensor([len(each.pieces) for each, _ in some])[:, None]
    return pieces, first, last, shapes, present, labels


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


class _OneMessage(nn.Module):
    """The network for one message: how likely each word has each label, and the mean of all pieces' vectors."""

    def __init__(self, network: TaggerNetwork) -> None:
        super().__init__()
        self._network = network

    def forward(self, pieces: Tensor, first: Tensor, last: Tensor, shapes: Tensor) -> tuple[Tensor, Tensor]:
        scores, hidden = self._network(pieces, first, last, shapes)
        return scores[0].softmax(-1), hidden[0].mean(0)


def write(network: TaggerNetwork, encoder: Encoder, kept: Sequence[int], to: Path, pieces_to: Path) -> None:
    """Write the network with numbers of eight bits, and the pieces of words that it keeps."""
    network.body.keep_pieces(kept)
    network.eval()
    given = (torch.ones(1, 20, dtype=torch.long), *[torch.ones(1, 12, dtype=torch.long)] * 2, torch.zeros(1, 12, SHAPE))
    counted = {"pieces": "pieces", **dict.fromkeys(TaggerInput._fields[1:], "words")}
    export(_OneMessage(network), given, counted, ("likely", "vector"), to)
    np.savez_compressed(
        pieces_to,
        pieces=np.frombuffer("\n".join(encoder.pieces[each] for each in kept).encode(), np.uint8),
        scores=np.array([encoder.scores[each] for each in kept], np.float32),
    )


def _kept(encoder: Encoder, messages: Sequence[Message]) -> list[int]:
    """The special pieces, those of the messages, and of the other Latin ones the likeliest."""
    split = Pieces(encoder.pieces, encoder.scores)
    texts = [text for each in messages for text in (each.text, each.question or "")]
    both = [typed for text in texts for typed in (text, text.lower())]
    seen = {piece for text in both for word in split.of(text, all_words(text)) for piece in word}
    special = range(len(SPECIAL_PIECES))
    seen.difference_update(special)
    latin = [each for each, piece in enumerate(encoder.pieces) if each not in seen and _LATIN.fullmatch(piece)]
    likeliest = sorted((each for each in latin if each not in special), key=lambda each: -encoder.scores[each])
    return [*special, *sorted(seen), *likeliest[: _MOST_PIECES - len(seen) - len(special)]]


def main() -> None:
    """Train on all messages that are not held out, and write the network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0, help="of the first weights and of all variation")
    parser.add_argument("--to", type=Path, default=NETWORK, help="the file of the network")
    parser.add_argument("--pieces-to", type=Path, default=PIECES, help="the file of its pieces of words")
    parser.add_argument("--weights-to", type=Path, help="where to keep the weights for the cross-encoder to begin with")
    parser.add_argument("--go-on", metavar="FILES", help="begin with the network that is there, and learn these files")
    options = parser.parse_args()
    messages = [*utterances(), *(each for each in marked() if not each.is_held_out)]
    encoder = stored_encoder()
    network = TaggerNetwork(encoder, 1 + 2 * len(LABELS))
    if options.go_on:
        network.load_state_dict(stored_weights(NETWORK), strict=False)
        latest = [each for each in marked(options.go_on) if not each.is_held_out]
        others = random.Random(options.seed).sample(messages, min(len(messages), _OTHERS * len(latest)))  # noqa: S311
        kept = [encoder.pieces.index(piece) for piece in known_pieces().names]  # the cross-encoder reads them too
        messages = [*latest, *others]
    else:
        kept = _kept(encoder, messages)
    share = SLOWER if options.go_on else 1.0
    train(messages, network, Pieces(encoder.pieces, encoder.scores), options.epochs, options.seed, share)
    if options.weights_to:
        torch.save(network.state_dict(), options.weights_to)
    write(network, encoder, kept, options.to, options.pieces_to)


if __name__ == "__main__":
    main()
