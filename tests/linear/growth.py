"""How the CPU time of a function grows with its text."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from hostile_families import Family

MOST_GROWTH = 6.0
"""From a text to one four times as long: linear is 4, and quadratic is 16."""

_LONGER = 4
_SOON = 0.002
"""Seconds: what takes less is lost in what else the machine does."""

_TRIES = 6


def families_that_grow(function: Callable[[str], Any], families: Mapping[str, Family], size: int) -> list[str]:
    """The families for which the function takes more than MOST_GROWTH times as long for four times the text.

    Lengths are compared by the CPU time of this process, the least of some tries. A bad result must be bad once more
    with texts four times as long: other work of the machine does not.
    """
    return [line for name, family in families.items() if (line := _complaint(function, name, family, size))]


def _complaint(function: Callable[[str], Any], name: str, family: Family, size: int) -> str:
    if not _grows(function, family, size) or not _grows(function, family, _LONGER * size):
        return ""
    little, much = (_cpu_seconds(function, family(length)) * 1000 for length in (size, _LONGER * size))
    return f"{name}: {little:.1f} ms for {size} characters, {much:.1f} ms for four times as many"


def _grows(function: Callable[[str], Any], family: Family, size: int) -> bool:
    text, longer = family(size), family(_LONGER * size)
    little = much = float("inf")
    for _ in range(_TRIES):
        much = min(much, _cpu_seconds(function, longer))
        if much < _SOON:
            return False
        little = min(little, _cpu_seconds(function, text))
        if much <= MOST_GROWTH * little:
            return False
    return True


def _cpu_seconds(function: Callable[[str], Any], text: str) -> float:
    began = time.process_time()
    function(text)
    return time.process_time() - began
