"""Reads the offline model's prompt: speakers, words and times, the language, and the facts about the user."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from operator import itemgetter
from typing import Any, Literal, NamedTuple, cast

from recuerdo.agents.prompts import FORGOT, Quoted, QuotedPassage, Recalled, day_of, entries_of, recalled_memories
from recuerdo.core.memories import Attribute, Denial, Fact
from recuerdo.core.messages import Role
from recuerdo.core.words import words_of
from recuerdo.memories.extract import extract
from recuerdo.memories.extraction.context import Heard
from recuerdo.memories.extraction.lexicon.households import are_same_relation, is_of_family
from recuerdo.memories.extraction.relatives import named_relative
from recuerdo.memories.likeness import begins, same
from recuerdo.memories.locales.joined import QUESTIONS, STATEMENTS
from recuerdo.memories.locales.offline_language import OfflineLanguage
from recuerdo.memories.locales.registry import LOCALES
from recuerdo.memories.people import named_in, names_of_relatives, of_relation, person_of
from recuerdo.memories.replacing import keeps

Hear = Callable[[str], Heard]

LONGEST = 8_000
"""Characters of one text that are looked at: no fact is stated after four pages."""

_LONGEST_TURN = 4_000
_LONGEST_SAMPLE = 600
_CLEAR, _OF_OTHERS = 1.0, 0.5
"""By how many words one language must outweigh another to be told from it, and how many a text beside it counts for."""

_NOW = datetime.max.replace(tzinfo=UTC)
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=\?)(?=\S)|\n+|;\s|(?:,\s*|(?<!\s)\s*|)(?=¿)")
_ENDING = re.compile(rf"(?<=\w{{3}})(?:{QUESTIONS.endings})$")
_TITLE = re.compile(rf"(?:^|\s)(?:{STATEMENTS.abbreviations})\.$", re.IGNORECASE)
"""A full stop that ends no sentence."""

_LONGEST_ROOT = 6
"""Letters: `allergic` and `allergy` are of one root."""

_SPEAKER = re.compile(r"(user|assistant): (.+)")


class EarlierMessage(NamedTuple):
    """Something that was said before; `said_at` is None when the prompt does not tell."""

    role: Literal["user", "assistant"]
    text: str
    said_at: datetime | None = None


class OfflinePrompt(NamedTuple):
    """A prompt as the offline model understands it. `memories` is None when this user can't be remembered.

    `passages` were said in other conversations, and `today` is when the prompt was made. The message has `saved` and
    `ended` memories, `unclear` are those that an order to forget may mean, and one that was clear `forgot` something.
    `has_images` tells that the message is more than its words.
    """

    message: str
    turns: Sequence[EarlierMessage] = ()
    memories: Sequence[Recalled] | None = None
    documents: Sequence[str] = ()
    passages: Sequence[EarlierMessage] = ()
    today: date | None = None
    saved: Sequence[Recalled] = ()
    ended: Sequence[Recalled] = ()
    unclear: Sequence[Recalled] = ()
    forgot: bool = False
    has_images: bool = False

    def locale(self) -> OfflineLanguage:
        """The language to answer in: the one that the user wants, else the message's, else the conversation's from the
        end, else the memories'.
        """
        for memory in sorted(self.holding(), key=lambda each: str(each.date), reverse=True):
            if memory.kind == "procedural":
                folded = folded_words(memory.text)
                if named := next(
                    (each.offline for each in LOCALES.values() if each.offline.named.search(folded)), None
                ):
                    return named
        said = [turn.text for turn in reversed(self.turns) if turn.role == "user"]
        known = [memory.text for memory in self.memories or ()]
        return language_of([self.message, *said, *known, *(each.text for each in self.passages)])

    def said_by_user(self) -> list[str]:
        """The user's earlier messages, oldest first."""
        return [turn.text for turn in self.turns if turn.role == "user"]

    def holding(self) -> list[Recalled]:
        """The memories that hold, as far as the message has not ended them."""
        over = {memory.id for memory in self.ended}
        return [memory for memory in self.memories or () if memory.until is None and memory.id not in over]


class PromptMessage(NamedTuple):
    """One message of a prompt; `said_at` is None when the prompt does not tell."""

    role: Role
    text: str
    said_at: datetime | None = None
    has_images: bool = False


def has_images(parts: Sequence[Any]) -> bool:
    """Whether some part of a message's content is an image, in the form of any provider."""
    kinds = (cast("Mapping[str, Any]", part).get("type") for part in parts if isinstance(part, Mapping))
    return any("image" in str(kind) for kind in kinds)


def read(prompt: Sequence[PromptMessage]) -> OfflinePrompt:
    """Parse a prompt: the user's last message is the current one, and the messages before it are the history."""
    current = max((index for index, entry in enumerate(prompt) if entry.role == "user"), default=len(prompt))
    turns = (_turn(entry) for entry in prompt[:current])
    instructions = next((entry.text for entry in prompt if entry.role == "system"), "")
    memories = recalled_memories(instructions)
    if memories is not None:
        memories += entries_of("preferences", instructions, Recalled) or []
    said = entries_of("passages", instructions, QuotedPassage) or []
    quoted = [_turn(PromptMessage(each.role, each.text, each.date)) for each in said]
    passages = [each for each in quoted if each is not None]
    documents = [each.text for each in entries_of("documents", instructions, Quoted) or []]
    for summary in [each for each in memories or () if each.kind == "summary"]:
        passages += _said_in(summary)
    return OfflinePrompt(
        message=prompt[current].text[:LONGEST] if current < len(prompt) else "",
        turns=[turn for turn in turns if turn is not None and turn.text.strip()],
        memories=None if memories is None else [each for each in memories if each.kind != "summary"],
        documents=documents,
        passages=passages,
        today=day_of(instructions),
        saved=entries_of("saved", instructions, Recalled) or [],
        ended=entries_of("ended", instructions, Recalled) or [],
        unclear=entries_of("unclear", instructions, Recalled) or [],
        forgot=f"\n{FORGOT}\n" in instructions,
        has_images=current < len(prompt) and prompt[current].has_images,
    )


def _turn(entry: PromptMessage) -> EarlierMessage | None:
    if entry.role == "user" or entry.role == "assistant":
        return EarlierMessage(entry.role, entry.text[:_LONGEST_TURN], entry.said_at)
    return None


def _said_in(summary: Recalled) -> Iterator[EarlierMessage]:
    """Yield the messages of both sides that a summary quotes; lines in a model's own words have no speaker."""
    for line in summary.text.splitlines():
        if found := _SPEAKER.fullmatch(line):
            yield EarlierMessage("user" if found[1] == "user" else "assistant", found[2], summary.date)


def remaining(conversation: OfflinePrompt, hear: Hear) -> OfflinePrompt:
    """The conversation without what the user said before they asked that everything be forgotten."""
    said = [*conversation.turns, EarlierMessage("user", conversation.message)]
    last = max((index for index, turn in enumerate(said) if _forgets_everything(turn, hear)), default=-1)
    if last == len(conversation.turns):
        memories = None if conversation.memories is None else ()
        return conversation._replace(turns=(), memories=memories, passages=())
    return conversation._replace(turns=conversation.turns[last + 1 :])


def _forgets_everything(turn: EarlierMessage, hear: Hear) -> bool:
    if turn.role != "user":
        return False
    folded = folded_words(turn.text)
    if not any(locale.detection.forgetting.verbs.search(folded) for locale in LOCALES.values()):
        return False
    return any(denial.attribute is None for denial in hear(turn.text).denials)


class Knowledge:
    """The facts of a conversation, oldest first: of two values, the later said holds."""

    def __init__(self, conversation: OfflinePrompt, hear: Hear) -> None:
        dated = sorted(_dated(conversation, hear), key=itemgetter(0))
        told = hear(conversation.message)
        stated = [each for each in told.facts if not is_beside(each, told, conversation)]
        heard = [*(each for _, each in dated), *told.denials, *stated]
        self._denials = [each for each in heard if isinstance(each, Denial)]
        self._facts = _standing(heard)
        self._since = {memory.text: memory.since for memory in conversation.holding() if memory.since}
        self.ended = sorted((each for each in conversation.memories or () if each.until), key=_until, reverse=True)

    def is_taken_back(self, attribute: Attribute) -> bool:
        """Whether the user has denied a value of the attribute, so that earlier statements of it mislead."""
        return not {attribute, None}.isdisjoint([denial.attribute for denial in self._denials])

    def latest(self, attribute: Attribute) -> Fact | None:
        """The value that holds now."""
        return next((fact for fact in reversed(self._facts) if fact.attribute == attribute), None)

    def since(self, fact: Fact) -> date | None:
        """The day from which on the fact holds, as far as the prompt tells."""
        return self._since.get(fact.text)

    def formers(self, attribute: Attribute) -> list[Recalled]:
        """The memories of the attribute that held before the one that holds now, the latest first."""
        return [memory for memory in self.ended if memory.attribute == attribute]

    def all(self, attribute: Attribute) -> list[Fact]:
        """Each value once, in the order of the statements, without those that were taken back."""
        opposite = _OPPOSITES.get(attribute)
        held: dict[str, Fact] = {}
        for fact in self._facts:
            if fact.attribute in (attribute, opposite):
                held.pop(_key(fact), None)
            if fact.attribute == attribute:
                held[_key(fact)] = fact
        return list(held.values())

    def relatives_asked_for(self, question: str, locale: OfflineLanguage) -> list[Fact]:
        """The facts that answer a folded question for relatives: none if it asks for others, or for something else."""
        if asked := locale.asks_name_of.match(question) or locale.counts_relatives.match(question):
            named = [each for each in self.all("family") if not is_of_family(folded_words(each.value).split()[-1])]
            return of_relation(next(filter(None, asked.groups())), named)
        if asked := locale.asks_who_is.match(question):
            called = asked["name"].split()
            known = [*self.all("family"), *self.all("pet")]
            return [each for each in known if folded_words(each.value).split() == called]
        return self._ages(question.split()) if locale.asks_age.search(question) else []

    def _ages(self, asked: Sequence[str]) -> list[Fact]:
        """The ages of the relatives whom the words of a question for an age name."""
        kin = [word for word in asked if is_of_family(word)]
        family = self.all("family")
        people = names_of_relatives(family)
        meant = {
            " ".join(words_of(fact.value))
            for fact in family
            if any(are_same_relation(each, named_relative(fact.text, fact.value)) for each in kin)
        }
        meant |= set(named_in(asked, people))
        ages = [fact for fact in self.all("relative") if fact.value.isdigit()]
        return [fact for fact in ages if person_of(fact, people) in meant]


_OPPOSITES: dict[Attribute, Attribute] = {"likes": "dislikes", "dislikes": "likes"}


def _key(fact: Fact) -> str:
    return fact.value.casefold()


def _until(memory: Recalled) -> tuple[date, datetime]:
    return memory.until or date.min, memory.date or _LONG_AGO


def _standing(heard: Sequence[Fact | Denial]) -> list[Fact]:
    """The facts that were not taken back later."""
    standing: list[Fact] = []
    for each in heard:
        if isinstance(each, Fact):
            standing.append(each)
        else:
            standing = [fact for fact in standing if not _takes_back(each, fact)]
    return standing


def _takes_back(denial: Denial, fact: Fact) -> bool:
    is_same = denial.value is None or same(fact.attribute, fact.value, denial.value)
    return denial.attribute in (fact.attribute, None) and is_same


def _dated(conversation: OfflinePrompt, hear: Hear) -> Iterator[tuple[datetime, Fact | Denial]]:
    for memory in conversation.holding():
        for fact in _facts_of(memory):
            yield memory.date or _LONG_AGO, fact
    for turn in conversation.turns:
        if turn.role == "user":
            heard = hear(turn.text)
            said_at = turn.said_at or _NOW
            for denial in heard.denials:
                yield said_at, denial
            for fact in heard.facts:
                if not (_is_replaced(fact, said_at, conversation) or is_beside(fact, heard, conversation)):
                    yield said_at, fact


def is_beside(fact: Fact, heard: Heard, conversation: OfflinePrompt) -> bool:
    """Whether the fact stands beside what a memory says: a place of work, and a home."""
    return keeps(fact, conversation.holding(), heard.facts)


def _is_replaced(fact: Fact, said_at: datetime, conversation: OfflinePrompt) -> bool:
    """Whether a memory of the fact has ended after it was said, so that only the user's old words still tell it.

    Its value may be longer than the fact's, or shorter: the tagger and the detectors find other ends.
    """
    is_over = False
    for memory in [each for each in conversation.memories or () if each.attribute == fact.attribute]:
        values = memory.value, fact.value
        if same(fact.attribute, *values) or begins(*values) or begins(*reversed(values)):
            if memory.until is None:
                return False
            is_over |= memory.date is not None and memory.date >= said_at
    return is_over


def _facts_of(memory: Recalled) -> list[Fact]:
    if memory.attribute and memory.value:
        return [Fact(memory.attribute, memory.value, memory.text)]
    return extract(memory.text)


def language_of(texts: Iterable[str]) -> OfflineLanguage:
    """The language that the first text shows clearly, or with those behind it, which count less; else English."""
    languages = [locale.offline for locale in LOCALES.values()]
    shown = [0.0 for _ in languages]
    for place, text in enumerate(texts):
        scores = _scores(text, languages)
        counts = 1.0 if place == 0 else _OF_OTHERS / max(1.0, *scores)
        shown = [whole + counts * score for whole, score in zip(shown, scores, strict=True)]
        second, best = sorted(shown)[-2:]
        if best >= second + _CLEAR:
            break
    return languages[shown.index(max(shown))] if any(shown) else LOCALES["en"].offline


def _scores(text: str, languages: Sequence[OfflineLanguage]) -> list[float]:
    """How much of each language a text shows, in words and letters that are its own."""
    text = text[:_LONGEST_SAMPLE].lower()
    folded = folded_words(text)
    shared = [[each for each in languages if word in each.markers] for word in folded.split()]
    return [
        sum([1 / len(having) for having in shared if each in having])
        + 2 * len(each.letters.findall(text))
        + (each.greetings.match(folded) is not None)
        for each in languages
    ]


def folded_words(text: str) -> str:
    """Lower case, without accents and punctuation, single spaces: `¿Cómo me llamo?` -> `como me llamo`."""
    spellings = _spellings()
    return " ".join([spellings.get(word, word) for word in words_of(text)])


@cache
def _spellings() -> dict[str, str]:
    return {short: word for locale in LOCALES.values() for short, word in locale.offline.spellings.items()}


def sentences(text: str) -> list[str]:
    """The sentences of a text as they are written. A Spanish question begins a sentence of its own."""
    parts: list[str] = []
    for part in _SENTENCE.split(text[:LONGEST]):
        if parts and _TITLE.search(parts[-1]):
            parts[-1] += f" {part.strip()}"
        elif folded_words(part):
            parts.append(part.strip())
    return parts


def roots(text: str) -> Iterator[str]:
    """The roots of a text's words."""
    return map(root, folded_words(text).split())


@lru_cache(8_192)
def root(word: str) -> str:
    """A folded word without the endings of number, gender, person and time: `perros` and `perra` -> `perr`."""
    word = _synonyms().get(word) or _synonyms().get(word.removesuffix("s"), word)
    if word in people():
        return word.removesuffix("s")  # a son is not a daughter
    return (_ENDING.sub("", word) or word)[:_LONGEST_ROOT]


@cache
def _synonyms() -> dict[str, str]:
    groups = [group for locale in LOCALES.values() for group in locale.offline.synonyms]
    return {word: min(group & people() or group) for group in groups for word in group}


@cache
def people() -> frozenset[str]:
    """The words for people and animals that are not the user, in all languages."""
    return frozenset[str]().union(*(locale.offline.others for locale in LOCALES.values()))
