"""Finding what was said about something, by the words that a question and a sentence share, and how it is said."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import cache
from operator import itemgetter
from typing import Literal, NamedTuple

from recuerdo.agents.offline.conversation import EarlierMessage, OfflinePrompt, fold, root, sentences
from recuerdo.agents.offline.questions import content_words, is_question
from recuerdo.agents.prompts import Recalled
from recuerdo.core.memories import Attribute, Fact
from recuerdo.memories.extraction.lexicon import organisations
from recuerdo.memories.locales import LOCALES
from recuerdo.memories.locales.offline_language import OfflineLanguage
from recuerdo.memories.update import is_instruction

Origin = Literal["user", "assistant", "document"]

_ENOUGH = 0.6
"""The weight of a question's words, of 1 in all, that a sentence must have more of than this to be an answer."""

_NEAR = 0.3
"""The weight from which on a sentence is worth to be shown as the nearest."""

_WEAK = 0.35
_CONTEXT = 0.5
"""The weight of a word that stands in another sentence of the same message."""

_SHORT = 3
_RARE = 3
"""Sentences: what more of them name is too common to tell that two are about the same thing."""

_BESIDE = 2
"""Words between what is said to be over and the words that say so."""

_GAINS = (1.12, 1.08, 1.04)
"""The factors for sentences of the best passages."""

_BEST_PASSAGES = 3
_LONGEST_CONTEXT = 240
_LONGEST_QUOTE = 300
_MOST_CHARACTERS = 20_000
"""Of the conversation's turns, the latest first, in which passages are looked for."""

_FAITH: dict[Origin, float] = {"user": 1.0, "document": 0.97, "assistant": 0.9}
_LIKELY = 1.12
"""The factor for a sentence with a number or a name when the question asks for one; others are divided by it."""

_EXACT = 1.1
"""The factor for a sentence that has a word of the question in the same form: `canto` and not `canta`."""

_UNLIKELY = 0.7
"""The factor for a sentence about others when the question is about the user, or without the name asked for."""

_NAME = re.compile(r"(?<=[^\W\d_.!?¿¡:] )[A-ZÀ-Ý][^\W\d_]+|(?<=, )[A-ZÀ-Ý][^\W\d_]+")
_PHONE = re.compile(r"\b(?:telefono|telefone|telemovel|celular|movil|phone|cell)\b")
_DIGIT = re.compile(r"\d")
_SHORTEST_PHONE = 5
_WORD = re.compile(r"\w+")
_NEXT_CLAUSE = re.compile(r"(?:[,;]\s+|\s(?:y|e|and)\s)(\w+(?:\s\S+){2,})")
_NAMED = frozenset(("llama", "llaman", "llamo", "called", "named", "name", "chama", "chamam", "nome", "nombre"))

_LONGEST_VALUE = 120
_WITH_ARTICLE: tuple[Attribute, ...] = ("likes", "dislikes", "employer")

_OWN = (
    *(
        "meet",
        "understood",
        "noted",
        "will_note",
        "will_wait",
        "will_remember",
        "heard",
        "you_said",
        "i_said",
        "document_says",
    ),
    *("everything", "nothing_known", "nothing_said", "not_told", "unknown", "unable", "identity", "greet", "thanks"),
    *("farewell", "well", "joke", "abilities", "you_said_on", "i_said_on", "nearest", "was", "holds_since"),
    *("words_forgotten", "which_to_forget", "taken_back", "forgotten", "today"),
)
"""The phrases whose beginnings tell that the model speaks."""


class Quote(NamedTuple):
    """A sentence of the prompt, whose it is, and the day when it was said, if that was in another conversation.

    Of this conversation's, `said_at` is the time.
    """

    text: str
    origin: Origin
    said_on: date | None = None
    said_at: datetime | None = None


class Found(NamedTuple):
    """The result for a question: an answer, or only the nearest quote."""

    quote: Quote
    is_sure: bool


class _Candidate(NamedTuple):
    quote: Quote
    roots: frozenset[str]
    around: frozenset[str]
    place: int


def find(
    conversation: OfflinePrompt,
    question: str,
    locale: OfflineLanguage,
    origins: Sequence[Origin] = (),
    *,
    even_ended: bool = False,
) -> Found | None:
    """The sentence of the prompt that answers the question best; of equals the latest. None when nothing does.

    Where one that was said later corrects it, that. With `origins` only what these have said. A
    sentence that the user has ended since answers only questions about the past, unless `even_ended`.
    """
    all_hold = len(conversation.holding()) == len(conversation.memories or ())
    even_ended = even_ended or all_hold or locale.past.search(fold(question)) is not None
    candidates = [
        each
        for each in _candidates(conversation, locale)
        if (not origins or each.quote.origin in origins) and (even_ended or not has_ended(each.quote, conversation))
    ]
    weights = _weights(question, locale, candidates)
    total = sum(weights.values())
    if not total:
        return None
    strong = {word for word, weight in weights.items() if weight >= _WEAK * 2 or len(weights) == 1}
    wanted = _Wanted(question, locale)
    first = _found_first(conversation, candidates)
    scored: list[tuple[float, int]] = []
    for number, each in enumerate(candidates):
        share = sum(_counted(word, weight, each) for word, weight in weights.items()) / total
        if share >= _NEAR and strong & (each.roots | each.around):
            likely = share * _FAITH[each.quote.origin] * wanted.fit(each)
            scored.append((likely * first.get(each.quote, 1.0), number))
    if not scored:
        return None
    score, best = max(scored)
    later = [
        number for found, number in scored if number > best and found >= _NEAR and strong & candidates[number].roots
    ]
    asked = wanted.in_question
    corrected = [each for each in later if corrects(text := candidates[each].quote.text) or is_over(text, asked)]
    if not corrected and (changed := _changed(candidates, best, wanted, locale)):
        return Found(changed, is_sure=score > _ENOUGH)
    best = _remembered(candidates, best, weights) if wanted.is_name else best
    chosen = candidates[corrected[-1] if corrected else best].quote
    told = {word for word in weights if word in candidates[best].roots | candidates[best].around}
    is_sure = score > _ENOUGH and not wanted.only_names(told) and wanted.has_amount(chosen.text)
    is_sure = is_sure and not _is_far(conversation, chosen)
    if not is_sure and not wanted.things <= frozenset[str]().union(*(each.roots for each in candidates)):
        return None  # the code of the wifi is not the code of the gate
    return Found(_in_context(chosen, candidates[best], candidates, weights), is_sure)


def _changed(candidates: Sequence[_Candidate], best: int, wanted: "_Wanted", locale: OfflineLanguage) -> Quote | None:
    """The last statement that what the best one names is so no longer, or at another time: `quit the mater`."""
    spread = Counter(word for each in candidates for word in set(fold(each.quote.text).split()))
    told = telling(candidates[best].quote.text, locale)
    named = {word for word in told if root(word) not in wanted.in_question and spread[word] <= _RARE}
    for each in reversed([each for each in candidates[best + 1 :] if each.place > candidates[best].place]):
        text = each.quote.text
        if each.quote.origin != "user" or named.isdisjoint(fold(text).split()) or not wanted.may_be_in(each):
            continue
        if is_over(text, set(map(root, named))):
            return each.quote._replace(text=behind(text, named))
        if wanted.is_amount and wanted.has_amount(text) and corrects(text):
            return each.quote
    return None


def behind(text: str, named: set[str]) -> str:
    """The clause behind the one that says what is over, if there is one: `quit the mater,` *starting at st james*."""
    last = max(found.end() for found in _WORD.finditer(text) if fold(found[0]) in named)
    return found[1] if (found := _NEXT_CLAUSE.search(text, last)) else text


def telling(text: str, locale: OfflineLanguage) -> set[str]:
    """The words of a text that name something of its own: `the Mater hospital` is told by `mater`."""
    content = [word for word in content_words(text, locale) if len(word) > _SHORT and word not in organisations.KINDS]
    return {word for word in content if word not in locale.weak_words and word not in locale.markers}


def _remembered(candidates: Sequence[_Candidate], best: int, weights: Mapping[str, float]) -> int:
    """The memory of names that is made of the best sentence and has the same words of the question, if there is one."""
    said = candidates[best]
    wanted = weights.keys() & said.roots
    for number, each in enumerate(candidates):
        within = len(each.quote.text) < len(said.quote.text) and each.quote.text in said.quote.text
        if within and wanted <= each.roots and _NAME.search(each.quote.text):
            return number
    return best


def _in_context(chosen: Quote, best: _Candidate, candidates: Sequence[_Candidate], weights: dict[str, float]) -> Quote:
    """The quote with the sentences of its message that have the question's other words, where it lacks some."""
    if chosen is not best.quote or not weights.keys() & (best.around - best.roots):
        return chosen
    same = [each for each in candidates if each.place == best.place]
    with_words = [each.quote.text for each in same if each is best or weights.keys() & (each.roots - best.roots)]
    text = " ".join(with_words)
    return chosen._replace(text=text) if len(text) <= _LONGEST_CONTEXT else chosen


def _found_first(conversation: OfflinePrompt, candidates: Sequence[_Candidate]) -> dict[Quote, float]:
    """Return factors for sentences of the passages that the search of histories, which knows meanings, found first."""
    best = list(zip(conversation.passages, _GAINS, strict=False))
    quotes = [each.quote for each in candidates]
    return {each: gain for passage, gain in reversed(best) for each in quotes if each.text in passage.text}


def _is_far(conversation: OfflinePrompt, chosen: Quote) -> bool:
    """Whether the search of histories, which knows what words mean, put several other passages before this one."""
    ranks = [rank for rank, each in enumerate(conversation.passages) if chosen.text in each.text]
    return bool(ranks) and chosen.said_on is not None and ranks[0] >= _BEST_PASSAGES


def nearest_passage(conversation: OfflinePrompt, question: str, locale: OfflineLanguage) -> Quote | None:
    """Return the passage found first, for a question about the user that shares no words with any answer.

    It speaks of the same relative or name as the question, if that has one. None for a question for a number or a
    time.
    """
    folded = fold(question).split()
    if locale.first_person.isdisjoint(folded) or locale.amounts.search(" ".join(folded)):
        return None  # a number that was said of something else misleads
    others = {root(word) for word in locale.others.intersection(folded)}
    named = {root(fold(name)) for name in _NAME.findall(question)}
    for each in conversation.passages[:_BEST_PASSAGES]:
        if has_ended(Quote(each.text, "user", each.said_at.date() if each.said_at else None), conversation):
            continue
        words = set(map(root, fold(each.text).split()))
        told = [said for said in sentences(each.text) if not is_question(said, locale)]
        if each.role == "user" and told and (not others or others & words) and named <= words:
            return Quote(" ".join(told), each.role, each.said_at.date() if each.said_at else None)
    return None


def first_found(conversation: OfflinePrompt, locale: OfflineLanguage) -> Quote | None:
    """Return the first result of the document search, which also matches synonyms and other languages."""
    return next((Quote(said, "document") for text in conversation.documents for said in _stated(text, locale)), None)


def corrects(text: str) -> bool:
    """Return whether the text says that something is not as it was said before."""
    folded = fold(text)
    return any(locale.offline.corrections.search(folded) for locale in LOCALES.values())


def is_over(text: str, roots: Collection[str]) -> bool:
    """Return whether the text says right beside one of the words that it is so no longer: `I left Nike`."""
    folded = fold(text)
    for locale in LOCALES.values():
        for found in locale.offline.no_longer.finditer(folded):
            beside = [*folded[: found.start()].split()[-_BESIDE:], *folded[found.end() :].split()[:_BESIDE]]
            if not {root(word) for word in beside}.isdisjoint(roots):
                return True
    return False


def quote(text: str) -> str:
    """The words in quotation marks, cut where they grow too long."""
    words = " ".join(text.split()).rstrip(".;,")
    return f"«{words}»" if len(words) <= _LONGEST_QUOTE else f"«{words[:_LONGEST_QUOTE].rsplit(' ', 1)[0]}…»"


def day(when: date, locale: OfflineLanguage) -> str:
    """The day as it is said: `7 de febrero de 2026`."""
    return locale.full_date.format(day=when.day, month=locale.months[when.month - 1], year=when.year)


def _candidates(conversation: OfflinePrompt, locale: OfflineLanguage) -> list[_Candidate]:
    """Every sentence that can be an answer, oldest first. Questions answer nothing."""
    found: list[tuple[date, Quote]] = []
    for memory in conversation.holding():
        on = memory.date.date() if memory.date else date.min
        found.append((on, Quote(memory.text, "user", memory.since)))
    for document in conversation.documents:
        found.append((date.min, Quote(document, "document")))
    for each in conversation.passages:
        said_on = each.said_at.date() if each.said_at else None
        found.append((said_on or date.min, Quote(each.text, each.role, said_on)))
    found.sort(key=itemgetter(0))
    for turn in _latest(conversation.turns):
        found.append((date.max, Quote(turn.text, turn.role, said_at=turn.said_at)))
    found.append((date.max, Quote(conversation.message, "user")))
    return [each for number, (_, said) in enumerate(found) for each in _split(said, number, locale)]


def has_ended(said: Quote, conversation: OfflinePrompt) -> bool:
    """Whether the user has ended, since, what a sentence of theirs tells, and does not say there that it is over."""
    if said.origin != "user" or not conversation.memories:
        return False
    words = set(fold(said.text).split())
    for memory in conversation.memories:
        if memory.until is None or not memory.value or not _is_before_end(said, memory, words):
            continue
        value = set(fold(memory.value).split())
        if value <= words and not is_over(said.text, set(map(root, value))) and not corrects(said.text):
            return True
    return False


def _is_before_end(said: Quote, memory: Recalled, words: set[str]) -> bool:
    """Whether a sentence with these words was said before the memory's end; one of this conversation tells it whole."""
    if said.said_on is not None:
        return memory.until is not None and memory.until >= said.said_on
    if said.said_at is None or memory.date is None:
        return False
    return memory.date >= said.said_at and words.issuperset(fold(memory.text).split())


def _latest(turns: Sequence[EarlierMessage]) -> list[EarlierMessage]:
    """The latest turns in their order, without what the model itself has repeated."""
    phrases = [each.offline.phrases for each in LOCALES.values()]
    beginnings: list[str] = [getattr(each, name).partition("{")[0] for each in phrases for name in _OWN]
    own = tuple(filter(None, beginnings))
    kept: list[EarlierMessage] = []
    left = _MOST_CHARACTERS
    for turn in reversed(turns):
        if turn.role == "user" or not turn.text.startswith(own):
            kept.append(turn)
            left -= len(turn.text)
        if left <= 0:
            break
    return kept[::-1]


def _split(whole: Quote, place: int, locale: OfflineLanguage) -> Iterator[_Candidate]:
    told = [(said, frozenset(map(root, fold(said).split()))) for said in _stated(whole.text, locale)]
    around = frozenset[str]().union(*(roots for _, roots in told)) if len(told) > 1 else frozenset[str]()
    return (_Candidate(whole._replace(text=said), roots, around, place) for said, roots in told)


def _stated(text: str, locale: OfflineLanguage) -> Iterator[str]:
    return (said for said in sentences(text) if not is_question(said, locale))


def _counted(word: str, weight: float, candidate: _Candidate) -> float:
    if word in candidate.roots:
        return weight
    return weight * _CONTEXT if word in candidate.around else 0.0


class _Wanted:
    """The kind of answer that a question wants, and how well a sentence fits."""

    def __init__(self, question: str, locale: OfflineLanguage) -> None:
        folded = fold(question)
        self.is_amount = bool(locale.amounts.search(folded))
        self._phone = bool(_PHONE.search(folded))
        self.is_name = bool(locale.names.search(folded))
        self._kind = {root(word) for found in locale.kinds.finditer(folded) for word in found[1].split()}
        self._names = {root(fold(name)) for name in _NAME.findall(question)}
        words = folded.split()
        self._exact = {word for word in content_words(question, locale) if len(word) > _SHORT}
        self.in_question = set(map(root, content_words(question, locale)))
        named = content_words(locale.amounts.sub(" ", folded), locale) if self.is_amount else []
        self.things = {root(word) for word in named if len(word) > _SHORT and word not in locale.weak_words}
        """The things of which the number is asked: an answer names them all."""
        about_user = not locale.first_person.isdisjoint(words) and locale.others.isdisjoint(words)
        self._others = locale.others if about_user and not self.is_name and not self._names else frozenset[str]()

    def only_names(self, told: set[str]) -> bool:
        """Whether all that a sentence tells is of which kind the answer is: of `what car do I drive`, a car."""
        return bool(told) and told <= self._kind

    def has_amount(self, text: str) -> bool:
        """Whether the text has a number or a time, if the question asks for one."""
        if self._phone:
            return len(_DIGIT.findall(text)) >= _SHORTEST_PHONE
        return not self.is_amount or any(map(str.isdigit, text)) or not _numerals().isdisjoint(fold(text).split())

    def may_be_in(self, candidate: _Candidate) -> bool:
        """Whether a sentence is about the people whom the question names, and about no others."""
        words = fold(candidate.quote.text).split()
        return self._names <= candidate.roots | candidate.around and not self._begins_with_another(words)

    def fit(self, candidate: _Candidate) -> float:
        """A factor around 1."""
        text = candidate.quote.text
        words = fold(text).split()
        fit = 1.0
        if self.is_amount:
            fit *= _LIKELY if self.has_amount(text) else 1 / _LIKELY
        if self.is_name:
            fit *= _LIKELY if self._named_in(text) or not _NAMED.isdisjoint(words) else 1 / _LIKELY
        if not self._names <= candidate.roots | candidate.around:
            fit *= _UNLIKELY
        if self._exact & set(words):
            fit *= _EXACT
        return fit * _UNLIKELY if self._begins_with_another(words) else fit

    def _begins_with_another(self, words: Sequence[str]) -> bool:
        """Whether a relative comes before all that the question asks about: `my brother lives in Denver`."""
        others = [place for place, word in enumerate(words) if word in self._others]
        asked = [place for place, word in enumerate(words) if root(word) in self.in_question]
        return bool(others) and (not asked or others[0] < asked[0])

    def _named_in(self, text: str) -> bool:
        """Whether a name stands right behind a word of the question: `mi abuela Carmen`."""
        words = _WORD.findall(text)
        asked = [place for place, word in enumerate(words) if root(fold(word)) in self.in_question]
        return any(word[:1].isupper() for place in asked for word in words[place + 1 : place + 3])


@cache
def _numerals() -> frozenset[str]:
    return frozenset[str]().union(*(locale.offline.numerals for locale in LOCALES.values()))


def _weights(question: str, locale: OfflineLanguage, candidates: Sequence[_Candidate]) -> dict[str, float]:
    """How much each word of the question counts: rare words more, and words that nobody said the most."""
    spread = Counter(word for each in candidates for word in each.roots)
    weights: dict[str, float] = {}
    for word in content_words(question, locale):
        rarity = math.log(1 + (len(candidates) + 1) / (spread[root(word)] + 0.5))
        weights[root(word)] = rarity * (_WEAK if word in locale.weak_words else 1.0)
    return weights


def clause(fact: Fact, locale: OfflineLanguage) -> str | None:
    """The fact said to the user, in the second person; None when only the user's own words can say it."""
    template = None if is_instruction(fact) else locale.clauses.get(fact.attribute)
    if template is None or len(fact.value) > _LONGEST_VALUE or _is_about_speaker(fact.value, locale):
        return None
    value = _with_article(fact, locale)
    if locale.plural.match(value):
        template = locale.plural_clauses.get(fact.attribute, template)
    return template.format(value=value.rstrip("."), at=_preposition(fact, locale))


def quoted(fact: Fact) -> str:
    """The fact in the user's own words."""
    return quote(fact.value if fact.attribute == "remember" else fact.text)


def enumeration(items: Sequence[str], conjunction: str) -> str:
    """`a`, `a y b`, `a, b y c`."""
    return f" {conjunction} ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def sentence(text: str) -> str:
    """The clause as a sentence: with a capital, and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?", "…")) else ".")


def _is_about_speaker(value: str, locale: OfflineLanguage) -> bool:
    """`my dog` would be the model's when the model says it."""
    return not locale.first_person.isdisjoint(fold(value).split())


def _with_article(fact: Fact, locale: OfflineLanguage) -> str:
    """The value as the user said it: `los gatos`, of which only `gatos` is kept as the value."""
    if not (locale.articles and fact.attribute in _WITH_ARTICLE):
        return fact.value
    found = re.search(rf"\b(?:{locale.articles})\s+{re.escape(fact.value)}", fact.text, re.IGNORECASE)
    return found[0] if found else fact.value


def _preposition(fact: Fact, locale: OfflineLanguage) -> str:
    """The one that the user took: in Portuguese it has the article in it, and only the user knows that."""
    default = locale.at.get(fact.attribute, "")
    if not (default and locale.prepositions):
        return default
    found = re.search(rf"\b({locale.prepositions})\s+{re.escape(fact.value)}", fact.text, re.IGNORECASE)
    return found[1].lower() if found else default
