"""Tags the words of a message that are values which its writer tells of themselves.

The detectors hear what a cue announces; the tagger reads the whole message, and finds what no cue announces as well.
It is a transformer with small steps. `training/` has its labelled messages and the script that trains it. It needs
onnxruntime, and finds nothing where that is not installed.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction.lexicon import households, jobs, languages, names, places, traits
from recuerdo.memories.extraction.words import Word, words_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

NETWORK, PIECES = (Path(__file__).with_suffix(suffix) for suffix in (".onnx", ".npz"))

Tense = Literal["holds", "over"]
LABELS: Sequence[tuple[Attribute, Tense]] = tuple(
    (attribute, tense) for tense in get_args(Tense) for attribute in get_args(Attribute) if attribute != "remember"
)
"""Labels of words are numbers: 0 is outside of all values, 1 + 2 * n begins one of LABELS[n], and 2 + 2 * n goes on."""

LONGEST_QUESTION = 25
"""Words: of a longer question only the last are read."""

_LONGEST_PART = 60
_PARTS_OF_AN_END = 2
SPECIAL_PIECES = ("<s>", "<pad>", "</s>", "<unk>")
"""The first pieces: what a message begins with, fills up a batch, ends with, and what is in no other piece."""

_BEGIN, _, _END, _UNKNOWN = range(len(SPECIAL_PIECES))
_PART_ENDS = frozenset(".!?;")
SHAPE = 20
"""Numbers that tell how a word is written, and in which word lists it is."""

_LETTERS_OF_SMALL_WORDS, _LETTERS_OF_LONG_WORDS = 2, 9
_LONGEST_WORD = 40
_LONGEST_PIECE = 16
_MOST_SEEN = 8_192
"""Words whose pieces are kept: people say the same ones again and again."""

_MOST_TAGGED = 1_024
"""Short texts whose values are kept: a window is read again with each turn."""

_SHORT = 400


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
    if len(text) <= _SHORT:
        return list(_tag_short(text, question))
    return _tag(text, question)


def _tag(text: str, question: str | None) -> list[TaggedValue]:
    tagger = load()
    if tagger is None:
        return []
    asked = words_of(question)[-LONGEST_QUESTION:] if question else []
    parts = _parts(text)
    read = parts if len(parts) <= 2 * _PARTS_OF_AN_END else parts[:_PARTS_OF_AN_END] + parts[-_PARTS_OF_AN_END:]
    return [value for part in read for value in tagger.values(question or "", asked, text, part)]


@lru_cache(_MOST_TAGGED)
def _tag_short(text: str, question: str | None) -> tuple[TaggedValue, ...]:
    return tuple(_tag(text, question))


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


class Pieces:
    """The pieces of words that the network knows, each with how likely it is: a unigram model, as SentencePiece has."""

    def __init__(self, pieces: Sequence[str], scores: Sequence[float]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        self._scores = dict(zip(pieces, scores, strict=True))
        self._unlikely = min(scores) - 10
        self.split = lru_cache(_MOST_SEEN)(self._likeliest)

    def of(self, text: str, words: Sequence[Word]) -> list[Sequence[int]]:
        """The pieces of each word of a text."""
        starts = ("▁" if word.start == 0 or text[word.start - 1].isspace() else "" for word in words)
        return [self.split(start + word.text[:_LONGEST_WORD]) for start, word in zip(starts, words, strict=True)]

    def _likeliest(self, word: str) -> Sequence[int]:
        """The word in pieces, as Viterbi's algorithm finds them."""
        best, begins = [0.0, *[-1e9] * len(word)], [0] * (len(word) + 1)
        for end in range(1, len(word) + 1):
            for begin in range(max(0, end - _LONGEST_PIECE), end):
                score = self._scores.get(word[begin:end], self._unlikely if end - begin == 1 else -1e9)
                if best[begin] + score > best[end]:
                    best[end], begins[end] = best[begin] + score, begin
        found, end = list[int](), len(word)
        while end:
            found.append(self._numbers.get(word[begins[end] : end], _UNKNOWN))
            end = begins[end]
        return found[::-1]


class TaggerInput(NamedTuple):
    """A message as the network reads it: its pieces, each word's first and last one, and how each word looks."""

    pieces: list[int]
    first: list[int]
    last: list[int]
    shapes: list[tuple[bool, ...]]


def tagger_input(pieces: Pieces, question: str, asked: Sequence[Word], text: str, said: Sequence[Word]) -> TaggerInput:
    """The words of a message, behind those of the question that was asked before."""
    sequence = [_BEGIN, *(piece for word in pieces.of(question, asked) for piece in word), *([_END] if asked else [])]
    first, last = list[int](), list[int]()
    for word in pieces.of(text, said):
        first.append(len(sequence))
        sequence += word
        last.append(len(sequence) - 1)
    casual = not any(word.is_proper for word in said[1:])
    shapes = [_shape(word.text, word.folded, casual) for word in said]
    return TaggerInput([*sequence, _END], first, last, shapes)


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

    def __init__(self, network: bytes, pieces: Mapping[str, Any]) -> None:
        runtime: Any = import_module("onnxruntime")  # whose own types are incomplete
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = runtime.InferenceSession(network, options, ["CPUExecutionProvider"])
        self._pieces = Pieces(bytes(pieces["pieces"]).decode().split("\n"), pieces["scores"].tolist())

    def values(self, question: str, asked: Sequence[Word], text: str, said: Sequence[Word]) -> list[TaggedValue]:
        """The values in a part of a message."""
        values: list[TaggedValue] = []
        likely = self.likely(tagger_input(self._pieces, question, asked, text, said))
        for first, last, label, confidence in spans(likely):
            attribute, tense = LABELS[label]
            values.append(TaggedValue(attribute, tense, said[first].start, said[last].end, confidence))
        return values

    def likely(self, message: TaggerInput) -> "Array":
        """How likely each word has each label, words by labels."""
        return self._run("likely", message)

    def vector(self, text: str) -> "Array":
        """The mean of the vectors of a message's pieces, by which it can be told what the message is about."""
        said = words_of(text)[:_LONGEST_PART]
        return self._run("vector", tagger_input(self._pieces, "", [], text, said))

    def _run(self, output: str, message: TaggerInput) -> "Array":
        import numpy as np

        given = {name: np.array([getattr(message, name)]) for name in ("pieces", "first", "last")}
        given["shapes"] = np.array([message.shapes], np.float32)
        return self._session.run([output], given)[0]


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
def load() -> Tagger | None:
    """Read the network, once. None where onnxruntime is not installed."""
    if find_spec("onnxruntime") is None:
        return None
    import numpy as np

    with np.load(PIECES, allow_pickle=False) as pieces:
        return Tagger(NETWORK.read_bytes(), dict(pieces))
