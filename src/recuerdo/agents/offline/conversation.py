"""What the offline model reads in its prompt, and the facts about the user that stand in it."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from recuerdo.agents.offline.language import language_of
from recuerdo.agents.prompts import Recalled
from recuerdo.core.memories import Attribute, Denial, Fact
from recuerdo.memories.extract import Heard, extract
from recuerdo.memories.likeness import same
from recuerdo.memories.locales.offline_language import OfflineLanguage

Hear = Callable[[str], Heard]

_NOW = datetime.max.replace(tzinfo=UTC)


class EarlierMessage(NamedTuple):
    """Something that was said before; `said_at` is None when the prompt does not tell."""

    role: Literal["user", "assistant"]
    text: str
    said_at: datetime | None = None


class OfflinePrompt(NamedTuple):
    """A prompt as the offline model understands it. `memories` is None when this user can't be remembered."""

    message: str
    turns: Sequence[EarlierMessage] = ()
    memories: Sequence[Recalled] | None = None
    documents: Sequence[str] = ()

    def locale(self) -> OfflineLanguage:
        """The language to answer in: the message's, else the conversation's from the end, else the memories'."""
        said = [turn.text for turn in reversed(self.turns) if turn.role == "user"]
        return language_of([self.message, *said, *(memory.text for memory in self.memories or ())])

    def said_by_user(self) -> list[str]:
        """The user's earlier messages, oldest first."""
        return [turn.text for turn in self.turns if turn.role == "user"]


def remaining(conversation: OfflinePrompt, hear: Hear) -> OfflinePrompt:
    """The conversation without what the user said before they asked that everything be forgotten."""
    said = [*conversation.turns, EarlierMessage("user", conversation.message)]
    last = max((index for index, turn in enumerate(said) if _forgets_everything(turn, hear)), default=-1)
    if last == len(conversation.turns):
        memories = None if conversation.memories is None else ()
        return conversation._replace(turns=(), memories=memories)
    return conversation._replace(turns=conversation.turns[last + 1 :])


def _forgets_everything(turn: EarlierMessage, hear: Hear) -> bool:
    return turn.role == "user" and any(denial.attribute is None for denial in hear(turn.text).denials)


class Knowledge:
    """The facts of a conversation, oldest first: of two values, the later said holds."""

    def __init__(self, conversation: OfflinePrompt, hear: Hear) -> None:
        dated = sorted(_dated(conversation, hear), key=lambda entry: entry[0])
        self.stated, self.denied, _ = hear(conversation.message)
        """What the current message states, and what it takes back."""
        heard = [*(each for _, each in dated), *self.denied, *self.stated]
        self._denials = [each for each in heard if isinstance(each, Denial)]
        self._facts = _standing(heard)

    def is_taken_back(self, attribute: Attribute) -> bool:
        """Whether the user said of a value that it holds no longer: what they said of it before misleads."""
        return any(denial.attribute in (attribute, None) for denial in self._denials)

    def latest(self, attribute: Attribute) -> Fact | None:
        """The value that holds now."""
        return next((fact for fact in reversed(self._facts) if fact.attribute == attribute), None)

    def all(self, attribute: Attribute) -> list[Fact]:
        """Every value once, in the order in which they were said; what was taken back is left out."""
        opposite = _OPPOSITES.get(attribute)
        held: dict[str, Fact] = {}
        for fact in self._facts:
            if fact.attribute in (attribute, opposite):
                held.pop(_key(fact), None)
            if fact.attribute == attribute:
                held[_key(fact)] = fact
        return list(held.values())


_OPPOSITES: dict[Attribute, Attribute] = {"likes": "dislikes", "dislikes": "likes"}


def _key(fact: Fact) -> str:
    return fact.value.casefold()


def _standing(heard: Sequence[Fact | Denial]) -> list[Fact]:
    """The facts that nobody took back after they were said."""
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
    for memory in conversation.memories or ():
        for fact in _facts_of(memory):
            yield memory.date or datetime.min.replace(tzinfo=UTC), fact
    for turn in conversation.turns:
        if turn.role == "user":
            heard = hear(turn.text)
            for each in (*heard.denials, *heard.facts):
                yield turn.said_at or _NOW, each


def _facts_of(memory: Recalled) -> list[Fact]:
    if memory.attribute and memory.value:
        return [Fact(memory.attribute, memory.value, memory.text)]
    return extract(memory.text)
