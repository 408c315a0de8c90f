"""A memory with some of it changed by hand."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from recuerdo.core.memories import Attribute, Denial, Fact, Memory
from recuerdo.core.words import fold
from recuerdo.memories.likeness import telling_words

if TYPE_CHECKING:
    from recuerdo.memories.extraction.context import Heard


def updated(old: Memory, given: dict[str, Any], now: datetime) -> Memory:
    """The memory with the given fields. An old value must not outlive the words that it came from."""
    given = {name: value for name, value in given.items() if value is not None}
    text = given.get("text", old.text)
    if text != old.text and "value" not in given:
        given["value"] = _stated(text, given.get("attribute", old.attribute))
    return replace(old, **given, updated_at=now)


def _stated(text: str, attribute: Attribute | None) -> str | None:
    return next((fact.value for fact in listen_to(text).facts if fact.attribute == attribute), None)


def listen_to(text: str, question: str | None = None) -> "Heard":
    from recuerdo.memories.extract import listen  # the words of three languages, for those who remember

    return listen(text, question)


def told_in(text: str) -> str:
    """Return what the user tells in the text: no questions, and nothing that another person wrote or that is a joke."""
    from recuerdo.memories.extraction.statements import ends, statements

    return " ".join(each.text.strip() for each in statements(ends(text)))


def words_to_forget(text: str) -> str | None:
    """Return the user's own thing that they ask to forget, in their words; None if they name nothing."""
    from recuerdo.memories.forgetting import named_words

    return named_words(text)


def without_forgotten(heard: "Heard", text: str) -> "Heard":
    """Return the extraction without facts that are to be forgotten: `forget that my sister lives in Leeds`.

    Each of these becomes a hint at the memory that holds it.
    """
    if not heard.facts:
        return heard
    from recuerdo.memories.extraction.context import Hint
    from recuerdo.memories.forgetting import what_to_forget

    named = what_to_forget(text)
    over = [fact for fact in heard.facts if any(fold(fact.text) in each for each in named)]
    hints = [Hint("forgets", fact.text, fact.text) for fact in over]
    facts = [fact for fact in heard.facts if fact not in over]
    return heard._replace(facts=facts, hints=[*heard.hints, *hints])


def orders_to_forget(denials: Sequence[Denial], named: str | None) -> list[Denial]:
    """The denials that only ask to forget, and say nothing about what is true now.

    `named` is what the message asks to forget: of `forget that I have asthma` the denial has only the last words.
    """
    if not denials:
        return []
    from recuerdo.memories.forgetting import asks_to_forget

    within = set(telling_words(named))
    return [
        denial
        for denial in denials
        if denial.attribute is None or within.issuperset(telling_words(denial.text)) or asks_to_forget(denial.text)
    ]


def is_instruction(fact: Fact) -> bool:
    """Whether a preference tells the assistant how to answer: `responde siempre de usted`."""
    if fact.attribute != "preference":
        return False
    from recuerdo.memories.locales import LOCALES  # the words of three languages, for those who remember

    return any(locale.offline.instructions.search(fold(fact.text)) for locale in LOCALES.values())
