"""Finding what was said about something, by the words that a question and a sentence share."""

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
from recuerdo.core.memories import Attribute
from recuerdo.core.words import fold as written
from recuerdo.memories.extract import extract
from recuerdo.memories.extraction.lexicon import names, organisations
from recuerdo.memories.extraction.statements import is_letter
from recuerdo.memories.locales import LOCALES
from recuerdo.memories.locales.offline_language import OfflineLanguage
from recuerdo.memories.slots import SINGLE_VALUED

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

_NAME_ALONE = 0.5
"""The factor for a memory of what a relative is called when the question is for something else."""

_NAME = re.compile(r"(?<=[^\W\d_.!?¿¡:] )[A-ZÀ-Ý][^\W\d_]+|(?<=, )[A-ZÀ-Ý][^\W\d_]+")
_PHONE = re.compile(r"\b(?:telefono|telefone|telemovel|celular|movil|phone|cell)\b")
_DIGIT = re.compile(r"\d")
_SHORTEST_PHONE = 5
_WORD = re.compile(r"\w+")
_NEXT_CLAUSE = re.compile(r"(?:[,;]\s+|\s(?:y|e|and)\s)(\w+(?:\s\S+){2,})")
_NAMED = frozenset(("llama", "llaman", "llamo", "called", "named", "name", "chama", "chamam", "nome", "nombre"))

_OF_ANOTHER = re.compile(r"(?:she|he|they|ella|el|ellos|ellas|ela|ele|elas|eles)(?: s| is)?\b")
_FEW = 5
"""Words of a sentence that names nothing: `they cancelled it in the end`."""

_FEWEST = 2
"""Words with a meaning of a text that is worth to be quoted."""

_SOON = 3
"""The user's next sentences, in which a name may follow."""

_SAID_OF_NAMES = re.compile(r"\b(?:that|this|ese|este|esse) (?:name|nombre|nome)\b")
"""`Ria hates that name` tells none."""

_WHO = frozenset(("who", "whos", "quien", "quienes", "quem"))


_OWN = (
    *(
        *("meet", "understood", "noted", "will_note", "will_wait"),
        *("will_remember", "heard", "you_said", "i_said", "document_says"),
    ),
    *("everything", "nothing_known", "nothing_said", "not_told", "unknown", "unable", "identity", "greet", "thanks"),
    *("farewell", "well", "joke", "abilities", "you_said_on", "i_said_on", "nearest", "was", "holds_since"),
    *("words_forgotten", "which_to_forget", "taken_back", "forgotten", "today"),
)
"""The phrases whose beginnings tell that the model speaks."""


class Quote(NamedTuple):
    """A sentence of the prompt, whose it is, and the day when it was said, if that was in another conversation.

    Of those said in this one, which are `here`, `said_at` is the time.
    """

    text: str
    origin: Origin
    said_on: date | None = None
    said_at: datetime | None = None
    here: bool = False


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
    relatives = {memory.text for memory in conversation.holding() if memory.attribute == "family"}
    scored: list[tuple[float, int]] = []
    for number, each in enumerate(candidates):
        share = sum(_counted(word, weight, each) for word, weight in weights.items()) / total
        if share >= _NEAR and strong & (each.roots | each.around):
            likely = share * _FAITH[each.quote.origin] * wanted.fit(each)
            likely *= _NAME_ALONE if each.quote.text in relatives and not wanted.is_name else 1.0
            scored.append((likely * first.get(each.quote, 1.0), number))
    if not scored:
        return None
    score, best = max(scored)
    later = [
        number for found, number in scored if number > best and found >= _NEAR and strong & candidates[number].roots
    ]
    asked = wanted.in_question
    corrected = [
        each
        for each in later
        if (
            corrects(text := candidates[each].quote.text) and wanted.may_be_corrected(candidates[best].quote.text, text)
        )
        or is_over(text, asked)
    ]
    if not corrected and (changed := _changed(candidates, best, wanted, locale)):
        return Found(changed, is_sure=score > _ENOUGH)
    best = _remembered(candidates, best, weights) if wanted.is_name else best
    chosen = candidates[corrected[-1] if corrected else best].quote
    told = {word for word in weights if word in candidates[best].roots | candidates[best].around}
    is_sure = score > _ENOUGH and not wanted.only_names(told) and wanted.has_amount(chosen.text)
    is_sure = is_sure and not _is_far(conversation, chosen) and wanted.is_about_user(chosen.text)
    is_sure = is_sure and (not wanted.is_name or wanted.has_name(chosen.text))
    if not is_sure and not wanted.things <= frozenset[str]().union(*(each.roots for each in candidates)):
        return None  # the code of the wifi is not the code of the gate
    return Found(_in_context(chosen, candidates[best], candidates, weights), is_sure)


def _changed(candidates: Sequence[_Candidate], best: int, wanted: "_Wanted", locale: OfflineLanguage) -> Quote | None:
    """The last statement that what the best one names is so no longer, or at another time: `quit the mater`."""
    spread = Counter(word for each in candidates for word in set(fold(each.quote.text).split()))
    told = telling(candidates[best].quote.text, locale)
    words = {word for word in told if root(word) not in wanted.in_question and spread[word] <= _RARE}
    named = set(map(root, words))
    later = [each for each in candidates[best + 1 :] if each.place > candidates[best].place]
    for each in reversed(later):
        text = each.quote.text
        about = not words.isdisjoint(fold(text).split()) or (each.quote.here and not named.isdisjoint(each.roots))
        if each.quote.origin != "user" or not about or not wanted.may_be_in(each):
            continue
        if is_over(text, named):
            return each.quote._replace(text=behind(text, named))
        if wanted.is_amount and wanted.has_amount(text) and corrects(text):
            return each.quote
    said = candidates[best].quote.text
    here = [each for each in candidates if each.quote.here and each.quote.origin == "user"]
    told = [each.place for each in here if said in each.quote.text or each.quote.text in said]
    following = [each for each in here if told and each.place > max(told)]
    named_next = next((each for each in following[:_SOON] if wanted.is_name and _names(each)), None)
    if named_next and not wanted.has_name(said):
        return named_next.quote
    return following[0].quote if following and _replaces(following[0], wanted, locale) else None


def _names(candidate: _Candidate) -> bool:
    """Whether it tells how a person is called who was told of before: `her name's Linda`."""
    return any(locale.offline.naming.search(fold(candidate.quote.text)) for locale in LOCALES.values())


def _replaces(following: _Candidate, wanted: "_Wanted", locale: OfflineLanguage) -> bool:
    """Whether what the user said next is another value, or that it is over, which needs no word of the question.

    `No wait, it's Leo now`; `they cancelled it`; `she's back in Leeds now`.
    """
    text = following.quote.text
    if not wanted.may_be_in(following):
        return False
    said, folded, opens = written(text), fold(text), opens_correction(text)
    if locale.no_longer.search(folded) and len(folded.split()) <= _FEW:
        return True
    dialogues = [dialogue for each in LOCALES.values() if (dialogue := each.detection.dialogue)]
    if wanted.is_amount:
        return wanted.has_amount(text) and corrects(text)
    if wanted.is_name and not wanted.has_name(text):
        return False
    opens |= any(each.updates.search(said) or each.moves.search(said) for each in dialogues)
    return (opens or (_OF_ANOTHER.match(folded) is not None and corrects(text))) and not extract(text)


def behind(text: str, named: set[str]) -> str:
    """The clause behind the one that says what is over, if there is one: `quit the mater,` *starting at st james*.

    `named` are the roots of what it is.
    """
    last = max((found.end() for found in _WORD.finditer(text) if root(fold(found[0])) in named), default=0)
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


def nearest_passage(
    conversation: OfflinePrompt, question: str, locale: OfflineLanguage, attribute: Attribute | None = None
) -> Quote | None:
    """Return the passage found first, for a question about the user that shares no words with any answer.

    It speaks of the same relative or name as the question, if that has one, and not only of something else that is
    known by name: how old one is tells nothing of what one eats. None for a question for a number or a time.
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
        about = (not others or others & words) and named <= words
        if each.role == "user" and told and about and _may_tell(" ".join(told), attribute, locale):
            return Quote(" ".join(told), each.role, each.said_at.date() if each.said_at else None)
    return None


def _may_tell(text: str, attribute: Attribute | None, locale: OfflineLanguage) -> bool:
    """Whether a text may tell something of that kind, or something that has no kind when none is asked for."""
    if len(content_words(text, locale)) < _FEWEST or locale.greetings.match(fold(text)):
        return False
    told = {fact.attribute for fact in extract(text)}
    return not told or (attribute in told if attribute else not told <= set(SINGLE_VALUED))


def first_found(conversation: OfflinePrompt, locale: OfflineLanguage) -> Quote | None:
    """Return the first result of the document search, which also matches synonyms and other languages."""
    return next((Quote(said, "document") for text in conversation.documents for said in _stated(text, locale)), None)


def corrects(text: str) -> bool:
    """Return whether the text says that something is not as it was said before."""
    folded = fold(text)
    return opens_correction(text) or any(locale.offline.corrections.search(folded) for locale in LOCALES.values())


def opens_correction(text: str) -> bool:
    """Return whether the text begins as a correction does: `no, the 4th`."""
    dialogues = (locale.detection.dialogue for locale in LOCALES.values())
    return any(each is not None and each.corrects.match(written(text)) for each in dialogues)


def is_over(text: str, roots: Collection[str]) -> bool:
    """Return whether the text says right beside one of the words that it is so no longer: `I left Nike`."""
    folded = fold(text)
    for locale in LOCALES.values():
        for found in locale.offline.no_longer.finditer(folded):
            beside = [*folded[: found.start()].split()[-_BESIDE:], *folded[found.end() :].split()[:_BESIDE]]
            beside += found[0].split()
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
        if each.role == "user" and is_letter(each.text):
            continue  # another person wrote it
        found.append((said_on or date.min, Quote(each.text, each.role, said_on)))
    found.sort(key=itemgetter(0))
    for turn in _latest(conversation.turns):
        if turn.role == "user" and is_letter(turn.text):
            continue
        found.append((date.max, Quote(turn.text, turn.role, said_at=turn.said_at, here=True)))
    found.append((date.max, Quote(conversation.message, "user", here=True)))
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
        self._small = set(map(root, locale.stop_words | locale.markers))
        self._is_who = not _WHO.isdisjoint(folded.split())
        self.in_question = set(map(root, content_words(question, locale)))
        named = content_words(locale.amounts.sub(" ", folded), locale) if self.is_amount else []
        self.things = {root(word) for word in named if len(word) > _SHORT and word not in locale.weak_words}
        """The things of which the number is asked: an answer names them all."""
        about_user = not locale.first_person.isdisjoint(words) and locale.others.isdisjoint(words)
        self._others = locale.others if about_user and not self.is_name and not self._names else frozenset[str]()

    def is_about_user(self, text: str) -> bool:
        """Whether a question about the user is not answered with what is told of another person."""
        return not self._begins_with_another(fold(text).split())

    def may_be_corrected(self, text: str, later: str) -> bool:
        """Whether a correction is of what is asked: not of the day, where only the place is."""
        return self.is_amount or not (_tells_day(text) and _tells_day(later))

    def has_name(self, text: str) -> bool:
        """Whether the text has a name, or tells which relative it is, beside what the question names."""
        folded = _SAID_OF_NAMES.sub(" ", fold(text)).split()
        if self._named_in(text) or not _NAMED.isdisjoint(folded):
            return True
        written = [word for word in _WORD.findall(text)[1:] if word[:1].isupper() and word[1:]]
        known = [
            word for word in folded if word in names.GIVEN - names.AMBIGUOUS or (self._is_who and word in _people())
        ]
        if any(root(fold(word)) not in self.in_question | self._small for word in (*written, *known)):
            return True
        asked = [place for place, word in enumerate(folded) if root(word) in self.in_question]
        following = [word for place in asked for word in folded[place + 1 : place + 2]]
        return text == text.lower() and any(root(word) not in self._small for word in following)

    def only_names(self, told: set[str]) -> bool:
        """Whether all that a sentence tells is of which kind the answer is: of `what car do I drive`, a car."""
        return bool(told) and told <= self._kind

    def has_amount(self, text: str) -> bool:
        """Whether the text has a number or a time, if the question asks for one."""
        if self._phone:
            return len(_DIGIT.findall(text)) >= _SHORTEST_PHONE
        said = fold(text).split()
        has_numeral = any(word in _numerals() or word.removesuffix("s") in _numerals() for word in said)
        return not self.is_amount or has_numeral or any(map(str.isdigit, text))

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
        following = [word for place in asked for word in words[place + 1 : place + 3] if word[:1].isupper()]
        return any(root(fold(word)) not in self._small for word in following)


def _tells_day(text: str) -> bool:
    return not _days().isdisjoint(fold(text).split())


@cache
def _days() -> frozenset[str]:
    """The names of weekdays and months."""
    told = [name for locale in LOCALES.values() for name in (*locale.offline.weekdays, *locale.offline.months)]
    return frozenset(word for name in told for word in fold(name).split())


@cache
def _people() -> frozenset[str]:
    return frozenset[str]().union(*(locale.offline.others for locale in LOCALES.values()))


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
