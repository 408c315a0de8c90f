"""`recuerdo encryption`: the keys that texts are encrypted with."""

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Annotated

import typer

from recuerdo.app.encrypting import ExistingTexts, open_data_keys, open_existing_texts, read_master_keys
from recuerdo.app.settings import Settings, read_settings
from recuerdo.cli import flags
from recuerdo.cli.terminal import ask, print_found, print_json, print_outcome, print_table, progress_bar, say
from recuerdo.core.encryption_ports import DataKeyRepository
from recuerdo.core.errors import ConfigurationError, needing
from recuerdo.history.history import utc_now

if TYPE_CHECKING:
    from recuerdo.encryption.existing import EncryptionProgress

app = typer.Typer(no_args_is_help=True)


@app.command()
def key() -> None:
    """Print a new master key, for RECUERDO_ENCRYPTION_KEY or a file. It is stored nowhere: keep it safe."""
    with needing("Encryption", "encryption"):
        from recuerdo.encryption.ciphers import new_master_key
    typer.echo(new_master_key())


@app.command()
def status(json: flags.AsJson = False, database_url: flags.Database = None) -> None:
    """Show how many data keys there are, and which master keys wrap them. Exit status 1 if one is missing."""
    settings = read_settings(database_url=database_url)
    with needing("Encryption", "encryption"):
        from recuerdo.encryption import rotation
    found = ask(_opening(settings), rotation.status)
    if not found.wrapped_by and not json:
        say("Nothing is encrypted in this database.")
        return
    text = settings.encryption_keys
    masters = read_master_keys(text) if text is not None else None
    states = dict.fromkeys(masters.ids, "set") if masters else {}
    if masters:
        states[masters.first] = "current"
    rows = [(master, count, states.get(master, "missing")) for master, count in found.wrapped_by.items()]
    if json:
        names = ("master_key", "data_keys", "state")
        print_json({"tenants": found.tenants, "master_keys": [dict(zip(names, row, strict=True)) for row in rows]})
    else:
        print_table(("master key", "data keys", "state"), rows)
        say(f"Tenants with a data key: {found.tenants}.")
    if any(master not in states for master in found.wrapped_by):
        say("Set RECUERDO_ENCRYPTION_KEY to all master keys that are missing here: what they wrap can't be read.")
        raise typer.Exit(1)


@app.command()
def rotate(
    data_keys: Annotated[
        bool, typer.Option("--data-keys", help="Also give each tenant a new data key, for new texts.")
    ] = False,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
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
    sentence = f"Wrapped {done.wrapped} data keys by the master key {masters.first}, and added {done.added}."
    print_outcome(json, {"master_key": masters.first, "wrapped": done.wrapped, "added": done.added}, sentence)


@app.command()
def encrypt_existing(
    tenant: Annotated[str | None, typer.Option(help="Only this tenant. Default: all.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would be encrypted.")] = False,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """Encrypt texts that are in the database already, with the newest data keys, while it is in use.

    It may be interrupted and repeated. Exit status 1 if something is left.
    """
    settings = read_settings(database_url=database_url)
    opening = open_existing_texts(settings.database_url, settings.encryption_keys)
    counts, is_forgotten = ask(opening, lambda existing: _encrypt(existing, tenant, dry_run=dry_run))
    columns = ("tenant", "kind", "rows", "to encrypt" if dry_run else "encrypted", "damaged", "busy")
    print_found(json, [each._asdict() for each in counts], columns, counts)
    if not is_forgotten:
        say("Others use the database's log, which may still have plain texts: stop them, and repeat this.")
    if any(each.damaged or each.busy for each in counts):
        say("Rows are left: `recuerdo db check` names damaged ones, and busy ones are encrypted when this is repeated.")
        raise typer.Exit(1)


async def _encrypt(
    existing: ExistingTexts, tenant: str | None, *, dry_run: bool
) -> tuple[list["EncryptionProgress"], bool]:
    from recuerdo.encryption.existing import seal_existing

    found: dict[tuple[str, str], EncryptionProgress] = {}
    tenants = await existing.tenants(tenant)
    with progress_bar("Counting" if dry_run else "Encrypting", total=max(1, len(tenants))) as bar:
        async for each in seal_existing(existing.texts, existing.keyring, tenants, dry_run=dry_run):
            found[each.tenant, each.kind] = each
            bar.show(f"{each.tenant}: {each.kind} {each.rows}", tenants.index(each.tenant))
    return [*found.values()], dry_run or await existing.forget_plain()


def _opening(settings: Settings) -> AbstractAsyncContextManager[DataKeyRepository]:
    return open_data_keys(settings.database_url)
