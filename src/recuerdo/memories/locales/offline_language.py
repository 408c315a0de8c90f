"""The data of a language that the offline model needs."""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction.patterns import NEVER, Pattern

Topic = Attribute | Literal["everything", "recap", "identity", "abilities", "joke", "today"]
"""The topic of a question: an attribute of the user, all of them, the conversation, the model itself, or the day."""


class Phrases(msgspec.Struct, frozen=True, kw_only=True):
    """The model's own sentences. `{...}` is filled in; a clause is in the second person and starts in lower case."""

    meet: str
    will_remember_name: str
    will_remember: str
    understood: str
    noted: str
    will_note: str
    will_wait: str
    heard: str
    sorry: str
    taken_back: str
    no_longer_holds: str
    forgotten: str
    forgotten_here: str
    you_said: str
    i_said: str
    document_says: str
    everything: str
    nothing_known: str
    nothing_said: str
    not_told: str
    unknown: str
    unable: str
    identity: str
    greet: str
    greet_by_name: str
    thanks: str
    farewell: str
    conjunction: str
    that: str
    well: str
    joke: str
    result: str
    today: str
    today_unknown: str
    abilities: str
    you_said_on: str
    i_said_on: str
    nearest: str
    nearest_here: str
    was: str
    holds_since: str
    words_forgotten: str
    nothing_to_forget: str
    which_to_forget: str
    is_it_to_forget: str
    sees_no_images: str


class OfflineLanguage(msgspec.Struct, frozen=True, kw_only=True):
    """One language as the offline model reads and answers it.

    Patterns and words are folded: lower case, no accents, no punctuation, single spaces.

    `markers` are words that tell the language; `letters` are characters that do, before folding. `openers` begin a
    question even without its mark; `wh_words` begin a question or a clause, and with their accent (`accented`,
    before folding) always a question. `asks_liking` begin a question whether the user likes something. `requests` begin
    an order.

    Of questions, `past` ask for what was so, `since` from when on it is so, `asks_assistant` for what the assistant has
    said, `asks_name_of` for the names of the relatives `who`, `counts_relatives` how many of them there are,
    `asks_who_is` who has that `name`, `asks_which` who or which one it is, and `asks_age` how old a person is. Of
    statements, `corrections` tell that something is not as it was said before, `no_longer` that it ended, `cheers` that
    one is a club's supporter, and `grief` that the user mourns or is sad. `instructions` tell how the assistant shall
    answer, and `named` are the names of the language in all languages. `spellings` are words as chats abbreviate them.
    `others` are people and animals that are not the user, `own_verbs` are words of which the user is the subject,
    `conjunctions` join the clauses of a sentence, `relative_pronouns` begin those about a noun before them, `synonyms`
    are sets of words for the same, and `plus`, `minus`, `times` and `over` stand between the numbers of a sum.

    `clauses` say a fact in the second person, with `plural_clauses` for values that match `plural`; `{at}` is the
    preposition that the user took, else `at`'s; `articles` and `prepositions` are alternatives of a pattern, empty when
    the clauses need none.
    """

    markers: frozenset[str]
    letters: Pattern
    stop_words: frozenset[str]
    openers: Pattern
    wh_words: Pattern
    accented: Pattern
    requests: Pattern
    greetings: Pattern
    thanks: Pattern
    farewells: Pattern
    past: Pattern = NEVER
    since: Pattern = NEVER
    asks_liking: Pattern = NEVER
    asks_assistant: Pattern = NEVER
    asks_which: Pattern = NEVER
    asks_name_of: Pattern = NEVER
    counts_relatives: Pattern = NEVER
    asks_who_is: Pattern = NEVER
    asks_age: Pattern = NEVER
    corrections: Pattern = NEVER
    wellbeing: Pattern = NEVER
    grief: Pattern = NEVER
    instructions: Pattern = NEVER
    named: Pattern = NEVER
    no_longer: Pattern = NEVER
    cheers: Pattern = NEVER
    spellings: Mapping[str, str] = {}
    others: frozenset[str] = frozenset()
    synonyms: Sequence[frozenset[str]] = ()
    own_verbs: frozenset[str] = frozenset()
    conjunctions: frozenset[str] = frozenset()
    relative_pronouns: frozenset[str] = frozenset()
    plus: frozenset[str] = frozenset()
    minus: frozenset[str] = frozenset()
    times: frozenset[str] = frozenset()
    over: frozenset[str] = frozenset()
    weekdays: Sequence[str] = ("",) * 7
    months: Sequence[str] = ("",) * 12
    full_date: str = "{year}-{month}-{day}"
    topics: dict[Topic, Pattern]
    first_person: frozenset[str]
    clauses: dict[Attribute, str]
    plural_clauses: dict[Attribute, str]
    plural: Pattern
    articles: str
    prepositions: str
    at: dict[Attribute, str]
    wonders: dict[Attribute, str]
    phrases: Phrases


def starts(*alternatives: str) -> Pattern:
    """A pattern for texts that begin with one of the alternatives, as whole words."""
    return Pattern(rf"(?:{'|'.join(alternatives)})\b")


def only(*alternatives: str) -> Pattern:
    """A pattern for texts that are nothing but one or more of the alternatives."""
    return Pattern(rf"(?:(?:{'|'.join(alternatives)})(?: |$))+$")


def within(*alternatives: str) -> Pattern:
    """A pattern that finds one of the alternatives, as whole words, anywhere."""
    return Pattern(rf"\b(?:{'|'.join(alternatives)})\b")
