"""Ranks the sentences of a prompt by how likely each answers a question, and how likely none of them does.

A small network weighs what a question and a sentence have in common. It learned from the dialogues of
`tests/data/dialogues`, of the half that may be worked on: `training/ranking.py` trains it and writes `ranking.json`.
The cross-encoder, where it is installed, reads the question and all sentences together; the two have equal weight.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache
from operator import mul
from pathlib import Path
from typing import NamedTuple

import msgspec

from recuerdo.agents.offline.answer_type import expected_answer
from recuerdo.agents.offline.conversation import OfflinePrompt, fold, people, root
from recuerdo.agents.offline.questions import content_words, topics
from recuerdo.agents.offline.quotes import (
    Candidate,
    Origin,
    Quote,
    candidates,
    corrects,
    has_ended,
    is_over,
    opens_correction,
)
from recuerdo.core.words import fold as written
from recuerdo.memories.extraction import cross_encoder
from recuerdo.memories.extraction.cross_encoder import ComparedSentence
from recuerdo.memories.extraction.lexicon import households, jobs, languages, names, places, traits
from recuerdo.memories.extraction.sentences import Doubt, doubt_about
from recuerdo.memories.extraction.statements import Statement
from recuerdo.memories.extraction.words import fold as plainly
from recuerdo.memories.locales import LOCALES
from recuerdo.memories.locales.offline_language import AskedKind, OfflineLanguage

_WORD = re.compile(r"\w+")
_MOST_BETWEEN = 4
"""Words from a relative to their name: `mi hija se llama Ana`."""

_BEFORE_NAME = frozenset(
    """se llama llamaba chama chamava es e a o el la is was named called s who whos name dona don""".split()  # noqa: SIM905
)

WEIGHTS = Path(__file__).with_suffix(".json")

MOST = 40
"""Sentences that are looked at closely: those that share most words with the question, and the latest."""

_WEAK = 0.35
_WHOLE = 0.9
_CONTEXT = 0.5
"""The weight of a word that stands in another sentence of the same message."""

_NAME = re.compile(r"(?<=[^\W\d_.!?¿¡:] )[A-ZÀ-Ý][^\W\d_]+|(?<=, )[A-ZÀ-Ý][^\W\d_]+")
_PHONE = re.compile(r"\b(?:telefono|telefone|telemovel|celular|movil|phone|cell)\b")
_DIGIT = re.compile(r"\d")
_SHORTEST_PHONE = 5
_SHORT = 3
_LONGEST_READ = 400
"""Characters of a sentence."""

_KNOWN: Mapping[AskedKind, frozenset[str]] = {
    "health": traits.CONDITIONS,
    "food": traits.DIETS,
    "language": languages.LANGUAGES,
    "place": places.KNOWN,
}
_NAMED = frozenset(("llama", "llaman", "llamo", "called", "named", "name", "chama", "chamam", "nome", "nombre"))
_WHO = frozenset(("who", "whos", "quien", "quienes", "quem"))
_SAID_OF_NAMES = re.compile(r"\b(?:that|this|ese|este|esse) (?:name|nombre|nome)\b")
"""`Ria hates that name` tells none."""


_LEAST = 1e-4
"""The least chance: nothing is impossible."""

SURE, LIKELY, NEAR = 0.6, 0.3, 0.2
"""How likely a sentence has to be to be the answer, to be it if it alone says all, and to be shown as the nearest."""


class Found(NamedTuple):
    """The result for a question: an answer, or only the nearest quote."""

    quote: Quote
    is_sure: bool


def find(
    conversation: OfflinePrompt, question: str, locale: OfflineLanguage, origins: Sequence[Origin] = ()
) -> Found | None:
    """The sentence that answers a question best, with `origins` only of what these have said. None when none may."""
    said = [each for each in candidates(conversation, locale) if not origins or each.quote.origin in origins]
    asked = _Asked(conversation, question, locale, said)
    if not asked.kept:
        return None
    scores = [_network().score(asked.features(place)) for place in asked.kept]
    read = _read(conversation, question, [said[place].quote for place in asked.kept])
    likely = _likely([(one + other) / 2 for one, other in zip(scores, read or scores, strict=True)])
    chances = defaultdict[str, float](float)
    for place, chance in zip(asked.kept, likely, strict=True):
        text = said[place].quote.text  # a message and the memories of it have the same words
        chances[text] = chances[text] + chance if asked.is_remembered(text) else max(chances[text], chance)
    best = max(asked.kept, key=lambda place: (chances[said[place].quote.text], place))
    chance = chances[said[best].quote.text] + sum(chances[each] for each in chances if asked.has_taken_in(best, each))
    is_sure = chance >= (LIKELY if asked.says_all(best) else SURE)
    best = asked.corrected(best)
    is_near = chance >= NEAR and asked.people_are_in(best) and not has_ended(said[best].quote, conversation)
    return Found(said[best].quote, is_sure) if is_sure or is_near else None


def _likely(scores: Sequence[float]) -> list[float]:
    """How likely each sentence answers; they and no answer at all, whose score is 0, add up to 1."""
    highest = max([0.0, *scores])
    weights = [math.exp(score - highest) for score in scores]
    whole = sum(weights) + math.exp(-highest)
    return [weight / whole for weight in weights]


def _read(conversation: OfflinePrompt, question: str, quotes: Sequence[Quote]) -> list[float]:
    """The scores that the cross-encoder gives to the sentences: none where it is not installed."""
    encoder = cross_encoder.load()
    if encoder is None:
        return []
    sentences = compared(conversation, quotes)
    chances = encoder.answering(question, list(sentences.values()))
    none = max(_LEAST, 1 - sum(chances))
    scores = {text: math.log(max(_LEAST, chance) / none) for text, chance in zip(sentences, chances, strict=True)}
    return [scores[each.text] for each in quotes]


def compared(conversation: OfflinePrompt, quotes: Sequence[Quote]) -> dict[str, ComparedSentence]:
    """The sentences as the cross-encoder reads them, each once, where it was said last."""
    held = [memory.text for memory in conversation.holding()]
    latest = {each.text: each for each in reversed(quotes)}
    return {
        each.text: ComparedSentence(
            each.text,
            by_user=each.origin == "user",
            by_assistant=each.origin == "assistant",
            of_document=each.origin == "document",
            remembered=any(each.text in memory for memory in held),
            here=each.here,
            ended=has_ended(each, conversation),
            of_text=each.text in conversation.message,
        )
        for each in reversed(latest.values())
    }


def compare(
    conversation: OfflinePrompt, question: str, locale: OfflineLanguage, said: Sequence[Candidate]
) -> list[tuple[Candidate, list[float]]]:
    """The sentences that may answer, oldest first, each with the features that the network reads."""
    asked = _Asked(conversation, question, locale, said)
    return [(said[place], asked.features(place)) for place in asked.kept]


class _Asked:
    """A question, and what its sentences are compared by."""

    def __init__(
        self, conversation: OfflinePrompt, question: str, locale: OfflineLanguage, said: Sequence[Candidate]
    ) -> None:
        self._conversation, self._locale = conversation, locale
        said = with_people(said, conversation)
        self._weights = _weights(question, locale, said)
        self._total = sum(self._weights.values()) or 1.0
        self.shares = [self._share(each) for each in said]
        self._said = said
        best = sorted(range(len(said)), key=lambda place: (self.shares[place], place), reverse=True)[:MOST]
        self.kept = sorted(best)
        heard = {word for each in said for word in each.roots}
        self._unheard = sum(weight for word, weight in self._weights.items() if word not in heard) / self._total
        self._best = max(self.shares, default=0.0)
        self._has_one_best = self.shares.count(self._best) == 1
        folded = fold(question)
        words = folded.split()
        self._people = {root(word) for word in words if word in locale.others}
        self._about_user = not (locale.first_person | locale.own_verbs).isdisjoint(words) and not self._people
        self._kinds = {kind for kind, (asks, _) in locale.asked_kinds.items() if asks.search(folded)}
        self._names = {root(fold(name)) for name in _NAME.findall(question)}
        self._small = set(map(root, locale.stop_words | locale.markers))
        self._plain = self._weights.keys() | self._small
        self._is_amount = bool(locale.amounts.search(folded))
        named = content_words(locale.amounts.sub(" ", folded), locale)
        self._named = {root(word) for word in named if word not in locale.weak_words}
        long = {root(word) for word in named if len(word) > _SHORT}
        self._things = self._named & long if self._is_amount else frozenset[str]()
        """The things of which the number is asked: the code of the wifi is not the code of the gate."""
        self._is_phone = bool(_PHONE.search(folded))
        self._is_name = bool(locale.names.search(folded))
        self._is_who = not _WHO.isdisjoint(words)
        self._is_mixed = len({each.quote.origin for each in said}) > 1
        self._is_past = locale.past.search(folded) is not None
        self._topics = set(topics(question, locale))
        self._expected = expected_answer(question)
        self._holding = {memory.text: memory.attribute for memory in conversation.holding()}

    def features(self, place: int) -> list[float]:
        """The numbers that the network reads of a sentence, in the order that its weights have."""
        each = self._said[place]
        text, said = each.quote.text, fold(each.quote.text)
        words = said.split()
        share, around = self.shares[place], each.roots | each.around
        has_amount, has_name = self._has_amount(text, words), self._has_name(text, words)
        corrected = corrects(text) or _changes(text)
        before = self.shares[place - 1] if place and each.quote.here else 0.0
        over = is_over(text, set(self._weights)) or bool(self._locale.no_longer.search(said))
        opened_next = any(map(opens_correction, self._next(place)))
        depth = place / max(1, len(self._said) - 1)
        passage = self._rank_of_passage(text)
        attributes = {kind for memory, kind in self._holding.items() if kind and (memory in text or text in memory)}
        return [
            share,
            sum(_counted(word, weight, each) for word, weight in self._weights.items()) / self._total,
            share - self._best,
            float(share > _WHOLE),
            float(self._has_one_best and share == self._best > 0),
            self._unheard,
            float(self._is_amount and has_amount),
            float(self._is_amount and not has_amount),
            float(self._is_name and has_name),
            float(self._is_name and not has_name),
            float(self._about_user and self._begins_with_another(words)),
            float(self._about_user and not self._locale.others.isdisjoint(words)),
            float(bool(self._people) and self.people_are_in(place)),
            float(not self.people_are_in(place)),
            float(not self._things <= around),
            float(bool(self._names) and self._names <= each.roots),
            float(bool(self._names) and not self._names <= around),
            float(text in self._holding),
            float(each.quote.here),
            float(self._is_mixed and each.quote.origin == "assistant"),
            float(text in self._conversation.message),
            depth,
            math.log(len(self._said) - place),
            float(has_ended(each.quote, self._conversation)),
            float(over),
            float(corrected),
            before,
            before * corrected,
            float(opened_next),
            float(self._is_past),
            float(self._is_past and (over or corrected)),
            float(self._is_past) * depth,
            math.log(1 + len(words)),
            float(passage == 0),
            1 / (1 + passage) if passage is not None else 0.0,
            float(bool(self._topics & attributes)),
            float(bool(self._topics and attributes) and not self._topics & attributes),
            float(not self._topics),
            len(self._weights) / 5,
            *self._told(place, words),
            *self._fits(attributes),
        ]

    def _fits(self, attributes: Collection[str]) -> list[float]:
        """How likely the memories of a sentence are of a kind that is asked for, and what else may be asked for."""
        types, past, _ = self._expected
        of_people = types.get("relative", 0.0) + types.get("family", 0.0)
        likely: dict[str, float] = {**types, "relative": of_people, "family": of_people}
        fit = max((likely.get(each, 0.0) for each in attributes), default=0.0)
        none, other = types.get("none", 0.0), types.get("other", 0.0)
        return [fit, fit * self._about_user, float(not attributes), none, other, of_people, past]

    def _told(self, place: int, words: Sequence[str]) -> list[float]:
        """Whether the sentence tells the kind of thing that is asked for, and of whom: of the user, and as a fact."""
        text, share = self._beginning(place), self.shares[place]
        kinds, doubt = _kinds_told(text), _doubt(text)
        of_another = float(self._about_user and doubt == "not of the user")
        return [
            float(bool(self._kinds & kinds)),
            float(bool(self._kinds) and not self._kinds & kinds),
            float(not self._kinds),
            share * bool(self._kinds & kinds),
            float(doubt == "supposed or reported"),
            float(self._about_user and doubt == "supposed or reported"),
            of_another,
            of_another * share,
            float(doubt == "not of now"),
            float(doubt == "denied"),
            float(self._about_user),
            float(self._about_user and not _own_words().isdisjoint(words)),
        ]

    def says_all(self, place: int) -> bool:
        """Whether the sentence alone has all that the question names and what it asks for.

        Not of what the detectors hear, which would have heard it, and not of what was corrected at once.
        """
        each = self._said[place]
        text, words = each.quote.text, fold(each.quote.text).split()
        if self._topics or not self._named or not self._named <= each.roots:
            return False
        if any(opens_correction(said) or _changes(said) for said in self._next(place)):
            return False
        if (self._is_amount and not self._has_amount(text, words)) or (
            self._is_name and not self._has_name(text, words)
        ):
            return False
        others = (other.quote.text for other in self._said if self._named <= other.roots)
        return all(other in text or text in other for other in others)

    def is_remembered(self, text: str) -> bool:
        """Whether a memory that holds has these words."""
        return text in self._holding

    def has_taken_in(self, best: int, text: str) -> bool:
        """Whether the sentence at the place is a memory that this correction led to."""
        one = self._said[best]
        is_correction = self.is_remembered(one.quote.text) and opens_correction(text) and text != one.quote.text
        return is_correction and not one.roots.isdisjoint(map(root, fold(text).split()))

    def corrected(self, place: int) -> int:
        """The sentence behind the one at this place, if it corrects or changes what was just said."""
        after = self._said[place + 1 : place + 2]
        is_here = self._said[place].quote.here and all(each.quote.origin == "user" for each in after)
        corrects_it = any(opens_correction(text) or _changes(text) for text in self._next(place))
        return place + 1 if is_here and corrects_it else place

    def _next(self, place: int) -> list[str]:
        return [each.quote.text for each in self._said[place + 1 : place + 2]]

    def people_are_in(self, place: int) -> bool:
        """Whether the sentence's message names the relatives of whom the question is."""
        return self._people <= self._said[place].roots | self._said[place].around

    def _beginning(self, place: int) -> str:
        """The part of a sentence in which kinds of things and doubts are looked for."""
        return self._said[place].quote.text[:_LONGEST_READ]

    def _share(self, each: Candidate) -> float:
        return sum(weight for word, weight in self._weights.items() if word in each.roots) / self._total

    def _rank_of_passage(self, text: str) -> int | None:
        return next((rank for rank, each in enumerate(self._conversation.passages) if text in each.text), None)

    def _has_amount(self, text: str, words: Sequence[str]) -> bool:
        """Whether the text has a number or a time; a telephone number has several digits."""
        digits = len(_DIGIT.findall(text))
        if self._is_phone:
            return digits >= _SHORTEST_PHONE
        return digits > 0 or any(word in _numerals() or word.removesuffix("s") in _numerals() for word in words)

    def _has_name(self, text: str, words: Sequence[str]) -> bool:
        """Whether the text has a name, or tells which relative it is, beside what the question names."""
        told = _SAID_OF_NAMES.sub(" ", " ".join(words)).split()
        if not _NAMED.isdisjoint(told):
            return True
        written = [word for word in _WORD.findall(text)[1:] if word[:1].isupper() and word[1:]]
        known = [
            word
            for word in told
            if (word in names.GIVEN and word not in names.AMBIGUOUS) or (self._is_who and word in people())
        ]
        if any(root(fold(word)) not in self._plain for word in (*written, *known)):
            return True
        asked = [place for place, word in enumerate(told) if root(word) in self._weights]
        following = [word for place in asked for word in told[place + 1 : place + 2]]
        return text == text.lower() and any(root(word) not in self._small for word in following)

    def _begins_with_another(self, words: Sequence[str]) -> bool:
        """Whether a relative comes before all that the question asks about: `my brother lives in Denver`."""
        others = [place for place, word in enumerate(words) if word in self._locale.others]
        asked = [place for place, word in enumerate(words) if root(word) in self._weights]
        return bool(others) and (not asked or others[0] < asked[0])


class Network(msgspec.Struct, frozen=True):
    """One hidden layer, beside weights that each feature has alone."""

    hidden: list[list[float]]
    hidden_bias: list[float]
    output: list[float]
    direct: list[float]
    bias: float

    def score(self, features: Sequence[float]) -> float:
        """The score of a sentence, where that of no answer is 0."""
        total = self.bias + sum(map(mul, self.direct, features))
        for weights, bias, output in zip(self.hidden, self.hidden_bias, self.output, strict=True):
            total += output * max(0.0, bias + sum(map(mul, weights, features)))
        return total


@lru_cache(4_096)
def _kinds_told(text: str) -> frozenset[AskedKind]:
    """The kinds of things that a sentence tells, in any language."""
    said = fold(text)
    words = said.split()
    tables = [each.offline.asked_kinds for each in LOCALES.values()]
    told: set[AskedKind] = {kind for kinds in tables for kind, (_, tells) in kinds.items() if tells.search(said)}
    if any(map(jobs.is_job, words)):
        told.add("work")
    told.update(kind for kind, known in _KNOWN.items() if not known.isdisjoint(words))
    if any(map(households.is_animal, words)):
        told.add("pet")
    if not _numerals().isdisjoint(words) or _DIGIT.search(said):
        told.add("day")
    return frozenset(told)


@lru_cache(4_096)
def _doubt(text: str) -> Doubt | None:
    """Return the reason against a sentence as something that the user tells of themselves, if any."""
    folded = plainly(text)
    doubt = doubt_about("health", Statement(text, folded), len(folded))
    of_thing = doubt == "not of the user" and people().isdisjoint(fold(text).split())  # `my locker is 118`
    return None if of_thing else doubt


@cache
def _own_words() -> frozenset[str]:
    return frozenset[str]().union(*(each.offline.own_verbs for each in LOCALES.values()))


def _changes(text: str) -> bool:
    """Whether the text says that something is another now: `they moved me, it's 204`."""
    said = written(text)
    dialogues = (locale.detection.dialogue for locale in LOCALES.values())
    return any(each and (each.updates.search(said) or each.moves.search(said)) for each in dialogues)


@cache
def _network() -> Network:
    return msgspec.json.decode(WEIGHTS.read_bytes(), type=Network)


@cache
def _numerals() -> frozenset[str]:
    languages = [locale.offline for locale in LOCALES.values()]
    days = [name for each in languages for name in (*each.weekdays, *each.months)]
    return frozenset(word for name in days for word in fold(name).split()).union(*(each.numerals for each in languages))


def _counted(word: str, weight: float, candidate: Candidate) -> float:
    if word in candidate.roots:
        return weight
    return weight * _CONTEXT if word in candidate.around else 0.0


def _weights(question: str, locale: OfflineLanguage, said: Sequence[Candidate]) -> Mapping[str, float]:
    """How much the root of each of a question's words counts: rare ones more, and those that nobody said the most."""
    spread = Counter(word for each in said for word in each.roots)
    weights: dict[str, float] = {}
    for word in content_words(question, locale):
        rarity = math.log(1 + (len(said) + 1) / (spread[root(word)] + 0.5))
        weights[root(word)] = rarity * (_WEAK if word in locale.weak_words else 1.0)
    return weights


def with_people(said: Sequence[Candidate], conversation: OfflinePrompt) -> list[Candidate]:
    """The sentences, with the relation added to each name, and the name to each relation."""
    named: defaultdict[str, set[str]] = defaultdict(set)
    texts = dict.fromkeys([each.quote.text for each in said if each.quote.origin == "user"])
    for text in (*texts, *(each.text for each in conversation.holding() if each.attribute == "family")):
        for relative, name in _people_named(text):
            named[relative].add(name)
    if not named:
        return list(said)
    called = {name: relative for relative, own in named.items() for name in own}
    only = {relative: name for relative, (name, *more) in named.items() if not more}
    found: list[Candidate] = []
    for each in said:
        more = {known[word] for known in (called, only) for word in each.roots if word in known}
        found.append(each._replace(roots=each.roots | more) if more else each)
    return found


@lru_cache(4_096)
def _people_named(text: str) -> tuple[tuple[str, str], ...]:
    """The relatives whom a sentence calls by name, as roots: `mi hija Macarena` is `hija`, `macare`."""
    words, found = list(_WORD.finditer(text)), list[tuple[str, str]]()
    folded = [fold(word[0]) for word in words]
    plain = text == text.lower()
    for place, word in enumerate(folded):
        if root(word) not in people() and word not in people():
            continue
        last = min(place + 1 + _MOST_BETWEEN, len(folded))
        behind = next((at for at in range(place + 1, last) if folded[at] not in _BEFORE_NAME), None)
        if behind is None or folded[behind] in people():
            continue
        name = folded[behind]
        known = name in names.GIVEN and name not in names.AMBIGUOUS
        if known if plain else words[behind][0][:1].isupper():
            found.append((root(word), root(name)))
    return tuple(found)
