"""Readers of places where people live."""

from recuerdo.memories.extraction.language import Reader, ReaderInput, Reading
from recuerdo.memories.extraction.lexicon import organisations, places
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.readers.spans import before_time, plain_run, proper_run, skip


def city(input_: ReaderInput) -> Reading | None:
    """A town or a country."""
    input_ = input_._replace(words=before_time(input_.words))
    words, language = input_.words, input_.language
    first = skip(words, language.articles)
    run = proper_run(words, first, input_)
    if run > first:
        no_town = places.STREETS if run > first + 1 else places.NO_TOWN
        return Reading(places.kind_of(words[first:run]), first, run) if words[first].folded not in no_town else None
    if known := _named_in_words(input_, first):
        return known
    last = plain_run(input_, first, 4, joiners=False)
    for begin in dict.fromkeys((0, first)):
        for end in range(last, first, -1):
            if places.is_place(words[begin:end]):
                return Reading(places.kind_of(words[begin:end]), begin, end)
    unknown = input_.casual and not first and 0 < last <= 3 and words[0].folded not in places.NO_TOWN
    if not unknown or not words[0].text.isalpha() or _INFINITIVE.fullmatch(words[0].folded):
        return None
    return Reading("city", 0, last)


_INFINITIVE = Pattern(r"\w{2,}[aei]r(?:me|te|se)?")
"""`Me vine a estudiar`: what one comes to do is not a town."""


def _named_in_words(input_: ReaderInput, first: int) -> Reading | None:
    """A town that we know of several words, of which one may end other values: `sao` is a verb, `sao paulo` none."""
    for begin in dict.fromkeys((0, first)):
        for end in range(min(len(input_.words), begin + 5), begin + 1, -1):
            if places.is_place(input_.words[begin:end]):
                return Reading(places.kind_of(input_.words[begin:end]), begin, end)
    return None


def plainly(reader: Reader) -> Reader:
    """The same reader after a looser cue: only for values that are written like names, or known places."""

    def read(input_: ReaderInput) -> Reading | None:
        reading = reader(input_)
        if reading is None:
            return None
        group = input_.words[reading.first : reading.last]
        known = places.is_place(group) or organisations.is_employer(group, input_.language.links)
        return reading if group[0].is_proper or known else None

    return read


def hometown(input_: ReaderInput) -> Reading | None:
    """Read a place that we know after a name: `soy Ana, de` `Rosario`."""
    reading = city(input_)
    known = reading and places.is_place(input_.words[reading.first : reading.last])
    return reading._replace(attribute="origin") if reading and known else None


sure_city = plainly(city)
"""Towns after words that are used for more than towns."""
