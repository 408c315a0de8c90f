"""The quality gate: decides by the author and the content which statements may become memories."""

import re
from datetime import datetime

from msgspec.structs import replace

from recuerdo.core.memories import Attribute, Fact, Memory, Review
from recuerdo.core.words import normalize
from recuerdo.memories.likeness import telling_words
from recuerdo.memories.locales.joined import EXTRACTION, ORDERS
from recuerdo.memories.locales.registry import LOCALES

NEVER = ("assistant", "system")
"""Authors that are never a source: they only repeat what the user has said."""

UNTRUSTED = ("tool", "web", "document")
"""Authors whose statements become memories only after an approval."""

MOST_IN_QUARANTINE = 100
"""The limit for one user: a flood of foreign text must not fill the database."""

_FREE: tuple[Attribute, ...] = ("name", "likes", "dislikes", "preference", "plan", "remember")
"""Attributes whose values can be any words; those of the others are read by what they can be."""

_ORDERS = re.compile(
    "|".join(
        (
            rf"\b(?:{ORDERS.ignores})\b.{{0,40}}\b(?:{ORDERS.rules})\b",
            rf"\b(?:{ORDERS.modes})\b",
            rf"\b(?:{ORDERS.roles}) (?:(?:{ORDERS.of}) )?(?:{ORDERS.masters})\b",
            rf"\b(?:{ORDERS.becomes})\b.{{0,60}}\b(?:{ORDERS.powers}|{ORDERS.obeys})\b",
            rf"\b(?:{EXTRACTION.i_am}) (?:(?:{ORDERS.before_powers}) )?(?:{ORDERS.powers}|{ORDERS.owners})\b",
            rf"\b(?:{ORDERS.reveals})\b.{{0,60}}\b(?:{ORDERS.secrets})\b",
            rf"\b(?:{ORDERS.skips})\b.{{0,40}}\bpermis\w+\b",
            rf"\b(?:{ORDERS.accounts})\b.{{0,40}}\b(?:{ORDERS.raised})\b",
            rf"\b(?:{ORDERS.my}) (?:{ORDERS.ranks}) (?:{ORDERS.copulas})\b.{{0,10}}\b(?:{ORDERS.powers})\b",
            rf"\b(?:{ORDERS.sends})\b.{{0,20}}\b(?:{ORDERS.everything})\b.{{0,30}}\b(?:{ORDERS.conversations})\b",
            rf"\b(?:{ORDERS.without}) (?:(?:{ORDERS.any_more}) )?(?:{ORDERS.checks})\b",
            r"<\/?(?:system|instructions?|memories|assistant|tool)\b|\[/?(?:inst|system)\]|<\|\w+\|>",
            r"^#+ ?(?:system|instruction)|\b(?:rm -rf|drop table|eval\(|__import__|curl http|javascript:)",
        )
    ),
    re.MULTILINE,
)


def is_instruction(fact: Fact) -> bool:
    """Whether a preference tells the assistant how to answer: `responde siempre de usted`."""
    if fact.attribute != "preference":
        return False
    return any(locale.offline.instructions.search(normalize(fact.text)) for locale in LOCALES.values())


def reads_like_an_order(text: str) -> bool:
    """Whether a text tells the assistant what to be or to give away rather than something of the user."""
    return _ORDERS.search(normalize(text)) is not None


def is_vacuous(text: str) -> bool:
    """Whether nothing is said: no word that carries meaning."""
    return not any(len(word) > 1 or word.isdigit() for word in telling_words(text))


def doubt(fact: Fact, author: str, said: str | None = None) -> str | None:
    """Return why a fact has to wait for approval; None when it may be remembered.

    Of a fact that a model has found in what was `said`, all of that has to be beyond doubt.
    """
    if author in UNTRUSTED:
        return f"said by a {author}, not by the user"
    if reads_like_an_order(said) if said is not None else fact.attribute in _FREE and reads_like_an_order(fact.text):
        return "reads like an order to the assistant"
    return None


def quarantined(memory: Memory, why: str, now: datetime) -> Memory:
    """Return the memory as it waits for approval."""
    return replace(memory, status="quarantined", trust=0.0, review=Review("gate", now, why))
