"""`recuerdo import`: what another service has exported for its user, or what another system has in its database."""

from pathlib import PurePath
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer

from recuerdo.app.importing import ImportOutcome, import_export, preview
from recuerdo.app.operations import SYSTEMS
from recuerdo.app.recuerdo import Recuerdo
from recuerdo.app.settings import Settings, read_settings
from recuerdo.cli import flags
from recuerdo.cli.opening import open_beside_server
from recuerdo.cli.systems import LangGraphChoice, SystemChoice, import_from_langgraph, import_from_system
from recuerdo.cli.terminal import ask, counted, print_json, print_table, say, source
from recuerdo.core.errors import InvalidInput
from recuerdo.core.memories import Memory
from recuerdo.core.scope import Owner
from recuerdo.integrations.exports import EXPORTS, ForeignExport, ReadingOptions, read_export
from recuerdo.integrations.exports.shapes import MOST_BYTES

_ALL = (*EXPORTS, *SYSTEMS, "langgraph")


def import_from_elsewhere(
    file: Annotated[str, typer.Argument(help="The export (- is standard input), or the URL of the system's database.")],
    service: Annotated[str, typer.Option("--from", help=f"The service or system: {', '.join(_ALL)}.")],
    tenant: Annotated[str, typer.Option(help="The tenant of the user.")] = flags.LOCAL_TENANT,
    user: Annotated[str | None, typer.Option(help="The owner of the conversations.")] = None,
    me: Annotated[str | None, typer.Option(help="The user's name in a WhatsApp chat.")] = None,
    of: Annotated[str | None, typer.Option(help="The user's id in mem0's memories, if these have several.")] = None,
    dates: Annotated[str | None, typer.Option(help="The order of WhatsApp's dates: dmy, mdy or ymd.")] = None,
    time_zone: Annotated[
        str | None, typer.Option(help="The zone of WhatsApp's times, e.g. Europe/Madrid; default: this machine's.")
    ] = None,
    mapping: Annotated[
        str | None, typer.Option(help="The mapping of a system's fields: a TOML file, or a name.")
    ] = None,
    change: Annotated[list[str] | None, typer.Option("--set", help="One field of the mapping, as name=value.")] = None,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave bad rows out instead of stopping.")] = False,
    show_texts: Annotated[bool, typer.Option("--show-texts", help="Show texts in a system's dry run.")] = False,
    user_key: Annotated[
        str, typer.Option(help="The field with the user in the metadata of LangGraph's threads.")
    ] = "user_id",
    allow: Annotated[list[str] | None, typer.Option(help="A type in LangGraph's states, as module:Class.")] = None,
    own_items: Annotated[
        bool, typer.Option("--own-items", help="Give LangGraph's items to the users that their namespaces name.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be imported.")] = False,
    yes: flags.Yes = False,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
    cache_url: flags.CacheUrl = None,
) -> None:
    """Import the export of a service, or another system's database."""
    settings = read_settings(database_url=database_url, cache_url=cache_url)
    if service == "langgraph":
        choice = LangGraphChoice(file, tenant, user, user_key, allow or [], own_items, dry_run, json)
        import_from_langgraph(choice, settings)
    elif service in SYSTEMS:
        system = SystemChoice(service, file, mapping, change or [], tenant, user, dry_run, skip_bad, show_texts, json)
        import_from_system(system, settings)
    else:
        reading = ReadingOptions(me, of, dates, _zone(time_zone))
        owner = Owner(tenant, flags.LOCAL_USER if user is None else user)
        _import_from_service(file, service, reading, owner, settings, yes=yes, dry_run=dry_run, json=json)


def _import_from_service(
    file: str,
    service: str,
    reading: ReadingOptions,
    owner: Owner,
    settings: Settings,
    *,
    yes: bool,
    dry_run: bool,
    json: bool,
) -> None:
    if service not in EXPORTS:
        raise InvalidInput("--from", f"must be one of {', '.join(_ALL)}")
    with source(file) as opened:
        data = opened.from_start().read(MOST_BYTES + 1)
    export = read_export(service, data, PurePath(file).name, reading)
    asked = yes or dry_run

    async def imported(memory: Recuerdo) -> ImportOutcome | None:
        if not yes:
            outcome = await preview(memory, owner, service, export)
            if dry_run:
                return outcome
            _show(outcome, export, json=False)
        is_wanted = asked or typer.confirm("Import this?", err=True)
        return await import_export(memory, owner, service, export) if is_wanted else None

    outcome = ask(open_beside_server(settings), imported)
    if outcome is None:
        raise typer.Abort
    _show(outcome, export, json=json)
    say(f"{'Would import' if dry_run else 'Imported'} {_counted(outcome)}.")


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
    messages, conversations = counted(outcome.messages, "message"), counted(outcome.conversations, "conversation")
    return f"{messages}{known} of {conversations}, and {counted(len(outcome.remembered), 'memory', 'memories')}"
