"""`recuerdo token`: the API keys that programs act with."""

from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Annotated, Any

import typer

from recuerdo.app.operations import open_api_keys
from recuerdo.app.settings import read_settings
from recuerdo.cli.asking import ask
from recuerdo.cli.options import LOCAL_TENANT, AsJson, Database
from recuerdo.cli.progress import say
from recuerdo.cli.tables import print_json, print_table
from recuerdo.core.ages import parse_age
from recuerdo.core.api_keys import DEFAULT_ROLE, ApiKey, issue
from recuerdo.core.errors import NotFound
from recuerdo.core.ports import ApiKeyRepository
from recuerdo.core.scope import Owner, check_id
from recuerdo.history.history import utc_now

app = typer.Typer(no_args_is_help=True, help="Make API keys, list them, and revoke them.")


@app.command()
def create(
    user: Annotated[str, typer.Option(help="Whom the key acts as.")],
    tenant: Annotated[str, typer.Option(help="Whose data that is.")] = LOCAL_TENANT,
    role: Annotated[str, typer.Option(help="What the user may do; `operator` sees the metrics.")] = DEFAULT_ROLE,
    tier: Annotated[str | None, typer.Option(help="How the user is served.")] = None,
    name: Annotated[str, typer.Option(help="What the key is for, so that you know it again.")] = "",
    expires_in: Annotated[str | None, typer.Option(help="How long it is good: 12h, 90d, 52w.")] = None,
    database_url: Database = None,
) -> None:
    """Make an API key, and print its secret. It is shown this once, and stored nowhere."""
    now = utc_now()
    expires_at = now + parse_age("--expires-in", expires_in) if expires_in else None
    issued = issue(Owner(tenant, user), now, name=name, role=role, tier=tier, expires_at=expires_at)
    ask(_opening(database_url), lambda keys: keys.add(issued.key))
    say(f"The key {issued.key.id} acts as the user {user} of the tenant {tenant}. Its secret is shown only now:")
    typer.echo(issued.secret)


@app.command("list")
def list_keys(
    tenant: Annotated[str, typer.Option(help="Whose keys.")] = LOCAL_TENANT,
    user: Annotated[str | None, typer.Option(help="Only this user's keys.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many.")] = 50,
    json: AsJson = False,
    database_url: Database = None,
) -> None:
    """List a tenant's API keys, the latest first. Nobody can list secrets."""
    check_id("--tenant", tenant)
    keys = ask(_opening(database_url), lambda keys: keys.select(tenant, user, limit))
    if json:
        print_json([_described(key) for key in keys])
    else:
        rows = [(k.id, k.owner.user, k.role, k.tier or "", k.name, _minute(k.created_at), _state(k)) for k in keys]
        print_table(("id", "user", "role", "tier", "name", "made", "state"), rows)


@app.command()
def revoke(
    key: Annotated[str, typer.Argument(help="The key's id, as `recuerdo token list` shows it.")],
    tenant: Annotated[str, typer.Option(help="Whose key.")] = LOCAL_TENANT,
    database_url: Database = None,
) -> None:
    """Let an API key be good for nothing from now on. Servers notice within 2 seconds."""
    check_id("--tenant", tenant)
    check_id("key", key)
    if not ask(_opening(database_url), lambda keys: keys.revoke(tenant, key, utc_now())):
        raise NotFound("API key", key)
    say(f"Revoked {key}.")


def _opening(database_url: str | None) -> AbstractAsyncContextManager[ApiKeyRepository]:
    return open_api_keys(read_settings(database_url=database_url).database_url)


def _described(key: ApiKey) -> dict[str, Any]:
    shown = ("id", "name", "role", "tier", "created_at", "expires_at", "revoked_at")
    return {"tenant": key.owner.tenant, "user": key.owner.user} | {name: getattr(key, name) for name in shown}


def _state(key: ApiKey) -> str:
    if key.revoked_at:
        return f"revoked {_minute(key.revoked_at)}"
    if key.expires_at is None:
        return "good"
    return f"{'good until' if key.is_good(utc_now()) else 'expired'} {_minute(key.expires_at)}"


def _minute(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
