"""Regular expressions that are compiled when they are first used, so that importing Recuerdo takes no time for them."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any


class Pattern:
    """A regular expression over folded text, with the methods of re.Pattern."""

    match: Callable[..., re.Match[str] | None]
    fullmatch: Callable[..., re.Match[str] | None]
    search: Callable[..., re.Match[str] | None]
    finditer: Callable[..., Iterator[re.Match[str]]]
    findall: Callable[..., list[str]]
    sub: Callable[[Callable[[re.Match[str]], str] | str, str], str]

    def __init__(self, source: str, flags: int = 0) -> None:
        self.source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Compile the expression at the first call of a method; from then on its methods are this object's own."""
        compiled = re.compile(self.source, self._flags)
        self.match, self.fullmatch, self.search = compiled.match, compiled.fullmatch, compiled.search
        self.finditer, self.findall, self.sub = compiled.finditer, compiled.findall, compiled.sub
        return getattr(compiled, name)


NEVER = Pattern(r"(?!)")
"""Matches nothing."""


def not_after(ends: Iterable[str]) -> str:
    """The source of an expression that matches nothing right behind any of these, each of a fixed length."""
    return "".join(f"(?<!{each})" for each in ends)


def words_in(alternatives: str) -> frozenset[str]:
    """The words of alternatives that are nothing but words: `de|del`."""
    return frozenset(alternatives.split("|"))


def any_of(patterns: Iterable[Pattern]) -> Pattern:
    """One expression for all of these, which have no flags and no named groups."""
    return Pattern(rf"(?:{'|'.join(each.source for each in patterns)})")
