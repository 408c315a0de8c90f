"""`recuerdo db`: the tables of the database."""

import asyncio

import typer

from recuerdo import operations
from recuerdo.cli.options import Database
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
def check(database_url: Database = None) -> None:
    """Say what an upgrade would run, and change nothing; exit status 1 when there is something."""
    pending = asyncio.run(operations.pending(read_settings(database_url=database_url).database_url))
    for name in pending:
        typer.echo(f"Pending: {name}")
    if pending:
        typer.echo("Run `recuerdo db upgrade`.")
        raise typer.Exit(1)
    typer.echo("The tables are up to date.")
