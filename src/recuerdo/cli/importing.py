"""`recuerdo import`: what another service has exported for its user."""

from pathlib import PurePath
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer

from recuerdo.app.importing import ImportOutcome, import_export, preview
from recuerdo.app.recuerdo import Recuerdo
from recuerdo.app.settings import read_settings
from recuerdo.cli.terminal import (
    LOCAL_TENANT,
    LOCAL_USER,
    AsJson,
    CacheUrl,
    Database,
    ask,
    print_json,
    print_table,
    say,
    source,
)
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Memory
from recuerdo.core.scope import Owner
from recuerdo.integrations.exports import EXPORTS, ForeignExport, ReadingOptions, read_export
from recuerdo.integrations.exports.shapes import MOST_BYTES


def import_from_service(
    file: Annotated[str, typer.Argument(help="The export, as the service gave it; - is standard input.")],
    service: Annotated[str, typer.Option("--from", help=f"The service: {', '.join(EXPORTS)}.")],
    tenant: Annotated[str, typer.Option(help="The tenant of the user.")] = LOCAL_TENANT,
    user: Annotated[str, typer.Option(help="The user whose export it is.")] = LOCAL_USER,
    me: Annotated[str | None, typer.Option(help="The user's name in a WhatsApp chat.")] = None,
    of: Annotated[str | None, typer.Option(help="The user's id in mem0's memories, if these have several.")] = None,
    dates: Annotated[str | None, typer.Option(help="The order of WhatsApp's dates: dmy, mdy or ymd.")] = None,
    time_zone: Annotated[
        str | None, typer.Option(help="The zone of WhatsApp's times, e.g. Europe/Madrid; default: this machine's.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be remembered.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask for confirmation.")] = False,
    json: AsJson = False,
    database_url: Database = None,
    cache_url: CacheUrl = None,
) -> None:
    """Import what ChatGPT, Claude, WhatsApp, mem0 or Zep has exported."""
    owner = Owner(tenant, user)
    with source(file) as opened:
        data = opened.from_start().read(MOST_BYTES + 1)
    export = read_export(service, data, PurePath(file).name, ReadingOptions(me, of, dates, _zone(time_zone)))
    settings = read_settings(database_url=database_url, cache_url=cache_url)
    asked = yes or dry_run

    async def imported(memory: Recuerdo) -> ImportOutcome | None:
        if not yes:
            outcome = await preview(memory, owner, service, export)
            if dry_run:
                return outcome
            _show(outcome, export, json=False)
        return await import_export(memory, owner, service, export) if asked or _is_wanted() else None

    outcome = ask(
        Recuerdo.open(
            settings.database_url,
            cache=settings.cache_url,
            **settings.model_arguments,
            encryption_key=settings.encryption_keys,
            keep_secrets=settings.keep_secrets,
        ),
        imported,
    )
    if outcome is None:
        raise typer.Abort
    _show(outcome, export, json=json)
    say(f"{'Would import' if dry_run else 'Imported'} {_counted(outcome)}.")


def _is_wanted() -> bool:
    return typer.confirm("Import this?", err=True)


def _zone(name: str | None) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidInput("--time-zone", f"must be the name of a zone, like Europe/Madrid, and not {name!r}") from None


def _show(outcome: ImportOutcome, export: ForeignExport, *, json: bool) -> None:
    groups = {"remembered": outcome.remembered, "ended": outcome.ended, "waiting": outcome.waiting}
    if json:
        counts = {"conversations": outcome.conversations, "messages": outcome.messages, "known": outcome.known}
        print_json({**counts, "skipped": export.skipped, **groups})
        return
    rows = [_row(group, memory) for group, memories in groups.items() for memory in memories]
    print_table(("", "since", "memory", "from"), rows)


def _row(group: str, memory: Memory) -> tuple[str, str, str, str]:
    place = f"{memory.source.thread} {memory.source.seq}" if memory.source.thread else memory.source.extractor
    return "" if group == "remembered" else group, f"{memory.began_at:%Y-%m-%d}", memory.text, place


def _counted(outcome: ImportOutcome) -> str:
    known = f" ({outcome.known} were there already)" if outcome.known else ""
    messages, conversations = _some(outcome.messages, "message"), _some(outcome.conversations, "conversation")
    return f"{messages}{known} of {conversations}, and {_some(len(outcome.remembered), 'memory', 'memories')}"


def _some(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"
