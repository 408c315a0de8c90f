"""Other systems' conversations as libraries store them, and mappings that can't work."""

import json
import sqlite3
from collections.abc import AsyncGenerator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pymongo
import pytest
import redis
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage, message_to_dict

from recuerdo.adapters.redis.source import KeyPattern
from recuerdo.adapters.registry import open_source
from recuerdo.app.operations import open_operations
from recuerdo.app.systems import SystemImport
from recuerdo.core.errors import ConfigurationError, InvalidInput
from recuerdo.core.messages import Message, decode_all
from recuerdo.core.scope import Scope
from recuerdo.core.sources import MessageSource, SourceMapping, SourceRow
from recuerdo.core.threads import MessageQuery
from recuerdo.integrations.langchain import to_langchain
from recuerdo.integrations.systems import BUILT_IN, RowReader, read_mapping

SAID: list[BaseMessage] = [
    SystemMessage("Be brief."),
    HumanMessage("What is the weather like?", id="h-1"),
    AIMessage("", tool_calls=[{"id": "call-1", "name": "weather", "args": {"city": "Lima"}}], id="run-1"),
    ToolMessage("20 degrees", tool_call_id="call-1"),
    AIMessage("20 degrees.", id="run-2"),
]
LANGCHAIN4J = [
    {"text": "Be brief.", "type": "SYSTEM"},
    {"contents": [{"text": "What is the weather like?", "type": "TEXT"}], "type": "USER"},
    {
        "text": "Let me check",
        "thinking": "The user wants the weather",
        "toolExecutionRequests": [{"id": "call-1", "name": "weather", "arguments": '{"city":"Lima"}'}],
        "attributes": {},
        "type": "AI",
    },
    {"id": "call-1", "toolName": "weather", "text": "20 degrees", "type": "TOOL_EXECUTION_RESULT"},
    {
        "id": "call-1",
        "toolName": "weather",
        "contents": [{"text": "20 degrees", "type": "TEXT"}],
        "attributes": {},
        "type": "TOOL_EXECUTION_RESULT",
    },
    {
        "contents": [{"type": "TEXT", "text": "And this?"}, {"type": "IMAGE", "image": {"url": "http://a/b.png"}}],
        "type": "USER",
    },
]
"""As LangChain4j 1.0 and 1.13 write it: its own test of compatibility has such texts."""


class Lines:
    """A source of rows that a test names."""

    def __init__(self, *rows: Any, size: int | None = None) -> None:
        self._rows = rows
        self._size = len(rows) if size is None else size

    async def rows(self) -> AsyncGenerator[SourceRow]:
        for number, row in enumerate(self._rows):
            yield SourceRow(f"row {number}", row)

    async def count(self) -> int:
        return self._size

    async def owner(self, conversation: Any) -> Mapping[str, Any]:
        return {}


async def imported(source: MessageSource, mapping: SourceMapping, thread: str) -> tuple[list[Message], list[str]]:
    """The messages of the thread behind an import for `ana`, and everything that was not right."""
    async with open_operations("memory://") as operations:
        reader = RowReader(source, mapping, "sql", "acme", "ana")
        importing, problems = SystemImport(source, reader, operations.importer), []
        async for progress in importing.run():
            problems += [f"{bad.place}: {bad.problem}" for bad in progress.bad] + [*progress.others]
        problems += await importing.differences()
        page = await operations.history.page(Scope("acme", "ana", thread), MessageQuery(limit=1000))
        return decode_all(page.records), problems


async def brought(system: str, url: str, name: str, thread: str, *changes: str) -> list[Message]:
    """The thread behind an import with a built-in mapping, in which nothing was wrong."""
    mapping = read_mapping(system, name, changes)
    async with open_source(system, url, mapping) as source:
        messages, problems = await imported(source, mapping, thread)
    assert not problems
    return messages


async def test_langchains_redis_history_is_read(redis_url: str) -> None:
    """langchain-community 0.4 pushes each message to the left of a list."""
    session = str(uuid4())
    with redis.Redis.from_url(redis_url) as client:
        for message in SAID:
            client.lpush(f"message_store:{session}", json.dumps(message_to_dict(message)))
    source = f"source=message_store:{session[:-4]}{{conversation}}"  # the tests share the server
    found = await brought("redis", redis_url, "langchain", session[-4:], source)
    assert [_without_id(to_langchain(each)) for each in found] == [_without_id(each) for each in SAID]
    assert [each.id for each in found if each.id in ("h-1", "run-1", "run-2")] == ["h-1", "run-1", "run-2"]


async def test_langchains_sql_history_is_read(tmp_path: Path) -> None:
    """langchain-community 0.4 keeps each message as JSON in a text column."""
    with sqlite3.connect(tmp_path / "old.db") as connection:
        connection.execute("CREATE TABLE message_store (id INTEGER PRIMARY KEY, session_id TEXT, message TEXT)")
        for message in SAID:
            row = ("s-1", json.dumps(message_to_dict(message)))
            connection.execute("INSERT INTO message_store (session_id, message) VALUES (?, ?)", row)
    connection.close()
    found = await brought("sql", f"sqlite:///{tmp_path}/old.db", "langchain", "s-1")
    assert [_without_id(to_langchain(each)) for each in found] == [_without_id(each) for each in SAID]
    assert [each.id for each in found] == ["1", "h-1", "run-1", "4", "run-2"]


async def test_langchains_postgres_history_is_read(empty_postgres_url: str) -> None:
    """langchain-postgres 0.0.19 keeps each message as JSONB, with the time of its row."""
    session = uuid4()
    with psycopg.connect(empty_postgres_url) as connection:
        connection.execute(
            "CREATE TABLE chat_history (id SERIAL PRIMARY KEY, session_id UUID NOT NULL, message JSONB NOT NULL,"
            " created_at TIMESTAMPTZ NOT NULL DEFAULT NOW())"
        )
        for message in SAID:
            row = (session, json.dumps(message_to_dict(message)))
            connection.execute("INSERT INTO chat_history (session_id, message) VALUES (%s, %s)", row)
    found = await brought("sql", empty_postgres_url, "langchain-postgres", str(session))
    assert [each.text for each in found] == [each.text for each in SAID]
    assert all(each.created_at and each.created_at.year >= 2024 for each in found)


async def test_langchains_mongodb_history_is_read(empty_mongodb_url: str) -> None:
    """langchain-mongodb 0.11 keeps each message as a JSON text."""
    with pymongo.MongoClient[Any](empty_mongodb_url) as client:
        collection = client.get_default_database()["message_store"]
        for message in SAID:
            collection.insert_one({"SessionId": "s-1", "History": json.dumps(message_to_dict(message))})
    found = await brought("mongodb", empty_mongodb_url, "langchain", "s-1")
    assert [_without_id(to_langchain(each)) for each in found] == [_without_id(each) for each in SAID]


async def test_a_chat_memory_of_langchain4j_is_read_from_one_text(redis_url: str) -> None:
    """As ChatMessageSerializer.messagesToJson writes it, with its calls of tools, images and results of both forms."""
    key = f"chat:{uuid4()}"
    with redis.Redis.from_url(redis_url) as client:
        client.set(key, json.dumps(LANGCHAIN4J))
    found = await brought("redis", redis_url, "langchain4j", key[5:], "source=chat:{conversation}")
    mine = [each for each in found if each.metadata["imported"]["conversation"] == key[5:]]
    assert [each.role for each in mine] == ["system", "user", "assistant", "tool", "tool", "user"]
    assert [each.text for each in mine[:2]] == ["Be brief.", "What is the weather like?"]
    [call] = mine[2].tool_calls
    assert (call.id, call.name, call.args, mine[2].text) == ("call-1", "weather", {"city": "Lima"}, "Let me check")
    assert mine[2].metadata["langchain4j"] == {"thinking": "The user wants the weather"}
    assert {(each.tool_call_id, each.text, each.name) for each in mine[3:5]} == {("call-1", "20 degrees", "weather")}
    assert mine[5].content == [
        {"type": "text", "text": "And this?"},
        {"type": "image_url", "image_url": {"url": "http://a/b.png"}},
    ]


async def test_a_spring_ai_table_is_read(empty_postgres_url: str) -> None:
    """As schema-postgresql.sql of Spring AI 1.0 makes it."""
    with psycopg.connect(empty_postgres_url) as connection:
        connection.execute(
            "CREATE TABLE SPRING_AI_CHAT_MEMORY (conversation_id VARCHAR(36) NOT NULL, content TEXT NOT NULL,"
            " type VARCHAR(10) NOT NULL CHECK (type IN ('USER', 'ASSISTANT', 'SYSTEM', 'TOOL')),"
            ' "timestamp" TIMESTAMP NOT NULL)'
        )
        for second, (kind, text) in enumerate((("USER", "Hi"), ("ASSISTANT", "Hello!"))):
            row = ("c-1", text, kind, datetime(2025, 5, 1, 9, 0, second))  # noqa: DTZ001
            connection.execute("INSERT INTO SPRING_AI_CHAT_MEMORY VALUES (%s, %s, %s, %s)", row)
    found = await brought("sql", empty_postgres_url, "spring-ai", "c-1")
    assert [(each.role, each.text) for each in found] == [("user", "Hi"), ("assistant", "Hello!")]
    assert found[1].created_at == datetime(2025, 5, 1, 9, 0, 1, tzinfo=UTC)


async def test_names_of_tables_and_columns_are_quoted(tmp_path: Path, empty_postgres_url: str) -> None:
    """Whatever they contain, they are names; and a column that is not there is refused before anything is read."""
    table, column = 'we"ird; DROP TABLE x', 'te"xt; --'
    quoted = [name.replace('"', '""') for name in (table, column)]
    statements = (
        f'CREATE TABLE "{quoted[0]}" (conversation TEXT, "order" INTEGER, role TEXT, "{quoted[1]}" TEXT)',
        f'''INSERT INTO "{quoted[0]}" VALUES ('c-1', 1, 'user', 'Hola')''',
    )
    mapping = SourceMapping(source=table, content=column, order=["order"])
    with sqlite3.connect(tmp_path / "old.db") as lite, psycopg.connect(empty_postgres_url) as postgres:
        for statement in statements:
            lite.execute(statement)
            postgres.execute(statement.encode())
    lite.close()
    for url in (f"sqlite:///{tmp_path}/old.db", empty_postgres_url):
        async with open_source("sql", url, mapping) as source:
            messages, problems = await imported(source, mapping, "c-1")
        assert ([each.text for each in messages], problems) == (["Hola"], [])
        for wrong in (SourceMapping(source=table, content="nothing", order=["order"]), SourceMapping(source="nothing")):
            with pytest.raises(InvalidInput, match="nothing"):
                async with open_source("sql", url, wrong):
                    pass


@pytest.mark.parametrize(
    ("pattern", "key", "parts"),
    [
        ("chat:{conversation}", "chat:a:b", {"conversation": "a:b"}),
        ("chat:{user}:{conversation}", "chat:ana:c-1", {"user": "ana", "conversation": "c-1"}),
        ("chat:{user}:{conversation}", "chat:ana:b:c", None),
        ("{{x}}:{user}/{conversation}:m", "{x}:ana/c-1:m", {"user": "ana", "conversation": "c-1"}),
        ("chat:*:{conversation}", "chat:1:c-1", None),
    ],
)
def test_a_key_has_one_reading_or_none(pattern: str, key: str, parts: dict[str, str] | None) -> None:
    """A colon in an id must not make one user's conversation another's."""
    match = KeyPattern.parse(pattern).parts.fullmatch(key)
    assert (match and match.groupdict()) == parts


@pytest.mark.parametrize("pattern", ["chat:{", "chat:{user}{user}", "chat:{0}", "chat:{user.name}"])
def test_a_pattern_of_keys_that_can_mean_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidInput, match="pattern"):
        KeyPattern.parse(pattern)


MAPPING = SourceMapping(
    source="rows",
    conversation="c",
    id="id",
    content="text",
    created_at="at",
    tool_calls="calls",
    tool_call_id="answers",
)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"role": "robot"}, "role: is unknown: 'robot'"),
        ({"role": "a secret"}, "role: is unknown: this one"),
        ({"c": None}, "conversation: is missing"),
        ({"text": 7}, "content: must be a text"),
        ({"at": "yesterday"}, "created_at: is not a time"),
        ({"at": float("nan")}, "created_at: is not a time"),
        ({"role": "tool"}, "tool_call_id: a tool message must name"),
        ({"role": "assistant", "calls": "[1]"}, "tool_calls: must each have"),
        (
            {"role": "assistant", "calls": [{"id": "1", "name": "f", "arguments": "{"}]},
            "tool_calls: must have an object",
        ),
        ({"id": "x" * 300}, "id: must be a text of 1 to 255"),
        ({"id": "m-0"}, "id: another message"),
    ],
)
async def test_a_row_that_is_no_message_is_named_and_the_others_are_stored(
    fields: dict[str, Any], problem: str
) -> None:
    good = {"c": "c-1", "role": "user", "text": "Hola"}
    rows = Lines({**good, "id": "m-0"}, {**good, "id": "m-1", **fields}, {**good, "id": "m-2"})
    messages, problems = await imported(rows, MAPPING, "c-1")
    assert [each.id for each in messages] == ["m-0", "m-2"]
    assert [each[:5] for each in problems] == ["row 1"]
    assert problem in problems[0]


@pytest.mark.parametrize("at", [1714550400, 1714550400000, "1714550400", "2024-05-01T08:00:00Z", "2024-05-01 08:00:00"])
async def test_times_are_read_in_seconds_milliseconds_and_texts(at: object) -> None:
    row = {"c": "c-1", "role": "user", "text": "Hola", "id": "m-0", "at": at}
    [message], _ = await imported(Lines(row), MAPPING, "c-1")
    assert message.created_at == datetime(2024, 5, 1, 8, tzinfo=UTC)


async def test_a_thread_has_the_times_of_its_messages() -> None:
    """Lists of threads show when people talked, and not when the data was moved."""
    rows = [{"c": "c-1", "role": "user", "text": "Hola", "id": str(n), "at": f"2024-05-0{n}"} for n in (1, 2, 3)]
    async with open_operations("memory://") as operations:
        source = Lines(*rows)
        async for _ in SystemImport(
            source, RowReader(source, MAPPING, "sql", "acme", "ana"), operations.importer
        ).run():
            pass
        thread = await operations.history.thread(Scope("acme", "ana", "c-1"))
    assert (thread.created_at, thread.updated_at) == (
        datetime(2024, 5, 1, tzinfo=UTC),
        datetime(2024, 5, 3, tzinfo=UTC),
    )


async def test_counts_that_differ_at_the_end_are_told() -> None:
    """A source that has grown meanwhile, and a message that its thread lost behind the import's back."""
    row = {"c": "c-1", "role": "user", "text": "Hola", "id": "m-0"}
    _, problems = await imported(Lines(row, size=2), MAPPING, "c-1")
    assert problems == ["The source has 2 rows now, and 1 were read. Repeat the import."]


async def test_conversations_without_a_known_owner_are_nobodys() -> None:
    """Without a user nothing is stored, under whatever name; and an import that names no user at all is refused."""
    mapping = SourceMapping(source="rows", user="user")
    source = Lines({"conversation": "c-1", "role": "user", "content": "Hola", "user": None})
    async with open_operations("memory://") as operations:
        importing = SystemImport(source, RowReader(source, mapping, "sql", "acme", None), operations.importer)
        told = [bad.problem async for progress in importing.run() for bad in progress.bad]
    assert told == ["user: is missing; check the mapping's name of the field"]
    with pytest.raises(InvalidInput, match="--user"):
        RowReader(source, SourceMapping(source="rows"), "sql", "acme", None)


@pytest.mark.parametrize("system", BUILT_IN)
def test_mappings_that_do_not_exist_name_those_that_do(system: str, tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text("source =")
    (tmp_path / "unknown.toml").write_text('source = "x"\nconvresation = "y"')
    with pytest.raises(InvalidInput, match="langchain"):
        read_mapping(system, "mine")
    for name, problem in (("broken", "is not TOML"), ("unknown", "convresation")):
        with pytest.raises(InvalidInput, match=problem):
            read_mapping(system, str(tmp_path / f"{name}.toml"))
    with pytest.raises(ConfigurationError, match=r"absent\.toml"):
        read_mapping(system, "absent.toml")
    with pytest.raises(InvalidInput, match="--set"):
        read_mapping(system, None, ["source"])
    assert read_mapping(system, None, ["source=x", "order=a,b", "newest_first=true"]).order == ["a", "b"]


async def test_a_url_of_another_system_is_refused_and_not_repeated() -> None:
    for system, url in (("redis", "mongodb://u:secret@h/d"), ("sql", "mysql://u:secret@h/d"), ("mongodb", "secret")):
        with pytest.raises(ConfigurationError) as caught:
            async with open_source(system, url, SourceMapping(source="x")):
                pass
        assert "secret" not in str(caught.value)


def _without_id(message: BaseMessage) -> BaseMessage:
    return message.model_copy(update={"id": None, "additional_kwargs": {}})
