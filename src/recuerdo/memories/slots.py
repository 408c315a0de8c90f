"""Attributes with one value at a time, and the slot that a value fills: the length of answers, the partner."""

import re

from recuerdo.core.memories import Attribute
from recuerdo.core.words import normalize

SINGLE_VALUED: tuple[Attribute, ...] = (
    *("name", "employer", "job", "city", "country", "department", "team"),
    *("birthday", "age", "origin", "marital_status", "email", "phone"),
)
"""Attributes that have one value at a time, the most telling first."""

OPPOSITES: dict[Attribute, Attribute] = {"likes": "dislikes", "dislikes": "likes"}
"""A value of one of these attributes ends the same value of the other."""

FOLLOWERS: dict[Attribute, tuple[Attribute, ...]] = {"employer": ("department", "team")}
"""Attributes that describe the old value and can't be true of the new one."""

_PLACE_OF_USE = {
    "work": r"trabajo|laboral|empresa|oficina|trabalho|empresa|escritorio|work|office|business|corporativ\w+",
    "personal": r"personal|particular|pessoal|privad\w+|private|casa|home",
}
_STYLES = {
    "length": r"cort[oa]s?|breves?|larg[oa]s?|detallad[oa]s?|detalhad[oa]s?|concis[oa]s?|curt[oa]s?|long[oa]s?"
    r"|extens[oa]s?|resumid[oa]s?|short|brief|concise|long|detailed|in detail|al grano|direct[oa]s?|objetiv[oa]s?",
    "formality": r"tute\w+|de usted|de tu|de vos|formal(?:es|mente)?|informal(?:es|mente)?|de voce|por tu|formais"
    r"|informais|casual|formally|informally",
    "language": r"(?:en|em|in) (?:espanol|castellano|ingles|portugues|frances|english|spanish|portuguese|french"
    r"|espanhol)",
    "format": r"listas?|vinetas|bullets?|bullet points|tablas?|tabelas?|tables?|parrafos?|topicos|paragraphs?"
    r"|prosa|prose",
    "emoji": r"emojis?|emoticon\w*",
}
_RELATIONS = {
    "partner": r"espos[oa]|marido|mujer|novi[oa]|pareja|conyuge|prometid[oa]|namorad[oa]|parceir[oa]"
    r"|companheir[oa]|noiv[oa]|polol[oa]|senora|wife|husband|partner|girlfriend|boyfriend|fiancee?|spouse",
    "mother": r"madre|mama|mae|mother|mom|mum",
    "father": r"padre|papa|pai|father|dad",
}
_KINDS: dict[Attribute, dict[str, str]] = {
    "email": _PLACE_OF_USE,
    "phone": _PLACE_OF_USE,
    "preference": _STYLES,
    "family": _RELATIONS,
}
_FAVOURITE = re.compile(
    r"\b(?:mi|meu|minha) (?P<a>\w+(?: \w+)?) (?:favorit[oa]|preferid[oa]|predilet[oa])\b"
    r"|\bmy (?:all-time )?(?:fav(?:e|ou?rite)?) (?P<b>\w+)\b"
    r"|\b(?:mi|meu|my) (?P<c>equipo|cuadro|club|time|team)\b"
)
"""Of each kind of thing there is one favourite."""
_SLOTS = {
    attribute: [(slot, re.compile(rf"\b(?:{words})\b")) for slot, words in kinds.items()]
    for attribute, kinds in _KINDS.items()
}


def slot(attribute: Attribute | None, text: str) -> str | None:
    """Return the name of the slot within the attribute that has one value at a time; None where values accumulate."""
    if attribute in _SLOTS:
        folded = normalize(text)
        found = next((name for name, pattern in _SLOTS[attribute] if pattern.search(folded)), None)
        if found is not None:
            return found
    if attribute == "likes" and (favourite := _FAVOURITE.search(normalize(text))):
        return f"favourite {favourite[favourite.lastgroup or 0]}"
    return "" if attribute in SINGLE_VALUED else None
