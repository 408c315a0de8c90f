"""Finds the questions in a message, and what they are about."""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from recuerdo.agents.offline.conversation import folded_words, people, sentences
from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction.answer_type import ASKING, REQUESTING, TELLING, expected_answer
from recuerdo.memories.extraction.context import inquires
from recuerdo.memories.extraction.lexicon import names
from recuerdo.memories.extraction.statements import FILLER, QUESTION_WORD, asks_for_memory, asks_without_mark
from recuerdo.memories.locales.joined import QUESTIONS, STATEMENTS, WORDS
from recuerdo.memories.locales.offline_language import OfflineLanguage, Topic
from recuerdo.memories.locales.registry import LOCALES

_MOST_QUESTIONS = 5
_OF_OTHERS: tuple[Topic, ...] = ("everything", "recap", "identity", "abilities", "joke", "family", "pet")
_LONGEST_SUM = 80
_NUMBER = rf"(\d{{1,12}}(?:[.,]\d{{1,6}})?(?: ?(?:{QUESTIONS.thousand})\b)?)"
_SUM = re.compile(
    rf"(?<![\d.,/:-]){_NUMBER}\s*([-+*/x×÷−:]|\s[^\W\d]{{1,14}}(?: (?:{QUESTIONS.divided}))?)\s*{_NUMBER}(?![\d/:-])",
    re.IGNORECASE,
)
_ASKS_HOW_MUCH = re.compile(rf"(?:{QUESTIONS.whats}|{QUESTIONS.question_words})$")
_SIGNS = {"+": "+", "-": "−", "−": "−", "*": "×", "x": "×", "X": "×", "×": "×", "/": "÷", "÷": "÷", ":": "÷"}
_COMPUTE: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": Fraction.__add__,
    "−": Fraction.__sub__,
    "×": Fraction.__mul__,
    "÷": Fraction.__truediv__,
}
_TAG = re.compile(rf"([^?¿]+)(?:,\s*¿?(\w+(?:\s\w+){{0,2}})|\s(?:{STATEMENTS.disbeliefs}))\?+", re.IGNORECASE)
"""`It costs 640, right?` tells something, and asks for a nod."""

_AND = re.compile(rf",?\s+(?:{WORDS.ands})\s+(?=\S)", re.IGNORECASE)
_ALSO = re.compile(
    rf"[¿\s]*(?:{QUESTIONS.and_what_of})\s+"
    rf"(?!(?:{QUESTIONS.then})\b)(?P<other>[^\s?,.]+(?:\s+[^\s?,.]+){{0,3}})[\s?.!]*",
    re.IGNORECASE,
)
"""`And my brother?`, `y la de Puebla`."""

_NAME = re.compile(r"(?<=\S )[A-ZÀ-Ý][^\W\d_]+")

_TELLS = re.compile(QUESTIONS.exclaims)

_ASKING_EXCLAMATION = 0.85
"""How likely a sentence has to ask that begins like an exclamation, to be a question: `que no puedo comer`."""

_SURE = 0.8
"""How likely an attribute has to be to be what a question is about."""

_RECITED: tuple[Attribute, ...] = (
    *("name", "city", "origin", "employer", "job", "age", "birthday", "marital_status", "phone", "email"),
    *("pet", "allergy", "diet", "language"),
)
"""Attributes of which all values answer a question; of plans and likings one is meant."""

_SHORTEST_TOLD = 5
_SHORTEST_UNMARKED, _LONGEST_UNMARKED = 3, 12


class Question(NamedTuple):
    """A sentence that asks, and its topics; an open question has none. One that `tells` is not a question.

    No pattern knows the words of one with `likely` topics.
    """

    text: str
    topics: tuple[Topic, ...] = ()
    is_request: bool = False
    tells: bool = False
    likely: bool = False


def questions(message: str, locale: OfflineLanguage, *, states: bool = False) -> list[Question]:
    """The first few questions and requests of a message, each once, in order. `locale` is the message's language.

    A message that `states` something asks only what is marked, or has the words of a question: `vivo en Lima`.
    """
    ask = is_question if states else asks
    asked = {folded_words(sentence): sentence for sentence in sentences(message) if ask(sentence, locale)}
    first = list(asked.values())[:_MOST_QUESTIONS]
    found: list[Question] = []
    for sentence in first:
        one = _question(sentence, locale)
        found += _parts(one, locale) if one.topics and _AND.search(sentence) else [one]
    return found


def _parts(whole: Question, locale: OfflineLanguage) -> list[Question]:
    """The question about now and the one about the past of a sentence that asks both.

    `¿Dónde vivo ahora` `y dónde vivía antes?`; a second part may leave out what it asks about: `and before?`.
    """
    for joint in _AND.finditer(whole.text):
        one, other = whole.text[: joint.start()], whole.text[joint.end() :]
        now, earlier = _question(one, locale), _question(other, locale)
        if not now.topics or bool(locale.past.search(folded_words(one))) == bool(
            locale.past.search(folded_words(other))
        ):
            continue
        if earlier.topics or not set(content_words(other, locale)) - QUESTIONS.idle - QUESTIONS.times:
            return [now, earlier if earlier.topics else Question(f"{one} {other}", now.topics)]
    return [whole]


def follow_up(question: Question, before: str, locale: OfflineLanguage) -> Question:
    """The question behind the words of the one `before` it, where it tells no more than a time: `and before that?`."""
    folded = folded_words(question.text)
    if set(content_words(question.text, locale)) - QUESTIONS.idle - QUESTIONS.times or not (
        locale.past.search(folded) or _now(folded)
    ):
        return question
    text, found = " ".join(each.strip("¿? ") for each in (before, question.text)), topics(before, locale)[:1]
    return question._replace(text=text, topics=found, likely=question.likely and not found)


def asked_of_another(message: str, before: Sequence[str], locale: OfflineLanguage) -> Question | None:
    """The last question of `before`, the user's earlier messages, about what the message names: `and my brother?`."""
    found = _ALSO.fullmatch(message)
    if found is None or locale.wh_words.match(folded_words(found["other"])):
        return None
    asked = next((text for text in reversed(before) if _ALSO.fullmatch(text) is None), "")
    if not is_question(asked, locale):
        return None
    others = {folded_words(name) for name in _NAME.findall(asked)} | names.GIVEN | locale.others | people()
    kept = [word for word in asked.split() if folded_words(word.removesuffix("'s")) not in others]
    text = " ".join([*kept, found["other"]])
    return Question(text, topics(text, locale))


def _now(folded: str) -> bool:
    return not QUESTIONS.times.isdisjoint(folded.split())


def telling_sentences(message: str, locale: OfflineLanguage) -> list[str]:
    """The sentences of a message that ask nothing."""
    return [sentence for sentence in sentences(message) if not is_question(sentence, locale)]


def asks(sentence: str, locale: OfflineLanguage) -> bool:
    """Whether the sentence asks or orders something, by its mark or its vector, and by its words without the tagger."""
    if "?" in sentence or "¿" in sentence:
        told = _untagged(sentence, locale)
        if told is None:
            return True
        sentence = told
    if (
        inquires(sentence)
        or _asks_for_sum(sentence)
        or (_is_request(sentence, locale) and "joke" in topics(sentence, locale))
    ):
        return True
    expected = expected_answer(sentence)
    if not expected.types:
        return is_question(sentence, locale)
    likely = expected.asks + expected.requests
    least = _ASKING_EXCLAMATION if _TELLS.match(folded_words(sentence)) else ASKING
    return expected.requests >= REQUESTING or likely >= least


def may_ask(sentence: str, locale: OfflineLanguage) -> bool:
    """Whether it has the words of a question, and its vector does not say that it tells: `devo 400 ao Zé`."""
    expected = expected_answer(sentence) if is_question(sentence, locale) else None
    if expected is None or not expected.types or "?" in sentence:
        return expected is not None
    return expected.asks + expected.requests >= TELLING


def is_question(sentence: str, locale: OfflineLanguage) -> bool:
    """Whether the sentence asks or orders something; many people leave the question mark and the accents out."""
    if "?" in sentence or "¿" in sentence:
        told = _untagged(sentence, locale)
        if told is None:
            return True
        sentence = told
    elif "," in sentence and len(sentence.split()) > _LONGEST_UNMARKED and not _is_request(sentence, locale):
        return False
    folded = without_greeting(folded_words(sentence), locale)
    if asks_without_mark(folded) or inquires(sentence):
        return True
    if locale.openers.match(folded) or locale.accented.match(sentence) or _is_request(sentence, locale):
        return True
    if _TELLS.match(folded):
        return False
    begins = locale.wh_words.match(folded) or QUESTION_WORD.match(folded)
    return bool(begins) and (
        bool(topics(sentence, locale)) or _could_ask(sentence, folded) or folded.split()[-1] in locale.own_verbs
    )


def _untagged(sentence: str, locale: OfflineLanguage) -> str | None:
    """The sentence without the tag that gives it a question mark: `I moved, you know?`; None if it has none."""
    if FILLER.match(folded_words(sentence)):
        return ""  # `¿viste?`, which follows a sentence
    found = _TAG.fullmatch(sentence)
    if found is None:
        return None
    told, tag = found.groups()
    if tag is None:
        return told
    is_told = FILLER.match(folded_words(tag)) is not None or (
        len(told.split()) >= _SHORTEST_TOLD and not is_question(tag, locale)
    )
    return told if is_told else None


def topics(sentence: str, locale: OfflineLanguage) -> tuple[Topic, ...]:
    """Return the topics of a question. Its own language is tried first, then the others: people mix them."""
    folded = folded_words(sentence)
    for candidate in (locale, *(other.offline for other in LOCALES.values() if other.offline is not locale)):
        places: dict[Topic, int] = {
            topic: found.start() for topic in candidate.topics if (found := _find(topic, folded, candidate))
        }
        if not locale.others.isdisjoint(folded.split()):  # `en qué equipo juega mi sobrino` is not about the user
            places = {topic: place for topic, place in places.items() if topic in _OF_OTHERS}
        if places:
            return _narrowed(sorted(places, key=places.__getitem__), folded, candidate)
    return ()


def beyond_topic(topic: Topic, text: str, locale: OfflineLanguage) -> list[str]:
    """The words of a question that its topic doesn't explain: `customer` of `what's my customer number`."""
    folded = folded_words(text)
    for candidate in (locale, *(other.offline for other in LOCALES.values())):
        if found := _find(topic, folded, candidate):
            rest = f"{folded[: found.start()]} {folded[found.end() :]}"
            return [word for word in content_words(rest, candidate) if word not in QUESTIONS.idle and len(word) > 1]
    return []


def content_words(text: str, locale: OfflineLanguage) -> list[str]:
    """The words that carry the meaning, folded, each once."""
    return [word for word in dict.fromkeys(folded_words(text).split()) if word not in locale.stop_words]


def _asks_for_sum(sentence: str) -> bool:
    """Whether a sentence without a mark is a sum, `340 + 620`, or asks for one: `lol whats 340 + 620`."""
    found = _SUM.search(sentence) if sum_of(sentence) else None
    if found is None or sentence[found.end() :].strip(" =."):
        return False
    before = folded_words(sentence[: found.start()])
    return not before or any(map(_ASKS_HOW_MUCH.match, before.split()))


def sum_of(sentence: str) -> tuple[str, str] | None:
    """The sum that the sentence asks for, and its result: `12 × 7` and `84`."""
    found = _SUM.search(sentence) if len(sentence) <= _LONGEST_SUM else None
    if found is None:
        return None
    sign = _operator(found[2])
    one, other = map(_number, (found[1], found[3]))
    if sign is None or (sign == "÷" and not other):
        return None
    result = _COMPUTE[sign](one, other)
    shown = str(result) if result.denominator == 1 else f"{float(result):.10g}"
    return f"{found[1]} {sign} {found[3]}", shown


def _number(said: str) -> Fraction:
    digits = re.split(r"[^\d.,]", said)[0]
    return Fraction(digits.replace(",", ".")) * (1 if digits == said else 1000)


def _operator(said: str) -> str | None:
    if (sign := said.strip()) in _SIGNS:
        return _SIGNS[sign]
    first = folded_words(said).partition(" ")[0]
    for locale in (each.offline for each in LOCALES.values()):
        named = {"+": locale.plus, "−": locale.minus, "×": locale.times, "÷": locale.over}
        for each, words in named.items():
            if first in words:
                return each
    return None


def _question(sentence: str, locale: OfflineLanguage) -> Question:
    tells = asks_for_memory(sentence)
    about = topics(sentence, locale)
    is_request = tells or _is_request(sentence, locale)
    return Question(sentence, about or _likely_topics(sentence, locale), is_request, tells, likely=not about)


def _likely_topics(sentence: str, locale: OfflineLanguage) -> tuple[Topic, ...]:
    """The attribute that a question asks for in words that no pattern knows: `what do they call the dog`."""
    recited = _RECITED if locale.others.isdisjoint(folded_words(sentence).split()) else ("pet",)
    types = expected_answer(sentence).types
    return tuple(attribute for attribute in recited if types.get(attribute, 0.0) >= _SURE)


def _find(topic: Topic, folded: str, locale: OfflineLanguage) -> re.Match[str] | None:
    return pattern.search(folded) if (pattern := locale.topics.get(topic)) else None


def _is_request(sentence: str, locale: OfflineLanguage) -> bool:
    return bool(locale.requests.match(without_greeting(folded_words(sentence), locale)))


def _narrowed(found: Sequence[Topic], folded: str, locale: OfflineLanguage) -> tuple[Topic, ...]:
    """`What did I say about my dog?` is about the dog, and `what do you know about me?` about nothing less."""
    if "everything" in found:
        return ("everything",)
    if "recap" in found:
        rest = locale.topics["recap"].sub(" ", folded)
        return () if content_words(rest, locale) else ("recap",)
    return tuple(found)


def without_greeting(folded: str, locale: OfflineLanguage) -> str:
    """The sentence after a greeting: `hola como me llamo` -> `como me llamo`."""
    words = folded.split()
    for count in (3, 2, 1):
        if len(words) > count and locale.greetings.match(" ".join(words[:count])):
            return " ".join(words[count:])
    return folded


def _could_ask(sentence: str, folded: str) -> bool:
    """`When does my flight leave` asks; `when I get home, I eat` does not."""
    return "," not in sentence and _SHORTEST_UNMARKED <= folded.count(" ") + 1 <= _LONGEST_UNMARKED
