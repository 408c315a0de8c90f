"""Split a text into chunks: never across a heading, at paragraphs if possible, otherwise at sentences."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from recuerdo.core.library import Chunk

MOST_CHARACTERS = 1_200
"""The size of a chunk: small enough to cite, large enough to answer."""

_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?…])\s+"), re.compile(r"\s+"))


class _TextSpan(NamedTuple):
    start: int
    end: int


def chunks_of(text: str) -> list[Chunk]:
    """The chunks of a text with Markdown headings."""
    found = [
        (heading, part)
        for heading, span in _sections(text)
        for part in _parts(text, span)
        if text[slice(*part)].strip()
    ]
    return [
        Chunk(number=number, heading=heading, text=text[part.start : part.end], start=part.start, end=part.end)
        for number, (heading, part) in enumerate(found)
    ]


def _sections(text: str) -> Iterator[tuple[str, _TextSpan]]:
    """The text between headings, each with its path of headings."""
    code = [_TextSpan(*match.span()) for match in _FENCE.finditer(text)]
    path: list[tuple[int, str]] = []
    start = 0
    for match in _HEADING.finditer(text):
        if any(span.start <= match.start() < span.end for span in code):
            continue
        yield _joined(path), _TextSpan(start, match.start())
        depth = len(match[1])
        path = [(level, title) for level, title in path if level < depth] + [(depth, match[2])]
        start = match.end()
    yield _joined(path), _TextSpan(start, len(text))


def _joined(path: list[tuple[int, str]]) -> str:
    return " > ".join(title for _, title in path)


def _parts(text: str, span: _TextSpan) -> Iterator[_TextSpan]:
    """Split the span into parts that are short enough, stripped of white space."""
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while end - start > MOST_CHARACTERS:
        cut = _cut(text, start)
        yield _TextSpan(start, start + len(text[start:cut].rstrip()))
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield _TextSpan(start, end)


def _cut(text: str, start: int) -> int:
    """The end of a chunk that begins at `start`: the last good break in its second half."""
    limit = start + MOST_CHARACTERS
    for pattern in _BREAKS:
        breaks = [match.start() for match in pattern.finditer(text, start + MOST_CHARACTERS // 2, limit)]
        if breaks:
            return breaks[-1]
    return limit
