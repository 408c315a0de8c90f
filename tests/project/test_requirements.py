"""The lock files: complete, exact, and without an address, so that any mirror serves."""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from source_tree import ROOT

LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
EVERYTHING = ROOT / "requirements" / "bench.txt"
PINNED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(\[[a-z0-9,_-]+\])?==[A-Za-z0-9.+!]+( ; [^#]+)?")
# the brackets keep this pattern from finding itself
ADDRESSES = [
    re.compile(address)
    for address in (
        *(r"py[p]i\.", r"python[h]osted", r"registry\.n[p]mjs", r"[/]simple[/]"),
        r"index[-]url(?<!no-emit-index[-]url)(?<!\windex[-]url)",
    )
]
"""In lower case, each with a beginning that is looked for at once."""


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_every_line_of_a_lock_is_an_exact_version_and_nothing_else(lock: Path) -> None:
    wrong = [line for line in lock.read_text("utf-8").splitlines() if not PINNED.fullmatch(line)]
    assert not wrong, f"`make lock` writes lines like `name==1.2.3 ; marker`, not: {wrong}"


def test_the_lock_satisfies_everything_that_pyproject_asks_for() -> None:
    """Dependencies, extras and groups, on this Python and system."""
    locked = _locked(EVERYTHING)
    missing = [
        str(wanted)
        for wanted in _wanted()
        if (version := locked.get(canonicalize_name(wanted.name))) is None or version not in wanted.specifier
    ]
    assert not missing, f"run `make lock`: {missing}"


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_a_lock_names_no_version_that_another_one_contradicts(lock: Path) -> None:
    everything = _locked(EVERYTHING)
    other = {name: version for name, version in _locked(lock).items() if everything[name] != version}
    assert not other, f"run `make lock`: {other}"


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only a clone knows what is committed")
def test_no_committed_file_names_a_package_index() -> None:
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    texts = {name: _text(name) for name in files if name and (ROOT / name).is_file()}
    assert texts
    found = {name: match[0] for name, text in texts.items() if (match := _address(text.lower()))}
    assert not found, f"leave addresses to the machine's own settings: {found}"


def _locked(lock: Path) -> dict[str, Version]:
    lines = map(Requirement, lock.read_text("utf-8").splitlines())
    here = [line for line in lines if line.marker is None or line.marker.evaluate()]
    return {canonicalize_name(line.name): Version(str(line.specifier).removeprefix("==")) for line in here}


def _wanted() -> list[Requirement]:
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = project["project"]["optional-dependencies"].values()
    groups = project["dependency-groups"].values()
    lines = [*project["project"]["dependencies"], *(line for group in (*extras, *groups) for line in group)]
    return [
        each
        for each in map(Requirement, lines)
        if each.name != "recuerdo" and (not each.marker or each.marker.evaluate())
    ]


def _address(text: str) -> re.Match[str] | None:
    return next(filter(None, (address.search(text) for address in ADDRESSES)), None)


def _text(name: str) -> str:
    return (ROOT / name).read_bytes().decode("utf-8", "replace")
