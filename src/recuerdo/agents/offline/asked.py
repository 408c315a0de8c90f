"""Tells which kinds of memories would answer a message.

It reads the vector that the tagger's network makes of the message. `training/questions.py` learns the weights in
`asked.npz` from questions that were written for it. Where the tagger is not installed, nothing is known.
"""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction import tagger

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

WEIGHTS = Path(__file__).with_suffix(".npz")

Asked = Attribute | Literal["everything", "other", "none"]
"""An attribute, all that is known, something told that is no attribute's, or nothing that was told."""

ASKED: Sequence[Asked] = ("none", "other", "everything", *(each for each in get_args(Attribute) if each != "remember"))
CLASSES: Sequence[tuple[Asked, bool]] = tuple((kind, past) for past in (False, True) for kind in ASKED)
"""Kinds of what is asked for, each for now and for the past (true)."""

_MOST_KEPT = 1_024
_LONGEST = 400
"""Characters that are read of a message."""


class Wanted(NamedTuple):
    """How likely each kind is what a message asks for, and how likely it asks about the past."""

    kinds: Mapping[Asked, float]
    past: float


@lru_cache(_MOST_KEPT)
def wanted(message: str) -> Wanted:
    """Tell what a message asks for."""
    loaded = tagger.load()
    if loaded is None or not message.strip():
        return Wanted({}, 0.0)
    chances = likely(loaded.vector(message[:_LONGEST]), _weights()).tolist()
    kinds = dict.fromkeys(ASKED, 0.0)
    for (kind, _), chance in zip(CLASSES, chances, strict=True):
        kinds[kind] += chance
    return Wanted(kinds, sum(chance for (_, past), chance in zip(CLASSES, chances, strict=True) if past))


def likely(vectors: "Array", weights: Mapping[str, "Array"]) -> "Array":
    """How likely each of the CLASSES is, for one vector or for several in rows."""
    import numpy as np

    hidden = np.maximum(vectors @ weights["hidden"] + weights["hidden_bias"], 0)
    scores = hidden @ weights["output"] + weights["output_bias"]
    chances = np.exp(scores - scores.max(-1, keepdims=True))
    return chances / chances.sum(-1, keepdims=True)


@cache
def _weights() -> Mapping[str, "Array"]:
    import numpy as np

    with np.load(WEIGHTS, allow_pickle=False) as stored:
        return {name: np.asarray(stored[name], np.float32) for name in stored.files}
