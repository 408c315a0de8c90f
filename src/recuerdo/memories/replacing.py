"""Decides whether a fact replaces what is held, or stands beside it: a cabin in another town ends no home."""

import re
from collections.abc import Sequence
from typing import Protocol

from recuerdo.core.memories import Attribute, Fact
from recuerdo.core.words import normalize, words_of
from recuerdo.memories.likeness import begins, same
from recuerdo.memories.slots import SINGLE_VALUED

_CLOSE = 2
"""Years by which the age of a user grows between two conversations without a word about it."""


class Held(Protocol):
    """A memory, or the part of one that a model is told."""

    @property
    def attribute(self) -> Attribute | None:
        """The attribute that the value is of."""
        ...

    @property
    def value(self) -> str | None:
        """The value."""
        ...

    @property
    def text(self) -> str:
        """The user's words."""
        ...


def keeps(fact: Fact, held: Sequence[Held], told: Sequence[Fact]) -> bool:
    """Whether what is `held` of the fact's attribute goes on, because its words say nothing of a change.

    They may be about another person or thing: `wife Carol, retired, 61`, `a cabin in Terra Nova`. `told` are all
    facts of the message.
    """
    from recuerdo.memories.locales.joined import TAGGED  # the words of three languages

    if fact.attribute not in SINGLE_VALUED:
        return False
    if _is_of_other_name(fact, held):
        return True
    values = [each.value for each in held if each.attribute == fact.attribute and each.value]
    if not values or any(same(fact.attribute, each, fact.value) or begins(fact.value, each) for each in values):
        return False
    said = normalize(fact.text)
    match fact.attribute:
        case "city":
            return _keeps_home(fact, held, told) or TAGGED.settles.search(said) is None
        case "age":
            return TAGGED.ages.search(said) is None and not any(_grows(each, fact.value) for each in values)
        case "name":
            return TAGGED.names.search(said) is None
        case _:
            return False


def _is_of_other_name(fact: Fact, held: Sequence[Held]) -> bool:
    """Whether the words begin with a name that is not the user's, and say nothing of them: `Scott, truck driver`."""
    from recuerdo.memories.extraction.agreed import FIRST_PERSON
    from recuerdo.memories.extraction.lexicon import names

    own = {word for each in held if each.attribute == "name" for word in words_of(each.value or "")}
    first = next(iter(words_of(fact.text)), "")
    return (
        bool(own)
        and first not in own
        and first in names.GIVEN
        and first not in names.AMBIGUOUS
        and FIRST_PERSON.search(normalize(fact.text)) is None
    )


def _keeps_home(fact: Fact, held: Sequence[Held], told: Sequence[Fact]) -> bool:
    """Whether those who live in a town go on living there, whatever other place is told.

    It may be that of an employer or a trade, or a part of the town, `moro no Salgado`, and no other such part.
    """
    return (
        (_is_part_of_town(fact) and not any(each.attribute == "city" and _is_part_of_town(each) for each in held))
        or _earns(fact.text)
        or any(each.attribute == "employer" and each.value in fact.text for each in told)
    )


def _is_part_of_town(fact: Fact | Held) -> bool:
    """Whether a place has an article, as quarters have in Portuguese and few towns: no `Recife`."""
    from recuerdo.memories.extraction.lexicon import places  # the names of a few thousand towns

    value = normalize(fact.value or "")
    return (
        bool(value)
        and value not in places.KNOWN
        and re.search(rf"\bn[oa]s? {re.escape(value)}", normalize(fact.text)) is not None
    )


def _earns(text: str) -> bool:
    """Whether a text tells what the user does for a living: `I run a practice in Nakuru`."""
    from recuerdo.memories.locales.registry import LOCALES  # the words of three languages

    dialogues = (locale.detection.dialogue for locale in LOCALES.values())
    return any(each is not None and each.earns.match(normalize(text)) for each in dialogues)


def _grows(held: str, told: str) -> bool:
    """Whether the age is what the one that is held has become."""
    return held.isdigit() and told.isdigit() and 0 <= int(told) - int(held) <= _CLOSE
