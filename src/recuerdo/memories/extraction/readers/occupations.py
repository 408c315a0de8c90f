"""Readers of occupations."""

from recuerdo.memories.extraction.language import ReaderInput, Reading
from recuerdo.memories.extraction.lexicon import jobs, names, organisations
from recuerdo.memories.extraction.readers.spans import OF, joins, proper_run, skip, trimmed_end
from recuerdo.memories.locales.joined import READERS


def role(input_: ReaderInput) -> Reading | None:
    """Read an occupation after words that announce it: `trabajo como ...`."""
    first, last = _title(input_)
    if last <= first or input_.words[first].folded in jobs.NEVER or not input_.words[first].text[0].isalpha():
        return None
    return Reading("job", first, last)


def occupation(input_: ReaderInput) -> Reading | None:
    """Read an occupation, and nothing else that a person may be: `soy ingeniera`, but not `soy vegetariana`."""
    first, last = _title(input_)
    titles = [word.folded for word in input_.words[first:last]]
    if not titles or titles[0] in jobs.NEVER | input_.language.stops or not jobs.is_title(titles):
        return None
    if titles[0] in names.TITLES and last > first + 1 and input_.words[first + 1].is_proper:  # `el doctor Vargas`
        return None
    if titles[-1] in jobs.GENERIC and last < len(input_.words) and input_.words[last].folded in jobs.OF:
        return None
    return Reading("job", first, last)


def _title(input_: ReaderInput) -> tuple[int, int]:
    words, language = input_.words, input_.language
    first = skip(words, language.articles | organisations.INDEFINITE | READERS.new)
    last = first
    while last < min(len(words), first + 7) and _title_goes_on(input_, first, last):
        last += 1
    return first, trimmed_end(input_, first, last)


def _title_goes_on(input_: ReaderInput, first: int, index: int) -> bool:
    word, language = input_.words[index], input_.language
    if word.is_mark and word.text not in "-&":
        return False
    if index == first:
        return True
    following = input_.words[index + 1] if index + 1 < len(input_.words) else None
    if word.folded in language.joiners:
        return joins(input_, index) and following is not None and jobs.is_job(following.folded)
    if word.folded in jobs.OF:
        return (
            following is not None
            and (word.folded in OF - READERS.fused or following.is_proper or organisations.is_field([following]))
            and following.folded not in organisations.INDEFINITE
            and not _names_an_organisation(input_, index + 1)
            and (not following.is_proper or input_.words[first].text.istitle() or _names_a_field(input_, index + 1))
        )
    if word.folded in jobs.FIELD_PREPOSITIONS and jobs.takes_field(input_.words[first].folded):
        small = language.articles | organisations.INDEFINITE
        return following is not None and not (following.is_proper or following.folded in small)
    if word.folded in language.articles and input_.words[index - 1].folded not in jobs.OF:
        return False
    return word.folded not in language.stops


def _names_an_organisation(input_: ReaderInput, first: int) -> bool:
    """`de la Universidad del Valle` is not part of a title."""
    words = input_.words
    named = words[first].folded in input_.language.articles and first + 1 < len(words)
    return named and words[first + 1].is_proper and not organisations.is_field(words[first + 1 : first + 2])


def _names_a_field(input_: ReaderInput, first: int) -> bool:
    """`de Recursos Humanos` is part of a title, `de Data Oilers` is not."""
    return organisations.is_field(input_.words[first : proper_run(input_.words, first, input_)])
