"""`recuerdo db`, `cache`, `actions` and `retention`: what an operator does to the database and the shared cache."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

import typer

from recuerdo.actions.records import ActionRecord
from recuerdo.app import operations
from recuerdo.app.maintenance import RemovalCounts
from recuerdo.app.operations import Operations, cache_statistics, open_actions, open_rebuild
from recuerdo.app.settings import read_settings
from recuerdo.checkpoints.damage import InspectedCheckpoints
from recuerdo.cli import flags
from recuerdo.cli.opening import open_database
from recuerdo.cli.terminal import ask, minute, print_found, print_json, print_outcome, progress_bar
from recuerdo.core.caches import CacheStatistics
from recuerdo.core.errors import ConfigurationError, Damaged, DamagedMessage, DamagedRow
from recuerdo.core.retention import RetentionPolicy
from recuerdo.core.scope import Owner, Scope, check_id
from recuerdo.history.caches import RATE, CacheRebuild
from recuerdo.history.damage import DamageCheck, UnreadList
from recuerdo.history.iteration import OwnerFilter
from recuerdo.memories.damage import InspectedMemories

db = typer.Typer(no_args_is_help=True)


@db.command()
def upgrade(json: flags.AsJson = False, database_url: flags.Database = None) -> None:
    """Update the tables. Each start does so too, if the database role is allowed to."""
    ran = asyncio.run(operations.upgrade(read_settings(database_url=database_url).database_url))
    if json:
        print_json({"ran": ran})
        return
    for name in ran:
        typer.echo(f"Ran {name}")
    typer.echo("The tables are up to date.")


@db.command()
def check(
    deep: Annotated[
        bool, typer.Option("--deep", help="Also read every message, memory and checkpoint, and report damaged ones.")
    ] = False,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """Report pending migrations and damage, without changing anything. Exit status 1 if there are any."""
    settings = read_settings(database_url=database_url)
    url = settings.database_url
    damaged = list[str]()

    def note(damage: str) -> None:
        damaged.append(damage)
        _tell(json, f"Damaged: {damage}")

    pending = asyncio.run(operations.pending(url))
    for name in pending:
        _tell(json, f"Pending: {name}")
    for fault in asyncio.run(operations.faults(url, thorough=deep)):
        note(fault)
    _tell(json, "Run `recuerdo db upgrade`." if pending else "The tables are up to date.")
    counts: dict[str, int] = {}
    if deep and not pending:
        opening = operations.open_damage_check(url, encryption_key=settings.encryption_keys)
        counts = ask(opening, lambda opened: _look(opened, note, json=json))
    if damaged and not pending:
        _tell(json, "Keep a copy of the database, and restore what is damaged from a backup.")
    if json:
        print_json({"pending": pending, "damaged": damaged, "read": counts})
    if pending or damaged:
        raise typer.Exit(1)


def _tell(json: bool, line: str) -> None:
    if not json:
        typer.echo(line)


async def _look(opened: operations.DamageChecks, note: Callable[[str], None], *, json: bool) -> dict[str, int]:
    """Collect the damage. Returns how much was read."""
    counts = await _look_at_messages(opened.messages, note, json=json)
    counts["memories"] = await _look_at_rows("memories", opened.memories.run(), note, json=json)
    if opened.checkpoints is not None:
        counts["checkpoints"] = await _look_at_rows("checkpoints", opened.checkpoints.run(), note, json=json)
    return counts


async def _look_at_rows(
    what: str,
    steps: AsyncIterator[InspectedMemories | InspectedCheckpoints],
    note: Callable[[str], None],
    *,
    json: bool,
) -> int:
    read = damaged = 0
    with progress_bar("Checking") as bar:
        async for count, owner, damage in steps:
            read += count
            bar.show(f"{read} {what}")
            if damage is not None:
                damaged += 1
                note(_row(owner, damage))
    _tell(json, f"Read {read} {what}: {damaged} damaged rows.")
    return read


def _row(owner: Owner | None, damage: Damaged) -> str:
    row = f"{damage.what} {damage.identifier!r}" if isinstance(damage, DamagedRow) else str(damage)
    if owner is None:
        return f"the list of users with memories, which was not read to its end: {row}"
    user = f", user {owner.user!r}" if owner.user else ""
    return f"tenant {owner.tenant!r}{user}, {row}"


async def _look_at_messages(check: DamageCheck, note: Callable[[str], None], *, json: bool) -> dict[str, int]:
    threads = messages = damaged = 0
    with progress_bar("Checking") as bar:
        async for each in check.run(OwnerFilter()):
            threads, messages = threads + each.threads, messages + each.messages
            bar.show(f"{threads} threads, {messages} messages")
            if each.damage is not None:
                damaged += 1
                note(_damage(each.scope, each.damage))
    _tell(json, f"Read {messages} messages of {threads} threads: {damaged} damaged.")
    return {"threads": threads, "messages": messages}


def _damage(scope: Scope | None, damage: DamagedMessage | UnreadList) -> str:
    if isinstance(damage, UnreadList):
        return f"{damage.place}: {damage.damage}"
    whose = f"tenant {scope.tenant!r}, user {scope.user!r}, " if scope is not None else ""
    return f"{whose}{damage.place}: {damage.problem}"


cache = typer.Typer(no_args_is_help=True)


@cache.command()
def rebuild(
    tenant: Annotated[str, typer.Option(help="The tenant.")],
    user: flags.AnyUser = None,
    rate: Annotated[float, typer.Option(min=0.1, help="The maximum number of threads per second.")] = RATE,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
    cache_url: flags.CacheUrl = None,
) -> None:
    """Fill the cache with a tenant's threads. An interrupted rebuild can be repeated."""
    check_id("--tenant", tenant)
    settings = read_settings(database_url=database_url, cache_url=cache_url)
    opening = open_rebuild(settings.database_url, _named(settings.cache_url), encryption_key=settings.encryption_keys)
    counts = ask(opening, lambda opened: _rebuild(opened, OwnerFilter(tenant, user), rate))
    outcome = {name: counts[name] for name in ("filled", "fresh", "busy")}
    sentence = f"Filled {counts['filled']} entries; {counts['fresh']} were fresh, {counts['busy']} are being changed."
    print_outcome(json, outcome, sentence)


@cache.command()
def stats(cache_url: flags.CacheUrl = None, json: flags.AsJson = False) -> None:
    """Show how full the cache is, and its hit rate."""
    found = asyncio.run(cache_statistics(_named(read_settings(cache_url=cache_url).cache_url)))
    print_found(json, found._asdict() | {"hit_rate": found.hit_rate}, ("", ""), _rows(found))


async def _rebuild(opened: CacheRebuild, choice: OwnerFilter, rate: float) -> Counter[str]:
    counts: Counter[str] = Counter()
    with progress_bar("Filling") as bar:
        async for each in opened.rebuild(choice, rate):
            counts[each.outcome] += 1
            bar.show(f"{counts.total()} threads")
    return counts


def _named(url: str | None) -> str:
    if url is None:
        raise ConfigurationError("There is no shared cache. Name it with --cache-url or RECUERDO_CACHE_URL.")
    return url


def _rows(found: CacheStatistics) -> list[tuple[str, object]]:
    rate = "-" if found.hit_rate is None else f"{found.hit_rate:.1%}"
    limit = f" of {_mebibytes(found.most_bytes)}" if found.most_bytes else ""
    return [
        ("threads", found.threads),
        ("memory", f"{_mebibytes(found.used_bytes)}{limit}"),
        ("hit rate", f"{rate} of {found.hits + found.misses} lookups"),
        ("evicted", found.evicted),
        ("expired", found.expired),
        ("nodes", found.nodes),
    ]


def _mebibytes(size: int) -> str:
    return f"{size / 2**20:.1f} MiB"


actions = typer.Typer(no_args_is_help=True)


@actions.command()
def dead(
    tenant: Annotated[str | None, typer.Option(help="List one user's only: the tenant. Default: all.")] = None,
    user: Annotated[str, typer.Option(help="The user, with --tenant.")] = flags.LOCAL_USER,
    limit: flags.Limit = 50,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """List dead letters, of all tenants unless one is named."""
    owner = Owner(tenant, user) if tenant is not None else None
    settings = read_settings(database_url=database_url)
    opening = open_actions(settings.database_url, encryption_key=settings.encryption_keys)
    letters = ask(opening, lambda actions: actions.dead_letters(owner, limit))
    found = [_described(letter) for letter in letters]
    columns = ("action", "queue", "tenant", "user", "thread", "attempts", "died", "error")
    print_found(json, found, columns, [[*each.values()] for each in found])


@actions.command()
def retry(
    action: Annotated[str, typer.Argument(help="The action's id, as `recuerdo actions dead` shows it.")],
    tenant: Annotated[str, typer.Option(help="The action's tenant.")] = flags.LOCAL_TENANT,
    user: Annotated[str, typer.Option(help="The action's user.")] = flags.LOCAL_USER,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """Return a dead letter to its queue."""
    settings, owner = read_settings(database_url=database_url), Owner(tenant, user)
    opening = open_actions(settings.database_url, encryption_key=settings.encryption_keys)
    ask(opening, lambda actions: actions.retry(owner, action))
    print_outcome(json, {"action": action, "status": "waiting"}, f"The action {action} waits for a worker again.")


def _described(letter: ActionRecord) -> dict[str, Any]:
    action, result = letter.payload, letter.result
    return {
        "action": action.action_id,
        "queue": letter.queue,
        "tenant": action.tenant,
        "user": action.user,
        "thread": action.thread,
        "attempts": letter.attempts,
        "died_at": minute(letter.due),
        "error": (result.error if result else None) or "",
    }


def retention(
    policy: Annotated[str | None, typer.Option(help="Such as threads=365d,checkpoints=30d,episodic=90d.")] = None,
    tenant: flags.AnyTenant = None,
    user: flags.AnyUser = None,
    dry_run: flags.DryRun = False,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
    cache_url: flags.CacheUrl = None,
) -> None:
    """Delete threads, checkpoints and memories that the policy no longer keeps."""
    settings = read_settings(database_url=database_url, cache_url=cache_url, retention=policy)
    if not settings.retention:
        raise ConfigurationError(
            "There is no policy. Give one, like --policy threads=365d,episodic=90d, or set RECUERDO_RETENTION."
        )
    parsed, choice = RetentionPolicy.parse(settings.retention), OwnerFilter(tenant, user)
    kept = ask(open_database(database_url, cache_url), lambda operations: _apply(operations, parsed, choice, dry_run))
    print_outcome(
        json, kept._asdict() | {"dry_run": dry_run}, f"{'Would delete' if dry_run else 'Deleted'} {_removed(kept)}."
    )


async def _apply(operations: Operations, policy: RetentionPolicy, choice: OwnerFilter, dry_run: bool) -> RemovalCounts:
    kept = RemovalCounts()
    expired = await operations.memories.expiry.sweep() if not dry_run and choice == OwnerFilter() else 0
    with progress_bar("Looking" if dry_run else "Deleting") as bar:
        async for kept in operations.maintenance.apply(policy, choice, dry_run=dry_run):
            bar.show(_removed(kept))
    return kept.plus(memories=expired)


def _removed(kept: RemovalCounts) -> str:
    return (
        f"{kept.threads} threads with {kept.messages} messages, the checkpoints of {kept.checkpoints} threads more, "
        f"{kept.memories} memories"
    )
