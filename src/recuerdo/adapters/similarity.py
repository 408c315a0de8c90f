"""Exact search for the items nearest to a query, for databases that have no such search."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from recuerdo.core.conditions import meets
from recuerdo.core.items import Item, ItemAddress, ItemHit, ItemQuery, read_value
from recuerdo.core.words import words_of

_GRAM = 3


class Words:
    """The words of a query and their character n-grams."""

    def __init__(self, query: str) -> None:
        self._words = set(words_of(query))
        self._grams = _grams(self._words)

    def agreement(self, text: str) -> float:
        """0 to 1: half for the share of the query's words that the text has, half for that of their n-grams.

        A text that has none of the words whole scores 0.
        """
        said = set(words_of(text))
        if said.isdisjoint(self._words):
            return 0.0
        return (_share(self._words, said) + _share(self._grams, _grams(said))) / 2


def _share(asked: set[str], said: set[str]) -> float:
    return len(asked & said) / len(asked) if asked else 0.0


def _grams(words: set[str]) -> set[str]:
    bounded = [f" {word} " for word in words]
    return {word[start : start + _GRAM] for word in bounded for start in range(len(word) - _GRAM + 1)}


class Compared(NamedTuple):
    """One entry of an item, and what it is compared by."""

    place: ItemAddress
    words: str
    vector: bytes


def scores(query: ItemQuery, entries: Iterable[Compared]) -> dict[ItemAddress, float]:
    """The best score of each item that can be compared, the highest first.

    The score of an entry adds the cosine of its vector and, where words are asked for, what they have in common (0 to
    1). By words alone, an item that has none of them is not a hit.
    """
    compared = list(entries)
    cosines = cosines_of(query.vector, [entry.vector for entry in compared])
    agreement = Words(query.words).agreement if query.words else None
    best: dict[ItemAddress, float] = {}
    for entry, cosine in zip(compared, cosines, strict=True):
        words = agreement(entry.words) if agreement and entry.words else 0.0
        if cosine is not None or words:
            best[entry.place] = max(best.get(entry.place, -2.0), (cosine or 0.0) + words)
    return dict(sorted(best.items(), key=lambda pair: pair[1], reverse=True))


def cosines_of(vector: bytes, stored: list[bytes]) -> list[float | None]:
    """The cosines of unit vectors; None for those of other lengths."""
    cosines: list[float | None] = [None] * len(stored)
    same = [place for place, each in enumerate(stored) if vector and len(each) == len(vector)]
    if same:
        import numpy  # installed wherever vectors are made

        matrix = numpy.frombuffer(b"".join([stored[place] for place in same]), "<f4").reshape(len(same), -1)
        for place, cosine in zip(same, (matrix @ numpy.frombuffer(vector, "<f4")).tolist(), strict=True):
            cosines[place] = cosine
    return cosines


def page_of_hits(
    query: ItemQuery,
    best: Mapping[ItemAddress, float],
    find: Callable[[ItemAddress], Item | None],
    rest: Iterable[Item],
) -> list[ItemHit]:
    """The page that the query asks for: scored items first, and then the `rest`, the latest updated first.

    `find` gives an item that is there and alive; `rest` has all those, scored ones too.
    """
    matching = _matching(query, best, find, rest)
    return [hit for _, hit in zip(range(query.offset + query.limit), matching, strict=False)][query.offset :]


def _matching(
    query: ItemQuery,
    best: Mapping[ItemAddress, float],
    find: Callable[[ItemAddress], Item | None],
    rest: Iterable[Item],
) -> Iterator[ItemHit]:
    for place, score in best.items():
        item = find(place)
        if item is not None and _meets(item, query):
            yield ItemHit(item, score)
    if query.vector or not query.words:
        yield from (ItemHit(item) for item in rest if item.place not in best and _meets(item, query))


def _meets(item: Item, query: ItemQuery) -> bool:
    return not query.conditions or meets(read_value(item), query.conditions)
