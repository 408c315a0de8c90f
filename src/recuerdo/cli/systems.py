"""`recuerdo import` from databases: the conversations of another system, or of LangGraph."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import typer

from recuerdo.app.operations import open_operations, open_source
from recuerdo.app.recuerdo import Recuerdo
from recuerdo.app.settings import Settings, listed
from recuerdo.app.systems import SystemImport, SystemProgress
from recuerdo.cli.terminal import counted, print_outcome, print_table, progress_bar, say
from recuerdo.core.errors import needing
from recuerdo.core.items import StoreScope
from recuerdo.core.scope import ANONYMOUS
from recuerdo.integrations.systems import BadRow, FoundMessage, RowReader, read_mapping

_FIRST = 5


class SystemChoice(NamedTuple):
    """The command line of an import from a system."""

    system: str
    url: str
    mapping: str | None
    changes: Sequence[str]
    tenant: str
    user: str | None
    dry_run: bool = False
    skip_bad: bool = False
    show_texts: bool = False
    json: bool = False


@dataclass
class _Seen:
    """The results of an import so far."""

    progress: SystemProgress = field(default_factory=SystemProgress)
    first: list[FoundMessage] = field(default_factory=list[FoundMessage])
    roles: Counter[str] = field(default_factory=Counter[str])
    problems: list[str] = field(default_factory=list[str])
    stopped_at: BadRow | None = None


def import_from_system(choice: SystemChoice, settings: Settings) -> None:
    """Import, report the results and the discrepancies, and exit with status 1 if there are any."""
    seen = asyncio.run(_import(choice, settings))
    if choice.dry_run:
        _show(seen, choice)
    else:
        print_outcome(choice.json, _counts(seen), _sentence(seen, choice))
    for problem in seen.problems:
        say(problem)
    if seen.stopped_at is not None:
        say(f"Bad: {seen.stopped_at.place}: {seen.stopped_at.problem}")
        say("The import stopped there. Mend the row or the mapping and repeat it, or skip such rows with --skip-bad.")
    if seen.problems or seen.stopped_at or (choice.dry_run and seen.progress.skipped and not choice.skip_bad):
        raise typer.Exit(1)


async def _import(choice: SystemChoice, settings: Settings) -> _Seen:
    mapping, seen = read_mapping(choice.system, choice.mapping, choice.changes), _Seen()
    url = "memory://" if choice.dry_run else settings.database_url
    cache = None if choice.dry_run else settings.cache_url
    async with (
        open_source(choice.system, choice.url, mapping) as source,
        open_operations(
            url, cache=cache, encryption_key=settings.encryption_keys, message_fields=listed(settings.message_fields)
        ) as operations,
    ):
        reader = RowReader(source, mapping, choice.system, choice.tenant, choice.user)
        importing = SystemImport(source, reader, operations.importer, dry_run=choice.dry_run)
        with progress_bar("Reading" if choice.dry_run else "Importing") as bar:
            async for progress in importing.run():
                _note(seen, progress)
                bar.show(f"{progress.messages} messages of {progress.conversations} conversations")
                if progress.bad and not (choice.skip_bad or choice.dry_run):
                    seen.stopped_at = progress.bad[0]
                    return seen
        seen.problems += await importing.differences()
        if not seen.progress.rows:
            seen.problems.append(f"There is nothing in {mapping.source!r}. Check `source` in the mapping, and the URL.")
    return seen


def _note(seen: _Seen, progress: SystemProgress) -> None:
    seen.progress = progress
    for bad in progress.bad:
        say(f"Bad: {bad.place}: {bad.problem}")
    for problem in progress.others:
        say(f"Different: {problem}")
    if progress.others:
        seen.problems = ["What is different was left as it is."]
    for found in progress.found:
        seen.roles[found.message.role] += 1
        if len(seen.first) < _FIRST:
            seen.first.append(found)


def _show(seen: _Seen, choice: SystemChoice) -> None:
    """The counts, and the shape of the first messages: their texts only when they are asked for."""
    if not choice.json:
        columns = ("row", "tenant", "user", "thread", "role", "content", "calls", "time")
        print_table(columns, [_row(found, texts=choice.show_texts) for found in seen.first])
        roles = ", ".join(f"{count} {role}" for role, count in sorted(seen.roles.items()))
        say(f"Roles: {roles or 'none'}.")
    print_outcome(choice.json, {**_counts(seen), "roles": seen.roles}, _sentence(seen, choice))


def _row(found: FoundMessage, *, texts: bool) -> tuple[object, ...]:
    scope, message = found.scope, found.message
    parts = "" if isinstance(message.content, str) else f" in {len(message.content)} parts"
    content = message.text if texts else f"{len(message.text)} characters{parts}"
    time = f"{message.created_at:%Y-%m-%d %H:%M:%S} UTC" if message.created_at else "-"
    calls = ", ".join(call.name for call in message.tool_calls)
    return found.place, scope.tenant, scope.user, scope.thread, message.role, content, calls, time


def _counts(seen: _Seen) -> dict[str, int]:
    counts = ("rows", "conversations", "messages", "written", "known", "skipped")
    return {name: getattr(seen.progress, name) for name in counts}


def _sentence(seen: _Seen, choice: SystemChoice) -> str:
    done = seen.progress
    whole = f"{counted(done.conversations, 'conversation')} in {counted(done.rows, 'row')}"
    bad = f"; {done.skipped} can't be imported" if done.skipped else ""
    if choice.dry_run:
        return f"Would import {counted(done.messages - done.skipped, 'message')} of {whole}{bad}."
    known = f" ({done.known} were there already)" if done.known else ""
    return f"Imported {counted(done.written, 'message')}{known} of {whole}{bad}."


class LangGraphChoice(NamedTuple):
    """The command line of an import from LangGraph's database."""

    url: str
    tenant: str
    user: str | None
    user_key: str
    allow: Sequence[str]
    own_items: bool = False
    dry_run: bool = False
    json: bool = False


@dataclass
class _GraphCounts:
    """The progress of an import from LangGraph."""

    threads: int = 0
    checkpoints: int = 0
    written: int = 0
    users: set[str] = field(default_factory=set[str])
    left_out: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    items: int = 0
    written_items: int = 0
    other_items: int = 0
    owned_items: int = 0


def import_from_langgraph(choice: LangGraphChoice, settings: Settings) -> None:
    """Copy checkpoints and items, report the results, and exit with status 1 if something was left out."""
    done = asyncio.run(_import_graphs(choice, settings))
    outcome = {**vars(done), "users": len(done.users), "left_out": [thread for thread, _ in done.left_out]}
    print_outcome(choice.json, outcome, "\n".join(_graph_sentences(done, choice)))
    for thread, problem in done.left_out:
        typer.echo(f"Left out: the thread {thread!r}: {problem}. Import it with --user.", err=True)
    if done.other_items:
        typer.echo(f"Left alone: {done.other_items} items that have another value here.", err=True)
    if done.left_out or done.other_items:
        raise typer.Exit(1)


def _graph_sentences(done: _GraphCounts, choice: LangGraphChoice) -> Iterator[str]:
    known = done.checkpoints - done.written
    if choice.dry_run:
        yield f"Would import {done.threads} threads, {done.checkpoints} checkpoints, {done.items} items."
    else:
        yield f"Imported {done.threads} threads, {done.written} checkpoints; {known} checkpoints were there already."
    if done.items and not choice.dry_run:
        known = done.items - done.written_items - done.other_items
        yield f"Imported {done.written_items} items of the store; {known} were there already."
    if len(done.users) > 1:
        yield f"The threads are those of {len(done.users)} users."
    if done.items and choice.own_items:
        yield f"{done.owned_items} items are in the stores of users, {done.items - done.owned_items} in the tenant's."


async def _import_graphs(choice: LangGraphChoice, settings: Settings) -> _GraphCounts:
    with needing("Reading LangGraph's databases", "langgraph"):
        from recuerdo.integrations.langgraph import RecuerdoSaver
        from recuerdo.integrations.langgraph.importing import import_items, import_threads, open_source

    types = [tuple(each.split(":", 1)) for each in choice.allow]
    user_key = None if choice.user else choice.user_key
    url = "memory://" if choice.dry_run else settings.database_url
    keys = None if choice.dry_run else settings.encryption_keys
    done = _GraphCounts()
    with progress_bar("Importing") as bar:
        async with (
            open_source(choice.url, types) as theirs,
            Recuerdo.open(url, embeddings="none", encryption_key=keys) as memory,
        ):
            saver = RecuerdoSaver(memory, tenant=choice.tenant, user=choice.user or ANONYMOUS, allow=types)
            async for thread in import_threads(theirs, saver, user_key, dry_run=choice.dry_run):
                if thread.problem:
                    done.left_out.append((thread.thread, thread.problem))
                    continue
                done.users.add(thread.user)
                done.threads += 1
                done.checkpoints += thread.checkpoints
                done.written += thread.written
                bar.show(f"{done.threads} threads, {done.checkpoints} checkpoints")
            scope = StoreScope(choice.tenant, choice.user or "")
            users = done.users - {ANONYMOUS} if choice.own_items and not choice.user else set[str]()
            async for page in import_items(theirs, memory.items, scope, users, dry_run=choice.dry_run):
                done.items += page.items
                done.written_items += page.written
                done.other_items += page.others
                done.owned_items += page.owned
                bar.show(f"{done.items} items")
    return done
