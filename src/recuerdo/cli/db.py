"""`recuerdo db`: the tables of the database."""

import asyncio
from typing import Annotated

import typer

from recuerdo import operations
from recuerdo.cli.asking import ask
from recuerdo.cli.options import Database
from recuerdo.cli.progress import progress_bar
from recuerdo.core.errors import Damaged, DamagedMessage, needing
from recuerdo.core.scope import ANONYMOUS, Scope
from recuerdo.history.damage import DamageCheck
from recuerdo.history.walks import Choice
from recuerdo.settings import read_settings

app = typer.Typer(no_args_is_help=True, help="Bring the tables up to date, or see whether they are.")


@app.command()
def upgrade(database_url: Database = None) -> None:
    """Bring the tables up to date. Every start does so too, where the role may."""
    ran = asyncio.run(operations.upgrade(read_settings(database_url=database_url).database_url))
    for name in ran:
        typer.echo(f"Ran {name}")
    typer.echo("The tables are up to date.")


@app.command()
def check(
    deep: Annotated[bool, typer.Option("--deep", help="Read every message too, and name the damaged ones.")] = False,
    database_url: Database = None,
) -> None:
    """Say what an upgrade would run and what is damaged, and change nothing; exit status 1 when there is something."""
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


async def _look(opened: DamageCheck) -> int:
    """Name what is damaged, and how much was read; how many that are."""
    threads = messages = damaged = 0
    with progress_bar("Checking") as bar:
        async for each in opened.run(Choice()):
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
    source: Annotated[str, typer.Option("--from", help="The database that LangGraph's own saver wrote.")],
    database_url: Database = None,
    tenant: Annotated[str, typer.Option(help="Whose threads they become.")] = "default",
    user: Annotated[str, typer.Option(help="Whose threads they become.")] = ANONYMOUS,
    allow: Annotated[list[str] | None, typer.Option(help="A type in the states, as module:Class.")] = None,
) -> None:
    """Copy LangGraph's checkpoints into the database, and compare each. What is there already is not written again."""
    types = [tuple(each.split(":", 1)) for each in allow or []]
    url = read_settings(database_url=database_url).database_url
    threads, checkpoints, written = asyncio.run(_import(source, url, tenant, user, types))
    known = checkpoints - written
    typer.echo(f"Imported {threads} threads, {written} checkpoints; {known} checkpoints were there already.")


async def _import(source: str, url: str, tenant: str, user: str, types: list[tuple[str, ...]]) -> tuple[int, int, int]:
    with needing("Reading LangGraph's databases", "langgraph"):
        from recuerdo.integrations.langgraph import RecuerdoSaver
        from recuerdo.integrations.langgraph.importing import import_threads, open_source

    opening = RecuerdoSaver.from_conn_string(url, tenant=tenant, user=user, allow=types)
    threads = checkpoints = written = 0
    with progress_bar("importing") as bar:
        async with open_source(source, types) as theirs, opening as ours:
            async for done in import_threads(theirs, ours):
                threads, checkpoints, written = threads + 1, checkpoints + done.checkpoints, written + done.written
                bar.show(f"{threads} threads, {checkpoints} checkpoints")
    return threads, checkpoints, written
