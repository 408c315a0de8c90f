"""`recuerdo import` from other systems' databases, on real servers."""

import asyncio
import json
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from command import PATIENCE, environment, run
from old_systems import START, TALKS, OldSystem, Said, mongo_arrays, mongo_messages, redis_hashes, redis_lists, tables

from recuerdo import Message, Owner, Recuerdo
from servers import preloaded

TARGET = "sqlite:///new.db"
ROLES = {"human": "user", "ai": "assistant"}


@pytest.fixture(params=["redis lists", "redis hashes", "sqlite", "postgres", "mongodb messages", "mongodb arrays"])
def system(request: pytest.FixtureRequest, tmp_path: Path) -> OldSystem:
    """An old system with three conversations of two users."""
    match request.param.split():
        case ["redis", kind]:
            made = (redis_lists if kind == "lists" else redis_hashes)(tmp_path, request.getfixturevalue("redis_url"))
        case ["mongodb", kind]:
            url = request.getfixturevalue("empty_mongodb_url")
            made = (mongo_messages if kind == "messages" else mongo_arrays)(tmp_path, url)
        case ["postgres"]:
            made = tables(tmp_path, request.getfixturevalue("empty_postgres_url"))
        case _:
            made = tables(tmp_path, f"sqlite:///{tmp_path}/old.db")
    made.store(TALKS)
    return made


async def test_conversations_become_threads_of_their_users(system: OldSystem, tmp_path: Path) -> None:
    """With their order, roles, times, ids and calls of tools, and once however often they are imported."""
    done = run(tmp_path, "import", *system.arguments, "--database-url", TARGET, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["written"] == 19
    assert (await _thread(tmp_path, "ana", "c-1"))[1:4] == [
        _expected(Message.user("¿Qué tiempo hace?"), 1),
        _expected(Message.assistant("", tool_calls=[{"id": "call-1", "name": "weather", "args": {"city": "Lima"}}]), 2),
        _expected(Message.tool("20 grados", tool_call_id="call-1"), 3),
    ]
    for (user, conversation), talk in TALKS.items():
        stored = await _thread(tmp_path, user, conversation)
        assert [(each[0], each[1]) for each in stored] == [(ROLES.get(s.role, s.role), s.text) for s in talk]
    assert await _thread(tmp_path, "beto", "c-1") == []
    again = run(tmp_path, "import", *system.arguments, "--database-url", TARGET, "--json")
    assert (again.returncode, json.loads(again.stdout)["written"]) == (0, 0)
    assert len(await _thread(tmp_path, "ana", "c-3")) == 12


async def test_a_repeated_import_brings_what_is_new_and_leaves_alone_what_has_changed(
    system: OldSystem, tmp_path: Path
) -> None:
    run(tmp_path, "import", *system.arguments, "--database-url", TARGET)
    talk = TALKS["beto", "c-2"]
    system.store({**TALKS, ("beto", "c-2"): [*talk, Said("human", "Tudo bem?")]})
    more = run(tmp_path, "import", *system.arguments, "--database-url", TARGET)
    assert more.returncode == 0, more.stderr
    assert "Imported 1 message (19 were there already)" in more.stderr
    system.store({**TALKS, ("beto", "c-2"): [Said("human", "Boa noite"), *talk[1:], Said("human", "Tudo bem?")]})
    changed = run(tmp_path, "import", *system.arguments, "--database-url", TARGET)
    assert changed.returncode == 1
    assert "Different: c-2 m-0" in changed.stderr
    assert [text for _, text, *_ in await _thread(tmp_path, "beto", "c-2")] == ["Bom dia", "Olá!", "Tudo bem?"]


def test_a_dry_run_counts_and_shows_no_text(system: OldSystem, tmp_path: Path) -> None:
    shown = run(tmp_path, "import", *system.arguments, "--database-url", TARGET, "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert "Would import 19 messages of 3 conversations" in shown.stderr
    assert "Roles: 3 assistant, 1 system, 1 tool, 14 user." in shown.stderr
    printed = shown.stdout + shown.stderr
    assert not [said.text for talk in TALKS.values() for said in talk if said.text and said.text in printed]
    assert not (tmp_path / "new.db").exists()
    asked = run(tmp_path, "import", *system.arguments, "--dry-run", "--show-texts")
    assert any(said.text and said.text in asked.stdout for talk in TALKS.values() for said in talk)


async def test_bad_rows_are_named_and_skipped_only_on_demand(system: OldSystem, tmp_path: Path) -> None:
    """A message that is none stops the import; its text is told to nobody."""
    system.store({("ana", "c-1"): [Said("human", "Hola"), Said("robot", "a secret"), Said("ai", "Dime")]})
    stopped = run(tmp_path, "import", *system.arguments, "--database-url", TARGET)
    assert stopped.returncode == 1
    assert "role: is unknown: 'robot'" in stopped.stderr
    assert "a secret" not in stopped.stderr + stopped.stdout
    skipped = run(tmp_path, "import", *system.arguments, "--database-url", TARGET, "--skip-bad")
    assert skipped.returncode == 0, skipped.stderr
    assert "1 can't be imported" in skipped.stderr
    assert [text for _, text, *_ in await _thread(tmp_path, "ana", "c-1")] == ["Hola", "Dime"]


def test_an_import_that_finds_nothing_fails_and_names_what_it_looked_for(redis_url: str, tmp_path: Path) -> None:
    """A misspelt source would look like a success."""
    done = run(tmp_path, "import", *redis_lists(tmp_path, redis_url).arguments, "--database-url", TARGET)
    assert done.returncode == 1
    assert ":{user}:{conversation}:messages'. Check `source`" in done.stderr


async def test_an_import_that_was_killed_is_finished_by_the_next(tmp_path: Path) -> None:
    """After kill -9 in the middle every message is there once, in its place."""
    talks = {("ana", f"c-{number}"): [Said("human", f"{n}") for n in range(400)] for number in range(20)}
    system = tables(tmp_path, f"sqlite:///{tmp_path}/old.db")
    system.store(talks)
    command = [preloaded.command(), "import", *system.arguments, "--database-url", TARGET]
    async with Recuerdo.open(f"sqlite:///{tmp_path}/new.db", embeddings="none") as memory:
        running = await asyncio.create_subprocess_exec(*command, cwd=tmp_path, env=environment())
        async with asyncio.timeout(PATIENCE):
            while running.returncode is None and not await _counted(memory):
                pass
        with suppress(ProcessLookupError):
            running.kill()
        await running.wait()
        assert await _counted(memory) > 0
        done = run(tmp_path, *command[1:])
        assert done.returncode == 0, done.stderr
        assert await _counted(memory) == 8000
    for number in range(20):
        assert [each[1] for each in await _thread(tmp_path, "ana", f"c-{number}")] == [str(n) for n in range(400)]


async def _counted(memory: Recuerdo) -> int:
    page = await memory.history.threads(Owner("default", "ana"), limit=100)
    return sum(thread.message_count for thread in page.threads)


async def _thread(folder: Path, user: str, thread: str) -> list[tuple[Any, ...]]:
    async with Recuerdo.open(f"sqlite:///{folder}/new.db", embeddings="none") as memory:
        stored = await memory.thread(tenant="default", user=user, thread=thread).read()
    return [_described(each) for each in stored]


def _described(message: Message) -> tuple[Any, ...]:
    calls = [(call.id, call.name, call.args) for call in message.tool_calls]
    kept = message.metadata.get("channel")
    return message.role, message.text, message.id, message.created_at, calls, message.tool_call_id, kept


def _expected(message: Message, number: int) -> tuple[Any, ...]:
    calls: Any = [(call["id"], call["name"], call["args"]) for call in message.tool_calls]
    at = START + timedelta(minutes=number)
    return message.role, message.text, f"m-{number}", at, calls, message.tool_call_id, "web"
