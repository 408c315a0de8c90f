"""What somebody works as."""

from recuerdo.memories.detectors.language import Hearing, Reading
from recuerdo.memories.detectors.lexicon import jobs, organisations
from recuerdo.memories.detectors.readers.spans import joins, proper_run, skip, trimmed

_NEW = frozenset(("nuevo", "nueva", "novo", "nova", "new"))


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
    if not titles or titles[0] in jobs.NEVER | hearing.language.stops or not jobs.is_title(titles):
        return None
    if titles[-1] in jobs.GENERIC and last < len(hearing.words) and hearing.words[last].folded in jobs.OF:
        return None
    return Reading("job", first, last)


def _title(hearing: Hearing) -> tuple[int, int]:
    words, language = hearing.words, hearing.language
    first = skip(words, language.articles | organisations.INDEFINITE | _NEW)
    last = first
    while last < min(len(words), first + 7) and _title_goes_on(hearing, first, last):
        last += 1
    return first, trimmed(hearing, first, last)


def _title_goes_on(hearing: Hearing, first: int, index: int) -> bool:
    word, language = hearing.words[index], hearing.language
    if word.is_mark and word.text not in "-&":
        return False
    if index == first:
        return True
    following = hearing.words[index + 1] if index + 1 < len(hearing.words) else None
    if word.folded in language.joiners:
        return joins(hearing, index) and following is not None and jobs.is_job(following.folded)
    if word.folded in jobs.OF:
        return (
            following is not None
            and (word.folded in ("de", "of") or following.is_proper or organisations.is_field([following]))
            and following.folded not in organisations.INDEFINITE
            and not _names_an_organisation(hearing, index + 1)
            and (not following.is_proper or hearing.words[first].text.istitle() or _names_a_field(hearing, index + 1))
        )
    if word.folded in jobs.FIELD_PREPOSITIONS and jobs.takes_field(hearing.words[first].folded):
        small = language.articles | organisations.INDEFINITE
        return following is not None and not (following.is_proper or following.folded in small)
    if word.folded in language.articles and hearing.words[index - 1].folded not in jobs.OF:
        return False
    return word.folded not in language.stops


def _names_an_organisation(hearing: Hearing, first: int) -> bool:
    """`de la Universidad del Valle` is no part of a title."""
    words = hearing.words
    named = words[first].folded in hearing.language.articles and first + 1 < len(words)
    return named and words[first + 1].is_proper and not organisations.is_field(words[first + 1 : first + 2])


def _names_a_field(hearing: Hearing, first: int) -> bool:
    """`de Recursos Humanos` is part of a title, `de Data Oilers` is not."""
    return organisations.is_field(hearing.words[first : proper_run(hearing.words, first, hearing)])
