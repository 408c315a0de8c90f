"""Extract the title and the text of a file, with Markdown headings."""

import io
from pathlib import PurePath
from typing import NamedTuple

from recuerdo.core.errors import InvalidInput
from recuerdo.library.chunking import headings_of

KINDS = {
    **dict.fromkeys((".txt", ".text"), "text"),
    **dict.fromkeys((".md", ".markdown"), "markdown"),
    **dict.fromkeys((".html", ".htm"), "html"),
    ".pdf": "pdf",
}
"""Readable file types, by extension."""


class DocumentText(NamedTuple):
    """A document's title and text."""

    title: str
    text: str


def kind_of_file(source: str) -> str:
    """The kind of a file of that name. Raises InvalidInput for an unknown one."""
    kind = KINDS.get(PurePath(source).suffix.lower())
    if kind is None:
        known = ", ".join(sorted(KINDS))
        raise InvalidInput(
            "source", f"{PurePath(source).name!r} has an unknown type; its name must end in one of {known}"
        )
    return kind


def read(source: str, content: bytes) -> DocumentText:
    """The text of a file of that name. Raises InvalidInput for one that can't be read."""
    name, kind = PurePath(source).name, kind_of_file(source)
    if kind == "pdf":
        return DocumentText(name, _pdf_text(content))
    text = _decoded(name, content)
    if kind == "html":
        from recuerdo.library.html import read_html

        page = read_html(text)
        return DocumentText(page.title or name, page.text)
    title = next((heading.title for heading in headings_of(text)), name) if kind == "markdown" else name
    return DocumentText(title, text)


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
    except MemoryError:
        raise
    except Exception as error:  # whatever the file does to the library
        raise InvalidInput("content", f"the PDF can't be read ({type(error).__name__})") from None
    return "\n\n".join(f"# Page {number}\n\n{text}" for number, text in enumerate(pages, 1)).replace("\0", "")
