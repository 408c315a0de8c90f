"""Adds to the documentation site: the pages of the repository's root, and links to files of the source.

A hook of MkDocs: see mkdocs.yml. `make docs` builds the site.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
PAGES = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "GLOSSARY.md", "SECURITY.md")
"""Pages of the root that the site has, beside those of docs/."""

_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages of the root."""
    for name in PAGES:
        files.append(File.generated(config, name, content=(ROOT / name).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Let links lead to pages of the site. Of a link to a file that is no page the text stays."""
    is_of_root = page.file.src_uri in PAGES
    folder = "" if is_of_root else posixpath.join("docs", posixpath.dirname(page.file.src_uri))

    def linked(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, match[2]))
        found = target.removeprefix("docs/") if target.startswith("docs/") else target
        if files.get_file_from_path(found) is None:
            return match[1] if (ROOT / target).exists() else match[0]
        here = posixpath.dirname(page.file.src_uri)
        return f"[{match[1]}]({posixpath.relpath(found, here or '.')}{match[3] or ''})"

    return _LINK.sub(linked, markdown)
