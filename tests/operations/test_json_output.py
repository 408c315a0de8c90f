"""`--json`: every command that ends with an outcome can tell it to a program."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
import typer
from typer.testing import CliRunner

from recuerdo.cli.commands import application

WITHOUT = {
    *("serve", "worker", "chat", "mcp"),  # they run until they are stopped
    *("demo", "version", "encryption key"),  # they print one word
    *("agents show", "memories erase"),  # they print JSON always
    *("memories export", "threads export"),  # they print JSON lines
}
"""The commands without `--json`."""

Run = Callable[..., Any]


@pytest.fixture
def told(tmp_path: Path) -> Run:
    """Runs a command with `--json` and returns what it prints."""

    def run(*arguments: str, said: str = "", fails: bool = False) -> Any:
        environment = {
            "RECUERDO_DATABASE_URL": f"sqlite:///{tmp_path}/a.db",
            "RECUERDO_SPOOL": str(tmp_path / "spool"),
            "RECUERDO_EMBEDDINGS": "none",
        }
        done = CliRunner().invoke(application(), [*arguments, "--json"], input=said, env=environment)
        assert done.exit_code == int(fails), done.output
        return json.loads(done.stdout)

    return run


def _commands(group: Any, path: str = "") -> dict[str, Any]:
    return {
        name: each
        for word, command in group.commands.items()
        for name, each in (
            _commands(command, f"{path}{word} ") if hasattr(command, "commands") else {f"{path}{word}": command}
        ).items()
    }


def test_every_command_but_those_listed_can_print_json() -> None:
    commands = _commands(cast(Any, typer.main.get_command(application())))
    without = {name for name, each in commands.items() if not any("--json" in param.opts for param in each.params)}
    assert without == WITHOUT


def test_an_upgrade_and_a_check_tell_what_they_ran_and_read(told: Run) -> None:
    assert told("db", "check", fails=True)["pending"] == told("db", "upgrade")["ran"]
    assert told("db", "upgrade") == {"ran": []}
    read = {"threads": 0, "messages": 0, "memories": 0, "checkpoints": 0}
    assert told("db", "check", "--deep") == {"pending": [], "damaged": [], "read": read}


def test_documents_are_counted(told: Run, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Hours\n\nThe office opens at nine.")
    (tmp_path / "b.pdf").write_bytes(b"no PDF")
    added = told("docs", "add", str(tmp_path / "a.md"), str(tmp_path / "b.pdf"), fails=True)
    assert (added["added"], added["unchanged"], len(added["refused"])) == (1, 0, 1)
    assert told("docs", "remove", str(tmp_path / "a.md")) == {"removed": 1}


def test_a_key_is_told_with_its_secret_when_it_is_made_and_never_again(told: Run) -> None:
    made = told("token", "create", "--user", "emi", "--role", "editor")
    rotated = told("token", "rotate", made["id"])
    assert made["role"] == rotated["role"] == "editor"
    assert made["secret"] != rotated["secret"]
    assert all("secret" not in each for each in told("token", "list"))
    assert told("token", "revoke", rotated["id"]) == {"revoked": rotated["id"]}


def test_memories_and_threads_are_told_as_they_are_afterwards(told: Run) -> None:
    line = '{"id": "m-1", "text": "likes tea", "kind": "semantic", "created_at": "2026-01-01T00:00:00Z", '
    line += '"updated_at": "2026-01-01T00:00:00Z"}\n'
    assert told("memories", "import", said=line) == {"imported": 1}
    assert told("memories", "reject", "m-1", "--by", "ana")["status"] == "rejected"
    assert told("memories", "approve", "m-1", "--by", "ana")["status"] == "approved"
    assert told("memories", "undo")["action"] == "approved"
    assert told("threads", "prune", "--older-than", "1d") == {"threads": 0, "messages": 0, "dry_run": False}
    kept = told("retention", "--policy", "threads=365d", "--dry-run")
    assert (kept["threads"], kept["dry_run"]) == (0, True)
