"""Systems as teams have them, on real servers: the same conversations, each stored in its own shape."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import psycopg
import pymongo
import redis

from recuerdo.core.identifiers import new_id

START = datetime(2024, 5, 1, 9, tzinfo=UTC)
CALLS = [{"id": "call-1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Lima"}'}}]


class Said(NamedTuple):
    """A message of the old system."""

    role: str
    text: str
    calls: Sequence[dict[str, Any]] = ()
    answers: str | None = None


Talks = dict[tuple[str, str], list[Said]]
"""Messages by their user and conversation."""

TALKS: Talks = {
    ("ana", "c-1"): [
        Said("system", "Sé breve."),
        Said("human", "¿Qué tiempo hace?"),
        Said("ai", "", calls=CALLS),
        Said("tool", "20 grados", answers="call-1"),
        Said("ai", "20 grados."),
    ],
    ("beto", "c-2"): [Said("human", "Bom dia"), Said("ai", "Olá!")],
    ("ana", "c-3"): [Said("human", f"message {number}") for number in range(12)],
}


class OldSystem(NamedTuple):
    """An old system: the arguments that import it, and a call that stores conversations in it."""

    arguments: list[str]
    store: Callable[[Talks], None]


def fields(said: Said, number: int) -> dict[str, Any]:
    """The message as most systems of one's own write it."""
    return {
        "id": f"m-{number}",
        "role": said.role,
        "text": said.text,
        "tool_calls": list(said.calls) or None,
        "tool_call_id": said.answers,
        "sent_at": (START + timedelta(minutes=number)).isoformat(),
        "channel": "web",
    }


_FIELDS = """
id = "id"
content = "text"
created_at = "sent_at"
tool_calls = "tool_calls"
tool_call_id = "tool_call_id"
metadata = ["channel"]
"""


def _mapped(folder: Path, text: str) -> list[str]:
    (folder / "mapping.toml").write_text(text + _FIELDS)
    return ["--mapping", "mapping.toml"]


def redis_lists(folder: Path, url: str) -> OldSystem:
    """A list of JSON messages a conversation, the newest first; the key has the user."""
    prefix = new_id()

    def store(talks: Talks) -> None:
        with redis.Redis.from_url(url) as client:
            for (user, conversation), talk in talks.items():
                key = f"{prefix}:{user}:{conversation}:messages"
                client.delete(key)
                client.lpush(key, *[json.dumps(fields(said, number)) for number, said in enumerate(talk)])

    pattern = f'source = "{prefix}:{{user}}:{{conversation}}:messages"\nuser = "user"\nnewest_first = true'
    return OldSystem([url, "--from", "redis", *_mapped(folder, pattern)], store)


def redis_hashes(folder: Path, url: str) -> OldSystem:
    """A hash of JSON messages a conversation, by the message's id; another hash has the conversation's user."""
    prefix = new_id()

    def store(talks: Talks) -> None:
        with redis.Redis.from_url(url) as client:
            for (user, conversation), talk in talks.items():
                entries = {f"m-{number}": json.dumps(fields(said, number)) for number, said in enumerate(talk)}
                client.delete(f"{prefix}:messages:{conversation}")
                client.hset(f"{prefix}:messages:{conversation}", mapping=entries)
                client.hset(f"{prefix}:about:{conversation}", mapping={"user_id": user})

    source = f'source = "{prefix}:messages:{{conversation}}"\norder = ["sent_at"]'
    owners = f'\n[owners]\nsource = "{prefix}:about:{{conversation}}"\nuser = "user_id"'
    _mapped(folder, source)
    with (folder / "mapping.toml").open("a") as file:
        file.write(owners)
    return OldSystem([url, "--from", "redis", "--mapping", "mapping.toml"], store)


_TABLES = (
    "CREATE TABLE IF NOT EXISTS conversations (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, subject TEXT)",
    """CREATE TABLE IF NOT EXISTS chat_messages (conversation_id TEXT NOT NULL, position INTEGER NOT NULL,
    id TEXT NOT NULL, role TEXT NOT NULL, "text" TEXT NOT NULL, tool_calls TEXT, tool_call_id TEXT, sent_at TEXT,
    channel TEXT, PRIMARY KEY (conversation_id, position))""",
    "DELETE FROM chat_messages",
    "DELETE FROM conversations",
)
_SQL = """
source = "chat_messages"
conversation = "conversation_id"
order = ["position"]
"""
_SQL_OWNERS = """
[owners]
source = "conversations"
user = "user_id"
title = "subject"
"""


def _execute(url: str, statements: Sequence[tuple[str, Sequence[Any]]]) -> None:
    if url.startswith("sqlite"):
        connection: Any = sqlite3.connect(url.removeprefix("sqlite:///"))
    else:
        connection = psycopg.connect(url)
    for statement, values in statements:
        connection.execute(statement if url.startswith("sqlite") else statement.replace("?", "%s"), values)
    connection.commit()
    connection.close()


def tables(folder: Path, url: str) -> OldSystem:
    """A table of messages, and one of conversations with their users."""

    def store(talks: Talks) -> None:
        statements: list[tuple[str, Sequence[Any]]] = [(each, ()) for each in _TABLES]
        for (user, conversation), talk in talks.items():
            statements.append(("INSERT INTO conversations VALUES (?, ?, ?)", (conversation, user, f"About {user}")))
            for number, said in enumerate(talk):
                row = fields(said, number)
                calls = json.dumps(row["tool_calls"]) if said.calls else None
                values = (conversation, number, *[row[n] for n in ("id", "role", "text")], calls, said.answers)
                statement = f"INSERT INTO chat_messages VALUES ({', '.join('?' * 9)})"
                statements.append((statement, (*values, row["sent_at"], row["channel"])))
        _execute(url, statements)

    _mapped(folder, _SQL)
    with (folder / "mapping.toml").open("a") as file:
        file.write(_SQL_OWNERS)
    return OldSystem([url, "--from", "sql", "--mapping", "mapping.toml"], store)


def mongo_messages(folder: Path, url: str) -> OldSystem:
    """A document a message, as Beanie stores `class Message(Document)`."""

    def store(talks: Talks) -> None:
        with pymongo.MongoClient[Any](url) as client:
            messages = client.get_default_database()["messages"]
            messages.delete_many({})
            for (user, conversation), talk in talks.items():
                for number, said in enumerate(talk):
                    row = {**fields(said, number), "conversation_id": conversation, "user_id": user}
                    messages.insert_one({**row, "sent_at": START + timedelta(minutes=number)})

    text = 'source = "messages"\nconversation = "conversation_id"\nuser = "user_id"\norder = ["sent_at"]'
    return OldSystem([url, "--from", "mongodb", *_mapped(folder, text)], store)


def mongo_arrays(folder: Path, url: str) -> OldSystem:
    """A document a conversation, with an array of messages."""

    def store(talks: Talks) -> None:
        with pymongo.MongoClient[Any](url) as client:
            conversations = client.get_default_database()["conversations"]
            conversations.delete_many({})
            for (user, conversation), talk in talks.items():
                messages = [fields(said, number) for number, said in enumerate(talk)]
                conversations.insert_one({"_id": conversation, "owner": {"id": user}, "messages": messages})

    text = 'source = "conversations"\nconversation = "_id"\nuser = "owner.id"\nmessages = "messages"'
    return OldSystem([url, "--from", "mongodb", *_mapped(folder, text)], store)


def database_path(url: str, name: str) -> str:
    """The URL with another database."""
    return urlsplit(url)._replace(path=f"/{name}").geturl()
