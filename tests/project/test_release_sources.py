"""A release's README and pyproject.toml: links lead somewhere on the package's page, or are no links."""

import re
import tomllib

import pytest
from scripts.release_sources import with_absolute_links, with_project_urls
from source_tree import ROOT

README = (ROOT / "README.md").read_text("utf-8")
URL = "https://code.example/acme/recuerdo"
RELATIVE = re.compile(r"\]\((?!https?:|#)")


@pytest.mark.parametrize("url", [URL, ""], ids=["with an address", "without one"])
def test_no_link_of_a_released_readme_is_relative(url: str) -> None:
    assert RELATIVE.search(README), "the test needs a README with relative links"
    assert not RELATIVE.search(with_absolute_links(README, url, "0.1.0"))


def test_a_link_leads_to_the_files_of_the_released_version() -> None:
    text = "![A page](docs/images/chat.png) [More](docs/README.md#how-to) [Out](https://example.org/) [Here](#features)"
    assert with_absolute_links(text, URL, "0.2.0") == (
        f"![A page]({URL}/raw/v0.2.0/docs/images/chat.png) [More]({URL}/blob/v0.2.0/docs/README.md#how-to) "
        "[Out](https://example.org/) [Here](#features)"
    )


def test_without_an_address_the_text_of_a_link_stays_and_nothing_is_invented() -> None:
    assert with_absolute_links("[More](docs/README.md), ![A page](a.png)", "", "0.1.0") == "More, "
    pyproject = (ROOT / "pyproject.toml").read_text("utf-8")
    assert with_project_urls(pyproject, "", "0.1.0") == pyproject


def test_the_project_urls_lead_to_files_that_exist() -> None:
    released = tomllib.loads(with_project_urls((ROOT / "pyproject.toml").read_text("utf-8"), URL, "0.1.0"))
    urls = released["project"]["urls"]
    assert urls["Source"] == URL
    files = [url.partition("/blob/v0.1.0/")[2] for url in urls.values() if "/blob/" in url]
    assert files
    assert all((ROOT / name).is_file() for name in files), files
    assert released["project"]["scripts"] == {"recuerdo": "recuerdo.cli:main"}
