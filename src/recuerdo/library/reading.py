"""Extract the title and the text of a file, with Markdown headings."""

import io
import re
from html.parser import HTMLParser
from pathlib import PurePath
from typing import NamedTuple

from recuerdo.core.errors import InvalidInput

KINDS = {
    **dict.fromkeys((".txt", ".text"), "text"),
    **dict.fromkeys((".md", ".markdown"), "markdown"),
    **dict.fromkeys((".html", ".htm"), "html"),
    ".pdf": "pdf",
}
"""Readable file types, by extension."""

_TITLE = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "footer", "header", "hr", "li"),
        *("main", "ol", "p", "pre", "section", "table", "tr", "ul"),
    )
)
_SILENT = frozenset(("script", "style", "template", "noscript"))


class Readable(NamedTuple):
    """A document's title and text."""

    title: str
    text: str


def read(source: str, content: bytes) -> Readable:
    """The text of a file of that name. Raises InvalidInput for one that can't be read."""
    name = PurePath(source).name
    kind = KINDS.get(PurePath(source).suffix.lower())
    if kind is None:
        known = ", ".join(sorted(KINDS))
        raise InvalidInput("source", f"{name!r} has an unknown type; its name must end in one of {known}")
    if kind == "pdf":
        return Readable(name, _pdf_text(content))
    text = _decoded(name, content)
    if kind == "html":
        page = _HtmlText()
        page.feed(text)
        page.close()
        return Readable(page.title.strip() or name, page.text)
    title = _TITLE.search(text) if kind == "markdown" else None
    return Readable(title[1] if title else name, text)


def _decoded(name: str, content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("content", f"{name!r} is not in UTF-8; convert it first, e.g. with iconv") from None
    if "\0" in text:
        raise InvalidInput("content", f"{name!r} holds NUL characters: it is not text")
    return text


def _pdf_text(content: bytes) -> str:
    """The pages, each under a heading, so that a citation names the page."""
    try:
        from pypdf import PdfReader
    except ModuleNotFoundError:
        raise InvalidInput("source", "PDF files are read with an extra: pip install 'recuerdo[documents]'") from None
    try:
        pages = [page.extract_text() for page in PdfReader(io.BytesIO(content)).pages]
    except Exception as error:  # whatever the file does to the library
        raise InvalidInput("content", f"the PDF can't be read ({type(error).__name__})") from None
    return "\n\n".join(f"# Page {number}\n\n{text}" for number, text in enumerate(pages, 1)).replace("\0", "")


class _HtmlText(HTMLParser):
    """Extracts the visible text of an HTML page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self._pieces: list[str] = []
        self._silent = 0
        self._in_title = False

    @property
    def text(self) -> str:
        joined = "".join(self._pieces)
        lines = [" ".join(line.split()) for line in joined.split("\n")]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Start a heading, a block, the title, or an invisible element."""
        self._silent += tag in _SILENT
        self._in_title = self._in_title or tag == "title"
        if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            self._pieces.append(f"\n\n{'#' * int(tag[1])} ")
        elif tag in _BLOCKS:
            self._pieces.append("\n\n" if tag == "p" else "\n")

    def handle_endtag(self, tag: str) -> None:
        """End the element."""
        self._silent -= tag in _SILENT and self._silent > 0
        self._in_title = self._in_title and tag != "title"
        if tag in _BLOCKS or (len(tag) == 2 and tag[0] == "h"):
            self._pieces.append("\n\n" if tag == "p" or tag[0] == "h" else "\n")

    def handle_data(self, data: str) -> None:
        """Collect visible text. Its line breaks are insignificant."""
        if self._in_title:
            self.title += data
        elif not self._silent:
            self._pieces.append(re.sub(r"\s+", " ", data))
