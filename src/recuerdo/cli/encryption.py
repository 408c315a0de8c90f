"""`recuerdo encryption`: the keys that texts are encrypted with."""

from contextlib import AbstractAsyncContextManager
from typing import Annotated

import typer

from recuerdo.app.encrypting import open_data_keys, read_master_keys
from recuerdo.app.settings import Settings, read_settings
from recuerdo.cli.terminal import Database, ask, print_table, say
from recuerdo.core.errors import ConfigurationError, needing
from recuerdo.core.ports import DataKeyRepository
from recuerdo.history.history import utc_now

app = typer.Typer(no_args_is_help=True)


@app.command()
def key() -> None:
    """Print a new master key, for RECUERDO_ENCRYPTION_KEY or a file. It is stored nowhere: keep it safe."""
    with needing("Encryption", "encryption"):
        from recuerdo.encryption.ciphers import new_master_key
    typer.echo(new_master_key())


@app.command()
def status(database_url: Database = None) -> None:
    """Show how many data keys there are, and which master keys wrap them. Exit status 1 if one is missing."""
    settings = read_settings(database_url=database_url)
    with needing("Encryption", "encryption"):
        from recuerdo.encryption import rotation
    found = ask(_opening(settings), rotation.status)
    if not found.wrapped_by:
        say("Nothing is encrypted in this database.")
        return
    text = settings.encryption_keys
    masters = read_master_keys(text) if text is not None else None
    states = dict.fromkeys(masters.ids, "set") if masters else {}
    if masters:
        states[masters.first] = "current"
    rows = [(master, str(count), states.get(master, "missing")) for master, count in found.wrapped_by.items()]
    print_table(("master key", "data keys", "state"), rows)
    say(f"Tenants with a data key: {found.tenants}.")
    if any(master not in states for master in found.wrapped_by):
        say("Set RECUERDO_ENCRYPTION_KEY to all master keys that are missing here: what they wrap can't be read.")
        raise typer.Exit(1)


@app.command()
def rotate(
    data_keys: Annotated[
        bool, typer.Option("--data-keys", help="Also give each tenant a new data key, for texts that come.")
    ] = False,
    database_url: Database = None,
) -> None:
    """Wrap all data keys by the first of the master keys. Afterwards the others can be removed."""
    settings = read_settings(database_url=database_url)
    text = settings.encryption_keys
    if text is None:
        raise ConfigurationError("Set RECUERDO_ENCRYPTION_KEY to the new master key, a comma, and the old one.")
    masters = read_master_keys(text)
    with needing("Encryption", "encryption"):
        from recuerdo.encryption import rotation
    done = ask(_opening(settings), lambda keys: rotation.rotate(keys, masters, utc_now, add=data_keys))
    say(f"Wrapped {done.wrapped} data keys by the master key {masters.first}, and added {done.added}.")


def _opening(settings: Settings) -> AbstractAsyncContextManager[DataKeyRepository]:
    return open_data_keys(settings.database_url)
