"""The lock with hashes, from which images are made: the versions of the lock without, each with its hashes."""

import re
import tomllib

from source_tree import ROOT

HASHED = (ROOT / "requirements" / "hashed" / "run.txt").read_text("utf-8")
BUILDING = (ROOT / "requirements" / "hashed" / "build.txt").read_text("utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
PLAIN = (ROOT / "requirements" / "run.txt").read_text("utf-8")
ENTRY = re.compile(r"(?m)^(\S.*?) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)")


def test_the_lock_with_hashes_has_the_versions_of_the_lock_without() -> None:
    assert [match[1] for match in ENTRY.finditer(HASHED)] == PLAIN.splitlines(), "run `make lock`"


def test_nothing_in_it_is_without_a_hash() -> None:
    assert ENTRY.sub("", HASHED) == ""
    assert ENTRY.sub("", BUILDING) == ""


def test_what_builds_the_package_is_in_the_lock_for_that() -> None:
    names = {match[1].partition("==")[0] for match in ENTRY.finditer(BUILDING)}
    assert set(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]) <= names


def test_an_image_installs_what_these_name_and_itself_alone() -> None:
    """The package is built without isolation, for which pip would fetch what builds it without a hash."""
    commands = re.findall(r"/pip (?:install|wheel)(.*?)(?: &&|$)", DOCKERFILE.replace("\\\n", " "), re.MULTILINE)
    sources = [re.sub(r"--(no-[\w-]+|disable-[\w-]+|wheel-dir \S+)", "", each).split() for each in commands]
    assert sources == [
        ["--requirement", "requirements/hashed/run.txt"],
        ["--requirement", "requirements/hashed/build.txt"],
        ["."],
        ["/opt/build/dist/*.whl"],
    ]
    assert all("--no-deps" in each for each in commands[2:])
    assert "--no-build-isolation" in commands[2]
