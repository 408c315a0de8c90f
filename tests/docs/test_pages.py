"""README and docs: what they show runs, and what they link to is there."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_blocks import ROOT, blocks, blocks_of, page_name, pages
from page_runner import PageRunner

PROJECT_PAGES = sorted(set(ROOT.glob("*.md")) - set(pages()))
LANGUAGES = {"python", "java", "typescript", "output", "console", "bash", "text", "json", "toml", "yaml", "sql", "http"}
LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\((?P<target>[^)\s]+)\)")
PATH = re.compile(r"`((?:src|tests|docs|benchmarks|requirements|scripts)/[\w./-]*)`")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@pytest.mark.parametrize("page", pages(), ids=page_name)
async def test_what_a_page_shows_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python in order, the commands against a real server, and both print what the page says they print."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "RECUERDO_MODEL", "RECUERDO_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    runner = PageRunner(page, tmp_path)
    try:
        for block in blocks_of(page):
            if not block.skip:
                await runner.run(block)
    finally:
        await runner.close()


@pytest.fixture(scope="module")
def undefined(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Ruff's complaints about the visible Python of each page, by the page's name: one process looks at all."""
    folder = tmp_path_factory.mktemp("pages")
    for page in pages():
        code = folder / f"{page_name(page)}.py"
        code.parent.mkdir(parents=True, exist_ok=True)
        code.write_text(
            "\n".join(
                block.code
                for block in blocks_of(page)
                if block.language == "python" and not block.is_hidden and not block.skip.startswith("stands in")
            ),
            "utf-8",
        )
    ruff = Path(sys.executable).with_name("ruff")
    command = [ruff, "check", "--isolated", "--quiet", "--select", "F821", "--output-format", "json", folder]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode in (0, 1), checked.stderr
    said: dict[str, list[str]] = {}
    for each in json.loads(checked.stdout):
        name = str(Path(each["filename"]).relative_to(folder)).removesuffix(".py")
        said.setdefault(name, []).append(f"line {each['location']['row']}: {each['message']}")
    return said


@pytest.mark.parametrize("page", pages(), ids=page_name)
def test_the_python_of_a_page_uses_no_name_that_only_hidden_code_defines(
    page: Path, undefined: dict[str, list[str]]
) -> None:
    """Pasted block after block, the code has all its imports and variables."""
    assert page_name(page) not in undefined, undefined[page_name(page)]


@pytest.mark.parametrize("page", pages(), ids=page_name)
def test_the_name_of_every_file_is_in_the_text_before_it(page: Path) -> None:
    """A reader sees no comments."""
    text = page.read_text("utf-8")
    for block in blocks_of(page):
        before = "\n".join(text.splitlines()[: block.line - 2])
        nearest = re.sub(r"<!--.*?-->", "", before, flags=re.DOTALL).rpartition("```")[2]
        assert not block.file or f"`{block.file}`" in nearest, f"line {block.line}: {block.file}"


@pytest.mark.parametrize("page", pages(), ids=page_name)
def test_a_request_comes_after_the_server_that_answers_it(page: Path) -> None:
    text = re.sub(r"<!--.*?-->", "", page.read_text("utf-8"), flags=re.DOTALL)
    request = re.search(r"^\$ .*curl .*http://127\.0\.0\.1:8080", text, re.MULTILINE)
    assert request is None or re.search(r"recuerdo serve|make run", text[: request.start()])


@pytest.mark.parametrize("page", pages(), ids=page_name)
def test_every_block_has_a_known_language_and_every_skip_a_reason(page: Path) -> None:
    for block in blocks_of(page):
        assert block.language in LANGUAGES, f"line {block.line}: {block.language!r}"
        assert block.skip != "no reason given", f"line {block.line}"


@pytest.mark.parametrize("page", [*pages(), *PROJECT_PAGES], ids=page_name)
def test_every_link_within_the_project_leads_somewhere(page: Path) -> None:
    broken = [target for target in _links(page) if not _leads_somewhere(page, target)]
    assert not broken


@pytest.mark.parametrize("page", PROJECT_PAGES, ids=page_name)
def test_every_path_that_is_named_exists(page: Path) -> None:
    named = PATH.findall(page.read_text("utf-8"))
    assert not [path for path in named if not (ROOT / path).exists()]


def test_every_place_that_the_guide_to_the_source_names_exists() -> None:
    """Apart from those that its reader is about to make."""
    page = (ROOT / "docs" / "explanation" / "where-things-go.md").read_text("utf-8")
    named = re.findall(r"`((?:[a-z_]+/)+[\w.]*)`", page)
    made = {"src/recuerdo/", "adapters/dynamodb/", "memories/locales/fr/"}
    places = [path for path in named if path not in made and not path.startswith(("docs/", "tests/"))]
    assert places
    assert not [path for path in places if not (ROOT / "src" / "recuerdo" / path).exists()]


def test_every_page_can_be_reached_from_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / target.partition("#")[0]).resolve() for target in _links(index)}
    assert not {page_name(page) for page in (ROOT / "docs").rglob("*.md") if page != index} - {
        page_name(page) for page in linked if page.is_relative_to(ROOT)
    }


def _links(page: Path) -> list[str]:
    text = page.read_text("utf-8")
    for block in blocks(text):
        text = text.replace(block.code, "")
    return [match["target"] for match in LINK.finditer(text) if "://" not in match["target"]]


def _leads_somewhere(page: Path, target: str) -> bool:
    name, _, anchor = target.partition("#")
    path = (page.parent / name).resolve() if name else page
    return path.exists() and (not anchor or anchor in _anchors(path))


def _anchors(path: Path) -> set[str]:
    """The anchors as GitHub makes them of headings."""
    headings = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(path.read_text("utf-8")))
    return {heading.replace(" ", "-") for heading in headings}
