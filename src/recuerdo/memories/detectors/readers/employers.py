"""Who somebody works for."""

from recuerdo.core.memories import Attribute
from recuerdo.memories.detectors.language import Hearing, Reading
from recuerdo.memories.detectors.lexicon import names, organisations, places
from recuerdo.memories.detectors.readers.spans import plain_run, proper_run, skip


def employer(hearing: Hearing) -> Reading | None:
    """Who somebody works for. A field (`en ventas`) is a department, and a town (`en Lima`) is a city."""
    words, language = hearing.words, hearing.language
    first = skip(words, language.articles)
    run = proper_run(words, first, hearing)
    if run > first:
        group = words[first:run]
        attribute: Attribute = places.kind_of(group) if places.is_place(group) else "employer"
        return Reading(attribute, first, run)
    head = words[first].folded if first < len(words) else ""
    if head in organisations.INDEFINITE:
        last = plain_run(hearing, first + 1, 5)
        kind = organisations.is_kind([word.folded for word in words[first + 1 : last]], language.links)
        return Reading("employer", first + 1, last) if kind else None
    last = plain_run(hearing, first, 5)
    return _plain_employer(hearing, first, last)


def _plain_employer(hearing: Hearing, first: int, last: int) -> Reading | None:
    group = hearing.words[first:last]
    if not group:
        return None
    if places.is_place(group):
        return Reading(places.kind_of(group), first, last)
    if organisations.is_field(group):
        return Reading("department", first, last)
    if organisations.is_known(group) or organisations.is_kind([word.folded for word in group], hearing.language.links):
        return Reading("employer", first, last)
    named = hearing.casual and not first and len(group) <= 3 and group[0].folded not in organisations.NEVER
    return Reading("employer", first, last) if named and group[0].text[0].isalpha() else None


def company(hearing: Hearing) -> Reading | None:
    """The company behind `gerente de ...`: a name that is no town, which would say where somebody is from."""
    reading = own_company(hearing)
    if reading is None or places.is_place(hearing.words[reading.first : reading.last]):
        return None
    return reading if hearing.words[reading.first].is_proper else None


def own_company(hearing: Hearing) -> Reading | None:
    """The company behind `mi empresa es ...`: a name, for anything else is a description."""
    words = hearing.words
    first = skip(words, hearing.language.articles)
    run = proper_run(words, first, hearing)
    if run > first:
        return Reading("employer", first, run)
    last = plain_run(hearing, first, 3)
    fits = last > first and not first and hearing.casual and words[0].folded not in organisations.NEVER
    plain = fits and words[0].folded not in organisations.INDEFINITE and not names.is_description(words[0].folded)
    return Reading("employer", first, last) if plain else None
