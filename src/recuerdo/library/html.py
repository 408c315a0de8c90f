"""The visible text of an HTML page, in one pass whose time grows with the page and no faster.

Python's own `html.parser` is quadratic for pages that open what they never close, and differs from release to release.
As in browsers, a tag or a comment that is never closed ends the page.
"""

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

_MARKUP = re.compile(r"<(?:(?P<comment>!--)|(?P<bogus>[!?]|/(?![a-zA-Z]))|(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*+))")
_COMMENT_REST = re.compile(r"--!?>")
_BOGUS_REST = re.compile(r">")
_TAG_REST = re.compile(r"(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+>")
"""Attributes to the end of the tag; possessive, because backtracking would make it quadratic."""

_SILENT = frozenset(("script", "style", "template", "noscript", "iframe", "noembed", "noframes"))
_WITHOUT_TAGS = frozenset(("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"))
"""Elements in which only their own end tag is one."""

_CLOSING = {tag: re.compile(rf"</{tag}(?=[\s/>])", re.IGNORECASE) for tag in _WITHOUT_TAGS}
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "footer", "header", "hr", "li"),
        *("main", "ol", "p", "pre", "section", "table", "tr", "ul"),
    )
)
_REFERENCE = re.compile(r"&(?:#(?:[0-9]{1,9}|[xX][0-9a-fA-F]{1,8})|[a-zA-Z][a-zA-Z0-9]{1,31});?")


class HtmlPage(NamedTuple):
    """The title and the visible text, with headings as Markdown writes them."""

    title: str
    text: str


class _MarkupPiece(NamedTuple):
    """A start tag, an end tag, or a text."""

    tag: str = ""
    is_end: bool = False
    text: str = ""


def read_html(page: str) -> HtmlPage:
    """The title and the text of the page."""
    titles: list[str] = []
    said: list[str] = []
    silent, inside = 0, ""
    for piece in _pieces(page):
        if piece.tag:
            silent = max(0, silent + (piece.tag in _SILENT) * (-1 if piece.is_end else 1))
            inside = "" if piece.is_end else piece.tag
            said.append(_break(piece))
        elif inside == "title":
            titles.append(piece.text)
        elif not silent:
            said.append(re.sub(r"\s+", " ", piece.text))
    lines = (" ".join(line.split()) for line in "".join(said).split("\n"))
    return HtmlPage("".join(titles).strip(), re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip())


def _break(piece: _MarkupPiece) -> str:
    """The line breaks, and the mark of a heading, that the tag stands for."""
    if piece.tag in _HEADINGS:
        return "\n\n" if piece.is_end else f"\n\n{'#' * int(piece.tag[1])} "
    if piece.tag not in _BLOCKS:
        return ""
    return "\n\n" if piece.tag == "p" else "\n"


def _pieces(page: str) -> Iterator[_MarkupPiece]:
    place = 0
    while (markup := _MARKUP.search(page, place)) is not None:
        if markup.start() > place:
            yield _MarkupPiece(text=_unescaped(page[place : markup.start()]))
        end = _end_of(page, markup)
        if end is None:
            return
        place = end
        if markup["name"] is None:
            continue
        tag = markup["name"].lower()
        yield _MarkupPiece(tag, bool(markup["end"]))
        if tag in _WITHOUT_TAGS and not markup["end"]:
            closing = _CLOSING[tag].search(page, place)
            until = closing.start() if closing else len(page)
            yield _MarkupPiece(text=_unescaped(page[place:until]))
            place = until
    yield _MarkupPiece(text=_unescaped(page[place:]))


def _end_of(page: str, markup: re.Match[str]) -> int | None:
    """The end of the comment or tag; None if it has none."""
    if markup["comment"]:
        end = _COMMENT_REST.search(page, markup.end() - 2)  # <!--> is a whole comment
    elif markup["bogus"]:
        end = _BOGUS_REST.search(page, markup.end())
    else:
        end = _TAG_REST.match(page, markup.end())
    return end.end() if end else None


def _unescaped(text: str) -> str:
    """The text with its character references as characters, but for numbers that no character has."""
    return _REFERENCE.sub(lambda found: html.unescape(found[0]), text)
