"""Tells whether a sentence asks for something, of which type its answer is, and whether it is worth a note.

The type is the kind of memory that a question asks for. All are read from the vector that the tagger's network makes of
the sentence; `training/questions.py` and `training/notes.py` learn the weights. Where the tagger is not installed,
nothing is known.
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
WEIGHTS_OF_NOTES = WEIGHTS.with_name("notes.npz")
"""They are learned by `training/notes.py`."""

AnswerType = Attribute | Literal["everything", "other", "none"]
"""An attribute, all that is known, something told that is not an attribute's, or nothing that was told."""

ANSWER_TYPES: Sequence[AnswerType] = (
    "none",
    "other",
    "everything",
    *(each for each in get_args(Attribute) if each != "remember"),
)
CLASSES: Sequence[tuple[AnswerType, bool]] = tuple((kind, past) for past in (False, True) for kind in ANSWER_TYPES)
"""The types, each for now and for the past (true)."""

SpeechAct = Literal["tells", "asks", "requests"]
"""The act of a sentence: it may also request what no memory answers, as a recipe or a translation."""

SPEECH_ACTS: Sequence[SpeechAct] = get_args(SpeechAct)

Worth = Literal["none", "note", "over"]
"""The worth of a sentence: nothing to remember, a note, or that something is over, paid, sold, moved or cured."""

WORTHS: Sequence[Worth] = get_args(Worth)

ASKING, SURELY_ASKING = 0.35, 0.7
"""How likely a message has to ask something to be taken for a question, and not to be heard as one that tells."""

PERHAPS_ASKING = 0.2
"""How likely it has to ask for something that surely answers it to be the answer."""

TELLING = 0.1
"""How unlikely it has to be that a message with the words of a question asks for it to tell something."""

REQUESTING = 0.5
"""How likely it has to request something to be taken for that: two in 100 of those that tell are as likely."""

WORTH_A_NOTE = 0.5
"""How likely a sentence has to be worth a note."""

WORTHLESS: Mapping[Worth, float] = {"note": 0.32, "over": 0.12}
"""How likely a note, and news that something is over, may be worth nothing."""

SURELY_WORTHLESS = 0.75
"""How likely a statement has to be worth nothing to change nothing that is remembered."""

_MOST_KEPT = 1_024
_LONGEST = 400
"""Characters that are read of a message."""


class ExpectedAnswer(NamedTuple):
    """How likely the answer is of each type, and how likely the message asks, or requests something, at all."""

    types: Mapping[AnswerType, float]
    asks: float = 0.0
    requests: float = 0.0

    @classmethod
    def of(cls, chances: Sequence[float], asks: float = 0.0, requests: float = 0.0) -> "ExpectedAnswer":
        """Add up the chances of the CLASSES."""
        types = dict.fromkeys(ANSWER_TYPES, 0.0)
        for (kind, _), chance in zip(CLASSES, chances, strict=True):
            types[kind] += chance
        return cls(types, asks, requests)


@lru_cache(_MOST_KEPT)
def expected_answer(message: str) -> ExpectedAnswer:
    """Return the chances of the answer to `message`: none where the tagger is not installed."""
    loaded = tagger.load()
    if loaded is None or not message.strip():
        return ExpectedAnswer({})
    vector = loaded.vector(message[:_LONGEST])
    types, acts = (likely(vector, weights) for weights in (_weights("types"), _weights("asks")))
    return ExpectedAnswer.of(types.tolist(), *map(float, acts[1:]))


def tells_nothing(statement: str) -> bool:
    """Whether a statement asks something, or surely is not worth remembering: `buenos días, ya llegué`."""
    loaded = tagger.load()
    if loaded is None:
        return False
    none, *_ = likely(loaded.vector(statement[:_LONGEST]), _weights("notes")).tolist()
    return expected_answer(statement).asks >= ASKING or none >= SURELY_WORTHLESS


def worth_of(sentence: str) -> Worth:
    """The worth of a sentence that tells something: none where the tagger is not installed."""
    loaded = tagger.load()
    if loaded is None or expected_answer(sentence).asks >= ASKING:
        return "none"
    return likely_worth(likely(loaded.vector(sentence), _weights("notes")).tolist())


def likely_worth(chances: Sequence[float]) -> Worth:
    """The worth of a sentence of which the chances of the WORTHS are known."""
    none, note, _ = chances
    worth: Worth = "note" if note >= WORTH_A_NOTE else "over"
    return worth if none <= WORTHLESS[worth] else "none"


def likely(vectors: "Array", weights: Mapping[str, "Array"]) -> "Array":
    """How likely each class is that the weights tell apart, for one vector or for several in rows."""
    import numpy as np

    hidden = np.maximum(vectors @ weights["hidden"] + weights["hidden_bias"], 0)
    scores = hidden @ weights["output"] + weights["output_bias"]
    chances = np.exp(scores - scores.max(-1, keepdims=True))
    return chances / chances.sum(-1, keepdims=True)


@cache
def _weights(network: Literal["types", "asks", "notes"]) -> Mapping[str, "Array"]:
    import numpy as np

    with np.load(WEIGHTS_OF_NOTES if network == "notes" else WEIGHTS, allow_pickle=False) as stored:
        own = {name: name.removeprefix(f"{network}.") for name in stored.files if name.startswith(network)}
        return {short: np.asarray(stored[name], np.float32) for name, short in own.items()}
