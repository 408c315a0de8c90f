"""Trains what tells the sentences that are worth a note: `make notes` writes `notes.npz`, and a report.

It learns from the vectors that the tagger's network makes of the sentences, so that it is trained after the tagger.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recuerdo.memories.extraction import tagger
from recuerdo.memories.extraction.answer_type import WEIGHTS_OF_NOTES, WORTHS, Worth, likely, likely_worth
from recuerdo.memories.extraction.words import fold
from training.examples import changes
from training.fitting import fit_mean
from training.questions import written

Array = NDArray[np.float32]

FOLDER = Path(__file__).parent / "data" / "notes"
_EPOCHS = 15
_TOLD = 12
"""One in so many of the sentences that are told in `data/changes` is taken: all are worth a note."""

_WANTING = 3
"""One of so many questions and requests is taken: none is worth a note."""


class Judged(NamedTuple):
    """A sentence, and which of the WORTHS it has."""

    text: str
    worth: Worth


def judged(*, held_out: bool) -> Iterator[Judged]:
    """The sentences that people judged, as `text => worth`."""
    for path in sorted(FOLDER.glob("??-*.txt")):
        if ("held" in path.stem) == held_out:
            for line in path.read_text("utf-8").splitlines():
                text, _, worth = line.rpartition(" => ")
                yield Judged(text, next(each for each in WORTHS if each == worth))


def told_in_changes() -> Iterator[Judged]:
    """Some of the sentences that messages change or end: whoever told them wanted them to be known."""
    sentences = (each.text for example in changes(held_out=False) for each in example.sentences)
    return (Judged(each, "note") for each in islice(dict.fromkeys(sentences), 0, None, _TOLD))


def wanting() -> Iterator[Judged]:
    """Some of the questions and requests that are no statements."""
    texts = (each.text for each in written() if each.act != "tells" and not each.is_held_out)
    return (Judged(each, "none") for each in islice(texts, 0, None, _WANTING))


def train_notes(given: Sequence[Judged], network: tagger.Tagger, seed: int) -> Mapping[str, Array]:
    """Learn the worth of each sentence, as it is written and as people in a hurry type."""
    typed = [(each.worth, text) for each in given for text in dict.fromkeys((each.text, fold(each.text)))]
    labels = np.array([WORTHS.index(worth) for worth, _ in typed])
    vectors = np.stack([network.vector(text) for _, text in typed])
    return fit_mean(vectors, labels, len(WORTHS), _EPOCHS, seed)


def report_notes(weights: Mapping[str, Array], network: tagger.Tagger, given: Sequence[Judged]) -> None:
    """Print what share of each kind of sentence becomes a note."""
    noted = [likely_worth(likely(network.vector(each.text), weights).tolist()) != "none" for each in given]
    for worth in WORTHS:
        shares = [noted[place] for place, each in enumerate(given) if each.worth == worth]
        print(f"{worth}: {np.mean(shares):.3f} of {len(shares)} noted")


def main() -> None:
    """Train on all sentences that are not held out, and write the weights."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--to", type=Path, default=WEIGHTS_OF_NOTES, help="the file of weights")
    options = parser.parse_args()
    if (network := tagger.load()) is None:
        raise SystemExit("onnxruntime is not installed: run `make setup`.")
    given = [each for each in (*judged(held_out=False), *told_in_changes(), *wanting()) if fold(each.text).strip()]
    weights = train_notes(given, network, options.seed)
    np.savez_compressed(options.to, **{f"notes.{name}": weight.astype(np.float16) for name, weight in weights.items()})  # pyright: ignore[reportArgumentType]
    report_notes(weights, network, [*judged(held_out=True)])


if __name__ == "__main__":
    main()
