"""Make the folder that a release is built from: what is committed, with a README that can be read on its own.

    python scripts/release_sources.py FOLDER [URL]

URL is where the repository can be seen. The package's page gets it as its project URLs, and each relative link of the
README becomes an absolute one, to the version's tag. Without URL there are no project URLs, and the text of such links
stays.
"""

import io
import re
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[1]

_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]\n]*)\]\((?!https?:|#)(?P<target>[^)\s]+)\)")


def with_absolute_links(readme: str, url: str, version: str) -> str:
    """The README for a page elsewhere. Without `url` links become their text, and images go."""

    def absolute(match: re.Match[str]) -> str:
        if not url:
            return "" if match["image"] else match["text"]
        kind = "raw" if match["image"] else "blob"
        return f"{match['image']}[{match['text']}]({url}/{kind}/v{version}/{match['target']})"

    return _LINK.sub(absolute, readme)


def with_project_urls(pyproject: str, url: str, version: str) -> str:
    """The pyproject.toml with `[project.urls]`, where there is a `url`."""
    if not url:
        return pyproject
    urls = {
        "Source": url,
        "Documentation": f"{url}/blob/v{version}/docs/README.md",
        "Changelog": f"{url}/blob/v{version}/CHANGELOG.md",
        "Issues": f"{url}/issues",
    }
    table = "".join(f'{name} = "{address}"\n' for name, address in urls.items())
    return pyproject.replace("[project.scripts]", f"[project.urls]\n{table}\n[project.scripts]", 1)


def main(folder: str, url: str = "") -> None:
    """Write the folder."""
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout  # noqa: S607
    place = Path(folder)
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(place, filter="data")
    found = re.search(r'^__version__ = "(.+)"$', (place / "src/recuerdo/__init__.py").read_text("utf-8"), re.MULTILINE)
    if found is None:
        raise SystemExit("src/recuerdo/__init__.py names no version")
    for name, change in {"README.md": with_absolute_links, "pyproject.toml": with_project_urls}.items():
        text = (place / name).read_text("utf-8")
        (place / name).write_text(change(text, url.rstrip("/"), found[1]), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
