"""The documentation as a site: every page is there, and nothing is loaded from elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built strictly: a link or an anchor that leads nowhere fails."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    built = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    )
    assert built.returncode == 0, built.stderr
    return folder


def test_every_page_is_on_the_site_and_so_are_those_of_the_root(site: Path) -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").with_suffix(".html")
        assert (site / (name.with_name("index.html") if page.name == "README.md" else name)).exists(), page
    assert (site / "SECURITY.html").exists()
    assert 'href="../SECURITY.html"' in (site / "how-to" / "harden.html").read_text("utf-8")


def test_a_page_loads_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = re.findall(r'<(?:script|img|iframe)\b[^>]*\bsrc="([^"]*)"', page.read_text("utf-8"))
        loaded += re.findall(r'<link\b[^>]*\brel="stylesheet"[^>]*\bhref="([^"]*)"', page.read_text("utf-8"))
        assert not [address for address in loaded if "//" in address], page


def test_the_site_can_be_searched(site: Path) -> None:
    assert "idempotency" in (site / "search" / "search_index.json").read_text("utf-8")
