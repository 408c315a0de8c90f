"""Compares a text with sentences: which of them answers it, which no longer hold after it, which it asks to forget.

A transformer reads the text and all sentences together, oldest first, so that a later one that corrects an earlier one
is seen beside it. `training/` has its examples and the script that trains it. It needs onnxruntime.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from recuerdo.memories.extraction.transformer import BEGIN, END, Pieces, is_available, known_pieces, session
from recuerdo.memories.extraction.words import all_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

NETWORK = Path(__file__).with_suffix(".onnx")

Task = Literal["answer", "end", "forget"]
"""The text asks a question, tells something new, or asks to forget something."""

LONGEST = 480
"""Pieces that are read at once; where there are more, the oldest sentences are left out."""

_WORDS_OF_TEXT, _WORDS_OF_SENTENCE, _PIECES_OF_SENTENCE = 40, 60, 70


class ComparedSentence(NamedTuple):
    """A sentence that a text is compared with.

    It was said by the user, by the assistant or in a document, is part of a memory that holds, of this conversation, of
    what the user has ended since, or of the text itself.
    """

    text: str
    by_user: bool = True
    by_assistant: bool = False
    of_document: bool = False
    remembered: bool = False
    here: bool = False
    ended: bool = False
    of_text: bool = False


MARKS = len(ComparedSentence._fields) - 1 + len(get_args(Task))
"""Numbers beside each piece: the properties of its sentence, and before the sentences the task."""


class Comparison(NamedTuple):
    """How the network reads a text and sentences: pieces, marks beside them, and the last piece of each sentence.

    The sentences from `first` on are read.
    """

    pieces: list[int]
    marks: Sequence[Sequence[bool]]
    ends: list[int]
    first: int


class CrossEncoder:
    """The network, as `onnxruntime` computes it in the caller's thread."""

    def __init__(self, network: Path) -> None:
        self._session, self._pieces = session(network), known_pieces()

    def answering(self, question: str, sentences: Sequence[ComparedSentence]) -> list[float]:
        """How likely each sentence is the answer; they and no answer at all add up to 1."""
        return self._chances("answering", "answer", question, sentences)[: len(sentences)]

    def ended(self, statement: str, sentences: Sequence[ComparedSentence]) -> list[float]:
        """How likely each sentence no longer holds, or was wrong, after a new statement."""
        return self._chances("concerned", "end", statement, sentences)

    def forgotten(self, order: str, sentences: Sequence[ComparedSentence]) -> list[float]:
        """How likely each sentence is meant by an order to forget something."""
        return self._chances("concerned", "forget", order, sentences)

    def _chances(self, output: str, task: Task, text: str, sentences: Sequence[ComparedSentence]) -> list[float]:
        import numpy as np

        if not sentences:
            return []
        read = comparison(self._pieces, task, text, sentences)
        given = {
            "pieces": np.array([read.pieces]),
            "marks": np.array([read.marks], np.float32),
            "ends": np.array([read.ends]),
        }
        found: Array = self._session.run([output], given)[0]
        return [0.0] * read.first + found.tolist()


def comparison(pieces: Pieces, task: Task, text: str, sentences: Sequence[ComparedSentence]) -> Comparison:
    """Lay out a text and the sentences that it is compared with, as the network reads them."""
    asked = [BEGIN, *_split(pieces, text, _WORDS_OF_TEXT), END]
    of_task = [*[False] * (len(ComparedSentence._fields) - 1), *(task == each for each in get_args(Task))]
    parts = [[*_split(pieces, each.text, _WORDS_OF_SENTENCE)[:_PIECES_OF_SENTENCE], END] for each in sentences]
    first, length = 0, len(asked) + sum(map(len, parts))
    while length > LONGEST and first < len(parts) - 1:
        length -= len(parts[first])
        first += 1
    sequence, marks, ends = asked, [of_task] * len(asked), list[int]()
    for part, each in zip(parts[first:], sentences[first:], strict=True):
        sequence += part
        marks += [[*each[1:], *[False] * len(get_args(Task))]] * len(part)
        ends.append(len(sequence) - 1)
    return Comparison(sequence, marks, ends, first)


def _split(pieces: Pieces, text: str, most_words: int) -> list[int]:
    return [piece for word in pieces.of(text, all_words(text)[:most_words]) for piece in word]


@cache
def load() -> CrossEncoder | None:
    """Read the network, once. None where onnxruntime is not installed."""
    return CrossEncoder(NETWORK) if is_available() else None
