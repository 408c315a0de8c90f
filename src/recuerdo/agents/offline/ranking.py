"""Finds the sentence of a prompt that answers a question, or knows that none does.

The cross-encoder reads the question and the sentences together. Where it is not installed, the sentence that has most
of the question's words is the nearest, and none is an answer.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from operator import itemgetter
from typing import NamedTuple

from recuerdo.agents.offline.conversation import OfflinePrompt, folded_words, people, root, roots
from recuerdo.agents.offline.questions import asks, content_words
from recuerdo.agents.offline.quotes import Origin, Quote, candidates, corrects, ended_in, opens_correction, origin_of
from recuerdo.agents.prompts import Recalled
from recuerdo.memories.extraction import cross_encoder
from recuerdo.memories.extraction.answer_type import SURELY_ASKING, AnswerType, expected_answer
from recuerdo.memories.extraction.cross_encoder import ComparedSentence, CrossEncoder
from recuerdo.memories.extraction.lexicon import households, names, places, possessions
from recuerdo.memories.extraction.statements import QUESTION_WORD
from recuerdo.memories.locales.joined import QUESTIONS, WORDS
from recuerdo.memories.locales.offline_language import OfflineLanguage

MOST_WORDS = 150
"""Words of the sentences that are read beside a question: those that share most with it, and the latest.

Among more the network finds less."""

SURE, NEAR = 0.7, 0.3
"""How likely a sentence has to be to be the answer, and to be shown as the nearest."""

_SURELY_OVER = 0.77
"""The chance that a sentence has to have to be given as what was so."""

SURE_UNSHARED = 0.8
"""How likely one has to be to be the answer that has no word of the question, where another has some."""

_SURE_OF_ONLY_ONE = 0.5
"""How likely the only one of few sentences has to be that has all words of the question."""

_NEARLY_AS_LIKELY, _MOST_ALONE = 0.5, 3
"""The share of the likeliest one's chance from which on sentences are read alone as well, and how many are."""

_LEAST_OF_NAMED = 0.25
"""The share of its chance that the only sentence with all words of the question has to have, to be the nearest."""

_ABOUT_RELATIVE = _ABOUT_HEALTH = 0.8
"""How likely it has to be that a question asks for a relative, or what is told of one, or for the user's health."""

_ABOUT_FOOD = 0.5
"""How likely it has to be that a question asks what the user may eat, which no sentence tells alone: `I'm coeliac`."""

_NEAR_BY_WORDS, _WHOLE = 0.5, 0.95
"""The shares of the question's words that a sentence has to have to be the nearest, and to name all of it."""

_POSSIBLE = 0.1
"""How likely a sentence has to be for its parts to be looked at, or to stand for the one that it changes."""

_ABOUT_ENDED = 0.03
"""How likely a question has to ask for what has ended in a sentence, for the sentence to be over."""

_FEW, _BEGINNING = 5, 3
"""Sentences of a short conversation, and words with which a sentence begins."""

_LONG, _SEVERAL_NUMBERS = 20, 2
"""Words of a sentence, and clauses of it with a number, from which on only a part is quoted."""

_SHORT = 3
"""Words that such a part has at least."""

_ENOUGH = 0.97
"""The share of all parts' chances that the quoted ones have."""

_LEAST_REST = 0.2
"""The least share of all chances that is left to sentences that hold, beside those that have ended."""

_LEAST = 1e-3
"""The least chance, and what is left to the largest: nothing is impossible, and nothing certain."""

_THINGS = (
    re.compile(rf"(?P<thing>\w{{3,}}) (?:{WORDS.of})(?: (?:{WORDS.articles}|{WORDS.my}))? (?P<of>\w{{3,}})"),
    re.compile(rf"(?:{QUESTIONS.whats}) (?:{WORDS.articles}|{WORDS.my}) (?P<of>\w{{3,}}) (?P<thing>\w{{3,}})$"),
)
"""`The code of the safe`, `the wifi code`."""

_DIGIT = re.compile(r"\d")
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_I_OWE, _OWES_ME = (re.compile(rf"\b(?:{each})\b") for each in (QUESTIONS.i_owe, QUESTIONS.owes_me))


class Found(NamedTuple):
    """The result for a question: an answer, or only the nearest quote. `over` is its memory, if that has ended."""

    quote: Quote
    is_sure: bool
    over: Recalled | None = None


def find(
    conversation: OfflinePrompt, question: str, locale: OfflineLanguage, origins: Sequence[Origin] = ()
) -> Found | None:
    """The sentence that answers a question best, with `origins` only of what these have said. None when none may.

    Of a long sentence, or one with several numbers, it is the part that answers.
    """
    restated = None if origins and "user" not in origins else _restated(conversation, question, locale)
    found = restated or _find_sentence(conversation, question, locale, origins)
    if found is None:
        return None
    quote = _as_remembered(found.quote, conversation, locale)
    return found._replace(quote=_part_that_answers(question, quote, locale))


def _restated(conversation: OfflinePrompt, question: str, locale: OfflineLanguage) -> Found | None:
    """The memory that has just the words of a question for yes or no: `I have a dog` of `do I have a dog`.

    The network takes such a sentence for the same question, asked before.
    """
    asked, folded = {*content_words(question, locale)}, folded_words(question)
    if not asked or locale.wh_words.match(folded) or QUESTION_WORD.search(folded):
        return None
    told = [each for each in conversation.holding() if {*content_words(each.text, locale)} == asked]
    if not told:
        return None
    latest = max(told, key=lambda each: each.date or _LONG_AGO)
    return Found(Quote(latest.text, origin_of(latest)), is_sure=True)


def _find_sentence(
    conversation: OfflinePrompt, question: str, locale: OfflineLanguage, origins: Sequence[Origin]
) -> Found | None:
    types, folded = expected_answer(question).types, folded_words(question)
    of_relative = types.get("family", 0.0) + types.get("relative", 0.0) >= _ABOUT_RELATIVE
    said = [each for each in candidates(conversation, locale) if not origins or each.origin in origins]
    shares = shares_of_words(question, said, locale)
    if locale.asks_liking.search(folded) and not any(shares.values()):
        return None  # another liking is no answer
    latest = _latest(closest(said, shares))
    encoder = cross_encoder.load()
    if encoder is None:
        best = max(latest.values(), key=lambda each: shares[each.text], default=None)
        return Found(best, is_sure=False) if best and shares[best.text] >= _NEAR_BY_WORDS else None
    excluded = {text for text in latest if text in conversation.message and asks(text, locale)}
    excluded |= _of_opposite_debts(question, latest)
    owned = [(each.text, each.value or "") for each in conversation.holding() if each.attribute == "possession"]
    excluded.update([text for text, it in owned if possessions.is_of_other_kind(it, folded, text.replace(it, ""))])
    if of_relative:
        excluded |= _of_user_only(question, latest, conversation, locale)
    readable = compared(conversation, [each for text, each in latest.items() if text not in excluded])
    sentences = dict(readable)
    chances = dict(zip(sentences, encoder.answering(question, [*sentences.values()]), strict=True))
    of_ended, is_past = dict[str, float](), bool(locale.past.search(folded))
    if not is_past:
        for text in [text for text, each in sentences.items() if each.ended]:
            if chances[text] < _POSSIBLE or not _tells_besides(question, types, latest[text], conversation, locale):
                of_ended[text] = chances.pop(text)
                del sentences[text]
        if (over := sum(of_ended.values())) >= _POSSIBLE:  # it has seen the answer in what has ended
            again = dict(zip(sentences, encoder.answering(question, [*sentences.values()]), strict=True))
            chances = {text: max(again[text], chances[text] / max(1 - over, _LEAST_REST)) for text in again}
    while chances and expected_answer(asked := _likeliest(chances)).asks >= SURELY_ASKING:
        del chances[asked]  # no other gets its share: where an earlier question fits best, mostly nothing was told
    joint = _joint(chances)
    best = _likeliest(joint)
    given = joint.get(best, 0.0)
    is_few = len(sentences) <= _FEW
    shares_none = bool(best) and not shares[best] and not opens_correction(best)
    if shares_none and (is_few or not corrects(best)):
        least = 0 if is_few else max(given, NEAR) * _LEAST_OF_NAMED
        naming = [text for text in joint if shares[text] > _WHOLE and joint[text] >= least]
        longest = [text for text in naming if not any(text != other and text in other for other in naming)]
        named = [latest[text] for text in longest]
        if len(named) == 1 and named[0].text != best:  # the only one that names what is asked
            return Found(named[0], is_sure=is_few and joint[named[0].text] >= NEAR)
    is_inferred = types.get("diet", 0.0) + types.get("allergy", 0.0) >= _ABOUT_FOOD
    if is_past or not (is_few or is_inferred):
        over = _likeliest(of_ended)
        among = _contenders(joint, sentences, past=is_past)
        read = {text: [readable[each] for each in (over, text) if each in readable] for text in among}
        joint = {text: _confidence(joint[text], sum(encoder.answering(question, read[text]))) for text in among}
        best = _likeliest(joint)
    shares_none = bool(best) and not shares[best] and not opens_correction(best) and any(shares.values())
    chance = joint.get(best, 0.0)
    if chance < NEAR:
        return _former(of_ended, latest, conversation) if of_ended else None
    unlike = _names_another_thing(question, best, said) or _is_unlike(question, types, best, conversation, locale)
    is_only_one = is_few and shares[best] > _WHOLE and all(text in best for text in joint if shares[text] > _WHOLE)
    least = SURE_UNSHARED if shares_none else _SURE_OF_ONLY_ONE if is_only_one else SURE
    return Found(latest[best], is_sure=chance >= least and not unlike)


def _likeliest(chances: Mapping[str, float]) -> str:
    """The likeliest sentence; of several the longest, and of none an empty one."""
    sized = [(chance, len(text), text) for text, chance in chances.items()]
    return max(sized, key=itemgetter(0, 1), default=(0.0, 0, ""))[2]


def _is_unlike(
    question: str, types: Mapping[AnswerType, float], text: str, conversation: OfflinePrompt, locale: OfflineLanguage
) -> bool:
    """Whether a sentence is of another place, person or matter than a question of these types."""
    return (
        places.are_elsewhere(*(folded_words(each).split() for each in (question, text)))
        or _is_of_another(question, text, conversation, locale)
        or (types.get("health", 0.0) >= _ABOUT_HEALTH and _is_of_food(text, conversation))
    )


def _contenders(joint: Mapping[str, float], sentences: Mapping[str, ComparedSentence], *, past: bool) -> list[str]:
    """The likeliest sentences; of a question about the past those that have ended, if one may be the answer."""
    least = max(joint.values(), default=0.0) * _NEARLY_AS_LIKELY
    over = [text for text in joint if past and sentences[text].ended and joint[text] >= _POSSIBLE]
    likely = over or [text for text in joint if joint[text] >= least]
    return sorted(likely, key=joint.__getitem__)[-_MOST_ALONE:]


def _confidence(chance: float, alone: float) -> float:
    """How likely a sentence is the right answer that has this chance beside the others, and this when read alone.

    Beside others the best of many wrong ones may win; alone any that is near does. The weights were fitted to 470
    questions of the dialogues `months`.
    """
    likely, near = (
        math.log(each / (1 - each)) for each in (min(max(one, _LEAST), 1 - _LEAST) for one in (chance, alone))
    )
    return 1 / (1 + math.exp(1.06 - 0.54 * likely - 0.29 * near))


def _former(chances: Mapping[str, float], latest: Mapping[str, Quote], conversation: OfflinePrompt) -> Found | None:
    """The sentence that would surely answer if its memory had not ended. `chances` are those of such sentences."""
    text = max(chances, key=lambda each: chances[each])
    over = ended_in(latest[text], conversation) if chances[text] >= _SURELY_OVER else []
    return Found(latest[text], is_sure=False, over=over[-1]) if over else None


def _tells_besides(
    question: str, types: Mapping[AnswerType, float], quote: Quote, conversation: OfflinePrompt, locale: OfflineLanguage
) -> bool:
    """Whether a sentence still answers a question of these types, though something that it tells has ended.

    `I own a café in Brunswick called Two Sparrows` still tells the café's name when its owner has moved. Else it is
    looked for in the likeliest part: `Dad is in a home, mum is 77` still tells her age when he has left it.
    """
    over = ended_in(quote, conversation)
    if any(each.attribute is None for each in over):
        return False  # a note is over as a whole
    of_relative = any(each.attribute == "relative" for each in over)  # who may have anything that a question asks for
    if not of_relative and max(types.get(each.attribute or "none", 0.0) for each in over) < _ABOUT_ENDED:
        return True
    parts, encoder = [quote.text[each] for each in _parts(quote.text, locale)], cross_encoder.load()
    if encoder is None or len(parts) == 1:
        return False
    words = [set(folded_words(each).split()) for each in parts]
    ended = [set(folded_words(each.value or "").split()) for each in over]
    chances = _chances_of_parts(question, quote, parts, encoder)
    best = words[chances.index(max(chances))]
    return all(any(value <= each for each in words) and not value <= best for value in ended)


def _family(conversation: OfflinePrompt) -> list[Recalled]:
    """The memories of relatives' names."""
    return [each for each in conversation.holding() if each.attribute == "family" and each.value]


def _of_user_only(question: str, said: Iterable[str], conversation: OfflinePrompt, locale: OfflineLanguage) -> set[str]:
    """The sentences that begin as one of the user and name nobody else: `tengo 62 años`, of a daughter's age.

    `cuántos hijos tengo` asks with that word itself, and `tengo 3 pelaos` answers.
    """
    others = people().union(names.GIVEN, *(folded_words(each.value or "").split() for each in _family(conversation)))
    own = locale.own_verbs.difference(folded_words(question).split())
    words = {text: folded_words(text).split() for text in said}
    return {text for text, each in words.items() if not own.isdisjoint(each[:1]) and others.isdisjoint(each[1:])}


def _of_opposite_debts(question: str, said: Iterable[str]) -> set[str]:
    """The sentences of what the user owes, where the question asks who owes the user something, and the reverse."""
    asked = folded_words(question)
    i_owe, owes_me = bool(_I_OWE.search(asked)), bool(_OWES_ME.search(asked))
    if i_owe == owes_me:
        return set()
    own, other = (_I_OWE, _OWES_ME) if i_owe else (_OWES_ME, _I_OWE)
    folded = {text: folded_words(text) for text in said}
    return {text for text, each in folded.items() if other.search(each) and not own.search(each)}


def _as_remembered(quote: Quote, conversation: OfflinePrompt, locale: OfflineLanguage) -> Quote:
    """The memory that a correction made, `i have six nephews` of `sorry, not five, six`, or else the quote."""
    if quote.origin != "user" or not opens_correction(quote.text):
        return quote
    named = {*content_words(quote.text, locale)}
    said = [*conversation.said_by_user(), *(each.text for each in conversation.passages)]
    made = [
        each
        for each in conversation.holding()
        if each.date and each.date.date() == (quote.said_on or conversation.today)
        if not named.isdisjoint(content_words(each.text, locale)) and not any(each.text in text for text in said)
    ]
    return quote._replace(text=made[0].text) if len(made) == 1 else quote


def _part_that_answers(question: str, quote: Quote, locale: OfflineLanguage) -> Quote:
    """The parts of the sentence that answer, next to each other: all of a sentence that is short or about one only."""
    parts, encoder = _parts(quote.text, locale), cross_encoder.load()
    said = [quote.text[each] for each in parts]
    if encoder is None or len(parts) == 1 or (len(parts) <= _FEW and corrects(quote.text)):
        return quote
    if len(quote.text.split()) < _LONG and sum(map(bool, map(_DIGIT.search, said))) < _SEVERAL_NUMBERS:
        return quote
    chances = _chances_of_parts(question, quote, said, encoder)
    first = last = chances.index(max(chances))
    while sum(chances[first : last + 1]) < _ENOUGH * sum(chances):
        if first and (last + 1 == len(parts) or chances[first - 1] >= chances[last + 1]):
            first -= 1
        else:
            last += 1
    if first and locale.asks_which.search(folded_words(question)):
        first -= 1  # the name stands before what the question says of it
    while first and folded_words(said[first]).partition(" ")[0] in locale.relative_pronouns:
        first -= 1
    return quote._replace(text=quote.text[parts[first].start : parts[last].stop].strip(" ,;:"))


def _chances_of_parts(question: str, quote: Quote, parts: Sequence[str], encoder: CrossEncoder) -> list[float]:
    """How likely each part of a quote is the answer, beside the others."""
    return encoder.answering(question, [_as_compared(quote._replace(text=each)) for each in parts])


def _parts(text: str, locale: OfflineLanguage) -> list[slice]:
    """The clauses of a sentence, each with what stands in apposition: `my son Danny, 16,` is one."""
    parts = list[slice]()
    start, is_joined = 0, True
    for end in [*_clause_ends(locale.conjunctions).finditer(text), None]:
        part = slice(start, end.start() if end else len(text))
        if parts and not is_joined and len(text[part].split()) < _SHORT:
            parts[-1] = slice(parts[-1].start, part.stop)
        elif text[part].strip():
            parts.append(part)
        start, is_joined = (end.end(), bool(end["conjunction"])) if end else (part.stop, False)
    if len(parts) > 1 and len(text[parts[0]].split()) < _SHORT:
        parts[:2] = [slice(parts[0].start, parts[1].stop)]
    return parts


@cache
def _clause_ends(conjunctions: frozenset[str]) -> re.Pattern[str]:
    """Finds commas, dashes, brackets and conjunctions between the clauses of a sentence."""
    words = "|".join(conjunctions)
    return re.compile(
        rf"(?:(?<=\w[,:])\s+|(?<!\s)\s+(?=(?:{words})\s))(?P<conjunction>(?:{words})\s+)?"
        r"|(?<!\s)\s+[-–—]+\s+|(?<=\w)\s*\(|\)\s*",
        re.IGNORECASE,
    )


def _is_of_another(question: str, text: str, conversation: OfflinePrompt, locale: OfflineLanguage) -> bool:
    """Whether the user asks of themselves, and the sentence begins with another person: `my mother suffers from`.

    Also with the name of a relative: `Amani has taken up the flute`.
    """
    asked, told = folded_words(question).split(), folded_words(text).split()[:_BEGINNING]
    family = [folded_words(each.value or "").split() for each in _family(conversation)]
    others = locale.others.union(*family)
    is_own = not (locale.first_person | locale.own_verbs).isdisjoint(asked)
    of_user = is_own and others.isdisjoint(asked) and not any(map(households.is_of_family, asked))
    return of_user and not others.isdisjoint(told)


def _is_of_food(text: str, conversation: OfflinePrompt) -> bool:
    """Whether a sentence is remembered only as what the user eats or likes: `no tomo leche` names no medicine."""
    kinds = {each.attribute for each in conversation.holding() if each.text == text}
    return bool(kinds) and kinds <= {"diet", "likes", "dislikes"}


def _names_another_thing(question: str, text: str, said: Sequence[Quote]) -> bool:
    """Whether the sentence has a thing, and nobody has said whose it is that the question asks for.

    The code of the safe is not the code of the gate.
    """
    heard = {word for each in said for word in roots(each.text)}
    own = {*roots(text)}
    things = [(each["thing"], each["of"]) for pattern in _THINGS for each in pattern.finditer(folded_words(question))]
    return any(root(thing) in own and root(of) not in heard for thing, of in things)


def _joint(chances: Mapping[str, float]) -> dict[str, float]:
    """The chance of each sentence that has one, with those that have a part of its words, as memories of it have."""
    folded = {text: folded_words(text) for text in chances}
    return {
        text: sum(chance for other, chance in chances.items() if folded[other] in folded[text])
        for text, own in chances.items()
        if own
    }


def compared(conversation: OfflinePrompt, quotes: Sequence[Quote]) -> dict[str, ComparedSentence]:
    """The sentences as the cross-encoder reads them, each once, where it was said last."""
    held = "\n".join(memory.text for memory in conversation.holding())  # no sentence goes over a line
    return {
        text: _as_compared(each)._replace(
            remembered=text in held,
            ended=bool(ended_in(each, conversation)),
            of_text=text in conversation.message,
        )
        for text, each in _latest(quotes).items()
    }


def _as_compared(quote: Quote) -> ComparedSentence:
    return ComparedSentence(
        quote.text,
        by_user=quote.origin == "user",
        by_assistant=quote.origin == "assistant",
        of_document=quote.origin == "document",
        here=quote.here,
    )


def _latest(quotes: Sequence[Quote]) -> dict[str, Quote]:
    """The quotes by their texts, each where it was said last."""
    latest: dict[str, Quote] = {}
    for each in quotes:
        latest.pop(each.text, None)
        latest[each.text] = each
    return latest


def closest(said: Sequence[Quote], shares: Mapping[str, float]) -> list[Quote]:
    """Those with the largest shares of the question's words that are read beside it, oldest first."""
    read, words = set[str](), 0
    for place in sorted(range(len(said)), key=lambda place: (shares[said[place].text], place), reverse=True):
        text = said[place].text
        words += 0 if text in read else len(text.split())
        if read and words > MOST_WORDS:
            break
        read.add(text)
    return [each for each in said if each.text in read]


def shares_of_words(question: str, said: Sequence[Quote], locale: OfflineLanguage) -> dict[str, float]:
    """How much of the question's words each sentence has: rare ones count more, and those that nobody said the most."""
    of_texts = {each.text: frozenset(roots(each.text)) for each in said}
    spread = Counter(word for words in of_texts.values() for word in words)
    asked = {*map(root, content_words(question, locale))}
    weights = {word: math.log(1 + (len(said) + 1) / (spread[word] + 0.5)) for word in asked}
    total = sum(weights.values()) or 1.0
    return {text: sum(weights[word] for word in weights if word in words) / total for text, words in of_texts.items()}
