"""`recuerdo import` as a person runs it."""

import json
from pathlib import Path

from command import run

SAID = (("human", "Vivo en Lima"), ("assistant", "¿Dónde trabajas?"), ("human", "en Globant"))
CLAUDE = [
    {
        "uuid": "c-1",
        "name": "A talk",
        "chat_messages": [
            {"uuid": f"m-{number}", "sender": sender, "text": text, "created_at": f"2024-05-01T09:0{number}:00Z"}
            for number, (sender, text) in enumerate(SAID)
        ],
    }
]


def test_the_command_shows_what_would_be_remembered_asks_and_imports(tmp_path: Path) -> None:
    (tmp_path / "claude.json").write_text(json.dumps(CLAUDE))
    command = ("import", "claude.json", "--from", "claude", "--database-url", "sqlite:///r.db")
    shown = run(tmp_path, *command, "--dry-run")
    assert "Vivo en Lima" in shown.stdout
    assert "Would import 3 messages of 1 conversation, and 2 memories" in shown.stderr
    refused = run(tmp_path, *command, said="n\n")
    assert (refused.returncode, "Vivo en Lima" in refused.stdout) == (1, True)
    done = run(tmp_path, *command, "--yes", "--json")
    assert (done.returncode, json.loads(done.stdout)["messages"]) == (0, 3)
    again = run(tmp_path, *command, said="y\n")
    assert "0 messages (3 were there already)" in again.stderr
    wrong = run(tmp_path, "import", "claude.json", "--from", "icq")
    assert wrong.returncode != 0
    assert "chatgpt" in wrong.stderr
