"""`recuerdo agents`: assistants, private to a user or shared by all users of a tenant."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import typer

from recuerdo.app.graphs import OWN_GRAPH, open_assistants
from recuerdo.audit import AuditLog
from recuerdo.cli import flags
from recuerdo.cli.opening import open_beside_server
from recuerdo.cli.running import read_served_settings
from recuerdo.cli.terminal import ask, print_found, print_json, print_outcome
from recuerdo.core.audit import AuditAction
from recuerdo.core.checks import UNREADABLE
from recuerdo.core.documents import DocumentQuery
from recuerdo.core.errors import InvalidInput
from recuerdo.core.identifiers import new_id
from recuerdo.core.runs import Assistant
from recuerdo.core.scope import Owner, TenantOwner, owner_of
from recuerdo.runs.assistants import Assistants

app = typer.Typer(no_args_is_help=True)

_MOST = 10_000

Agent = Annotated[str, typer.Argument(help="The assistant's id, or a graph's name for the one it comes with.")]
User = Annotated[str, typer.Option(help="The assistant's owner. Default: all users of the tenant share it.")]
Name = Annotated[str | None, typer.Option(help="Its name.")]
Description = Annotated[str | None, typer.Option(help="Its description.")]
Context = Annotated[str | None, typer.Option(help="Its configuration, as a JSON object.")]
Config = Annotated[Path | None, typer.Option(help="The langgraph.json of the graphs. Default: the built-in agent.")]


@app.command("list")
def list_agents(
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    user: Annotated[str, typer.Option(help="List this user's own assistants as well.")] = "",
    config: Config = None,
    json: flags.AsJson = False,
    database_url: flags.Database = None,
) -> None:
    """List the assistants that a user sees: their own, the tenant's and the server's."""
    owner, query = owner_of(tenant, user), DocumentQuery(limit=_MOST)
    found = ask(_opening(database_url, config), lambda agents: agents.assistants.search(owner, query))
    rows = [(each.assistant_id, each.visibility, each.graph_id, each.version, each.name) for each in found]
    print_found(json, found, ("id", "visibility", "graph", "version", "name"), rows)


@app.command()
def show(
    agent: Agent,
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    user: User = "",
    config: Config = None,
    database_url: flags.Database = None,
) -> None:
    """Print an assistant as JSON: its configuration, version and visibility."""
    owner = owner_of(tenant, user)
    found = ask(
        _opening(database_url, config), lambda agents: agents.assistants.get(owner, agents.assistants.id_of(agent))
    )
    print_json(msgspec.to_builtins(found))


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="Its name.")],
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    user: User = "",
    graph: Annotated[str, typer.Option(help="The graph that it configures.")] = OWN_GRAPH,
    description: Description = None,
    context: Context = None,
    json: flags.AsJson = False,
    config: Config = None,
    database_url: flags.Database = None,
    cache_url: flags.CacheUrl = None,
) -> None:
    """Make an assistant, and print its id."""
    owner, agent, fields = owner_of(tenant, user), new_id(), _fields(name, description, context)
    opening = _opening(database_url, config, cache_url)
    ask(opening, lambda agents: agents.add(owner, agent, graph, fields))
    if json:
        print_json({"assistant_id": agent})
    else:
        typer.echo(agent)


@app.command()
def change(
    agent: Agent,
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    user: User = "",
    name: Name = None,
    description: Description = None,
    context: Context = None,
    json: flags.AsJson = False,
    config: Config = None,
    database_url: flags.Database = None,
    cache_url: flags.CacheUrl = None,
) -> None:
    """Make a new version of an assistant. A graph's own one becomes the tenant's default."""
    owner, fields = owner_of(tenant, user), _fields(name, description, context)
    if not fields:
        raise InvalidInput("--name", "is missing: name what changes, or give a --description or a --context")
    opening = _opening(database_url, config, cache_url)
    changed = ask(opening, lambda agents: agents.change(owner, agent, fields))
    print_outcome(json, msgspec.to_builtins(changed), f"{changed.name} has the version {changed.version}.")


@app.command()
def share(
    agent: Agent,
    user: Annotated[str, typer.Option(help="The assistant's owner.")],
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    json: flags.AsJson = False,
    config: Config = None,
    database_url: flags.Database = None,
    cache_url: flags.CacheUrl = None,
) -> None:
    """Hand a user's assistant over to all users of the tenant, with its versions."""
    owner, opening = owner_of(tenant, user), _opening(database_url, config, cache_url)
    shared = ask(opening, lambda agents: agents.share(owner, agent))
    print_outcome(json, msgspec.to_builtins(shared), f"All users of {tenant} share {shared.name}.")


@app.command()
def default(
    agent: Agent,
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    user: Annotated[str, typer.Option(help="The user whose default it is. Default: all users of the tenant.")] = "",
    json: flags.AsJson = False,
    config: Config = None,
    database_url: flags.Database = None,
    cache_url: flags.CacheUrl = None,
) -> None:
    """Let an assistant answer where none is named."""
    owner, opening = owner_of(tenant, user), _opening(database_url, config, cache_url)
    chosen = ask(opening, lambda agents: agents.make_default(owner, agent))
    sentence = f"{chosen.name} answers where no assistant of the graph {chosen.graph_id} is named."
    print_outcome(json, msgspec.to_builtins(chosen), sentence)


@app.command()
def remove(
    agent: Agent,
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    user: User = "",
    json: flags.AsJson = False,
    config: Config = None,
    database_url: flags.Database = None,
    cache_url: flags.CacheUrl = None,
) -> None:
    """Remove an assistant. A graph's own one is the server's again."""
    owner = owner_of(tenant, user)
    opening = _opening(database_url, config, cache_url)
    ask(opening, lambda agents: agents.remove(owner, agent))
    print_outcome(json, {"removed": agent}, "Removed.")


class _RecordedAgents(NamedTuple):
    assistants: Assistants
    audit: AuditLog

    async def add(self, owner: Owner, agent: str, graph: str, fields: dict[str, Any]) -> None:
        made = await self.assistants.create(owner, agent, graph, fields)
        self._record("assistant.created", owner, agent, made.visibility)

    async def change(self, owner: Owner, agent: str, fields: dict[str, Any]) -> Assistant:
        changed = await self.assistants.update(owner, self.assistants.id_of(agent), fields)
        self._record("assistant.changed", owner, changed.assistant_id, changed.visibility)
        return changed

    async def share(self, owner: Owner, agent: str) -> Assistant:
        shared = await self.assistants.share(owner, self.assistants.id_of(agent))
        self._record("assistant.shared", owner, shared.assistant_id, shared.visibility)
        return shared

    async def make_default(self, owner: Owner, agent: str) -> Assistant:
        chosen = await self.assistants.make_default(owner, self.assistants.id_of(agent))
        self._record("assistant.changed", owner, chosen.assistant_id, chosen.visibility)
        return chosen

    async def remove(self, owner: Owner, agent: str) -> None:
        name = self.assistants.id_of(agent)
        await self.assistants.delete(owner, name)
        self._record("assistant.deleted", owner, name, "tenant" if isinstance(owner, TenantOwner) else "private")

    def _record(self, action: AuditAction, owner: Owner, agent: str, visibility: str) -> None:
        self.audit.record_command(action, owner.tenant, agent, visibility=visibility)


def _fields(name: str | None, description: str | None, context: str | None) -> dict[str, Any]:
    fields: dict[str, Any] = {"name": name, "description": description}
    if context is not None:
        try:
            fields["context"] = msgspec.json.decode(context, type=dict[str, Any])
        except UNREADABLE as error:
            raise InvalidInput("--context", f"must be a JSON object: {error}") from None
    return {field: value for field, value in fields.items() if value is not None}


def _opening(
    database_url: str | None, config: Path | None, cache_url: str | None = None
) -> AbstractAsyncContextManager[_RecordedAgents]:
    named = None if config is None else str(config)
    settings = read_served_settings(config=named, database_url=database_url, cache_url=cache_url)

    @asynccontextmanager
    async def opened() -> AsyncGenerator[_RecordedAgents]:
        async with (
            open_beside_server(settings) as memory,
            open_assistants(memory, settings.config) as assistants,
        ):
            yield _RecordedAgents(assistants, memory.audit)

    return opened()
