"""The command line as a whole. Commands are imported when they are used, so that `recuerdo --help` starts quickly."""

from collections.abc import Collection
from importlib import import_module
from typing import Annotated

import typer

from recuerdo import __version__

COMMANDS = {
    "serve": ("running:serve", "Serve the HTTP API and the page."),
    "worker": ("running:worker", "Execute the actions that servers and other programs enqueue."),
    "chat": ("running:chat", "Chat in the terminal; end with Ctrl-D."),
    "mcp": ("running:mcp", "Serve a user's memories to one agent that speaks MCP over standard input and output."),
    "threads": ("threads:app", "List, show, export, import and prune threads."),
    "memories": ("memories:app", "List, search, audit, review, export, import and erase memories."),
    "import": ("importing:import_from_elsewhere", "Import the export of a service, or another system's database."),
    "agents": ("agents:app", "List, make, change and remove assistants, of a tenant or of a user."),
    "docs": ("documents:app", "Add, list and remove the documents that agents search."),
    "actions": ("operations:actions", "List dead letters, the actions that failed for good, and retry them."),
    "retention": ("operations:retention", "Delete threads, checkpoints and memories that the policy no longer keeps."),
    "demo": ("demo:demo", "Fill the database with a world to look around in."),
    "doctor": ("doctor:doctor", "Examine what a server needs: database, cache, models, disk, address."),
    "db": ("operations:db", "Update the tables of the database, and check it."),
    "cache": ("operations:cache", "Fill the shared cache, and show its statistics."),
    "backup": ("backups:backup", "Copy a SQLite database while it is in use, and check the copy."),
    "restore": ("backups:restore", "Restore a backup in the place of a SQLite database that is not in use."),
    "encryption": ("encryption:app", "Make and rotate the keys that texts are encrypted with."),
    "audit": ("auditing:audit", "List the audit log of a tenant: who did what, the latest first."),
    "token": ("token:app", "Create, list and revoke API keys."),
}
"""Where each command is defined, and its help."""


def application(imported: Collection[str] = tuple(COMMANDS)) -> typer.Typer:
    """The command line with these commands; the others appear in the help and do nothing."""
    app = typer.Typer(name="recuerdo", no_args_is_help=True, pretty_exceptions_enable=False)
    app.callback()(recuerdo)
    app.command()(version)
    for name, (place, summary) in COMMANDS.items():
        module, _, attribute = place.partition(":")
        command = getattr(import_module(f"recuerdo.cli.{module}"), attribute) if name in imported else _not_imported
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, help=summary)
        else:
            app.command(name, help=summary)(command)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


def recuerdo(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """The memory of conversational agents."""


def version() -> None:
    """Print the version."""
    _print_version(True)


def _not_imported() -> None:
    """Stands for a command in the help."""
