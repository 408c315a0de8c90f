"""How values are read off the words behind a cue, one reader a kind of value.

A reader returns None when the words are not what the cue announced: `soy feliz` is no name, `trabajo en casa` no
employer.
"""

import re
from collections.abc import Sequence
from itertools import islice

from recuerdo.core.memories import Attribute
from recuerdo.memories.detectors.language import Hearing, Reader, Reading
from recuerdo.memories.detectors.lexicon import jobs, names, organisations, places
from recuerdo.memories.detectors.words import Word

_WRITTEN_NAME = re.compile(r"[^\W\d_][\w.'-]*")
_CLOSED = frozenset('.,;:!?()[]…|/"«»“”')


def known_name(hearing: Hearing) -> Reading | None:
    """A name behind words that announce one: `me llamo ...`."""
    return _name(hearing, sure=True)


def likely_name(hearing: Hearing) -> Reading | None:
    """A name behind words that announce many things: `soy ...`, `I'm ...`."""
    return _name(hearing, sure=False)


def _name(hearing: Hearing, *, sure: bool) -> Reading | None:
    title = _skip_titles(hearing.words)
    reading = _untitled_name(hearing._replace(words=hearing.words[title:]), sure=sure)
    return reading and Reading("name", reading.first + title, reading.last + title)


def _skip_titles(words: Sequence[Word]) -> int:
    index = 0
    while index < len(words) and words[index].folded in names.TITLES:
        index += 2 if index + 1 < len(words) and words[index + 1].text == "." else 1
    return index


def _untitled_name(hearing: Hearing, *, sure: bool) -> Reading | None:
    words = hearing.words
    if not words or not _WRITTEN_NAME.fullmatch(words[0].text) or words[0].folded.endswith("'s"):
        return None
    if _is_no_name(words[0], hearing) or (not sure and not _looks_like_name(words[0], hearing)):
        return None
    goes_on = _proper_name_goes_on if words[0].is_proper else _plain_name_goes_on
    last = 1
    while last < min(len(words), 7) and goes_on(words[last], hearing) and not _comes_from(words[last : last + 2]):
        last += 1
    while last > 1 and (words[last - 1].folded in hearing.language.links or words[last - 1].is_mark):
        last -= 1
    return Reading("name", 0, last)


def _comes_from(words: Sequence[Word]) -> bool:
    """Whether a particle and a town follow: `Facundo de Córdoba` has no surname."""
    return words[0].folded == "de" and places.is_place(words[1:])


def _is_no_name(word: Word, hearing: Hearing) -> bool:
    language = hearing.language
    return word.folded not in names.GIVEN and (
        word.folded in names.NEVER
        or word.folded in language.stops
        or word.folded in language.starters
        or word.folded in language.articles
    )


def _looks_like_name(word: Word, hearing: Hearing) -> bool:
    if word.folded in names.GIVEN:
        return word.is_proper or hearing.casual or word.folded not in names.AMBIGUOUS
    if not word.is_proper or (word.text.isupper() and len(word.text) < 5):
        return False
    head = word.folded
    return not (jobs.is_job(head) or head in places.KNOWN or names.is_belonging(head))


def _proper_name_goes_on(word: Word, hearing: Hearing) -> bool:
    if word.is_mark:
        return False
    return word.folded in names.PARTICLES or (
        word.is_proper and not _is_no_name(word, hearing) and word.folded not in ("i", "i'm")
    )


def _plain_name_goes_on(word: Word, hearing: Hearing) -> bool:
    if word.is_mark or not word.text.isalpha():
        return False
    return word.folded in names.PARTICLES or not (
        _is_no_name(word, hearing) or word.folded in hearing.language.joiners or jobs.is_job(word.folded)
    )


def employer(hearing: Hearing) -> Reading | None:
    """Who somebody works for. A field (`en ventas`) is a department, and a town (`en Lima`) is a city."""
    words, language = hearing.words, hearing.language
    first = _skip(words, language.articles)
    run = _proper_run(words, first, hearing)
    if run > first:
        attribute: Attribute = "city" if places.is_place(words[first:run]) else "employer"
        return Reading(attribute, first, run)
    head = words[first].folded if first < len(words) else ""
    if head in organisations.INDEFINITE:
        last = _plain_run(hearing, first + 1, 5)
        kind = organisations.is_kind([word.folded for word in words[first + 1 : last]], language.links)
        return Reading("employer", first + 1, last) if kind else None
    last = _plain_run(hearing, first, 5)
    return _plain_employer(hearing, first, last)


def _plain_employer(hearing: Hearing, first: int, last: int) -> Reading | None:
    group = hearing.words[first:last]
    if not group:
        return None
    if places.is_place(group):
        return Reading("city", first, last)
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
    first = _skip(words, hearing.language.articles)
    run = _proper_run(words, first, hearing)
    if run > first:
        return Reading("employer", first, run)
    last = _plain_run(hearing, first, 3)
    fits = last > first and not first and hearing.casual and words[0].folded not in organisations.NEVER
    plain = fits and words[0].folded not in organisations.INDEFINITE and not names.is_description(words[0].folded)
    return Reading("employer", first, last) if plain else None


def unit(attribute: Attribute) -> Reader:
    """A reader of departments or teams: a known field, or a name."""

    def read(hearing: Hearing) -> Reading | None:
        words = hearing.words
        first = _skip(words, hearing.language.articles | {"de", "of"})
        run = _field_run(hearing, first, _proper_run(words, first, hearing))
        last = run if run > first else _plain_run(hearing, first, 4)
        group = words[first:last]
        if not group or (run <= first and not organisations.is_field(group)):
            return None
        return Reading(attribute, first, last)

    return read


def _field_run(hearing: Hearing, first: int, last: int) -> int:
    """Where a field ends inside a name: `Segurança` `da Critical Software`."""
    words, links = hearing.words, hearing.language.links
    for index in range(first + 1, last):
        if words[index].folded in links and organisations.is_field(words[first:index]):
            return last if organisations.is_field(words[index + 1 : last]) else index
    return last


def english_unit(attribute: Attribute, *nouns: str) -> Reader:
    """A reader of `... team` and `... department`: the words between the article and the noun."""

    def read(hearing: Hearing) -> Reading | None:
        for last, word in enumerate(islice(hearing.words, 6)):
            if word.folded in nouns:
                said = last and (hearing.words[0].is_proper or hearing.words[0].folded not in names.NEVER)
                return Reading(attribute, 0, last, last + 1) if said else None
            if (word.is_mark and word.text not in "&-/") or word.folded in ("in", "at", "my", "of"):
                return None
        return None

    return read


def city(hearing: Hearing) -> Reading | None:
    """A town or a country."""
    words, language = hearing.words, hearing.language
    first = _skip(words, language.articles)
    run = _proper_run(words, first, hearing)
    if run > first:
        no_town = places.STREETS if run > first + 1 else places.NO_TOWN
        return Reading("city", first, run) if words[first].folded not in no_town else None
    last = _plain_run(hearing, first, 4, joiners=False)
    for end in range(last, first, -1):
        if places.is_place(words[first:end]):
            return Reading("city", first, end)
    unknown = hearing.casual and not first and 0 < last <= 3 and words[0].folded not in places.NO_TOWN
    return Reading("city", 0, last) if unknown and words[0].text.isalpha() else None


def plainly(reader: Reader) -> Reader:
    """The same reader behind a looser cue: only for values that are written like names, or known places."""

    def read(hearing: Hearing) -> Reading | None:
        reading = reader(hearing)
        if reading is None:
            return None
        group = hearing.words[reading.first : reading.last]
        return reading if group[0].is_proper or places.is_place(group) else None

    return read


sure_city = plainly(city)
"""Towns behind words that are used for more than towns."""


def role(hearing: Hearing) -> Reading | None:
    """What somebody works as, behind words that announce it: `trabajo como ...`."""
    first, last = _title(hearing)
    if last <= first or hearing.words[first].folded in jobs.NEVER or not hearing.words[first].text[0].isalpha():
        return None
    return Reading("job", first, last)


def occupation(hearing: Hearing) -> Reading | None:
    """What somebody is, when it is an occupation: `soy ingeniera`, but not `soy vegetariana`."""
    first, last = _title(hearing)
    titles = [word.folded for word in hearing.words[first:last]]
    if not titles or titles[0] in jobs.NEVER or not jobs.is_title(titles):
        return None
    if titles[-1] in jobs.GENERIC and last < len(hearing.words) and hearing.words[last].folded in jobs.OF:
        return None
    return Reading("job", first, last)


def _title(hearing: Hearing) -> tuple[int, int]:
    words, language = hearing.words, hearing.language
    first = _skip(words, language.articles | organisations.INDEFINITE)
    last = first
    while last < min(len(words), first + 7) and _title_goes_on(hearing, first, last):
        last += 1
    return first, _trimmed(hearing, first, last)


def _title_goes_on(hearing: Hearing, first: int, index: int) -> bool:
    word, language = hearing.words[index], hearing.language
    if word.is_mark and word.text not in "-&":
        return False
    if index == first:
        return True
    following = hearing.words[index + 1] if index + 1 < len(hearing.words) else None
    if word.folded in language.joiners:
        return _joins(hearing, index) and following is not None and jobs.is_job(following.folded)
    if word.folded in jobs.OF:
        return following is not None and following.folded not in organisations.KINDS and (
            not following.is_proper or hearing.words[first].is_proper or organisations.is_field([following])
        )
    if word.folded in jobs.FIELD_PREPOSITIONS and jobs.takes_field(hearing.words[first].folded):
        small = language.articles | organisations.INDEFINITE
        return following is not None and not (following.is_proper or following.folded in small)
    if word.folded in language.articles and hearing.words[index - 1].folded not in jobs.OF:
        return False
    return word.folded not in language.stops


def email(hearing: Hearing) -> Reading | None:
    """The first address behind the cue, if it comes soon."""
    return _first_match(hearing, "email", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", 4)


def phone(hearing: Hearing) -> Reading | None:
    """A number of at least seven digits, with the signs that people group them by."""
    last, digits = 0, 0
    for word in hearing.words:
        if not re.fullmatch(r"[\d+().\-/]+", word.text):
            break
        last, digits = last + 1, digits + sum(character.isdigit() for character in word.text)
    while last and hearing.words[last - 1].text in (".", "-", "/", "(", ","):
        last -= 1
    return Reading("phone", 0, last) if 7 <= digits <= 15 else None


_DATE = re.compile(
    r"(?:(?:el|no|on|em|in|a|dia|the|en|ao) +)*"
    r"(?P<date>\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[/.-]\d{1,2}(?:[/.-]\d{2,4})?"
    r"|(?:\d{1,2}(?:st|nd|rd|th|o|º)?|primero|primeiro)(?: +de| +of)? +MONTH(?:,? +(?:del? +|of +)?\d{4})?"
    r"|MONTH(?: +(?:the +)?\d{1,2}(?:st|nd|rd|th)?\b)?(?:,? +(?:de +|del +)?\d{4})?)(?!\w)".replace("MONTH", jobs.MONTH)
)


def birthday(hearing: Hearing) -> Reading | None:
    """A day, or a month, with or without a year. `mañana` is none: it means another day tomorrow."""
    if not hearing.words:
        return None
    offset = hearing.words[0].start
    written = _respaced(hearing.words)
    match = _DATE.match(written)
    if match is None:
        return None
    start, end = match.start("date") + offset, match.end("date") + offset
    inside = [index for index, word in enumerate(hearing.words) if start <= word.start and word.end <= end]
    return Reading("birthday", inside[0], inside[-1] + 1) if inside else None


def _respaced(words: Sequence[Word]) -> str:
    """The folded words where they stood, so that positions count from the first one."""
    text, offset = "", words[0].start
    for word in words[:12]:
        text += " " * (word.start - offset - len(text)) + word.folded
    return text


def _first_match(hearing: Hearing, attribute: Attribute, expression: str, reach: int) -> Reading | None:
    for index, word in enumerate(islice(hearing.words, reach)):
        if re.fullmatch(expression, word.text):
            return Reading(attribute, index, index + 1)
    return None


def phrase(attribute: Attribute) -> Reader:
    """A reader of likes and dislikes: up to the end of the clause, lists included."""

    def read(hearing: Hearing) -> Reading | None:
        words, language = hearing.words, hearing.language
        begin = _skip(words, language.fillers)
        first = begin + _skip(words[begin:], language.articles)
        last = _trimmed(hearing, first, _phrase_end(hearing, first))
        if last <= first or words[first].is_mark:
            return None
        if any(language.vacuous.match(_respaced(words[start:])) for start in (begin, first)):
            return None
        return Reading(attribute, first, last)

    return read


def preference(hearing: Hearing) -> Reading | None:
    """What somebody prefers, as it was said: up to the end of the clause."""
    last = _trimmed(hearing, 0, _phrase_end(hearing, 0, stops=False))
    wish = last > 2 and hearing.words[0].folded == "que"
    vacuous = not last or (hearing.language.vacuous.match(_respaced(hearing.words)) and not wish)
    return None if vacuous else Reading("preference", 0, last)


def instruction(hearing: Hearing) -> Reading | None:
    """How somebody always wants to be answered, as it was said."""
    last = _trimmed(hearing, 0, _phrase_end(hearing, 0, stops=False))
    return Reading("preference", 0, last) if last > 1 else None


def everything(hearing: Hearing) -> Reading | None:
    """What somebody asks to be remembered: the rest of the sentence."""
    last = len(hearing.words)
    while last and (hearing.words[last - 1].is_mark and hearing.words[last - 1].text not in ')]"”»%$€'):
        last -= 1
    last = _trimmed(hearing, 0, last)
    return Reading("remember", 0, last) if last >= 2 else None


def _phrase_end(hearing: Hearing, first: int, *, stops: bool = True) -> int:
    words, language = hearing.words, hearing.language
    last = first
    while last < len(words):
        word = words[last]
        if word.text in _CLOSED:
            if not (word.text == "," and _is_list(hearing, last)):
                break
        elif word.folded in language.joiners:
            if not _joins(hearing, last):
                break
        elif last > first and word.folded in (language.breaks | language.turns if stops else language.breaks):
            break
        last += 1
    return last


def _is_list(hearing: Hearing, comma: int) -> bool:
    """Whether a comma stands in a list (`el café, el té y el mate`): short items, and a joiner before the last."""
    words, language = hearing.words, hearing.language
    if comma + 1 >= len(words) or words[comma + 1].folded in language.starters:
        return False
    since = 0
    for index in range(comma + 1, min(len(words), comma + 24)):
        word = words[index]
        if word.folded in language.joiners:
            return since <= 4 and _joins(hearing, index)
        if word.text == ",":
            since = -1
        elif word.text in _CLOSED or word.folded in language.starters:
            return False
        since += 1
        if since > 4:
            return False
    return False


def _joins(hearing: Hearing, joiner: int) -> bool:
    """Whether the word behind a joiner goes on with the value rather than with another clause."""
    if joiner + 1 >= len(hearing.words):
        return False
    following, language = hearing.words[joiner + 1], hearing.language
    return not following.is_mark and following.folded not in language.starters


def _proper_run(words: Sequence[Word], first: int, hearing: Hearing) -> int:
    """The end of a name that starts at `first`; `first` itself when there is none."""
    last = index = first
    while index < min(len(words), first + 10):
        word = words[index]
        if word.is_mark and word.text not in "&-" and not (index and words[index - 1].folded in names.ABBREVIATED):
            break
        if word.is_proper or (last > first and word.text.isdigit()):
            if last > first and word.folded in hearing.language.starters:
                break
            last = index + 1
        elif last == first or not _links(hearing, index):
            break
        index += 1
    return last


def _links(hearing: Hearing, index: int) -> bool:
    word, words = hearing.words[index], hearing.words
    if word.is_mark or word.folded in hearing.language.links:
        return True
    if word.folded not in hearing.language.joiners or index + 1 >= len(words) or not words[index + 1].is_proper:
        return False
    behind = words[index + 2] if index + 2 < len(words) else None
    return words[index + 1].folded not in hearing.language.starters and (
        behind is None or behind.is_mark or behind.folded in hearing.language.stops
    )


def _plain_run(hearing: Hearing, first: int, most: int, *, joiners: bool = True) -> int:
    """The end of a value in lower case: at most `most` words, up to a word that ends every value."""
    words, language = hearing.words, hearing.language
    last = first
    while last < min(len(words), first + most + 1):
        word = words[last]
        ends = word.is_mark or word.folded in language.stops or word.folded in language.starters
        ends = ends or (word.folded in language.links and last + 1 < len(words) and words[last + 1].is_proper)
        if ends or (word.folded in language.joiners and not (joiners and _joins_fields(hearing, last))):
            break
        last += 1
    last = _trimmed(hearing, first, last)
    return last if last - first <= most else first


def _joins_fields(hearing: Hearing, joiner: int) -> bool:
    """`investigación y desarrollo` is one department."""
    around = hearing.words[joiner - 1 : joiner + 2]
    return len(around) == 3 and organisations.is_field(around[:1]) and organisations.is_field(around[2:])


def _trimmed(hearing: Hearing, first: int, last: int) -> int:
    words, language = hearing.words, hearing.language
    trim = language.fillers | language.links | language.joiners | language.articles
    while last > first and (words[last - 1].folded in trim or words[last - 1].text in "-&,"):
        last -= 1
    return last


def _skip(words: Sequence[Word], small: frozenset[str]) -> int:
    index = 0
    while index < len(words) and words[index].folded in small and not words[index].is_proper:
        index += 1
    return index
