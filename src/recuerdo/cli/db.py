"""`recuerdo db`: the tables of the database."""

import asyncio
from dataclasses import dataclass, field
from typing import Annotated

import typer

from recuerdo.app import operations
from recuerdo.app.recuerdo import Recuerdo
from recuerdo.app.settings import read_settings
from recuerdo.checkpoints.damage import CheckpointCheck
from recuerdo.cli.options import Database
from recuerdo.cli.terminal import ask, progress_bar
from recuerdo.core.errors import Damaged, DamagedMessage, DamagedRow, needing
from recuerdo.core.items import StoreScope
from recuerdo.core.scope import ANONYMOUS, Scope
from recuerdo.history.damage import DamageCheck
from recuerdo.history.iteration import OwnerFilter

app = typer.Typer(no_args_is_help=True)


@app.command()
def upgrade(database_url: Database = None) -> None:
    """Update the tables. Each start does so too, if the database role is allowed to."""
    ran = asyncio.run(operations.upgrade(read_settings(database_url=database_url).database_url))
    for name in ran:
        typer.echo(f"Ran {name}")
    typer.echo("The tables are up to date.")


@app.command()
def check(
    deep: Annotated[
        bool, typer.Option("--deep", help="Also read every message and checkpoint, and report damaged ones.")
    ] = False,
    database_url: Database = None,
) -> None:
    """Report pending migrations and damage, without changing anything. Exit status 1 if there are any."""
    url = read_settings(database_url=database_url).database_url
    pending = asyncio.run(operations.pending(url))
    for name in pending:
        typer.echo(f"Pending: {name}")
    faults = asyncio.run(operations.faults(url, thorough=deep))
    for fault in faults:
        typer.echo(f"Damaged: {fault}")
    if pending:
        typer.echo("Run `recuerdo db upgrade`.")
        raise typer.Exit(1)
    typer.echo("The tables are up to date.")
    damaged = ask(operations.open_damage_check(url), _look) if deep else 0
    if faults or damaged:
        typer.echo("Keep a copy of the database, and restore what is damaged from a backup.")
        raise typer.Exit(1)


async def _look(opened: operations.DamageChecks) -> int:
    """Print what is damaged, and totals. Returns how many rows are damaged."""
    return await _look_at_messages(opened.messages) + await _look_at_checkpoints(opened.checkpoints)


async def _look_at_checkpoints(check: CheckpointCheck | None) -> int:
    checkpoints = damaged = 0
    if check is None:
        return 0
    with progress_bar("Checking") as bar:
        async for each in check.run():
            checkpoints += each.checkpoints
            bar.show(f"{checkpoints} checkpoints")
            if each.owner is not None:
                damaged += 1
                typer.echo(f"Damaged: tenant {each.owner.tenant!r}, user {each.owner.user!r}, {_row(each.damage)}")
    typer.echo(f"Read {checkpoints} checkpoints: {damaged} damaged rows.")
    return damaged


def _row(damage: Damaged | None) -> str:
    return f"{damage.what} {damage.identifier!r}" if isinstance(damage, DamagedRow) else str(damage)


async def _look_at_messages(check: DamageCheck) -> int:
    threads = messages = damaged = 0
    with progress_bar("Checking") as bar:
        async for each in check.run(OwnerFilter()):
            threads, messages = threads + each.threads, messages + each.messages
            bar.show(f"{threads} threads, {messages} messages")
            if each.damage is not None:
                damaged += 1
                typer.echo(f"Damaged: {_described(each.scope, each.damage)}")
    typer.echo(f"Read {messages} messages of {threads} threads: {damaged} damaged.")
    return damaged


def _described(scope: Scope | None, damage: Damaged) -> str:
    if scope is None or not isinstance(damage, DamagedMessage):
        return f"the list of threads, which was not read to its end: {damage}"
    return f"tenant {scope.tenant!r}, user {scope.user!r}, {damage.place}: {damage.problem}"


@app.command("import-langgraph")
def import_langgraph(
    source: Annotated[str, typer.Option("--from", help="The database of LangGraph's own saver or store.")],
    database_url: Database = None,
    tenant: Annotated[str, typer.Option(help="The new owner's tenant.")] = "default",
    user: Annotated[
        str | None, typer.Option(help="Whose they all become. Without it threads are their metadata's user's.")
    ] = None,
    user_key: Annotated[str, typer.Option(help="Under which name the metadata have the user.")] = "user_id",
    allow: Annotated[list[str] | None, typer.Option(help="A type in the states, as module:Class.")] = None,
) -> None:
    """Copy LangGraph's checkpoints and items into the database, and compare each. What is there already stays."""
    types = [tuple(each.split(":", 1)) for each in allow or []]
    url = read_settings(database_url=database_url).database_url
    done = asyncio.run(_import(source, url, tenant, user, None if user else user_key, types))
    known = done.checkpoints - done.written
    typer.echo(f"Imported {done.threads} threads, {done.written} checkpoints; {known} checkpoints were there already.")
    if len(done.users) > 1:
        typer.echo(f"The threads are those of {len(done.users)} users.")
    if done.items:
        known = done.items - done.written_items - done.other_items
        typer.echo(f"Imported {done.written_items} items of the store; {known} were there already.")
    for thread, problem in done.left_out:
        typer.echo(f"Left out: the thread {thread!r}: {problem}. Import it with --user.", err=True)
    if done.other_items:
        typer.echo(f"Left alone: {done.other_items} items that have another value here.", err=True)
    if done.left_out or done.other_items:
        raise typer.Exit(1)


@dataclass
class _ImportCounts:
    """What an import has done so far."""

    threads: int = 0
    checkpoints: int = 0
    written: int = 0
    users: set[str] = field(default_factory=set[str])
    left_out: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    items: int = 0
    written_items: int = 0
    other_items: int = 0


async def _import(
    source: str, url: str, tenant: str, user: str | None, user_key: str | None, types: list[tuple[str, ...]]
) -> _ImportCounts:
    with needing("Reading LangGraph's databases", "langgraph"):
        from recuerdo.integrations.langgraph import RecuerdoSaver
        from recuerdo.integrations.langgraph.importing import import_items, import_threads, open_source

    done = _ImportCounts()
    with progress_bar("importing") as bar:
        async with open_source(source, types) as theirs, Recuerdo.open(url, embeddings="none") as memory:
            saver = RecuerdoSaver(memory, tenant=tenant, user=user or ANONYMOUS, allow=types)
            async for thread in import_threads(theirs, saver, user_key):
                if thread.problem:
                    done.left_out.append((thread.thread, thread.problem))
                    continue
                done.users.add(thread.user)
                done.threads += 1
                done.checkpoints += thread.checkpoints
                done.written += thread.written
                bar.show(f"{done.threads} threads, {done.checkpoints} checkpoints")
            async for page in import_items(theirs, memory.items, StoreScope(tenant, user or "")):
                done.items += page.items
                done.written_items += page.written
                done.other_items += page.others
                bar.show(f"{done.items} items")
    return done
