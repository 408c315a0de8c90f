"""Departments and teams."""

from itertools import islice

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction.language import Reader, ReaderInput, Reading
from recuerdo.memories.extraction.lexicon import names, organisations
from recuerdo.memories.extraction.readers.spans import OF, plain_run, proper_run, skip


def unit(attribute: Attribute) -> Reader:
    """A reader of departments or teams: a known field, or a name."""

    def read(input_: ReaderInput) -> Reading | None:
        words = input_.words
        first = skip(words, input_.language.articles | OF)
        run = _field_run(input_, first, proper_run(words, first, input_))
        last = run if run > first else _known_field(input_, first, plain_run(input_, first, 4))
        group = words[first:last]
        if not group or (run <= first and not organisations.is_field(group)):
            return None
        return Reading(attribute, first, last)

    return read


def _known_field(input_: ReaderInput, first: int, last: int) -> int:
    """Where the name of a field ends, when it is told of what: `financeiro` `de uma clínica`."""
    words = input_.words
    ends = (end for end in range(first + 1, last) if words[end].folded in input_.language.links)
    return next((end for end in ends if organisations.is_whole_field(words[first:end])), last)


def _field_run(input_: ReaderInput, first: int, last: int) -> int:
    """Where a field ends inside a name: `Segurança` `da Critical Software`."""
    words, links = input_.words, input_.language.links
    for index in range(first + 1, last):
        if words[index].folded in links and organisations.is_field(words[first:index]):
            return last if organisations.is_field(words[index + 1 : last]) else index
    return last


def english_unit(attribute: Attribute, *nouns: str) -> Reader:
    """A reader of `... team` and `... department`: the words between the article and the noun."""

    def read(input_: ReaderInput) -> Reading | None:
        for last, word in enumerate(islice(input_.words, 6)):
            if word.folded in nouns:
                said = last and (input_.words[0].is_proper or input_.words[0].folded not in names.NEVER)
                return Reading(attribute, 0, last, last + 1) if said else None
            if (word.is_mark and word.text not in "&-/") or word.folded in ("in", "at", "my", "of"):
                return None
        return None

    return read
