"""`recuerdo memories`: what operators see and do, over a file that servers use too."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recuerdo import Message, Recuerdo
from recuerdo.cli.commands import application
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.identifiers import new_id
from recuerdo.core.memories import Memory
from recuerdo.core.scope import Owner
from recuerdo.testing.clock import NOON

EMI = ("--tenant", "acme", "--user", "emi")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A database in which emi has two memories and a thread."""

    async def live() -> None:
        async with Recuerdo.open(f"sqlite:///{tmp_path}/a.db", embeddings="none", spool=f"{tmp_path}/s") as memory:
            emi = memory.user(tenant="acme", user="emi")
            await emi.remember("vivo en Lima")
            await emi.add("likes green tea", attribute="likes", value="green tea")
            await memory.thread(tenant="acme", user="emi", thread="t-1").append(Message.user("hola"))
            await memory.tenant(tenant="acme").propose("The office opens at 9", by="emi")

    asyncio.run(live())
    return tmp_path


def run(folder: Path, *arguments: str, said: bytes = b"", columns: int = 200) -> Any:
    """The finished command, in this process: a new one would take its time to load."""
    environment = {"RECUERDO_DATABASE_URL": f"sqlite:///{folder}/a.db", "COLUMNS": str(columns)}
    return CliRunner().invoke(application(), ["memories", *arguments], input=said, env=environment)


def ran(folder: Path, *arguments: str) -> Any:
    """The command, which did what it was told."""
    done = run(folder, *arguments)
    assert done.exit_code == 0, done.output
    return done


def refused(folder: Path, *arguments: str, said: bytes = b"") -> str:
    """The message of a command that fails."""
    done = run(folder, *arguments, said=said)
    assert isinstance(done.exception, RecuerdoError), done.output
    return str(done.exception)


def told(folder: Path, *arguments: str) -> Any:
    return json.loads(ran(folder, *arguments, "--json").stdout)


def test_memories_are_listed_found_and_taken_back(folder: Path) -> None:
    assert [each["text"] for each in told(folder, "list", *EMI)] == ["likes green tea", "vivo en Lima"]
    assert "vivo en Lima" in ran(folder, "list", *EMI).stdout
    assert [each["text"] for each in told(folder, "search", "tea", *EMI, "--embeddings", "none")] == ["likes green tea"]
    assert "likes green tea" in ran(folder, "undo", *EMI).stderr
    assert [each["text"] for each in told(folder, "list", *EMI)] == ["vivo en Lima"]
    assert "--status" in refused(folder, "list", "--status", "odd")


def test_a_narrow_terminal_shows_the_whole_ids_that_other_commands_ask_for(folder: Path) -> None:
    shown = run(folder, "list", *EMI, columns=80).stdout
    assert all(memory["id"] in shown for memory in told(folder, "list", *EMI))


def test_a_proposal_is_approved_and_rejected_with_who_and_why(folder: Path) -> None:
    shared = ("--tenant", "acme", "--shared")
    [proposed] = told(folder, "list", *shared, "--status", "proposed")
    assert told(folder, "list", *shared) == []
    ran(folder, "approve", proposed["id"], *shared, "--by", "ada", "--reason", "true")
    [approved] = told(folder, "list", *shared)
    assert (approved["review"]["by"], approved["review"]["reason"]) == ("ada", "true")
    ran(folder, "reject", proposed["id"], *shared, "--by", "ada")
    assert told(folder, "list", *shared) == []


def test_an_export_read_in_elsewhere_is_the_same(folder: Path) -> None:
    file = str(folder / "m.jsonl.gz")
    ran(folder, "export", file, *EMI)
    counted = ran(folder, "import", file, "--tenant", "other", "--user", "eva").stderr
    assert counted == "Imported 2 memories.\n"
    again = ran(folder, "import", file, "--tenant", "other", "--user", "eva").stderr
    assert again == "Imported 0 memories.\n"
    read = told(folder, "list", "--tenant", "other", "--user", "eva")
    assert [each["text"] for each in read] == ["likes green tea", "vivo en Lima"]
    assert {each["owner"]["user"] for each in read} == {"eva"}


@pytest.mark.parametrize(
    ("change", "problem"),
    [({"text": ""}, "text"), ({"text": "a\0b"}, "NUL"), ({"kind": "odd"}, "not a memory"), ({"id": "\n"}, "id")],
)
def test_a_line_that_can_not_be_is_named(folder: Path, change: dict[str, str], problem: str) -> None:
    line = {"id": "m", "text": "x", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}
    said = json.dumps({**line, **change}).encode()
    complaint = refused(folder, "import", said=said)
    assert "line 1" in complaint
    assert problem in complaint


def test_an_audit_tells_the_junk_of_everybody(folder: Path) -> None:
    """Over any store, as it is; what is sound is not named."""

    async def spoil() -> None:
        async with Recuerdo.open(f"sqlite:///{folder}/a.db", embeddings="none", spool=f"{folder}/s") as memory:

            async def lines() -> AsyncIterator[bytes]:
                import msgspec

                for text in ("likes green tea", "likes  green tea.", "ok"):
                    owner = Owner("acme", "eva")
                    memory_of = Memory(id=new_id(), owner=owner, text=text, created_at=NOON, updated_at=NOON)
                    yield msgspec.json.encode(memory_of)

            await memory.user(tenant="acme", user="eva").import_lines(lines())

    asyncio.run(spoil())
    report = told(folder, "audit")
    assert (report["owners"], report["memories"], report["junk_rate"]) == (2, 5, 0.2)
    assert report["problems"] == {"duplicate": 1}
    assert {(each["user"], each["problem"]) for each in report["findings"]} == {("eva", "duplicate")}
    assert told(folder, "audit", "--tenant", "other")["memories"] == 0
    assert "20.0 % of them are junk" in ran(folder, "audit").stderr


def test_an_erasure_prints_its_receipt_and_asks_first(folder: Path) -> None:
    assert run(folder, "erase", *EMI, said=b"n\n").exit_code == 1
    assert len(told(folder, "list", *EMI)) == 2
    receipt = json.loads(ran(folder, "erase", *EMI, "--yes").stdout)
    assert (receipt["complete"], receipt["threads"], receipt["messages"], receipt["memories"]) == (True, 1, 1, 2)
    assert told(folder, "list", *EMI) == []
