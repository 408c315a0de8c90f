"""Tags the words of a message that are values which its writer tells of themselves.

The detectors hear what a cue announces; the tagger reads the whole message, and finds what no cue announces as well.
It is a transformer with small steps. `training/` has its labelled messages and the script that trains it. It needs
onnxruntime, and finds nothing where that is not installed.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction.lexicon import households, jobs, languages, names, places, traits
from recuerdo.memories.extraction.transformer import BEGIN, END, Pieces, is_available, known_pieces, session
from recuerdo.memories.extraction.words import Word, all_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

NETWORK = Path(__file__).with_suffix(".onnx")

Tense = Literal["holds", "over"]
LABELS: Sequence[tuple[Attribute, Tense]] = tuple(
    (attribute, tense) for tense in get_args(Tense) for attribute in get_args(Attribute) if attribute != "remember"
)
"""Labels of words are numbers: 0 is outside of all values, 1 + 2 * n begins one of LABELS[n], and 2 + 2 * n goes on."""

LONGEST_QUESTION = 25
"""Words: of a longer question only the last are read."""

_LONGEST_PART = 60
_PARTS_OF_AN_END = 2
_PART_ENDS = frozenset(".!?;")
SHAPE = 20
"""Numbers that tell how a word is written, and in which word lists it is."""

_LETTERS_OF_SMALL_WORDS, _LETTERS_OF_LONG_WORDS = 2, 9
_MOST_READ = 256
"""Messages whose reading is kept: what is told in them, and what they are about, is asked one after the other."""


class TaggedValue(NamedTuple):
    """A value in a text, from `start` to `end`, whether it holds, and how sure the tagger is, from 0 to 1."""

    attribute: Attribute
    tense: Tense
    start: int
    end: int
    confidence: float


def tag(text: str, question: str | None = None) -> list[TaggedValue]:
    """Return the values that the writer of the text tells of themselves, where the `question` was asked before.

    It is read in parts of at most 60 words, of a long text the first and the last of them, so that the time is bounded.
    """
    tagger = load()
    if tagger is None:
        return []
    asked = all_words(question)[-LONGEST_QUESTION:] if question else []
    parts = _parts(text)
    read = parts if len(parts) <= 2 * _PARTS_OF_AN_END else parts[:_PARTS_OF_AN_END] + parts[-_PARTS_OF_AN_END:]
    return [value for part in read for value in tagger.values(question or "", asked, text, part)]


def _parts(text: str) -> list[list[Word]]:
    """The words of each line, in parts that end with sentences where they can."""
    parts: list[list[Word]] = []
    for line in re.finditer(r"[^\n]+", text):
        said = [
            word._replace(start=word.start + line.start(), end=word.end + line.start()) for word in all_words(line[0])
        ]
        while len(said) > _LONGEST_PART:
            ends = [index + 1 for index in range(_LONGEST_PART) if said[index].text in _PART_ENDS]
            parts.append(said[: ends[-1] if ends else _LONGEST_PART])
            said = said[len(parts[-1]) :]
        if said:
            parts.append(said)
    return parts


class TaggerInput(NamedTuple):
    """A message as the network reads it: its pieces, each word's first and last one, and how each word looks."""

    pieces: tuple[int, ...]
    first: tuple[int, ...]
    last: tuple[int, ...]
    shapes: tuple[tuple[bool, ...], ...]


def tagger_input(pieces: Pieces, question: str, asked: Sequence[Word], text: str, said: Sequence[Word]) -> TaggerInput:
    """The words of a message, after those of the question that was asked before."""
    sequence = [BEGIN, *(piece for word in pieces.of(question, asked) for piece in word), *([END] if asked else [])]
    first, last = list[int](), list[int]()
    for word in pieces.of(text, said):
        first.append(len(sequence))
        sequence += word
        last.append(len(sequence) - 1)
    casual = not any(word.is_proper for word in said[1:])
    shapes = tuple(_shape(word.text, word.folded, casual) for word in said)
    return TaggerInput((*sequence, END), tuple(first), tuple(last), shapes)


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
        len(folded) <= _LETTERS_OF_SMALL_WORDS,
        len(folded) >= _LETTERS_OF_LONG_WORDS,
    )


class Tagger:
    """The network, as `onnxruntime` computes it in the caller's thread."""

    def __init__(self, network: Path) -> None:
        self._session, self._pieces = session(network), known_pieces()
        self._read = lru_cache(_MOST_READ)(self._compute)

    def values(self, question: str, asked: Sequence[Word], text: str, said: Sequence[Word]) -> list[TaggedValue]:
        """The values in a part of a message."""
        values: list[TaggedValue] = []
        likely = self.likely(tagger_input(self._pieces, question, asked, text, said))
        for first, last, label, confidence in spans(likely):
            attribute, tense = LABELS[label]
            value = TaggedValue(attribute, tense, said[first].start, said[last].end, confidence)
            before = values[-1] if values else None
            if before and attribute == "plan" and text[before.end : value.start].isspace() and tense == before.tense:
                value = value._replace(start=before.start, confidence=max(before.confidence, confidence))
                values.pop()  # `el 3 de abril` `viajo a Salta` is one plan
            values.append(value)
        return values

    def likely(self, message: TaggerInput) -> "Array":
        """How likely each word has each label, words by labels."""
        return self._read(message)[0]

    def vector(self, text: str) -> "Array":
        """The mean of the vectors of a message's pieces, by which it can be told what the message is about."""
        said = all_words(text)[:_LONGEST_PART]
        return self._read(tagger_input(self._pieces, "", [], text, said))[1]

    def _compute(self, message: TaggerInput) -> "tuple[Array, Array]":
        import numpy as np

        given = {name: np.array([getattr(message, name)]) for name in ("pieces", "first", "last")}
        given["shapes"] = np.array([message.shapes], np.float32)
        likely, vector = self._session.run(["likely", "vector"], given)
        return likely, vector


def spans(likely: "Array") -> list[tuple[int, int, int, float]]:
    """The best sequence of labels, as Viterbi's algorithm finds it: first and last word, label, confidence.

    A value goes on only after its beginning.
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
def load() -> Tagger | None:
    """Read the network, once. None where onnxruntime is not installed."""
    return Tagger(NETWORK) if is_available() else None
