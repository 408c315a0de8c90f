"""Users' requests to forget, and the passages and memories that are no longer shown because of them.

The messages of a forgotten fact stay in the history, as all messages do. So a prompt leaves out every passage and
memory that was said before the user asked to forget it and tells it: the source of a forgotten memory, what has its
value, what has all the words that were named, as in `forget my locker code`, which no memory may hold, and the messages
that a network has found to be meant.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from recuerdo.core.memories import Denial, Memory, Source
from recuerdo.core.words import normalize, words_of
from recuerdo.memories.extraction.context import Heard, Hint
from recuerdo.memories.extraction.guards import judge
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.statements import KEPT_IN, QUESTION_WORD, statements
from recuerdo.memories.extraction.words import fold
from recuerdo.memories.likeness import form_of, forms_of, telling_words
from recuerdo.memories.locales.joined import COMPARISONS, STATEMENTS
from recuerdo.memories.locales.registry import LOCALES
from recuerdo.memories.reconcile import EVERYTHING, MESSAGE

SourcePlace = tuple[str | None, int]
"""A thread, and a message's seq in it."""

_OBJECT = Pattern(r"[^.;:!?,\n]{3,200}")
_OWN = Pattern(rf"\b(?:{COMPARISONS.own})\b|^\W*(?:{COMPARISONS.known})\b")
"""Users may forget their own memories, and those of subjects they have mentioned."""

_ALL_ABOUT = Pattern(rf"^\W*(?:{COMPARISONS.all_about})\b")
_COURTESY = Pattern(rf"(?:\s+(?:{STATEMENTS.courtesies}|{KEPT_IN}|{COMPARISONS.after_orders}))+\W*\Z")
"""`Forget about the arthritis` `will you`; `from your notes please`."""

_SHORTEST_BEGINNING, _SHORT = 5, 4
"""Letters that two forms of a word have in common, `alergia` and `alérgica`, and of a short one: `dever` and `deve`."""

_RELATIVE_CLAUSE = re.compile(rf"\b(?:{COMPARISONS.which})\b")
_QUOTED = re.compile(r"«([^«»]{1,500})»")
_LONGEST_CHOICE, _LAST = 8, 3
"""Words of an answer that only chooses, and where the words for the last thing stand among those for places."""


class ToldMessage(NamedTuple):
    """An earlier message of the user, and where it stands."""

    text: str
    source: Source


class Forgotten(NamedTuple):
    """A forgotten thing, and when: a message, all texts that have all of these words, or everything."""

    at: datetime
    words: frozenset[str]
    place: SourcePlace | None = None
    everything: bool = False

    def hides(self, text: str, said_at: datetime | None, place: SourcePlace | None = None) -> bool:
        """Whether the text repeats a forgotten statement, and was said before."""
        if said_at is not None and said_at >= self.at:
            return False
        if self.everything or (self.place is not None and self.place == place):
            return True
        told = set(map(_beginning, telling_words(text)))
        return bool(self.words) and all(_beginning(each) in told or each[:_SHORT] in told for each in self.words)


def forgotten_by(memory: Memory) -> Forgotten | None:
    """Return the thing that the memory says is forgotten, or None if no request to forget has ended it."""
    at, ending = memory.valid_until, memory.ending
    if at is None or ending is None or ending.reason != "forgotten":
        return None
    place = memory.source.place
    if memory.valid_from != at:
        return Forgotten(at, _content(memory.value or memory.text), place)
    if memory.value == MESSAGE:  # a record of forgetting, as the one below: neither ever held
        return Forgotten(at, frozenset(), place)
    return Forgotten(at, _subject(memory.text), everything=memory.value == EVERYTHING)


def is_hidden(text: str, said_at: datetime | None, place: SourcePlace | None, gone: Sequence[Forgotten]) -> bool:
    """Whether a text must not be shown: it states something forgotten, or is the request to forget it."""
    return any(each.hides(text, said_at, place) for each in gone) or bool(gone and asks_to_forget(text))


def forgotten_in(said: Iterable[tuple[str, datetime | None]]) -> list[Forgotten]:
    """Return what a user asks to forget in these messages, for users without stored memories."""
    named = ((words, at) for text, at in said if at is not None and (words := named_words(text)))
    return [Forgotten(at, _subject(words)) for words, at in named]


def offered_to_forget(question: str) -> list[str]:
    """The texts that the assistant's question quotes when it asks which of them is to be forgotten."""
    folded = fold(question)
    is_asked = "?" in folded and any(each.detection.forgetting.offers.search(folded) for each in LOCALES.values())
    return _QUOTED.findall(question) if is_asked else []


def chosen_to_forget(answer: str, question: str) -> list[str]:
    """The texts that the answer chooses of those that the question offers to forget."""
    quoted, said, words = offered_to_forget(question), fold(answer), words_of(answer)
    languages = [locale.detection for locale in LOCALES.values()]
    if not quoted or "?" in said or QUESTION_WORD.match(said) or len(words) > _LONGEST_CHOICE:
        return []
    if any(each.negations.search(said) for each in languages):
        return []
    orders = [each.forgetting for each in languages]
    if any(each.all_of_them.search(said) for each in orders):
        return quoted
    told = {form_of(each) for each in _content(answer)}
    shared = [len(told & forms_of(text)) for text in quoted]
    if max(shared):
        return [text for text, number in zip(quoted, shared, strict=True) if number == max(shared)]
    if len(quoted) == 1:
        return quoted if any(each.confirms.match(said) for each in orders) else []
    chosen = [place for each in orders for place, names in enumerate(each.places) if not names.isdisjoint(words)]
    indexes = {-1 if place == _LAST else place for place in chosen}
    return [quoted[each] for each in indexes if each < len(quoted)]


def asks_to_forget(text: str) -> bool:
    """Whether the user asks that something be forgotten."""
    return any(True for _ in _orders(text))


def may_ask_to_forget(text: str) -> bool:
    """Whether the text has a word with which users ask to forget something."""
    folded = fold(text)
    return any(each.detection.forgetting.may_ask.search(folded) for each in LOCALES.values())


def named_words(text: str) -> str | None:
    """Return the user's own thing that they ask to forget, in their words (`my locker code`), or None."""
    return next((each.strip() for each in what_to_forget(text) if _OWN.search(each) and _content(each)), None)


def what_to_forget(text: str) -> list[str]:
    """The folded texts that requests to forget name, each up to the end of its clause."""
    named = (found[0] for behind in _orders(text) if (found := _OBJECT.search(behind)))
    return [_COURTESY.sub(lambda _: "", each) for each in named]


def forms_of_all(order: str) -> frozenset[str]:
    """The forms of the words for the subject of an order to forget everything about it; empty for any other text."""
    about = [word for each in what_to_forget(order) if _ALL_ABOUT.search(each) for word in _content(each)]
    return frozenset(map(form_of, about))


def without_forgotten(heard: Heard, text: str) -> Heard:
    """Return the extraction without facts that are to be forgotten: `forget that my sister lives in Leeds`.

    Each of these becomes a hint at the memory that holds it.
    """
    if not heard.facts:
        return heard
    named = what_to_forget(text)
    over = [fact for fact in heard.facts if any(normalize(fact.text) in each for each in named)]
    hints = [Hint("forgets", fact.text, fact.text) for fact in over]
    facts = [fact for fact in heard.facts if fact not in over]
    return heard._replace(facts=facts, hints=[*heard.hints, *hints])


def forgetting_denials(denials: Sequence[Denial], named: str | None) -> list[Denial]:
    """The denials that only ask to forget, and say nothing about what is true now.

    `named` is what the message asks to forget: of `forget that I have asthma` the denial has only the last words.
    """
    within = set(telling_words(named))
    return [
        denial
        for denial in denials
        if denial.attribute is None or within.issuperset(telling_words(denial.text)) or asks_to_forget(denial.text)
    ]


def _orders(text: str) -> Iterator[str]:
    """Yield the text that follows each request to forget."""
    folded = fold(text)
    if not any(locale.detection.forgetting.verbs.search(folded) for locale in LOCALES.values()):
        return
    for statement in statements(text):
        for language in (locale.detection for locale in LOCALES.values()):
            if not language.forgetting.verbs.search(statement.folded):
                continue
            for asked in language.forgetting.asks.finditer(statement.folded):
                if judge(statement, asked.start(), asked.end(), language) == "stated":
                    yield statement.folded[asked.end() :]


def _beginning(word: str) -> str:
    return word[:_SHORTEST_BEGINNING]


def _subject(words: str) -> frozenset[str]:
    """The content words of what an order names, up to a clause about it: of `the money that I'm saving` the money."""
    head = _RELATIVE_CLAUSE.split(words, maxsplit=1)[0]
    return _content(head) or _content(words)


def _content(text: str) -> frozenset[str]:
    """The content words of a text, in the form in which texts are compared."""
    empty = COMPARISONS.saying.union(*(locale.offline.stop_words for locale in LOCALES.values()))
    words = (each for each in words_of(text) if each not in empty and (len(each) > 1 or each.isdigit()))
    return frozenset(telling_words(" ".join(words)))
