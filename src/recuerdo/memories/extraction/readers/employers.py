"""Readers of employers."""

from collections.abc import Sequence

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction.language import Language, ReaderInput, Reading
from recuerdo.memories.extraction.lexicon import names, organisations, places
from recuerdo.memories.extraction.readers.spans import before_time, plain_run, proper_run, skip
from recuerdo.memories.extraction.words import Word
from recuerdo.memories.locales.joined import READERS


def employer(input_: ReaderInput) -> Reading | None:
    """Read an employer. A field (`en ventas`) is a department, and a town (`en Lima`) is a city."""
    input_ = input_._replace(words=before_time(input_.words))
    words, language = input_.words, input_.language
    first = skip(words, language.articles)
    run = _before_place(words, first, proper_run(words, first, input_))
    if run > first:
        run += run < len(words) and words[run].folded in organisations.KINDS  # `the Amazon` `warehouse`
        return Reading(_kind(words[first:run], language), first, run)
    head = words[first].folded if first < len(words) else ""
    if head in organisations.INDEFINITE:
        last = _before_fused_article(words, first + 1, plain_run(input_, first + 1, 5, noun=True))
        kind = organisations.is_kind([word.folded for word in words[first + 1 : last]], language.links)
        named = _before_place(words, first + 1, proper_run(words, first + 1, input_))
        last = last if kind else named
        return Reading("employer", first + 1, last) if last > first + 1 else None
    last = plain_run(input_, first, 5)
    if (first or "os" in language.articles) and organisations.is_kind(
        [word.folded for word in words[first:last]], language.links
    ):
        last = _with_its_name(input_, last)
    known = (end for end in range(last, first, -1) if organisations.is_known(words[first:end]))
    return _plain_employer(input_, first, next(known, last))


def _with_its_name(input_: ReaderInput, last: int) -> int:
    """Where `the` hospital ends when its name follows: `el ayuntamiento` `de Getafe`."""
    words = input_.words
    if last + 1 < len(words) and words[last].folded in input_.language.links and words[last + 1].is_proper:
        return proper_run(words, last + 1, input_)
    return last


def _before_fused_article(words: Sequence[Word], first: int, last: int) -> int:
    """Where a kind of organisation ends, when it is told where it is: `un restaurante` `del centro`."""
    for index in range(first + 1, last):
        if words[index].folded in READERS.fused or (
            words[index].folded in READERS.of_employers and places.is_place(words[index + 1 : index + 4])
        ):
            return index
    return last


def _before_place(words: Sequence[Word], first: int, last: int) -> int:
    """Where a company that we know, or a department, ends: `Mercadona` `de Cádiz`, `TI` `da Renner`."""
    for index in range(first + 1, last - 1):
        known = organisations.is_known(words[first:index]) or (index == first + 1 and words[first].text.isupper())
        if known and places.is_place(words[index + 1 : last]):
            return index
        if words[index].folded in READERS.of_employers and organisations.is_whole_field(words[first:index]):
            return index
    return last


def _kind(group: Sequence[Word], language: Language) -> Attribute:
    """Return the attribute of a name after `I work in ...`: department, town, or shop (`Liverpool` in Mexico)."""
    shop = "the" not in language.articles and organisations.is_known(group)
    if places.is_place(group) and not shop:
        return places.kind_of(group)
    return "department" if organisations.is_field(group) and not organisations.is_known(group) else "employer"


def _plain_employer(input_: ReaderInput, first: int, last: int) -> Reading | None:
    group = input_.words[first:last]
    if not group:
        return None
    if places.is_place(group):
        return Reading(places.kind_of(group), first, last)
    if organisations.is_field(group):
        return Reading("department", first, last)
    if organisations.is_known(group) or organisations.is_kind([word.folded for word in group], input_.language.links):
        return Reading("employer", first, last)
    named = input_.casual and not first and len(group) <= 3 and group[0].folded not in organisations.NEVER
    return Reading("employer", first, last) if named and group[0].text[0].isalpha() else None


def workplace(input_: ReaderInput) -> Reading | None:
    """Read an employer after words that may also announce a town: `atiendo en el Hospital Italiano`."""
    reading = employer(input_)
    return reading if reading and reading.attribute == "employer" else None


def known_company(input_: ReaderInput) -> Reading | None:
    """A company that we know, after words that may announce anybody: `I'm with T-Mobile`."""
    reading = employer(input_)
    known = reading and organisations.is_known(input_.words[reading.first : reading.last])
    return reading if known else None


def field(input_: ReaderInput) -> Reading | None:
    """The department after `soy de ...`, when it is a field of work that we know."""
    words = input_.words
    first = skip(words, input_.language.articles)
    for last in range(min(len(words), first + 4), first, -1):
        if organisations.is_whole_field(words[first:last]) and not organisations.is_known(words[first:last]):
            return None if _goes_on(words, last) else Reading("department", first, last)
    return None


def _goes_on(words: Sequence[Word], last: int) -> bool:
    """Whether the name goes on after the field that it begins with: `Data Oilers`."""
    return last < len(words) and words[last - 1].is_proper and words[last].is_proper


def company(input_: ReaderInput) -> Reading | None:
    """The company after `gerente de ...`: a name that is not a town, which would be an origin."""
    reading = own_company(input_)
    group = input_.words[reading.first : reading.last] if reading else ()
    if not group or places.is_place(group):
        return None
    return reading if group[0].is_proper or organisations.is_known(group) else None


def own_company(input_: ReaderInput) -> Reading | None:
    """The company after `mi empresa es ...`: a name, for anything else is a description."""
    words = input_.words
    first = skip(words, input_.language.articles)
    run = proper_run(words, first, input_)
    if run > first:
        return Reading("employer", first, run)
    last = plain_run(input_, first, 3)
    fits = last > first and not first and input_.casual and words[0].folded not in organisations.NEVER
    plain = fits and words[0].folded not in organisations.INDEFINITE and not names.is_description(words[0].folded)
    return Reading("employer", first, last) if plain else None
