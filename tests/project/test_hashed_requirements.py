"""The lock with hashes, from which images are made: the versions of the lock without, each with its hashes."""

import re

from source_tree import ROOT

HASHED = (ROOT / "requirements" / "hashed" / "run.txt").read_text("utf-8")
PLAIN = (ROOT / "requirements" / "run.txt").read_text("utf-8")
ENTRY = re.compile(r"(?m)^(\S.*?) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)")


def test_the_lock_with_hashes_has_the_versions_of_the_lock_without() -> None:
    assert [match[1] for match in ENTRY.finditer(HASHED)] == PLAIN.splitlines(), "run `make lock`"


def test_nothing_in_it_is_without_a_hash() -> None:
    assert ENTRY.sub("", HASHED) == ""
