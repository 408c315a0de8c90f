"""Finds the memories that a message ended by mistake, as the user says right after it: `no, I still have it`."""

from collections.abc import Sequence

from recuerdo.core.memories import Attribute, Memory, Source
from recuerdo.core.words import normalize
from recuerdo.memories.likeness import forms_of
from recuerdo.memories.locales.joined import TAGGED
from recuerdo.memories.understand import ONE_TURN, comes_after

_LONGEST = 20
"""Words of a message that only says that something goes on."""

_MOURNED: tuple[Attribute, ...] = ("family", "relative", "pet")


def goes_on(message: str) -> bool:
    """Whether a message says that something still holds, so that ended memories have to be looked at."""
    return len(message.split()) <= _LONGEST and TAGGED.goes_on.search(normalize(message)) is not None


def still_holding(message: str, known: Sequence[Memory], source: Source) -> list[Memory]:
    """The memories that the user's last message ended and that this one, which says that they go on, names.

    Where it only points at them, all are meant: `I've still got it`. People and animals never are: `I still have his
    lead` is said of a dog that died.
    """
    ended = [each for each in known if each.attribute not in _MOURNED and _ended_just_now(each, source)]
    said = forms_of(TAGGED.goes_on.sub(" ", normalize(message)))
    named = [each for each in ended if not said.isdisjoint(forms_of(each.text))]
    return named or (ended if TAGGED.still_has_it.search(normalize(message)) else [])


def _ended_just_now(memory: Memory, source: Source) -> bool:
    """Whether words of the last turn ended it, other than an order to forget."""
    by = memory.ending.source if memory.ending and memory.ending.reason != "forgotten" else None
    return by is not None and comes_after(source, by, ONE_TURN)
