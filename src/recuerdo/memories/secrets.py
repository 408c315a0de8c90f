"""Passwords, keys, tokens and card numbers, which must not become memories.

They would be stored for years, and repeated to models. A secret is recognised by its form, in time proportional to
the text: it is a precaution and no proof that a text has no secret.
"""

from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import MemoryEntry
from recuerdo.core.words import normalize
from recuerdo.memories.extraction.patterns import Pattern

_LOOKED_AT = 8_000
_FEWEST_DIGITS = 13

_PASSWORD = Pattern(
    r"\b(?:passwords?|passcode|passphrase|contrasenas?|senhas?|palavra-passe|cvv|cvc)\b[^.\n]{0,30}?"
    r"(?:\b(?:es|is|e|sera|was|era)\b|[:=])\s*[\"'«“]?\S{3,}"
    r"|\b(?:clave|pin|codigo|code|chave|secret[oa]?|segredo)\b[^.\n]{0,30}?(?:\b(?:es|is|e)\b|[:=])\s*[\"'«“]?"
    r"(?=[^\s]{0,40}\d)\S{3,}"
)
"""Words whose value is a secret, and words whose value is one if it has a digit; over folded text."""

_TOKEN = Pattern(
    r"\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16}|\bgh[opsru]_[A-Za-z0-9]{20}|\bgithub_pat_[A-Za-z0-9_]{20}"
    r"|\bglpat-[A-Za-z0-9_-]{16}|\bAKIA[0-9A-Z]{16}\b|\bxox[abeprs]-[A-Za-z0-9-]{10}|\bAIza[A-Za-z0-9_-]{30}"
    r"|\beyJ[A-Za-z0-9_-]{16}|\brecuerdo_[A-Za-z0-9_-]{20}|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----"
)
_CARD = Pattern(r"(?<![\d+])[3-6](?:[ -]?\d){12,18}(?!\d)")


def secret_in(text: str) -> str | None:
    """Return the kind of secret that the text seems to have (a password, a key, a card number), or None."""
    text = text[:_LOOKED_AT]
    if _TOKEN.search(text):
        return "a key or a token"
    if any(_is_card(found[0]) for found in _CARD.finditer(text)):
        return "the number of a card"
    return "a password" if _PASSWORD.search(normalize(text)) else None


def check_no_secret(field: str, text: str | None) -> None:
    """Raise InvalidInput for a text that has a secret, without repeating it."""
    if text and (found := secret_in(text)):
        raise InvalidInput(
            field, f"seems to have {found}, which is not kept as a memory; leave it out, or set RECUERDO_KEEP_SECRETS"
        )


def brings_a_secret(entry: MemoryEntry) -> bool:
    """Whether a change would store a secret. One that is stored may still end, or be removed."""
    after, before = entry.after, entry.before
    if after is None or (before is not None and (before.text, before.value) == (after.text, after.value)):
        return False
    return any(secret_in(each) for each in (after.text, after.value) if each)


def _is_card(number: str) -> bool:
    """Luhn's checksum, which distinguishes card numbers from other numbers."""
    digits = [int(character) for character in number if character.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return len(digits) >= _FEWEST_DIGITS and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
