"""Finds which relatives a prompt calls by name, so that `my sister` and `Nat` are one person."""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from recuerdo.agents.offline.conversation import OfflinePrompt, fold, people, root
from recuerdo.agents.offline.quotes import Candidate
from recuerdo.memories.extraction.lexicon import names

_WORD = re.compile(r"\w+")
_MOST_BETWEEN = 4
"""Words from a relative to their name: `mi hija se llama Ana`."""

_BEFORE_NAME = frozenset(
    """se llama llamaba chama chamava es e a o el la is was named called s who whos name dona don""".split()  # noqa: SIM905
)


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
    written, found = list(_WORD.finditer(text)), list[tuple[str, str]]()
    folded = [fold(word[0]) for word in written]
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
        if known if plain else written[behind][0][:1].isupper():
            found.append((root(word), root(name)))
    return tuple(found)
