"""`recuerdo retention`: apply a retention policy."""

from typing import Annotated

import typer

from recuerdo.app.maintenance import RemovalCounts
from recuerdo.app.operations import Operations, open_operations
from recuerdo.app.settings import read_settings
from recuerdo.cli.options import AnyTenant, AnyUser, CacheUrl, Database
from recuerdo.cli.terminal import ask, progress_bar, say
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.retention import RetentionPolicy
from recuerdo.history.iteration import OwnerFilter


def retention(
    policy: Annotated[str | None, typer.Option(help="Like threads=365d,checkpoints=30d,episodic=90d.")] = None,
    tenant: AnyTenant = None,
    user: AnyUser = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report what would be deleted.")] = False,
    database_url: Database = None,
    cache_url: CacheUrl = None,
) -> None:
    """Delete threads, checkpoints and memories that the policy no longer keeps."""
    settings = read_settings(database_url=database_url, cache_url=cache_url, retention=policy)
    if not settings.retention:
        raise ConfigurationError(
            "There is no policy. Give one, like --policy threads=365d,episodic=90d, or set RECUERDO_RETENTION."
        )
    parsed, choice = RetentionPolicy.parse(settings.retention), OwnerFilter(tenant, user)
    opening = open_operations(settings.database_url, cache=settings.cache_url)
    kept = ask(opening, lambda operations: _apply(operations, parsed, choice, dry_run))
    say(f"{'Would delete' if dry_run else 'Deleted'} {_counted(kept)}.")


async def _apply(operations: Operations, policy: RetentionPolicy, choice: OwnerFilter, dry_run: bool) -> RemovalCounts:
    kept = RemovalCounts()
    expired = await operations.memories.expiry.sweep() if not dry_run and choice == OwnerFilter() else 0
    with progress_bar("Looking" if dry_run else "Deleting") as bar:
        async for kept in operations.maintenance.apply(policy, choice, dry_run=dry_run):
            bar.show(_counted(kept))
    return kept.plus(memories=expired)


def _counted(kept: RemovalCounts) -> str:
    return (
        f"{kept.threads} threads with {kept.messages} messages, the checkpoints of {kept.checkpoints} threads more, "
        f"{kept.memories} memories"
    )
