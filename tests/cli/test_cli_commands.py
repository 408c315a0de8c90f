"""The command's help, and its messages about errors."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from command import run

from recuerdo import __version__


@pytest.mark.parametrize("argument", ["version", "--version"])
def test_it_prints_its_version(tmp_path: Path, argument: str) -> None:
    done = run(tmp_path, argument)
    assert (done.returncode, done.stdout) == (0, f"{__version__}\n")


def test_python_runs_the_package_as_the_command(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "recuerdo", "version"], cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout.decode() == f"{__version__}\n"


@pytest.mark.parametrize(("arguments", "word"), [((), "serve"), (("serve",), "--port"), (("chat",), "--thread")])
def test_help_names_what_there_is(tmp_path: Path, arguments: tuple[str, ...], word: str) -> None:
    done = run(tmp_path, *arguments, "--help")
    assert done.returncode == 0
    assert word in done.stdout


def test_an_unknown_flag_is_named_with_exit_status_2(tmp_path: Path) -> None:
    done = run(tmp_path, "serve", "--bogus")
    assert done.returncode == 2
    assert "No such option: --bogus" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "settings", "words"),
    [
        (("serve",), {"RECUERDO_PORT": "abc"}, "RECUERDO_PORT: input should be a valid integer"),
        (("serve", "--port", "99999"), {}, "--port: input should be less than or equal to 65535"),
        (("serve", "--log-level", "loud"), {}, "--log-level: input should be 'debug', 'info', 'warning' or 'error'"),
        (("serve", "--host", "0.0.0.0"), {}, "listens on loopback only, and '0.0.0.0' is not a loopback address"),
        (("serve",), {"RECUERDO_HOST": "example.com"}, "'example.com' is not a loopback address"),
        (("serve",), {"RECUERDO_DATABASE_URL": "mysql://x"}, "'mysql' is not a database that Recuerdo knows"),
        (("serve",), {"RECUERDO_DATABASE_URL": "sqlite://"}, "names no file"),
        (("serve",), {"RECUERDO_MODEL": "gpt"}, "'gpt' names no model"),
        (("chat",), {"RECUERDO_MODEL": "gpt"}, "'gpt' names no model"),
        (("chat",), {"RECUERDO_EMBEDDINGS": "good"}, "'good' is not an embedding model"),
        (("chat",), {"RECUERDO_DATABASE": "postgresql://x"}, "Did you mean RECUERDO_DATABASE_URL?"),
        (
            ("serve",),
            {"RECUERDO_ALLOWED_ORIGINS": "https://a.example, chat.example"},
            "'chat.example' is not an origin",
        ),
        (("serve",), {"RECUERDO_ALLOWED_HOSTS": "https://a.example"}, "'https://a.example' is not the name of a host"),
        (("serve",), {"RECUERDO_MODELS": "offline,gpt-5"}, "RECUERDO_MODELS: 'gpt-5' is not a model"),
        (("chat", "--user", "\n"), {}, "user: must not contain control characters"),
    ],
)
def test_a_setting_that_cannot_work_is_one_clear_line(
    tmp_path: Path, arguments: tuple[str, ...], settings: dict[str, str], words: str
) -> None:
    done = run(tmp_path, *arguments, **settings)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("recuerdo: ")
    assert words in done.stderr


def test_what_kubernetes_makes_of_a_service_called_recuerdo_is_no_setting(tmp_path: Path) -> None:
    done = run(tmp_path, "chat", RECUERDO_PORT="tcp://10.0.0.7:8080", RECUERDO_SERVICE_HOST="10.0.0.7")
    assert done.returncode == 0, done.stderr


def test_an_empty_variable_counts_as_unset(tmp_path: Path) -> None:
    done = run(tmp_path, "chat", RECUERDO_PORT="", RECUERDO_MODEL="")
    assert done.returncode == 0, done.stderr


def test_a_wrong_setting_is_not_repeated_because_it_may_be_a_key(tmp_path: Path) -> None:
    done = run(tmp_path, "serve", RECUERDO_PORT="sk-secret")
    assert "sk-secret" not in done.stdout + done.stderr


def test_a_port_that_is_taken_is_one_clear_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run(tmp_path, "serve", "--port", str(port))
    assert done.returncode == 1
    assert done.stderr == (
        f"recuerdo: Can't listen on 127.0.0.1 port {port}: Address already in use. "
        "Stop what listens there, or choose another port with --port or RECUERDO_PORT.\n"
    )


def test_a_database_that_cannot_be_opened_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_text("this is no database, and it is long enough to be read as one\n" * 100)
    done = run(tmp_path, "chat", RECUERDO_DATABASE_URL="sqlite:///notes.db")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "SQLite says: file is not a database" in done.stderr
