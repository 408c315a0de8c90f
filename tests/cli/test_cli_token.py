"""`recuerdo token`, and a server that takes what it makes."""

import json
import sqlite3
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from command import run, serving

from recuerdo.core.api_keys import PREFIX


def whoami(url: str, key: str) -> tuple[int, Any]:
    request = urllib.request.Request(f"{url}/v1/principal", headers={"x-api-key": key})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_a_key_opens_the_server_until_it_is_revoked(tmp_path: Path) -> None:
    """On an address beyond loopback names; its secret is alone on standard output, and nowhere afterwards."""
    made = run(
        tmp_path, "token", "create", "--tenant", "acme", "--user", "emi", "--tier", "gold", "--expires-in", "90d"
    )
    assert made.returncode == 0, made.stderr
    secret = made.stdout.removesuffix("\n")
    assert secret.startswith(PREFIX)
    assert len(secret.split()) == 1
    [listed] = json.loads(run(tmp_path, "token", "list", "--tenant", "acme", "--json").stdout)
    assert (listed["user"], listed["tier"], listed["revoked_at"]) == ("emi", "gold", None)
    assert secret.removeprefix(PREFIX).encode() not in b"".join(
        file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()
    )
    with serving(tmp_path, "--embeddings", "none", "--host", "0.0.0.0", RECUERDO_AUTH_API_KEYS="true") as server:
        url = server.url.replace("0.0.0.0", "127.0.0.1")
        assert whoami(url, secret) == (
            200,
            {"tenant": "acme", "user": "emi", "role": "user", "tier": "gold", "anonymous": False},
        )
        assert whoami(url, f"{secret}x")[0] == 401
        assert run(tmp_path, "token", "revoke", listed["id"]).returncode == 1
        assert run(tmp_path, "token", "revoke", listed["id"], "--tenant", "acme").returncode == 0
        while whoami(url, secret)[0] == 200:
            pass
    shown = run(tmp_path, "token", "list", "--tenant", "acme").stdout
    assert "revoked" in shown
    assert secret not in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("create", "--user", "anonymous"), "the anonymous user needs no credential"),
        (("create", "--user", ""), "user: must be a text of 1 to 255 characters"),
        (("create", "--user", "emi", "--expires-in", "soon"), "--expires-in: must be a number and h, d or w"),
        (("revoke", "absent"), "There is no API key 'absent' here"),
    ],
)
def test_what_cannot_be_is_one_clear_line(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    done = run(tmp_path, "token", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert words in done.stderr


def test_settings_of_authentication_that_cannot_work_are_one_clear_line(tmp_path: Path) -> None:
    done = run(tmp_path, "serve", RECUERDO_AUTH_ISSUER="https://id.example/", RECUERDO_AUTH_SECRET="short-secret")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "RECUERDO_AUTH_AUDIENCE" in done.stderr
    assert "short-secret" not in done.stderr


def test_what_is_done_with_keys_is_in_the_audit_log(tmp_path: Path) -> None:
    secret = run(tmp_path, "token", "create", "--user", "emi").stdout.strip()
    [made] = json.loads(run(tmp_path, "token", "list", "--json").stdout)
    assert run(tmp_path, "token", "rotate", made["id"]).returncode == 0
    assert run(tmp_path, "token", "revoke", made["id"]).returncode == 0
    [file] = tmp_path.rglob("recuerdo.db")
    with closing(sqlite3.connect(file)) as database:
        bodies = [json.loads(body) for (body,) in database.execute("SELECT body FROM audit ORDER BY at")]
    assert [(each["action"], each["target"]) for each in bodies] == [
        (action, made["id"]) for action in ("key.created", "key.rotated", "key.revoked")
    ]
    assert {each["role"] for each in bodies} == {"command line"}
    assert secret not in json.dumps(bodies)


def test_the_audit_log_is_read_where_the_database_is(tmp_path: Path) -> None:
    run(tmp_path, "token", "create", "--user", "emi", "--tenant", "acme")
    run(tmp_path, "token", "create", "--user", "ana", "--tenant", "other")
    [made] = json.loads(run(tmp_path, "audit", "--tenant", "acme", "--json").stdout)
    assert (made["action"], made["role"], made["details"]) == (
        "key.created",
        "command line",
        {"user": "emi", "granted": "user"},
    )
    latest, first = run(tmp_path, "audit", "--tenant", "acme", "--since", "1h").stdout.splitlines()[1:3]
    assert "audit.read" in latest
    assert "key.created" in first
    assert made["target"] in run(tmp_path, "audit", "--tenant", "acme", "--action", "key.created").stdout
    assert json.loads(run(tmp_path, "audit", "--server", "--json").stdout) == []
    refused = run(tmp_path, "audit", "--action", "key.made")
    assert refused.returncode == 1
    assert "--action" in refused.stderr
