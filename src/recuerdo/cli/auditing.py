"""`recuerdo audit`: the audit log, for operators with access to the database."""

from typing import Annotated

import msgspec
import typer

from recuerdo.app.operations import open_audit
from recuerdo.app.settings import read_settings
from recuerdo.audit import AuditLog, AuditPage
from recuerdo.cli import flags
from recuerdo.cli.terminal import ask, print_found
from recuerdo.core.audit import AUDIT_ACTIONS, SERVER_TENANT, AuditEntry, AuditQuery
from recuerdo.core.checks import check_choice
from recuerdo.core.retention import parse_age
from recuerdo.core.scope import check_id
from recuerdo.history.history import utc_now


def audit(
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    server: Annotated[
        bool, typer.Option("--server", help="Entries of no tenant, such as refused credentials.")
    ] = False,
    actor: Annotated[str | None, typer.Option(help="Only what this user did.")] = None,
    action: Annotated[str | None, typer.Option(help="Only this action, e.g. key.created.")] = None,
    since: Annotated[str | None, typer.Option(help="Only entries of this age at most: 12h, 7d.")] = None,
    limit: flags.Limit = 100,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """List the audit log of a tenant: who did what, the latest first."""
    check_id("--tenant", tenant)
    if action is not None:
        check_choice("--action", action, AUDIT_ACTIONS)
    wanted = SERVER_TENANT if server else tenant
    after = utc_now() - parse_age("--since", since) if since else None

    async def read(log: AuditLog) -> AuditPage:
        page = await log.read(wanted, AuditQuery(limit, since=after, actor=actor, action=action))
        log.record_command("audit.read", wanted, "server" if server else tenant)
        return page

    entries = ask(open_audit(read_settings(database_url=database_url).database_url), read).entries
    columns = ("when", "action", "who", "details")
    print_found(json, [msgspec.to_builtins(entry) for entry in entries], columns, map(_row, entries))


def _row(entry: AuditEntry) -> tuple[str, ...]:
    details = [entry.target, *(f"{name}={value}" for name, value in entry.details.items())]
    details.append(f"from {entry.address}" if entry.address else None)
    when = f"{entry.at:%Y-%m-%d %H:%M:%S}"
    return when, entry.action, entry.actor or entry.role, ", ".join(filter(None, details))
