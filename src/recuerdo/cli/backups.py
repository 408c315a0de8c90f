"""`recuerdo backup` and `restore`: copies of a SQLite database."""

from pathlib import Path
from typing import Annotated

import typer

from recuerdo.app import operations
from recuerdo.app.settings import read_settings
from recuerdo.cli import flags
from recuerdo.cli.terminal import print_json


def backup(
    file: Annotated[Path, typer.Argument(help="The new file.")],
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """Copy a SQLite database while it is in use, and check the copy."""
    held = operations.back_up(read_settings(database_url=database_url).database_url, file)
    _print(f"Wrote {file}", held, json)


def restore(
    file: Annotated[Path, typer.Argument(help="The file that `recuerdo backup` has written.")],
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite the existing database.")] = False,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """Restore a backup in the place of a SQLite database that is not in use."""
    held = operations.restore(file, read_settings(database_url=database_url).database_url, replace=replace)
    _print(f"Restored {file}", held, json)


def _print(done: str, held: operations.BackupCounts, json: bool) -> None:
    if json:
        print_json(held._asdict())
    else:
        typer.echo(f"{done}: {held.threads} threads, {held.messages} messages, {held.bytes / 2**20:.1f} MiB.")
