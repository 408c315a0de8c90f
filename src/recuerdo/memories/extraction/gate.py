"""The quality gate: decides by the author and the content which statements may become memories."""

import re
from datetime import datetime

from msgspec.structs import replace

from recuerdo.core.memories import Attribute, Fact, Memory, Review
from recuerdo.core.words import normalize
from recuerdo.memories.likeness import telling_words
from recuerdo.memories.locales.registry import LOCALES

NEVER = ("assistant", "system")
"""Authors that are never a source: they only repeat what the user has said."""

UNTRUSTED = ("tool", "web", "document")
"""Authors whose statements become memories only after an approval."""

MOST_IN_QUARANTINE = 100
"""The limit for one user: a flood of foreign text must not fill the database."""

_FREE: tuple[Attribute, ...] = ("name", "likes", "dislikes", "preference", "plan", "remember")
"""Attributes whose values can be any words; those of the others are read by what they can be."""

_RULES = r"(?:instruc\w+|prompts?|rules?|reglas?|regras?|guidelines?|safety|policies|politicas?)"
_POWER = (
    r"(?:admin(?:istra\w+)?|root|superuser|superusuario|unrestricted|sin restricciones|sem restricoes|jailbr\w+|dan"
    r"|system|sistema)"
)
_SECRETS = (
    r"(?:prompt|secrets?|secretos?|segredos?|passwords?|contrasen\w+|senhas?|api keys?|tokens?|credentials?"
    r"|credenciales|credenciais|memories of|other users?|otros usuarios|outros usuarios|all users)"
)
_ORDERS = re.compile(
    "|".join(
        (
            rf"\b(?:ignor\w+|disregard\w*|forget|olvid\w+|esquec\w+|descart\w+|override|bypass)\b.{{0,40}}\b{_RULES}\b",
            r"\b(?:system|developer|admin|root|jailbreak|dan|god|debug|sudo) (?:prompt|mode|rights|access)\b",
            r"\b(?:modo|rol|papel|role|acceso|acesso|permisos?|privilegios?) (?:de |of )?"
            r"(?:system|sistema|admin\w*|desarrollador|desenvolvedor|developer|root|superusuario)\b",
            r"\b(?:you are|you're|eres|sos|voce e|tu es|act as|actua como|atue como|aja como|pretend to be|from now on"
            r"|de ahora en adelante|a partir de ahora|de agora em diante|a partir de agora)\b.{0,60}"
            rf"\b(?:{_POWER}|you must|debes obedecer|deve obedecer|always obey|obede\w+|sin filtros|sem filtros)\b",
            r"\b(?:i am|i'm|soy|sou) (?:el |la |o |a |the |an |un |your )?"
            rf"(?:{_POWER}|owner of this|developer of this|creator|desarrollador de este|criador deste)\b",
            r"\b(?:reveal|print|show|leak|exfiltrat\w*|send|revel\w*|m(?:ue|o)str\w*|imprim\w+|envia\w*|manda\w*"
            rf"|vaza\w*|dime|diga|tell)\b.{{0,60}}\b{_SECRETS}\b",
            r"\b(?:skip|bypass|no compruebes|sin comprobar|nao verifi\w+|sem verificar)\b.{0,40}"
            r"\bpermi(?:s\w+|ssion\w*)\b",
            r"\b(?:account|role|cuenta|rol|conta|papel)\b.{0,40}"
            r"\b(?:upgraded|promoted|elevated|ascendid\w+|promovid\w+)\b",
            rf"\b(?:my|mi|meu) (?:role|rol|papel) (?:is|es|e)\b.{{0,10}}\b{_POWER}\b",
            r"\b(?:send|forward|envi\w+|mand\w+|reenvi\w+)\b.{0,20}\b(?:every|all|cada|tod[ao]s?)\b.{0,30}"
            r"\b(?:conversations?|conversacion\w*|conversas?|messages|mensajes|mensagens)\b",
            r"\b(?:without|sin|sem) (?:any |ninguna? |nenhuma? |more |mas |mais )?(?:verif\w+|checking|confirm\w+"
            r"|autoriza\w+|authori[sz]\w+|approv\w+|aproba\w+|aprova\w+|asking|preguntar|perguntar|comprob\w+)\b",
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
