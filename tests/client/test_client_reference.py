"""The reference of the clients names everything that they have."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from recuerdo.client import Client

ROOT = Path(__file__).parents[2]
REFERENCE = (ROOT / "docs" / "reference" / "client.md").read_text("utf-8")
TYPESCRIPT = ROOT / "clients" / "typescript" / "src"
METHOD = re.compile(r"^  (?:async )?(?:get )?\*?([a-z]\w+)\(", re.MULTILINE)


def _named(text: str) -> set[str]:
    """The names that stand in code, in whatever row: `documents.add(source)` names `documents` and `add`."""
    return {name for code in re.findall(r"`([^`\n]+)`", text) for name in re.findall(r"[A-Za-z_]\w*", code)}


def _public(owner: object) -> Iterator[str]:
    for name, value in inspect.getmembers(owner):
        if not name.startswith("_"):
            yield name
            if type(value).__module__.startswith("recuerdo.client.synchronous"):
                yield from _public(value)


def test_the_reference_names_every_method_of_the_python_client() -> None:
    with Client("http://127.0.0.1:1") as client:
        found = {*_public(client), *_public(client.thread("t"))}
    assert {"memories", "append", "propose", "messages_of"} <= found
    assert not found - {"id"} - _named(REFERENCE)


@pytest.mark.parametrize("name", ["client", "threads", "memories", "tenant", "work"])
def test_the_reference_names_every_method_of_the_typescript_client(name: str) -> None:
    found = {*METHOD.findall((TYPESCRIPT / f"{name}.ts").read_text("utf-8"))} - {"constructor"}
    assert len(found) > 5
    assert not found - _named(REFERENCE)
