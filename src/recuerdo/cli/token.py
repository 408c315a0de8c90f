"""`recuerdo token`: API keys for programs."""

from contextlib import AbstractAsyncContextManager
from typing import Annotated, Any

import typer

from recuerdo.app.operations import RecordedKeys, open_api_keys
from recuerdo.app.settings import listed, read_settings
from recuerdo.cli import flags
from recuerdo.cli.terminal import ask, minute, print_found, print_json, print_outcome, say
from recuerdo.core.api_keys import FULL, ApiKey, IssuedKey, issue, successor
from recuerdo.core.errors import Conflict, NotFound
from recuerdo.core.retention import parse_age
from recuerdo.core.roles import DEFAULT_ROLE
from recuerdo.core.scope import Owner, check_id
from recuerdo.history.history import utc_now

app = typer.Typer(no_args_is_help=True)


@app.command()
def create(
    user: Annotated[str, typer.Option(help="The user that the key acts as.")],
    tenant: Annotated[str, typer.Option(help="The user's tenant.")] = flags.LOCAL_TENANT,
    role: Annotated[str, typer.Option(help="The role: `user`, `editor`, `admin`, `operator`.")] = DEFAULT_ROLE,
    tier: Annotated[str | None, typer.Option(help="The service tier.")] = None,
    name: Annotated[str, typer.Option(help="A name by which you recognise the key.")] = "",
    scopes: Annotated[
        str, typer.Option(help="The key's scopes, within what its role allows: `read`, or `write,memories:read`.")
    ] = ",".join(FULL),
    expires_in: Annotated[str | None, typer.Option(help="The lifetime: 12h, 90d, 52w.")] = None,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """Create an API key and print its secret, which is shown only once and not stored."""
    now = utc_now()
    expires_at = now + parse_age("--expires-in", expires_in) if expires_in else None
    owner, narrowed = Owner(tenant, user), listed(scopes)
    issued = issue(owner, now, name=name, role=role, tier=tier, expires_at=expires_at, scopes=narrowed)

    async def add(opened: RecordedKeys) -> None:
        await opened.keys.add(issued.key)
        opened.record("key.created", tenant, issued.key.id, user=user, granted=role)

    ask(_opening(database_url), add)
    about = f"The key {issued.key.id} acts as the user {user} of the tenant {tenant}. Its secret is shown only now:"
    _show_secret(json, issued, about)


@app.command("list")
def list_keys(
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    user: Annotated[str | None, typer.Option(help="Only this user.")] = None,
    limit: flags.Limit = 50,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """List a tenant's API keys without their secrets, the latest first."""
    check_id("--tenant", tenant)
    keys = ask(_opening(database_url), lambda opened: opened.keys.select(tenant, user, limit))
    rows = [(k.id, k.owner.user, *_rights(k), k.name, minute(k.created_at), _last_use(k), _state(k)) for k in keys]
    columns = ("id", "user", "role", "tier", "scopes", "name", "made", "used", "state")
    print_found(json, [_described(key) for key in keys], columns, rows)


@app.command()
def rotate(
    key: Annotated[str, typer.Argument(help="The key's id, as `recuerdo token list` shows it.")],
    tenant: Annotated[str, typer.Option(help="The key's tenant.")] = flags.LOCAL_TENANT,
    overlap: Annotated[str, typer.Option(help="How long the old key stays valid: 12h, 7d.")] = "24h",
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """Replace an API key by one with a new secret, which is printed. The old key stays valid for a while."""
    check_id("--tenant", tenant)
    check_id("key", key)
    now = utc_now()
    until = now + parse_age("--overlap", overlap)

    async def replaced(opened: RecordedKeys) -> IssuedKey:
        old = await opened.keys.get(tenant, key)
        if old is None:
            raise NotFound("API key", key)
        new = successor(old, now)
        if not await opened.keys.rotate(key, new.key, until):
            raise Conflict("The key was rotated or revoked meanwhile. List the keys, and rotate the current one.")
        opened.record("key.rotated", tenant, key, successor=new.key.id)
        return new

    issued = ask(_opening(database_url), replaced)
    about = f"The key {issued.key.id} replaces {key}, which is valid until {minute(until)} at the latest. Its secret:"
    _show_secret(json, issued, about)


@app.command()
def revoke(
    key: Annotated[str, typer.Argument(help="The key's id, as `recuerdo token list` shows it.")],
    tenant: Annotated[str, typer.Option(help="The key's tenant.")] = flags.LOCAL_TENANT,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """Revoke an API key. Servers refuse it within 2 seconds."""
    check_id("--tenant", tenant)
    check_id("key", key)

    async def end(opened: RecordedKeys) -> None:
        if not await opened.keys.revoke(tenant, key, utc_now()):
            raise NotFound("API key", key)
        opened.record("key.revoked", tenant, key)

    ask(_opening(database_url), end)
    print_outcome(json, {"revoked": key}, f"Revoked {key}.")


def _opening(database_url: str | None) -> AbstractAsyncContextManager[RecordedKeys]:
    return open_api_keys(read_settings(database_url=database_url).database_url)


def _show_secret(json: bool, issued: IssuedKey, sentence: str) -> None:
    """Print the secret alone to standard output, for a shell to keep in a variable; with `json` the whole key."""
    if json:
        print_json(_described(issued.key) | {"secret": issued.secret})
    else:
        say(sentence)
        typer.echo(issued.secret)


def _described(key: ApiKey) -> dict[str, Any]:
    shown = (
        *("id", "name", "role", "tier", "scopes", "created_at", "expires_at", "revoked_at"),
        *("last_used_at", "replaced_by"),
    )
    return {"tenant": key.owner.tenant, "user": key.owner.user} | {name: getattr(key, name) for name in shown}


def _rights(key: ApiKey) -> tuple[str, str, str]:
    return key.role, key.tier or "", " ".join(key.scopes)


def _last_use(key: ApiKey) -> str:
    return minute(key.last_used_at) if key.last_used_at else "never"


def _state(key: ApiKey) -> str:
    if key.revoked_at:
        return f"revoked {minute(key.revoked_at)}"
    if key.expires_at is None:
        return "good"
    return f"{'good until' if key.is_good(utc_now()) else 'expired'} {minute(key.expires_at)}"
