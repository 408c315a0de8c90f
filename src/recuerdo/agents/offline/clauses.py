"""How a fact is said to the user: as a clause in the second person, or in the user's own words."""

import re
from collections.abc import Sequence

from recuerdo.agents.offline.conversation import OfflinePrompt, folded_words
from recuerdo.agents.offline.quotes import quote
from recuerdo.agents.prompts import Recalled
from recuerdo.core.memories import Attribute, Fact
from recuerdo.memories.extraction.gate import is_instruction
from recuerdo.memories.extraction.lexicon import clubs
from recuerdo.memories.locales.joined import QUESTIONS
from recuerdo.memories.locales.offline_language import OfflineLanguage
from recuerdo.memories.people import own_clause

_LONGEST_VALUE = 120
_MOST_ECHOED = 12
"""Words that are said back of what is noted."""

_WITH_ARTICLE: tuple[Attribute, ...] = ("likes", "dislikes", "employer")


def clause(fact: Fact, locale: OfflineLanguage) -> str | None:
    """The fact as a clause in the second person; None when it can only be quoted in the user's own words."""
    template = None if is_instruction(fact) else locale.clauses.get(fact.attribute)
    if template is None or len(fact.value) > _LONGEST_VALUE or _is_about_speaker(fact.value, locale):
        return None
    if fact.attribute == "likes" and folded_words(fact.value) in clubs.SUPPORTERS:
        return None
    value = _with_article(fact, locale)
    if locale.plural.match(value):
        template = locale.plural_clauses.get(fact.attribute, template)
    return template.format(value=value.rstrip("."), at=_preposition(fact, locale))


def own_words(fact: Fact) -> str:
    """The fact in the user's own words."""
    return quote(fact.value if fact.attribute == "remember" else fact.text)


def news(conversation: OfflinePrompt) -> list[Recalled]:
    """The memories that the message has made, without what a note that it ends leaves of itself."""
    over = [each.text for each in conversation.ended if not each.attribute]
    return [each for each in conversation.saved if each.attribute or not any(each.text in one for one in over)]


def quoted_ending(ended: Recalled, conversation: OfflinePrompt) -> str:
    """The words of what has ended, or only the value or the clause of it, if the rest of them still holds."""
    held = [each.text for each in conversation.holding() if each.text in ended.text]
    if ended.value and ended.text in held:
        return quote(ended.value)
    if ended.attribute and ended.value and held:
        return quote(own_clause(Fact(ended.attribute, ended.value, ended.text), ()))
    left = "" if ended.attribute else next((each.text for each in conversation.saved if each.text in ended.text), "")
    return quote(ended.text.removeprefix(left).strip(" ,;:.-"))


def longest(quotes: Sequence[str]) -> list[str]:
    """Each quote once, and none that is part of another: `mi hermano Raúl` and `mi hermano Raúl trabaja`."""
    distinct = list(dict.fromkeys(quotes))
    return [
        each
        for each in distinct
        if not any(each != other and each.startswith("«") and each.strip("«»") in other for other in distinct)
    ]


def shortened(quoted: str) -> str:
    """The beginning of a long quote, which is enough to know it again: the user has just said it."""
    words = quoted.split(" ")
    return quoted if len(words) <= _MOST_ECHOED else f"{' '.join(words[:_MOST_ECHOED]).rstrip(',.;:')}…»"


def enumeration(items: Sequence[str], conjunction: str) -> str:
    """`a`, `a y b`, `a, b y c`."""
    return f" {conjunction} ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def sentence(text: str) -> str:
    """The clause as a sentence: with a capital, and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?", "…")) else ".")


def _is_about_speaker(value: str, locale: OfflineLanguage) -> bool:
    """Whether the value has a word of the first person: `my dog`, in a reply, would be the model's."""
    return not locale.first_person.isdisjoint(folded_words(value).split())


def _with_article(fact: Fact, locale: OfflineLanguage) -> str:
    """The value as the user said it: `los gatos`, of which only `gatos` is kept as the value."""
    is_fan = locale.cheers.search(folded_words(fact.text))  # `an Arsenal fan` likes no `an Arsenal`
    if is_fan or not (locale.articles and fact.attribute in _WITH_ARTICLE):
        return fact.value
    found = re.search(rf"\b(?:{locale.articles})\s+{re.escape(fact.value)}", fact.text, re.IGNORECASE)
    return found[0] if found else fact.value


def _preposition(fact: Fact, locale: OfflineLanguage) -> str:
    """The one that the user took: in Portuguese it has the article in it, and only the user knows that."""
    default = locale.at.get(fact.attribute, "")
    if not (default and locale.prepositions):
        return default
    found = re.search(rf"\b({locale.prepositions})\s+{re.escape(fact.value)}", fact.text, re.IGNORECASE)
    return found[1].lower() if found and found[1].lower() not in QUESTIONS.goals else default
