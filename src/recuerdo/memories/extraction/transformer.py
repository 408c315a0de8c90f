"""Shared parts of the networks that read text: the pieces of words that they know, and the runtime that computes them.

They need onnxruntime, which the extra `offline` has.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from recuerdo.memories.extraction.words import Word

PIECES = Path(__file__).with_name("pieces.npz")
PROCESSOR = Path("/proc/cpuinfo")

SPECIAL_PIECES = ("<s>", "<pad>", "</s>", "<unk>")
"""The first pieces: what a text begins with, fills up a batch, ends with, and what is in no other piece."""

BEGIN, PADDING, END, UNKNOWN = range(len(SPECIAL_PIECES))

_LONGEST_WORD = 40
_LONGEST_PIECE = 16
_MOST_SEEN = 8_192
"""Words whose pieces are kept: people say the same ones again and again."""


class Pieces:
    """The pieces of words that the network knows, each with how likely it is: a unigram model, as SentencePiece has."""

    def __init__(self, pieces: Sequence[str], scores: Sequence[float]) -> None:
        self.names = pieces
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
            found.append(self._numbers.get(word[begins[end] : end], UNKNOWN))
            end = begins[end]
        return found[::-1]


@cache
def known_pieces() -> Pieces:
    """Read the pieces of words, once."""
    import numpy as np

    with np.load(PIECES, allow_pickle=False) as stored:
        return Pieces(bytes(stored["pieces"]).decode().split("\n"), stored["scores"].tolist())


def is_available() -> bool:
    """Whether networks can be computed here."""
    return find_spec("onnxruntime") is not None


def session(network: Path) -> Any:
    """Load a network, which is computed in the caller's thread, with the same results on every processor."""
    runtime: Any = import_module("onnxruntime")  # whose own types are incomplete
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    if not (PROCESSOR.exists() and "avx512_vnni" in PROCESSOR.read_text("utf-8")):
        # Products with signed weights overflow on processors without VNNI: this makes them unsigned there.
        options.add_session_config_entry("session.x64quantprecision", "1")
    return runtime.InferenceSession(network.read_bytes(), options, ["CPUExecutionProvider"])
