"""Finding what was said about something, by the words that a question and a sentence share."""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

from recuerdo.agents.offline.conversation import OfflinePrompt
from recuerdo.agents.offline.questions import content_words, is_question
from recuerdo.agents.offline.words import fold, root, sentences
from recuerdo.memories.locales import LOCALES
from recuerdo.memories.locales.offline_language import OfflineLanguage

Origin = Literal["user", "assistant", "document"]

_ENOUGH = 0.5
"""The weight of a question's words, of 1 in all, that a sentence must have more of than this to be an answer."""

_WEAK = 0.35
_LONGEST_QUOTE = 300
_FAITH: dict[Origin, float] = {"user": 1.0, "document": 0.97, "assistant": 0.9}


_OWN = (
    *("meet", "understood", "noted", "will_note", "will_remember", "heard", "you_said", "i_said", "document_says"),
    *("everything", "nothing_known", "nothing_said", "not_told", "unknown", "unable", "identity", "greet", "thanks"),
    "farewell",
)
"""The phrases whose beginnings tell that the model speaks."""


class Quote(NamedTuple):
    """A sentence of the prompt, and whose it is."""

    text: str
    origin: Origin


def find(conversation: OfflinePrompt, question: str, locale: OfflineLanguage) -> Quote | None:
    """The sentence of the prompt that answers the question best; of equals the latest. None when nothing does."""
    passages = [(passage, _roots(passage.text)) for passage in _passages(conversation, locale)]
    weights = _weights(question, locale, [roots for _, roots in passages])
    total = sum(weights.values())
    best, best_score = None, _ENOUGH
    for passage, roots in passages:
        found = sum(weight for word, weight in weights.items() if word in roots)
        score = _FAITH[passage.origin] * found / total if total else 0.0
        if score > _ENOUGH and score >= best_score:
            best, best_score = passage, score
    return best


def first_found(conversation: OfflinePrompt, locale: OfflineLanguage) -> Quote | None:
    """What the search put first, which knows words of other languages and other words of the same."""
    return next((passage for text in conversation.documents for passage in _split(text, "document", locale)), None)


def quote(text: str) -> str:
    """The words in quotation marks, cut where they grow too long."""
    words = " ".join(text.split()).rstrip(".;,")
    return f"«{words}»" if len(words) <= _LONGEST_QUOTE else f"«{words[:_LONGEST_QUOTE].rsplit(' ', 1)[0]}…»"


def _passages(conversation: OfflinePrompt, locale: OfflineLanguage) -> Iterator[Quote]:
    """Every sentence that can be an answer, in the order of trust and time. Questions answer nothing."""
    for memory in conversation.memories or ():
        yield from _split(memory.text, "user", locale)
    for document in conversation.documents:
        yield from _split(document, "document", locale)
    phrases = [each.offline.phrases for each in LOCALES.values()]
    own = tuple(getattr(each, name).partition("{")[0] for each in phrases for name in _OWN)
    for turn in conversation.turns:
        if turn.role == "user" or not turn.text.startswith(own):  # quoting itself again would add nothing
            yield from _split(turn.text, turn.role, locale)
    yield from (Quote(said, "user") for said in sentences(conversation.message) if not is_question(said, locale))


def _split(text: str, origin: Origin, locale: OfflineLanguage) -> Iterator[Quote]:
    return (Quote(said, origin) for said in sentences(text) if not is_question(said, locale))


def _weights(question: str, locale: OfflineLanguage, passages: list[set[str]]) -> dict[str, float]:
    """How much each word of the question counts: rare words more, and words that nobody said the most."""
    spread = Counter(word for roots in passages for word in roots)
    weights: dict[str, float] = {}
    for word in content_words(question, locale):
        rarity = math.log(1 + (len(passages) + 1) / (spread[root(word)] + 0.5))
        weights[root(word)] = rarity * (_WEAK if word in locale.weak_words else 1.0)
    return weights


def _roots(text: str) -> set[str]:
    return {root(word) for word in fold(text).split()}
