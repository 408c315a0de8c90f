"""`recuerdo memories`: list, review, export, import and erase memories."""

from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import Annotated, Any

import msgspec
import typer

from recuerdo.app.operations import Operations
from recuerdo.app.settings import read_settings
from recuerdo.cli import flags
from recuerdo.cli.opening import open_beside_server, open_database
from recuerdo.cli.terminal import (
    ask,
    minute,
    print_found,
    print_json,
    print_outcome,
    print_table,
    progress_bar,
    say,
    source,
    written,
)
from recuerdo.core.errors import Damaged, InvalidInput
from recuerdo.core.memories import Memory, MemoryQuery
from recuerdo.core.scope import Owner, TenantOwner
from recuerdo.history.iteration import known_owners
from recuerdo.memories import Memories
from recuerdo.memories.erase import ErasureReceipt
from recuerdo.memories.erasures import ErasureJob
from recuerdo.memories.maintenance.audit import Audit, report

app = typer.Typer(no_args_is_help=True)

Shared = Annotated[
    bool, typer.Option("--shared", help="The memories shared by the tenant's users, instead of a user's.")
]
MemoryId = Annotated[str, typer.Argument(help="The memory's id.")]
By = Annotated[str, typer.Option(help="Your name, for the memory's history.")]
Reason = Annotated[str | None, typer.Option(help="The reason, for the memory's history.")]

_SHOWN = 20


@app.command("list")
def list_memories(
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    user: flags.User = flags.LOCAL_USER,
    shared: Shared = False,
    status: Annotated[str | None, typer.Option(help="Only this status: proposed, quarantined, rejected.")] = None,
    limit: flags.Limit = 50,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """List current memories, the latest first."""
    if status not in (None, "approved", "proposed", "rejected", "quarantined"):
        raise InvalidInput("--status", "must be one of approved, proposed, rejected, quarantined")
    query = MemoryQuery(limit=limit, status=status)  # pyright: ignore[reportArgumentType] # just checked
    owner = _owner(tenant, user, shared)
    _show(ask(open_database(database_url), lambda operations: operations.memories.list(owner, query)), json)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="The text to search for, in any language.")],
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    user: flags.User = flags.LOCAL_USER,
    limit: Annotated[int, typer.Option(min=1, max=100, help="The maximum number.")] = 5,
    json: flags.AsJson = False,
    embeddings: flags.Embeddings = None,
    database_url: flags.Database = None,
) -> None:
    """Search a user's memories and those shared in the tenant, best first."""
    settings = read_settings(database_url=database_url, embeddings=embeddings)
    owner = Owner(tenant, user)
    hits = ask(open_beside_server(settings), lambda memory: memory.memories.search(owner, query, limit=limit))
    _show([hit.memory for hit in hits], json)


@app.command()
def audit(
    tenant: flags.AnyTenant = None,
    user: flags.AnyUser = None,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """Report which share of all memories is junk, without changing anything."""
    found = ask(open_database(database_url), lambda operations: _audit(operations, tenant, user))
    whole = report(sum(each.memories for each in found.values()), [f for each in found.values() for f in each.findings])
    if json:
        findings = [_finding(owner, finding) for owner, each in found.items() for finding in each.findings]
        summary = {"owners": len(found), "memories": whole.memories, "junk_rate": whole.junk_rate}
        print_json(summary | {"problems": whole.problems, "findings": findings})
        return
    print_table(("problem", "memories"), Counter(whole.problems).most_common())
    rows = [(o.tenant, o.user, f.problem, f.memory_id, f.text) for o, each in found.items() for f in each.findings]
    print_table(("tenant", "user", "problem", "memory", "text"), rows[:_SHOWN])
    say(f"{whole.memories} memories of {len(found)} owners; {100 * whole.junk_rate:.1f} % of them are junk.")


@app.command("export")
def export_memories(
    file: flags.File = "-",
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    user: flags.User = flags.LOCAL_USER,
    shared: Shared = False,
    database_url: flags.Database = None,
) -> None:
    """Write memories to a file, one JSON line each: current, ended and waiting ones."""
    owner = _owner(tenant, user, shared)
    count, damaged = ask(open_database(database_url), lambda operations: _export(operations.memories, owner, file))
    say(f"Exported {count} memories.")
    if damaged:
        say(f"{damaged} of the memories can't be read, and are left out.")
        raise typer.Exit(1)


@app.command("import")
def import_memories(
    file: flags.File = "-",
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    user: flags.User = flags.LOCAL_USER,
    shared: Shared = False,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """Import memories from a file for this owner. Existing ones are skipped."""
    owner = _owner(tenant, user, shared)
    with source(file) as opened:
        lines = _each(opened.from_start())
        count = ask(open_database(database_url), lambda operations: operations.memories.import_lines(owner, lines))
    print_outcome(json, {"imported": count}, f"Imported {count} memories.")


@app.command()
def erase(
    user: Annotated[str | None, typer.Option(help="The user to erase.")] = None,
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    whole_tenant: Annotated[bool, typer.Option("--whole-tenant", help="Erase all users of the tenant.")] = False,
    yes: flags.Yes = False,
    database_url: flags.Database = None,
    cache_url: flags.CacheUrl = None,
) -> None:
    """Erase all data of a user, including threads, and print the receipt."""
    if (user is None) != whole_tenant:
        raise InvalidInput("--user", "give either --user or --whole-tenant")
    whom = f"the user {user} of the tenant {tenant}" if user is not None else f"the tenant {tenant}"
    if not yes:
        typer.confirm(f"Erase everything of {whom}, for good?", abort=True, err=True)
    receipt = ask(open_database(database_url, cache_url), lambda operations: _erase(operations, tenant, user))
    print_json(receipt)
    if not receipt.complete:
        say("A place was not reached, or another process keeps writing, so the erasure is not complete. Repeat it.")
        raise typer.Exit(1)


async def _erase(operations: Operations, tenant: str, user: str | None) -> ErasureReceipt | ErasureJob:
    if user is not None:
        return await operations.memories.erase(Owner(tenant, user))
    return await operations.erasures.wait(await operations.erasures.ask(tenant))


@app.command()
def undo(
    memory: Annotated[
        str | None, typer.Argument(help="The memory's id; default: the latest change of all memories.")
    ] = None,
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    user: flags.User = flags.LOCAL_USER,
    shared: Shared = False,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """Revert the latest change."""
    owner = _owner(tenant, user, shared)
    change = ask(open_database(database_url), lambda operations: operations.memories.undo(owner, memory))
    texts = ", ".join(repr(each.text) for entry in change.entries if (each := entry.after or entry.before))
    sentence = f"Took back what was {change.action} at {minute(change.at)}: {texts}."
    print_outcome(json, msgspec.to_builtins(change), sentence)


@app.command()
def approve(
    memory: MemoryId,
    by: By,
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    user: flags.User = flags.LOCAL_USER,
    shared: Shared = False,
    reason: Reason = None,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """Approve a proposed or quarantined memory."""
    owner = _owner(tenant, user, shared)
    _judge(database_url, json, lambda memories: memories.approve(owner, memory, by=by, reason=reason))


@app.command()
def reject(
    memory: MemoryId,
    by: By,
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    user: flags.User = flags.LOCAL_USER,
    shared: Shared = False,
    reason: Reason = None,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """Reject a memory, so that it is not used."""
    owner = _owner(tenant, user, shared)
    _judge(database_url, json, lambda memories: memories.reject(owner, memory, by=by, reason=reason))


def _owner(tenant: str, user: str, shared: bool) -> Owner:
    return TenantOwner(tenant) if shared else Owner(tenant, user)


def _show(memories: list[Memory], json: bool) -> None:
    rows = [(m.id, f"{m.created_at:%Y-%m-%d}", m.attribute or m.kind, _text(m)) for m in memories]
    print_found(json, memories, ("id", "made", "about", "text"), rows)


def _text(memory: Memory) -> str:
    return memory.text if memory.status == "approved" else f"{memory.text} ({memory.status})"


def _finding(owner: Owner, finding: Any) -> dict[str, Any]:
    about = {name: getattr(finding, name) for name in ("memory_id", "problem", "text", "other")}
    return {"tenant": owner.tenant, "user": owner.user} | about


async def _audit(operations: Operations, tenant: str | None, user: str | None) -> dict[Owner, Audit]:
    found: dict[Owner, Audit] = {}
    with progress_bar("Looking") as bar:
        async for owner in known_owners(operations.holdings, tenant, user):
            audited = await operations.memories.audit(owner)
            if audited.memories:
                found[owner] = audited
            bar.show(f"{len(found)} owners")
    return found


async def _export(memories: Memories, owner: Owner, name: str) -> tuple[int, int]:
    count = damaged = 0

    def note(damage: Damaged) -> None:
        nonlocal damaged
        damaged += 1
        say(f"Damaged: {damage}")

    with written(name) as file:
        async for line in memories.export(owner, note):
            file.write(line)
            count += 1
    return count, damaged


async def _each(lines: Iterable[bytes]) -> AsyncGenerator[bytes]:
    for line in lines:
        yield line


def _judge(database_url: str | None, json: bool, judge: Callable[[Memories], Awaitable[Memory]]) -> None:
    memory = ask(open_database(database_url), lambda operations: judge(operations.memories))
    print_outcome(json, msgspec.to_builtins(memory), f"{memory.status.capitalize()}: {memory.text}")
