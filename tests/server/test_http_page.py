import re

import httpx
import pytest

VENDORED = {"ui/dompurify.js", "ui/marked.js"}
"""Code of others, unchanged: `scripts/vendor-page` brings it, and test_page_markdown.py holds it to load nothing."""


def linked(client: httpx.Client) -> list[str]:
    """Every file that the page loads, directly or from another."""
    found = re.findall(r'(?:href|src)="(ui/[^"]+)"', client.get("/").text)
    for path in found:
        if path.endswith(".js"):
            found += [f"ui/{name}" for name in re.findall(r"from '\./([^']+)'", client.get(f"/{path}").text)]
    return sorted(set(found), key=found.index)


@pytest.fixture(scope="module")
def all_linked(pooled_client: httpx.Client) -> dict[str, httpx.Response]:
    """Every file of the page, as it is served."""
    known: dict[str, httpx.Response] = {}
    waiting = linked(pooled_client)
    while waiting:
        path = waiting.pop()
        if path not in known:
            known[path] = pooled_client.get(f"/{path}")
            waiting += [f"ui/{name}" for name in re.findall(r"from '\./([^']+)'", known[path].text)]
    return known


def test_the_page_and_everything_that_it_links_is_served(all_linked: dict[str, httpx.Response]) -> None:
    types = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
    assert len(all_linked) > 10
    for path, response in all_linked.items():
        assert response.status_code == 200, path
        assert response.headers["content-type"].startswith(types[path.rpartition(".")[2]]), path


@pytest.mark.parametrize("path", ["/", "/ui/app.js", "/ui/icon.svg"])
def test_the_page_is_closed_to_foreign_code_and_frames(client: httpx.Client, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_the_page_loads_nothing_from_elsewhere_and_has_no_inline_code(
    client: httpx.Client, all_linked: dict[str, httpx.Response]
) -> None:
    page = client.get("/").text
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
    assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=", page)
    for path in all_linked.keys() - VENDORED:
        text = all_linked[path].text.replace("http://www.w3.org/", "")
        assert not re.search(r"https?://", text), path
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", text), path


def test_the_page_is_asked_for_again_and_sent_again_only_when_it_changed(client: httpx.Client) -> None:
    first = client.get("/")
    assert first.headers["cache-control"] == "no-cache"
    second = client.get("/", headers={"If-None-Match": first.headers["etag"]})
    assert (second.status_code, second.content) == (304, b"")
    assert client.get("/ui/app.js", headers={"If-None-Match": first.headers["etag"]}).status_code == 200


def test_the_old_address_leads_to_the_page(client: httpx.Client) -> None:
    assert client.get("/ui", follow_redirects=True).text == client.get("/").text


@pytest.mark.parametrize("name", ["..%2Fapp.py", "__init__.py", "app.py", "%2e%2e%2fapp.py", "index.html%00"])
def test_nothing_but_the_page_is_served(client: httpx.Client, name: str) -> None:
    assert client.get(f"/ui/{name}").status_code == 404


def test_every_string_exists_in_every_language(client: httpx.Client, all_linked: dict[str, httpx.Response]) -> None:
    text = "".join(client.get(f"/ui/{name}").text for name in ("strings.js", "page_strings.js", "tour_strings.js"))
    problem = re.compile(r"\n  problems: \{(.*?)\n  \},", re.DOTALL)  # in English the server has words of its own
    assert len({tuple(re.findall(r"(\w+): '", each)) for each in problem.findall(text)}) == 1
    tables = re.findall(r"const (en|es|pt) = \{(.*?)\n\};", problem.sub("", text), re.DOTALL)
    keys: dict[str, list[str]] = {"en": [], "es": [], "pt": []}
    for language, body in tables:
        keys[language] += re.findall(r"(?:^|,)\s*(\w+):", body, re.MULTILINE)
    assert keys["en"] == keys["es"] == keys["pt"]
    code = "".join(response.text for path, response in all_linked.items() if path.endswith(".js"))
    used = set(re.findall(r"\bt\('(\w+)'", code)) | set(re.findall(r'data-t(?:-\w+)?="(\w+)"', client.get("/").text))
    assert used <= {"problems", *keys["en"]}
