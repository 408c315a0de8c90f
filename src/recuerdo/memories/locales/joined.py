"""The words of all languages at once, for texts that are read before their language is known.

Each value here is of the modules of the same name in the folders of the languages. They import nothing that reads
texts, so that what reads them may import this module.
"""

from collections.abc import Mapping
from importlib import import_module
from itertools import chain
from typing import Any, TypeVar

from recuerdo.memories.extraction.language import ValueChecks
from recuerdo.memories.extraction.patterns import Pattern, any_of
from recuerdo.memories.extraction.wordlists import (
    ComparisonWords,
    ExtractionWords,
    GuardWords,
    OrderWords,
    QuestionWords,
    ReaderWords,
    SmallWords,
    StatementWords,
    SummaryWords,
)
from recuerdo.memories.locales import LANGUAGES

Words = TypeVar("Words", bound=tuple[Any, ...])
"""A named tuple of alternatives of patterns, patterns without flags and named groups, sets of words and sequences."""


def _join(values: tuple[Any, ...]) -> Any:
    """One value for those of all languages, in the order of LANGUAGES."""
    if isinstance(values[0], Pattern):
        return any_of(values)
    if isinstance(values[0], frozenset):
        return frozenset[str]().union(*values)
    if isinstance(values[0], Mapping):
        keys = dict.fromkeys(chain.from_iterable(values))
        return {key: _join(tuple(each[key] for each in values if key in each)) for key in keys}
    if isinstance(values[0], tuple):
        return tuple(chain.from_iterable(values))
    return "|".join(dict.fromkeys(each for each in values if each))


def _joined(kind: type[Words], module: str) -> Words:
    """The words of a module of each language, which has them under its own name in capitals."""
    each = (getattr(import_module(f"{__package__}.{code}.{module}"), module.upper()) for code in LANGUAGES)
    return kind(*map(_join, zip(*each, strict=True)))


WORDS = _joined(SmallWords, "words")
ORDERS = _joined(OrderWords, "orders")
SUMMARIES = _joined(SummaryWords, "summaries")
EXTRACTION = _joined(ExtractionWords, "extraction")
COMPARISONS = _joined(ComparisonWords, "comparisons")
QUESTIONS = _joined(QuestionWords, "questions")
READERS = _joined(ReaderWords, "readers")
GUARDS = _joined(GuardWords, "guards")
STATEMENTS = _joined(StatementWords, "statements")
TAGGED = _joined(ValueChecks, "tagged")
