"""`recuerdo threads`: list, show, export, import and prune threads."""

from collections.abc import Iterator
from contextlib import aclosing
from datetime import datetime
from typing import Annotated, Any, NamedTuple

import typer

from recuerdo.app.operations import Operations
from recuerdo.cli import flags
from recuerdo.cli.opening import open_database
from recuerdo.cli.terminal import (
    InputFile,
    ProgressBar,
    ask,
    counted,
    minute,
    print_found,
    print_json,
    print_outcome,
    print_table,
    progress_bar,
    say,
    source,
    written,
)
from recuerdo.core.messages import decode_all
from recuerdo.core.retention import parse_age
from recuerdo.core.scope import Scope, check_id
from recuerdo.core.threads import MessageQuery, Thread
from recuerdo.history.damage import UnreadList
from recuerdo.history.history import utc_now
from recuerdo.history.iteration import OwnerFilter, threads_of
from recuerdo.history.lines import Checked, check, lines_of

app = typer.Typer(no_args_is_help=True)


@app.command("list")
def list_threads(
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    user: flags.AnyUser = None,
    limit: flags.Limit = 50,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """List threads, the most recently changed first for each user."""
    choice = _choice(tenant, user)
    found = ask(open_database(database_url), lambda operations: _list(operations, choice, limit))
    rows = [(s.user, s.thread, t.message_count, minute(t.updated_at), t.title) for s, t in found]
    described = [_described(scope, thread) for scope, thread in found]
    print_found(json, described, ("user", "thread", "messages", "changed", "title"), rows)


@app.command()
def show(
    thread: Annotated[str, typer.Argument(help="The thread's id.")],
    tenant: Annotated[str, typer.Option(help="The thread's tenant.")] = flags.LOCAL_TENANT,
    user: Annotated[str, typer.Option(help="The thread's user.")] = flags.LOCAL_USER,
    limit: flags.Limit = 20,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """Show a thread's last messages, archived ones included."""
    scope = Scope(tenant, user, thread)
    found, messages = ask(open_database(database_url), lambda operations: _show(operations, scope, limit))
    if json:
        print_json(_described(scope, found) | {"messages": messages})
    else:
        print_table(("", ""), [(name, value) for name, value in _described(scope, found).items()])
        rows = [(each.seq, each.role, "archived" if each.archived else "", each.text) for each in messages]
        print_table(("seq", "role", "", "text"), rows)


@app.command("export")
def export_threads(
    file: flags.File = "-",
    tenant: flags.AnyTenant = None,
    user: flags.AnyUser = None,
    thread: flags.AnyThread = None,
    database_url: flags.Database = None,
) -> None:
    """Write threads to a file, one JSON line per message."""
    choice = _choice(tenant, user, thread)
    exported = ask(open_database(database_url), lambda operations: _export(operations, choice, file))
    say(f"Exported {_counted(exported.threads, exported.messages)}.")
    if exported.damaged:
        say(f"{exported.damaged} of the messages can't be read: an empty one, archived, stands in the place of each.")
    if exported.unread:
        say("Threads are missing, because lists of them can't be read.")
    if exported.damaged or exported.unread:
        raise typer.Exit(1)


@app.command("import")
def import_threads(
    file: flags.File = "-",
    json: flags.AsJson = False,
    database_url: flags.Database = None,
    cache_url: flags.CacheUrl = None,
) -> None:
    """Import threads from a file. Existing messages are skipped."""
    opening = open_database(database_url, cache_url)
    with source(file) as opened:
        with progress_bar("Checking", total=opened.size) as bar:
            checked = check(_shown(opened, bar))
        written_now, known = ask(opening, lambda operations: _import(operations, opened, checked))
    counts = {"threads": checked.threads, "messages": written_now, "known": known}
    print_outcome(
        json, counts, f"Imported {_counted(checked.threads, written_now)}; {known} messages were there already."
    )


@app.command()
def prune(
    older_than: Annotated[str, typer.Option(help="The minimum time since the last message: 90d, 12h, 4w.")],
    tenant: flags.AnyTenant = None,
    user: flags.AnyUser = None,
    archived_only: Annotated[
        bool, typer.Option("--archived-only", help="Only threads in which every message is archived.")
    ] = False,
    dry_run: flags.DryRun = False,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
    cache_url: flags.CacheUrl = None,
) -> None:
    """Delete threads that have not been used for a long time, with their messages."""
    unused_since = utc_now() - parse_age("--older-than", older_than)
    choice, opening = _choice(tenant, user), open_database(database_url, cache_url)
    threads, messages = ask(
        opening, lambda operations: _prune(operations, choice, unused_since, archived_only, dry_run)
    )
    counts = {"threads": threads, "messages": messages, "dry_run": dry_run}
    print_outcome(json, counts, f"{'Would delete' if dry_run else 'Deleted'} {_counted(threads, messages)}.")


async def _list(operations: Operations, choice: OwnerFilter, limit: int) -> list[tuple[Scope, Thread]]:
    found: list[tuple[Scope, Thread]] = []
    async with aclosing(threads_of(operations.threads, choice)) as walk:
        async for each in walk:
            found.append(each)
            if len(found) == limit:
                break
    return found


async def _show(operations: Operations, scope: Scope, limit: int) -> tuple[Thread, list[Any]]:
    thread = await operations.history.thread(scope)
    page = await operations.history.page(scope, MessageQuery(limit=limit, archived=None))
    return thread, decode_all(page.records)


class _Counts(NamedTuple):
    threads: int
    messages: int
    damaged: int
    unread: int


async def _export(operations: Operations, choice: OwnerFilter, name: str) -> _Counts:
    threads = messages = unread = 0
    damaged = set[tuple[int, int]]()
    with written(name) as file, progress_bar("Exporting") as bar:
        async for piece in operations.transfer.export(choice):
            file.write(piece.data)
            threads += piece.threads
            messages += piece.messages
            if isinstance(piece.damage, UnreadList):
                unread += 1
                say(f"Damaged: {piece.damage.place}: {piece.damage.damage}")
            elif piece.damage is not None:
                damaged.add((piece.damage.epoch, piece.damage.seq))  # a thread that is in use may be exported twice
                say(f"Damaged: {piece.damage.place}: {piece.damage.problem}")
            bar.show(_counted(threads, messages))
    return _Counts(threads, messages, len(damaged), unread)


async def _import(operations: Operations, opened: InputFile, checked: Checked) -> tuple[int, int]:
    """Returns the numbers of new and of existing messages."""
    written_now = known = 0
    with progress_bar("Importing", total=max(1, checked.messages)) as bar:
        async for part in operations.transfer.import_from(lines_of(opened.from_start()), checked):
            written_now += part.written
            known += part.known
            bar.show(f"{written_now + known} messages", written_now + known)
    return written_now, known


async def _prune(
    operations: Operations, choice: OwnerFilter, unused_since: datetime, archived_only: bool, dry_run: bool
) -> tuple[int, int]:
    threads = messages = 0
    pruned = operations.retention.prune(choice, unused_since, archived_only=archived_only, dry_run=dry_run)
    with progress_bar("Looking" if dry_run else "Deleting") as bar:
        async for each in pruned:
            threads += 1
            messages += each.messages
            bar.show(_counted(threads, messages))
    return threads, messages


def _shown(opened: InputFile, bar: ProgressBar) -> Iterator[bytes]:
    for number, line in enumerate(lines_of(opened.from_start())):
        if number % 1000 == 0:
            bar.show(f"{number} lines", opened.place)
        yield line


def _choice(tenant: str | None, user: str | None, thread: str | None = None) -> OwnerFilter:
    for field, value in (("--tenant", tenant), ("--user", user), ("--thread", thread)):
        if value is not None:
            check_id(field, value)
    return OwnerFilter(tenant, user, thread)


def _described(scope: Scope, thread: Thread) -> dict[str, Any]:
    shown = ("id", "title", "version", "message_count", "created_at", "updated_at")
    about = {name: getattr(thread, name) for name in shown}
    return {"tenant": scope.tenant, "user": scope.user, **about, "version": str(thread.version)}


def _counted(threads: int, messages: int) -> str:
    return f"{counted(threads, 'thread')}, {counted(messages, 'message')}"
