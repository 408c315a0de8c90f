"""Tags the words of a message that are values which its writer tells of themselves.

The detectors hear what a cue announces; the tagger reads the whole message, and finds what no cue announces as well.
It is a convolutional network over words. `training/` has its labelled messages and the script that trains it, which
uses the features below; `tagger.npz` has the weights. It needs numpy, and finds nothing where that is not installed.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args
from zlib import crc32

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction.lexicon import households, jobs, languages, names, places, traits
from recuerdo.memories.extraction.words import Word, words_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

WEIGHTS = Path(__file__).with_suffix(".npz")

Tense = Literal["holds", "over"]
LABELS: Sequence[tuple[Attribute, Tense]] = tuple(
    (attribute, tense) for tense in get_args(Tense) for attribute in get_args(Attribute) if attribute != "remember"
)
"""Labels of words are numbers: 0 is outside of all values, 1 + 2 * n begins one of LABELS[n], and 2 + 2 * n goes on."""

DILATIONS = (1, 2, 4, 1)
"""How many words before and behind each word a layer reads."""

AFFIXES = 1500
"""Rows of the table of words' first and last letters."""

LONGEST_QUESTION = 25
"""Words: of a longer question only the last are read."""

SHAPE = 23
"""Numbers that tell how a word is written, in which word lists it is, and where it stands."""

_LONGEST_PART = 60
_PARTS_OF_AN_END = 2
_MOST_PIECES = 8
_LONGEST_WORD = 32
_MOST_SEEN = 4096
"""Words whose features are kept: people say the same ones again and again."""

_PART_ENDS = frozenset(".!?;")


class TaggedValue(NamedTuple):
    """A value in a text, from `start` to `end`, whether it holds, and how sure the tagger is, from 0 to 1."""

    attribute: Attribute
    tense: Tense
    start: int
    end: int
    confidence: float


class Features(NamedTuple):
    """The network's input, word by word: the mean of its pieces' vectors, its shape, and its rows in two tables."""

    vectors: "Array"
    shapes: "Array"
    rows: list[int]
    affixes: list[tuple[int, int]]


def tag(text: str, question: str | None = None) -> list[TaggedValue]:
    """Return the values that the writer of the text tells of themselves, where the `question` was asked before.

    It is read in parts of at most 60 words, of a long text the first and the last of them, so that the time is bounded.
    """
    tagger = _load()
    if tagger is None:
        return []
    asked = words_of(question)[-LONGEST_QUESTION:] if question else []
    parts = _parts(text)
    read = parts if len(parts) <= 2 * _PARTS_OF_AN_END else parts[:_PARTS_OF_AN_END] + parts[-_PARTS_OF_AN_END:]
    return [value for part in read for value in tagger.values(asked, part)]


def _parts(text: str) -> list[list[Word]]:
    """The words of each line, in parts that end with sentences where they can."""
    parts: list[list[Word]] = []
    for line in re.finditer(r"[^\n]+", text):
        said = [
            word._replace(start=word.start + line.start(), end=word.end + line.start()) for word in words_of(line[0])
        ]
        while len(said) > _LONGEST_PART:
            ends = [index + 1 for index in range(_LONGEST_PART) if said[index].text in _PART_ENDS]
            parts.append(said[: ends[-1] if ends else _LONGEST_PART])
            said = said[len(parts[-1]) :]
        if said:
            parts.append(said)
    return parts


class WordTable:
    """The vectors of pieces of words, and the rows of whole words in the network's own table."""

    def __init__(self, pieces: Sequence[str], vectors: "NDArray[np.int8]", rows: Sequence[str]) -> None:
        self._pieces = {piece: index for index, piece in enumerate(pieces)}
        self._vectors = vectors
        self._rows = {word: index + 1 for index, word in enumerate(rows)}
        self.width = vectors.shape[1] + 1
        self._vector = lru_cache(_MOST_SEEN)(self._mean_of_pieces)
        self._shapes = lru_cache(_MOST_SEEN)(_shape)

    def features(self, asked: Sequence[Word], said: Sequence[Word]) -> Features:
        """Look up the words of the question and those of the message behind it."""
        import numpy as np

        casual = not any(word.is_proper for word in said[1:])
        sequence = [*asked, *said]
        vectors = np.stack([self._vector(word.folded[:_LONGEST_WORD]) for word in sequence])
        shapes = [
            (
                *(self._shapes if len(word.text) <= _LONGEST_WORD else _shape)(word.text, word.folded, casual),
                index == len(asked),
                index < len(asked),
                0 < len(asked) <= index,
            )
            for index, word in enumerate(sequence)
        ]
        affixes = [
            (crc32(word.folded[-3:].encode()) % AFFIXES, crc32(f"p{word.folded[:3]}".encode()) % AFFIXES)
            for word in sequence
        ]
        rows = [self._rows.get(word.folded, 0) for word in sequence]
        return Features(vectors, np.array(shapes, np.float32), rows, affixes)

    def _mean_of_pieces(self, word: str) -> "Array":
        """The mean of the vectors of a word's pieces, and a quarter of their number."""
        import numpy as np

        vector = np.zeros(self.width, np.float32)
        if found := self._split(word):
            vector[:-1] = self._vectors[found].mean(0) / STEP
            vector[-1] = len(found) / 4
        return vector

    def _split(self, word: str) -> list[int]:
        """The longest pieces of the word, from its beginning on; `_` is where words begin."""
        rest, found = f"_{word}", list[int]()
        while rest and len(found) < _MOST_PIECES:
            length = next(
                (end for end in range(len(rest), 0, -1) if rest[:end] != "_" and rest[:end] in self._pieces), 0
            )
            if length:
                found.append(self._pieces[rest[:length]])
            rest = rest[length or 1 :]
        return found


_MOST_IN_BLOCK, _MOST_OF_ONE_ROW = 250_000, 9_000
"""Multiplications from which OpenBLAS hands a product of matrices, or of a row and a matrix, to other threads."""

STEP = 30
"""Steps of a vector's numbers, as they are stored, to 1."""


def _shape(text: str, folded: str, casual: bool) -> tuple[bool, ...]:
    is_mark, is_proper = not text[0].isalnum(), text != text.lower()
    return (
        is_mark,
        text[0].isdigit(),
        any(character.isdigit() for character in text),
        "@" in text,
        is_proper and not casual,
        text.isupper() and len(text) > 1 and not casual,
        casual,
        folded in names.GIVEN,
        folded in places.KNOWN,
        folded in places.COUNTRIES,
        not is_mark and jobs.is_job(folded),
        households.is_relative(folded),
        households.is_animal(folded),
        folded in traits.MARRIED,
        folded in traits.CONDITIONS,
        folded in traits.DIETS,
        folded in languages.LANGUAGES,
        folded in traits.NUMERALS,
        len(folded) <= 2,
        len(folded) >= 9,
    )


class Tagger:
    """The network, with the weights that training has stored."""

    def __init__(self, stored: Mapping[str, Any]) -> None:
        import numpy as np

        pieces, rows = (bytes(stored[name]).decode().split("\n") for name in ("pieces", "rows"))
        self._table = WordTable(pieces, stored["vectors"], rows)
        self._weights = {
            name: np.asarray(stored[name], np.float32) for name in stored if name not in ("pieces", "rows", "vectors")
        }

    def values(self, asked: Sequence[Word], said: Sequence[Word]) -> list[TaggedValue]:
        """The values in a part of a message."""
        likely = self.likely(self._table.features(asked, said))[len(asked) :]
        values: list[TaggedValue] = []
        for first, last, label, confidence in spans(likely):
            attribute, tense = LABELS[label]
            values.append(TaggedValue(attribute, tense, said[first].start, said[last].end, confidence))
        return values

    def likely(self, read: Features) -> "Array":
        """How likely each word has each label, words by labels."""
        import numpy as np

        weights = self._weights
        affixes = np.array(read.affixes)
        table = weights["affixes"]
        inputs = (read.vectors, read.shapes, weights["words"][read.rows], table[affixes[:, 0]], table[affixes[:, 1]])
        hidden = np.maximum(_product(np.concatenate(inputs, 1), weights["input"]) + weights["input_bias"], 0)
        for layer, dilation in enumerate(DILATIONS):
            around = np.concatenate((shifted(hidden, dilation), hidden, shifted(hidden, -dilation)), 1)
            hidden = hidden + np.maximum(_product(around, weights[f"layer{layer}"]) + weights[f"layer{layer}_bias"], 0)
        whole = np.maximum(_product(hidden.max(0, keepdims=True), weights["whole"]), 0)
        of_words, of_whole = np.split(weights["output"], 2)
        scores = _product(hidden, of_words) + _product(whole, of_whole) + weights["output_bias"]
        likely = np.exp(scores - scores.max(1, keepdims=True))
        return likely / likely.sum(1, keepdims=True)


def _product(rows: "Array", weights: "Array") -> "Array":
    """The matrix product, in blocks so small that BLAS computes each in this thread.

    Its threads wait for each other in a loop: on a busy machine a message took 60 ms instead of one.
    """
    import numpy as np

    most = _MOST_IN_BLOCK if len(rows) > 1 else _MOST_OF_ONE_ROW
    width = max(1, most // (len(rows) * len(weights)))
    return np.concatenate([rows @ weights[:, at : at + width] for at in range(0, weights.shape[1], width)], 1)


def shifted(hidden: "Array", by: int) -> "Array":
    """The rows `by` words before each word (behind it, if that is negative), along the last axis but one."""
    import numpy as np

    moved = np.zeros_like(hidden)
    if by > 0:
        moved[..., by:, :] = hidden[..., :-by, :]
    else:
        moved[..., :by, :] = hidden[..., -by:, :]
    return moved


def spans(likely: "Array") -> list[tuple[int, int, int, float]]:
    """The best sequence of labels, as Viterbi's algorithm finds it: first and last word, label, confidence.

    A value goes on only behind its beginning.
    """
    import numpy as np

    log = np.log(likely + 1e-9)
    begins = np.array(range(1, log.shape[1], 2))
    inside = begins + 1
    score, before = log[0].copy(), list[Any]()
    score[inside] = -np.inf
    for row in log[1:]:
        best = int(score.argmax())
        source = np.full(len(score), best)
        source[inside] = np.where(score[inside] > score[begins], inside, begins)
        before.append(source)
        score = score[source] + row
    path = [int(score.argmax())]
    for source in reversed(before):
        path.append(int(source[path[-1]]))
    path.reverse()
    found: list[tuple[int, int, int, float]] = []
    for first, label in enumerate(path):
        if label % 2:
            last = first
            while last + 1 < len(path) and path[last + 1] == label + 1:
                last += 1
            certain = float(np.exp(log[range(first, last + 1), path[first : last + 1]].mean()))
            found.append((first, last, label // 2, certain))
    return found


@cache
def _load() -> Tagger | None:
    if find_spec("numpy") is None:
        return None
    import numpy as np

    with np.load(WEIGHTS, allow_pickle=False) as stored:
        return Tagger(dict(stored))
