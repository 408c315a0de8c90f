"""Split a text into chunks: never across a heading, at paragraphs if possible, otherwise at sentences."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from recuerdo.core.library import Chunk

MOST_CHARACTERS = 1_200
"""The size of a chunk: small enough to cite, large enough to answer."""

MOST_TITLE_CHARACTERS = 200
"""Longer headings are cut: every chunk below one repeats it."""

_LINE = re.compile(r"^(?:(?P<depth>#{1,6})[ \t]+(?P<title>.+)|(?P<fence>```|~~~)(?P<rest>.*))$", re.MULTILINE)
_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?…])\s+"), re.compile(r"\s+"))


class Heading(NamedTuple):
    """A heading of Markdown, 1 to 6 deep, and where its line stands."""

    depth: int
    title: str
    start: int
    end: int


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


def headings_of(text: str) -> Iterator[Heading]:
    """The headings outside of code. A fence that is never closed reaches to the end."""
    fence: str | None = None
    for line in _LINE.finditer(text):
        if line["fence"] is None:
            title = line["title"].rstrip(" \t\r#")[:MOST_TITLE_CHARACTERS]
            if fence is None and title:
                yield Heading(len(line["depth"]), title, line.start(), line.end())
        elif fence is None:
            fence = line["fence"]
        elif fence == line["fence"] and not line["rest"].strip(" \t"):
            fence = None


def _sections(text: str) -> Iterator[tuple[str, _TextSpan]]:
    """The text between headings, each with its path of headings."""
    path: list[Heading] = []
    start = 0
    for heading in headings_of(text):
        yield _joined(path), _TextSpan(start, heading.start)
        path = [each for each in path if each.depth < heading.depth] + [heading]
        start = heading.end
    yield _joined(path), _TextSpan(start, len(text))


def _joined(path: list[Heading]) -> str:
    return " > ".join(heading.title for heading in path)


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
