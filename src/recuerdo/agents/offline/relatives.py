"""Answers questions for the user's relatives and animals from their memories: who they are, their names, their ages."""

from collections.abc import Callable, Sequence

from recuerdo.agents.offline.conversation import folded_words
from recuerdo.core.memories import Attribute, Fact
from recuerdo.core.words import words_of
from recuerdo.memories.extraction.lexicon.households import are_same_relation, is_of_family
from recuerdo.memories.extraction.relatives import named_relative
from recuerdo.memories.locales.offline_language import OfflineLanguage
from recuerdo.memories.people import named_in, names_of_relatives, of_relation, person_of

Facts = Callable[[Attribute], list[Fact]]
"""Returns what is known of an attribute."""


def relatives_asked_for(question: str, locale: OfflineLanguage, facts: Facts) -> list[Fact]:
    """The facts that answer a folded question for relatives: none if it asks for others, or for something else."""
    if asked := locale.asks_name_of.match(question) or locale.counts_relatives.match(question):
        return _named(next(filter(None, asked.groups())), facts)
    if asked := locale.asks_who_is.match(question):
        called = asked["name"].split()
        return [each for each in (*facts("family"), *facts("pet")) if folded_words(each.value).split() == called]
    return _ages(question.split(), facts) if locale.asks_age.search(question) else []


def _named(who: str, facts: Facts) -> list[Fact]:
    """The names of the user's relatives for whom there is this word, and nothing else of them."""
    return of_relation(
        who, [each for each in facts("family") if not is_of_family(folded_words(each.value).split()[-1])]
    )


def _ages(asked: Sequence[str], facts: Facts) -> list[Fact]:
    """The ages of the relatives whom the words of a question for an age name."""
    kin = [word for word in asked if is_of_family(word)]
    family = facts("family")
    people = names_of_relatives(family)
    meant = {
        " ".join(words_of(fact.value))
        for fact in family
        if any(are_same_relation(each, named_relative(fact.text, fact.value)) for each in kin)
    }
    meant |= set(named_in(asked, people))
    ages = [fact for fact in facts("relative") if fact.value.isdigit()]
    return [fact for fact in ages if person_of(fact, people) in meant]
