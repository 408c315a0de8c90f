"""Regular expressions that are compiled when they are first used, so that importing Recuerdo takes no time for them."""

import re
import sys
from collections.abc import Callable, Iterator
from functools import cached_property


class Pattern:
    """A regular expression over folded text."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source = source
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._source, self._flags)

    def match(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """See re.Pattern.match."""
        return self._compiled.match(text, start, end)

    def fullmatch(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """See re.Pattern.fullmatch."""
        return self._compiled.fullmatch(text, start, end)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """See re.Pattern.search."""
        return self._compiled.search(text, start, end)

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[str]]:
        """See re.Pattern.finditer."""
        return self._compiled.finditer(text, start, end)

    def sub(self, replace: Callable[[re.Match[str]], str], text: str) -> str:
        """See re.Pattern.sub."""
        return self._compiled.sub(replace, text)
