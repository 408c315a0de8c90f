"""Trains the cross-encoder: `make comparisons` writes `cross_encoder.onnx`.

It learns from `training/examples.py` which sentence of a prompt answers a question, which sentences a new message
ends, and which it asks to forget.
"""

import argparse
import math
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from recuerdo.memories.extraction.cross_encoder import MARKS, NETWORK, Comparison, comparison
from recuerdo.memories.extraction.transformer import PADDING, Pieces, known_pieces
from training.examples import Example, answered, changes, stories, told
from training.transformer import (
    SLOWER,
    ComparisonNetwork,
    Encoder,
    Rates,
    export,
    half_precision,
    learn,
    stored_encoder,
    stored_weights,
)

_BATCH, _WARM_UP, _FROZEN = 16, 150, 3
_RATE, _RATE_OF_HEADS = 1e-4, 5e-4

_PARTS, _TOLD = 0.35, (0.1, 0.8)
"""How often only a part of the sentences is shown, as if less had been told, and how large that part may be."""

_SHORT, _MOST_BESIDE = 0.2, 4
"""How often a conversation is shown as at its beginning, and how many sentences stand beside those that answer then."""


def train(
    examples: Sequence[Example], network: ComparisonNetwork, pieces: Pieces, epochs: int, seed: int, share: float = 1.0
) -> None:
    """Learn from the examples, some of them with fewer sentences, at a share of the rates.

    The first layers stay as they are.
    """
    torch.manual_seed(seed)
    chance = random.Random(seed)  # noqa: S311
    for frozen in (network.body.norm, *network.body.layers[:_FROZEN]):
        frozen.requires_grad_(False)
    learn(
        network,
        Rates(share * _RATE, share * _RATE_OF_HEADS, _WARM_UP),
        epochs,
        epochs * math.ceil(len(examples) / _BATCH),
        lambda: _batches([_part(each, chance) for each in examples], pieces, chance),
        lambda some: _loss(network, some),
    )


def _part(example: Example, chance: random.Random) -> Example:
    """The example, or one with fewer sentences; what was said last is what a message changes, and stays."""
    drawn, last = chance.random(), len(example.sentences) - 1
    if drawn < _PARTS:
        share = chance.uniform(*_TOLD)
        kept = [place for place in range(last + 1) if chance.random() < share or place == last]
    elif drawn < _PARTS + _SHORT and example.task == "answer":
        beside = chance.sample(range(last + 1), min(last + 1, chance.randint(0, _MOST_BESIDE)))
        kept = [place for place in range(last + 1) if example.right[place] or place in beside] or [last]
    else:
        return example
    return example._replace(
        sentences=[example.sentences[each] for each in kept], right=[example.right[each] for each in kept]
    )


def _batches(
    examples: Sequence[Example], pieces: Pieces, chance: random.Random
) -> Iterator[Sequence[tuple[Example, Comparison]]]:
    """Examples of like length together, questions apart from the others."""
    laid_out = [(each, comparison(pieces, each.task, each.text, each.sentences)) for each in examples]
    batches: list[list[tuple[Example, Comparison]]] = []
    for asks in (True, False):
        some = [each for each in laid_out if (each[0].task == "answer") == asks]
        some.sort(key=lambda each: len(each[1].pieces) + 20 * chance.random())
        batches += [some[at : at + _BATCH] for at in range(0, len(some), _BATCH)]
    chance.shuffle(batches)
    return iter(batches)


def _loss(network: ComparisonNetwork, some: Sequence[tuple[Example, Comparison]]) -> Tensor:
    """Of questions, how unlikely all right answers are together; of changes, how wrong each sentence is."""
    length, most = max(len(laid.pieces) for _, laid in some), max(len(laid.ends) for _, laid in some)
    pieces, marks = torch.full((len(some), length), PADDING), torch.zeros(len(some), length, MARKS)
    ends, right = torch.zeros(len(some), most, dtype=torch.long), torch.zeros(len(some), most, dtype=torch.bool)
    present, there = torch.zeros(len(some), length, dtype=torch.bool), torch.zeros(len(some), most, dtype=torch.bool)
    for row, (example, laid) in enumerate(some):
        pieces[row, : len(laid.pieces)], marks[row, : len(laid.pieces)] = map(torch.tensor, (laid.pieces, laid.marks))
        ends[row, : len(laid.ends)] = torch.tensor(laid.ends)
        right[row, : len(laid.ends)] = torch.tensor(example.right[laid.first :])
        present[row, : len(laid.pieces)], there[row, : len(laid.ends)] = True, True
    with half_precision():
        answers, concerned = network(pieces, marks, ends, present)
    if some[0][0].task != "answer":
        return 2 * functional.binary_cross_entropy_with_logits(concerned[there].float(), right[there].float())
    scores = answers.float().masked_fill(~torch.cat((there, torch.ones(len(some), 1, dtype=torch.bool)), 1), -1e4)
    wanted = torch.cat((right, ~right.any(1, keepdim=True)), 1)
    return -scores.log_softmax(1).masked_fill(~wanted, -1e9).logsumexp(1).mean()


class _OneComparison(nn.Module):
    """The network for one text: how likely each sentence is the answer, and how likely each is concerned."""

    def __init__(self, network: ComparisonNetwork) -> None:
        super().__init__()
        self._network = network

    def forward(self, pieces: Tensor, marks: Tensor, ends: Tensor) -> tuple[Tensor, Tensor]:
        answers, concerned = self._network(pieces, marks, ends)
        return answers[0].softmax(0), concerned[0].sigmoid()


def write(network: ComparisonNetwork, encoder: Encoder, to: Path) -> None:
    """Write the network with numbers of eight bits, and with the pieces of words that the tagger has."""
    numbers = {piece: number for number, piece in enumerate(encoder.pieces)}
    network.body.keep_pieces([numbers[piece] for piece in known_pieces().names])
    network.eval()
    given = (torch.ones(1, 20, dtype=torch.long), torch.zeros(1, 20, MARKS), torch.ones(1, 3, dtype=torch.long))
    counted = {"pieces": "pieces", "marks": "pieces", "ends": "sentences"}
    export(_OneComparison(network), given, counted, ("answering", "concerned"), to)


def main() -> None:
    """Train on all examples that are not held out, and write the network."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0, help="of the first weights and of all variation")
    parser.add_argument("--to", type=Path, default=NETWORK, help="the file of the network")
    parser.add_argument("--tagger", type=Path, help="weights of the tagger to begin with, which training.train keeps")
    parser.add_argument("--go-on", action="store_true", help="begin with the network that is there")
    options = parser.parse_args()
    encoder = stored_encoder()
    network = ComparisonNetwork(encoder)
    if options.tagger:
        weights = torch.load(options.tagger, weights_only=True)
        network.load_state_dict(
            {name: each for name, each in weights.items() if name.startswith("body.")}, strict=False
        )
    if options.go_on:
        network.load_state_dict(stored_weights(NETWORK), strict=False)
    of_stories = (each for story in stories(held_out=False) for each in told(story))
    examples = [*changes(held_out=False), *of_stories, *answered()]
    train(
        examples,
        network,
        Pieces(encoder.pieces, encoder.scores),
        options.epochs,
        options.seed,
        SLOWER if options.go_on else 1.0,
    )
    write(network, encoder, options.to)


if __name__ == "__main__":
    main()
