"""Records a version's databases for the upgrade tests: python tests/upgrades/recording.py VERSION [--source CHECKOUT]

A server of that version fills a SQLite file and a PostgreSQL database over HTTP. Both are written as SQL into the
folder `VERSION`, beside the answers that the server gave about them, which later versions must still give.
"""

import argparse
import json
import os
import re
import sqlite3
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent
USER = "emi"
_CONTENTS = [
    {"role": "system", "content": "Answer briefly."},
    {"role": "user", "content": "¿Qué hora es en Lima? 🕗"},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "c-1", "name": "clock", "args": {"zone": "Lima"}}]},
    {"role": "tool", "content": "08:00", "tool_call_id": "c-1", "name": "clock"},
    {"role": "assistant", "content": "Son las ocho."},
]
_SAID = [
    "Me llamo Emiliano y vivo en Lima",
    "Trabajo en Data Oilers",
    "Ahora vivo en Porto",
]


class Call(NamedTuple):
    """A request; `{name}` in its path is an answer of before."""

    method: str
    path: str
    body: Any = None


_RUN = {"assistant_id": "recuerdo", "input": {"messages": [{"role": "user", "content": "Hola"}]}}
FILLING = [
    Call("POST", "/v1/threads/tools/messages", {"messages": _CONTENTS}),
    Call("POST", "/v1/threads/archived/messages", {"messages": _CONTENTS[1:2] * 3}),
    Call("POST", "/v1/threads/archived/archive", {"last": 2}),
    Call("POST", "/v1/threads/cleared/messages", {"messages": _CONTENTS[1:2]}),
    Call("POST", "/v1/threads/cleared/clear"),
    Call("POST", "/v1/threads/cleared/messages", {"messages": _CONTENTS[:2]}),
    Call("POST", "/v1/threads/deleted/messages", {"messages": _CONTENTS[:2]}),
    Call("DELETE", "/v1/threads/deleted"),
    *(Call("POST", "/v1/chat", {"thread_id": "chat", "message": text}) for text in _SAID),
    Call("POST", "/v1/memories", {"text": "Prefiero el té"}),
    Call("PUT", "/store/items", {"namespace": ["notes", "2026"], "key": "k", "value": {"a": [1, {"b": "ñ"}]}}),
    Call(
        "POST",
        "/assistants",
        {"graph_id": "recuerdo", "name": "Ana", "assistant_id": "7" * 8 + "-7777" * 3 + "-" + "7" * 12},
    ),
    Call("POST", "/threads", {"thread_id": "8" * 8 + "-8888" * 3 + "-" + "8" * 12, "metadata": {"kind": "support"}}),
    Call("POST", f"/threads/{'8' * 8}-8888-8888-8888-{'8' * 12}/runs/wait", _RUN),
    Call(
        "POST",
        f"/threads/{'8' * 8}-8888-8888-8888-{'8' * 12}/runs/crons",
        {**_RUN, "schedule": "0 8 29 2 *"},
    ),
]
READING = [
    *(Call("GET", f"/v1/threads/{name}/messages?include_archived=true") for name in ("tools", "archived", "cleared")),
    Call("GET", "/v1/threads/tools/window"),
    Call("GET", "/v1/threads/deleted/messages"),
    Call("GET", "/v1/threads/chat/messages"),
    Call("GET", "/v1/memories?limit=100"),
    Call("GET", "/v1/memories/export"),
    Call("GET", "/store/items?namespace=notes.2026&key=k"),
    Call("GET", f"/assistants/{'7' * 8}-7777-7777-7777-{'7' * 12}"),
    Call("GET", f"/threads/{'8' * 8}-8888-8888-8888-{'8' * 12}"),
    Call("GET", f"/threads/{'8' * 8}-8888-8888-8888-{'8' * 12}/state"),
    Call("POST", f"/threads/{'8' * 8}-8888-8888-8888-{'8' * 12}/history", {"limit": 10}),
    Call("GET", f"/threads/{'8' * 8}-8888-8888-8888-{'8' * 12}/runs"),
    Call("POST", "/runs/crons/search", {}),
]


class Answer(NamedTuple):
    """A server's answer."""

    status: int
    body: Any


def ask(url: str, call: Call) -> Answer:
    """Send the request as `USER`."""
    body = None if call.body is None else json.dumps(call.body).encode()
    headers = {"X-Recuerdo-User": USER, "Content-Type": "application/json"}
    request = urllib.request.Request(url + call.path, body, headers, method=call.method)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            lines = [json.loads(line) for line in response.read().splitlines()]
            return Answer(response.status, lines if len(lines) > 1 else next(iter(lines), None))
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, json.loads(error.read() or b"null"))


def load_sqlite(script: str, file: Path) -> None:
    """Make the file that the script was written from."""
    connection = sqlite3.connect(file)
    connection.executescript(script)
    connection.close()


def load_postgres(script: str, url: str) -> None:
    """Make the database that the script was written from, in an empty one."""
    with psycopg.connect(url) as connection:
        for statements, table, rows in _blocks(script):
            connection.execute(statements.encode())
            if table:
                with connection.cursor().copy(f"COPY {table} FROM STDIN".encode()) as copy:
                    copy.write(rows.encode())


_COPY = re.compile(r"^COPY (.+?) FROM stdin;\n(.*?)^\\\.\n", re.MULTILINE | re.DOTALL)


def _blocks(script: str) -> list[tuple[str, str, str]]:
    """Statements, and the table and rows behind them."""
    found: list[tuple[str, str, str]] = []
    end = 0
    for match in _COPY.finditer(script):
        found.append((script[end : match.start()], match[1], match[2]))
        end = match.end()
    return [*found, (script[end:], "", "")]


def _sqlite_script(file: Path) -> str:
    connection = sqlite3.connect(file)
    try:
        return "\n".join(connection.iterdump()) + "\n"
    finally:
        connection.close()


def _postgres_script(url: str, source: Path) -> str:
    """The same as pg_dump writes, but for the scripts, which are those of the version."""
    adapter = source / "src/recuerdo/adapters/postgres"
    parts = ["SET session_replication_role = replica;\nCREATE SCHEMA recuerdo;\n"]
    parts.append("CREATE TABLE recuerdo.migrations (name text PRIMARY KEY, ran_at timestamptz DEFAULT now());\n")
    parts += [
        f"{file.read_text()}\n"
        for name in ("migrations", "functions")
        for file in sorted((adapter / name).glob("*.sql"))
    ]
    with psycopg.connect(url) as connection:
        tables = connection.execute(
            "SELECT c.relname, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_class c"
            " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''"
            " WHERE c.relnamespace = 'recuerdo'::regnamespace AND c.relkind = 'r' GROUP BY 1 ORDER BY 1"
        ).fetchall()
        for table, columns in tables:
            with connection.cursor().copy(f"COPY recuerdo.{table} ({columns}) TO STDOUT".encode()) as copy:
                rows = b"".join(map(bytes, copy)).decode()
            parts += [f"COPY recuerdo.{table} ({columns}) FROM stdin;\n{rows}\\.\n"] if rows else []
    return "".join(parts)


def _record(folder: Path, source: Path) -> None:
    from servers.postgres import fresh_database, running_postgres
    from servers.recuerdo import running_recuerdo

    command = ("env", f"PYTHONPATH={source / 'src'}", sys.executable, "-m", "recuerdo")
    folder.mkdir()
    with running_postgres() as server, fresh_database(server.url) as postgres:
        for name, url in {"sqlite": f"sqlite:///{folder}/recorded.db", "postgres": postgres}.items():
            with running_recuerdo(command, database_url=url, embeddings="offline") as running:
                for call in FILLING:
                    answer = ask(running.url, call)
                    assert answer.status < 300, (call, answer)
                answers = [ask(running.url, call) for call in READING]
            (folder / f"{name}.json").write_text(json.dumps(answers, ensure_ascii=False, indent=1) + "\n")
        (folder / "postgres.sql").write_text(_postgres_script(postgres, source))
        (folder / "sqlite.sql").write_text(_sqlite_script(folder / "recorded.db"))
    for file in folder.glob("recorded.db*"):
        os.remove(file)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version")
    parser.add_argument("--source", type=Path, default=ROOT, help="a checkout of the version; default: this one")
    chosen = parser.parse_args()
    _record(FOLDER / chosen.version, chosen.source.resolve())
