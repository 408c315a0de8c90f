"""The sentences of a prompt that can be quoted, and the signs that one is out of date."""

from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime
from operator import itemgetter
from typing import Literal, NamedTuple

from recuerdo.agents.offline.conversation import EarlierMessage, OfflinePrompt, folded_words, root, sentences
from recuerdo.agents.offline.questions import content_words, may_ask
from recuerdo.agents.prompts import Recalled
from recuerdo.core.words import normalize
from recuerdo.memories.extraction.statements import is_letter
from recuerdo.memories.forgetting import what_to_forget
from recuerdo.memories.locales.joined import TAGGED
from recuerdo.memories.locales.offline_language import OfflineLanguage
from recuerdo.memories.locales.registry import LOCALES

Origin = Literal["user", "assistant", "document"]

_BESIDE = 2
"""Words between what is said to be over and the words that say so."""

_BEGINNING = 4
"""Words by which what is told behind a pronoun is known in a memory, which may end sooner."""

_LONGEST_QUOTE = 300
_MOST_CHARACTERS = 20_000
"""Of the conversation's turns, the latest first, in which sentences are looked for."""

_OWN = (
    *(
        *("meet", "understood", "noted", "will_note", "will_wait"),
        *("will_remember", "heard", "you_said", "i_said", "document_says"),
    ),
    *("everything", "nothing_known", "nothing_said", "not_told", "unknown", "unable", "identity", "greet", "thanks"),
    *("farewell", "well", "joke", "abilities", "you_said_on", "i_said_on", "nearest", "nearest_here", "was"),
    *("holds_since", "words_forgotten", "nothing_to_forget", "which_to_forget", "is_it_to_forget"),
    *("taken_back", "no_longer_holds", "forgotten", "today"),
)
_BEGINNINGS = tuple(
    beginning
    for locale in LOCALES.values()
    for name in _OWN
    if (beginning := getattr(locale.offline.phrases, name).partition("{")[0])
)
"""How texts begin in which the model itself speaks."""


class Quote(NamedTuple):
    """A sentence of the prompt, whose it is, and the day when it was said, if that was in another conversation.

    Of those said in this one, which are `here`, `said_at` is the time.
    """

    text: str
    origin: Origin
    said_on: date | None = None
    said_at: datetime | None = None
    here: bool = False


def first_found(conversation: OfflinePrompt, locale: OfflineLanguage) -> Quote | None:
    """Return the first result of the document search, which also matches synonyms and other languages."""
    return next((Quote(said, "document") for text in conversation.documents for said in _stated(text, locale)), None)


def corrects(text: str) -> bool:
    """Return whether the text corrects an earlier statement."""
    folded = folded_words(text)
    return opens_correction(text) or any(locale.offline.corrections.search(folded) for locale in LOCALES.values())


def opens_correction(text: str) -> bool:
    """Return whether the text begins as a correction does: `no, the 4th`."""
    dialogues = (locale.detection.dialogue for locale in LOCALES.values())
    return any(each is not None and each.corrects.match(normalize(text)) for each in dialogues)


def is_over(text: str, named: Collection[str]) -> bool:
    """Return whether the text says, next to one of the words, that something is over: `I left Nike`."""
    folded = folded_words(text)
    for locale in LOCALES.values():
        for found in locale.offline.no_longer.finditer(folded):
            beside = [*folded[: found.start()].split()[-_BESIDE:], *folded[found.end() :].split()[:_BESIDE]]
            beside += found[0].split()
            if not {root(word) for word in beside}.isdisjoint(named):
                return True
    return False


def quote(text: str) -> str:
    """The words in quotation marks, cut where they grow too long."""
    words = " ".join(text.split()).rstrip(".;,")
    return f"«{words}»" if len(words) <= _LONGEST_QUOTE else f"«{words[:_LONGEST_QUOTE].rsplit(' ', 1)[0]}…»"


def day(when: date, locale: OfflineLanguage) -> str:
    """The day as it is said: `7 de febrero de 2026`."""
    return locale.full_date.format(day=when.day, month=locale.months[when.month - 1], year=when.year)


def candidates(conversation: OfflinePrompt, locale: OfflineLanguage) -> list[Quote]:
    """Every sentence that can be an answer, oldest first. Questions answer nothing."""
    found: list[tuple[date, Quote]] = []
    for memory in conversation.holding():
        said_on = memory.date.date() if memory.date else None
        found.append((said_on or date.min, Quote(memory.text, origin_of(memory), said_on)))
    for document in conversation.documents:
        found.append((date.min, Quote(document, "document")))
    for each in conversation.passages:
        said_on = each.said_at.date() if each.said_at else None
        if _repeats(each) or (each.role == "user" and is_letter(each.text)):
            continue  # the model repeats the user, or another person wrote it
        found.append((said_on or date.min, Quote(each.text, each.role, said_on)))
    found.sort(key=itemgetter(0))
    for turn in _latest(conversation.turns):
        if turn.role == "user" and is_letter(turn.text):
            continue
        found.append((date.max, Quote(turn.text, turn.role, said_at=turn.said_at, here=True)))
    found.append((date.max, Quote(conversation.message, "user", here=True)))
    held = [memory.text for memory in conversation.holding()]
    return [
        whole._replace(text=said)
        for _, whole in found
        for said in _stated(whole.text, locale, held)
        if not ((pronoun := TAGGED.pronoun.match(said)) and _is_held_with_name(said[pronoun.end() :], held))
    ]


def origin_of(memory: Recalled) -> Origin:
    """The origin of a memory's words. Those of a colleague, which the tenant shares, were not told by the user."""
    return "document" if memory.shared else "user"


def _is_held_with_name(told: str, held: Sequence[str]) -> bool:
    """Whether a memory begins to tell with a name what was told behind a pronoun: `Ana's moved` of `she's moved`."""
    words = told.rstrip(" .!").split(" ")  # the first is empty but for `'s`
    begins = " ".join(words[: _BEGINNING + 1])
    return any(begins in each if len(words) >= _BEGINNING else each.endswith(begins) for each in held)


def ended_in(said: Quote, conversation: OfflinePrompt) -> list[Recalled]:
    """The memories whose values a sentence of the user tells, and which have ended since, and not in the sentence."""
    if said.origin != "user" or not conversation.memories:
        return []
    words, ended = set(folded_words(said.text).split()), list[Recalled]()
    for memory in conversation.memories:
        if memory.until is None or not _is_before_end(said, memory, words):
            continue
        value = set(folded_words(memory.value or memory.text).split())
        tells_end = memory.value is not None and is_over(said.text, set(map(root, value)))
        if value <= words and not tells_end and not corrects(said.text):
            ended.append(memory)
    return ended


def _is_before_end(said: Quote, memory: Recalled, words: set[str]) -> bool:
    """Whether a sentence with these words was said before the memory's end; one of the same day tells it whole.

    Of what was told and has ended on one day, another day's news can't be meant.
    """
    tells_it = words.issuperset(folded_words(memory.text).split())
    if said.said_on is None or memory.until is None:
        return said.said_at is not None and memory.date is not None and memory.date >= said.said_at and tells_it
    return memory.until > said.said_on or (memory.until == said.said_on and (tells_it or memory.since == memory.until))


def _latest(turns: Sequence[EarlierMessage]) -> list[EarlierMessage]:
    """The latest turns in their order, without what the model itself has repeated."""
    kept: list[EarlierMessage] = []
    left = _MOST_CHARACTERS
    for turn in reversed(turns):
        if not _repeats(turn):
            kept.append(turn)
            left -= len(turn.text)
        if left <= 0:
            break
    return kept[::-1]


def _repeats(said: EarlierMessage) -> bool:
    """Whether the model said it: it only repeats what it was told."""
    return said.role == "assistant" and said.text.startswith(_BEGINNINGS)


def _stated(text: str, locale: OfflineLanguage, held: Sequence[str] = ()) -> Iterator[str]:
    """The sentences that tell something: no questions but those that were heard as told, and no orders to forget."""
    for said in sentences(text):
        if content_words(said, locale) and not ((said not in held and may_ask(said, locale)) or what_to_forget(said)):
            yield said
