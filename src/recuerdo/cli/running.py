"""`recuerdo serve`, `worker`, `chat` and `mcp`: the commands that run an open Recuerdo."""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from rich.console import Console

from recuerdo.agents.chat import Chat
from recuerdo.agents.events import Finished, Token
from recuerdo.app.recuerdo import Recuerdo
from recuerdo.app.settings import Settings, read_settings
from recuerdo.app.workers import working_alone
from recuerdo.cli import flags
from recuerdo.cli.opening import open_beside_server, open_recuerdo
from recuerdo.core.actions import Queue, parse_queues
from recuerdo.core.errors import ConfigurationError, InvalidInput, ModelUnavailable, needing
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import Owner, Scope
from recuerdo.observability.logs import log_from
from recuerdo.observability.metrics import open_metrics
from recuerdo.observability.tracing import open_tracer
from recuerdo.runs.sources import LANGGRAPH_DATABASES, GraphSources, read_sources


def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="The port to listen on; 0 selects a free one.")] = None,
    workers: Annotated[int | None, typer.Option(help="The number of server processes that share the port.")] = None,
    listener: Annotated[int | None, typer.Option(hidden=True, help="An inherited socket that listens.")] = None,
    config: Annotated[str | None, typer.Option(help="The langgraph.json that names the graphs to serve.")] = None,
    reload: Annotated[bool, typer.Option("--reload", help="Restart when files of the graphs change.")] = False,
    allowed_origins: Annotated[str | None, typer.Option(help="Sites whose pages may use the server.")] = None,
    database_url: flags.Database = None,
    cache_url: flags.CacheUrl = None,
    durability: flags.Durability = None,
    spool: flags.Spool = None,
    model: flags.Model = None,
    model_base_url: flags.ModelBaseUrl = None,
    embeddings: flags.Embeddings = None,
    log_level: flags.LogLevel = None,
    log_format: flags.LogFormat = None,
) -> None:
    """Serve the HTTP API and the page."""
    given = {name: value for name, value in locals().items() if name not in ("reload", "listener")}
    from recuerdo.cli.serving import serve_until_interrupted  # the server is an extra

    if reload:
        from recuerdo.cli.reloading import serve_reloading

        serve_reloading(read_settings(config=config).config)
        return
    settings = read_served_settings(**given)
    log_from(settings.log_level, settings.log_format)
    if settings.workers > 1 and listener is None:
        from recuerdo.cli.workers import serve_with_workers

        serve_with_workers(settings)
        return
    metrics = open_metrics(by_tenant=settings.metrics_tenants)
    with open_tracer(settings.otlp_endpoint) as tracer:
        serve_until_interrupted(settings, open_recuerdo(settings, metrics, tracer), metrics, tracer, listener)


def worker(
    queues: Annotated[
        str | None, typer.Option(help="The queues to work on: all, or some, separated by commas.")
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="The number of concurrent actions per queue.")] = 10,
    database_url: flags.Database = None,
    cache_url: flags.CacheUrl = None,
    model: flags.Model = None,
    model_base_url: flags.ModelBaseUrl = None,
    embeddings: flags.Embeddings = None,
    log_level: flags.LogLevel = None,
    log_format: flags.LogFormat = None,
) -> None:
    """Execute the actions that servers and other programs enqueue."""
    settings = read_settings(**{name: value for name, value in locals().items() if name != "concurrency"})
    log_from(settings.log_level, settings.log_format)
    with open_tracer(settings.otlp_endpoint) as tracer:
        work_until_interrupted(settings, open_recuerdo(settings, tracer=tracer), concurrency)


def chat(
    user: Annotated[str, typer.Option(help="Your user name; memories belong to a user.")] = flags.LOCAL_USER,
    thread: Annotated[str, typer.Option(help="The thread to continue or create.")] = "terminal",
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    database_url: flags.Database = None,
    cache_url: flags.CacheUrl = None,
    durability: flags.Durability = None,
    spool: flags.Spool = None,
    model: flags.Model = None,
    model_base_url: flags.ModelBaseUrl = None,
    embeddings: flags.Embeddings = None,
) -> None:
    """Chat in the terminal; end with Ctrl-D."""
    settings = read_settings(**{name: value for name, value in locals().items() if name in Settings.model_fields})
    log_from(settings.log_level, settings.log_format)
    converse(open_recuerdo(settings), Owner(tenant, user).thread(thread))


def read_served_settings(**given: Any) -> Settings:
    """Like `read_settings`, with further settings from the variables of the langgraph.json.

    Also raises ConfigurationError if the file names a database and no setting of ours does: its data would go to a
    local file.
    """
    settings = read_settings(**given)
    if settings.config is None:
        return settings
    sources = read_sources(settings.config)
    ours = {name: value for name, value in sources.environment.items() if name.startswith("RECUERDO_")}
    for name, value in ours.items():
        os.environ.setdefault(name, value)
    settings = read_settings(**given) if ours else settings
    _check_database(settings, sources)
    _check_retention(settings, sources)
    return settings


def _check_database(settings: Settings, sources: GraphSources) -> None:
    named = [*sources.databases, *(name for name in LANGGRAPH_DATABASES if os.environ.get(name))]
    if named and "database_url" not in settings.model_fields_set:
        raise ConfigurationError(
            f"{' and '.join(dict.fromkeys(named))} would not be used: Recuerdo keeps everything in one database, set "
            "by RECUERDO_DATABASE_URL. Set that (or --database-url) to the same URL, or to another."
        )


def _check_retention(settings: Settings, sources: GraphSources) -> None:
    if sources.retention is not None and settings.retention is None:
        raise ConfigurationError(
            f"checkpointer.ttl of the langgraph.json would not be used. Set RECUERDO_RETENTION={sources.retention}, or "
            "leave it out."
        )


def converse(opening: AbstractAsyncContextManager[Recuerdo], scope: Scope) -> None:
    """Read lines and answer each, until the input ends or Ctrl-C."""
    console = Console(highlight=False)
    _accept_undecodable_bytes()
    stack = AsyncExitStack()
    with asyncio.Runner() as runner:
        try:
            chat = runner.run(stack.enter_async_context(opening)).chat
            console.print(f"{chat.model_name} · user {scope.user} · thread {scope.thread} · Ctrl-D ends", style="dim")
            # the line is read outside the event loop, which would hold Ctrl-C back until Enter
            while (line := _read_line(console)) is not None:
                runner.run(_answer(console, chat, scope, line))
        except KeyboardInterrupt:
            console.print()
        finally:
            runner.run(stack.aclose())


def _accept_undecodable_bytes() -> None:
    """Accept undecodable bytes, so that they are refused like any other invalid message."""
    stdin: object = sys.stdin
    if isinstance(stdin, TextIOWrapper):
        stdin.reconfigure(errors="surrogateescape")


def _read_line(console: Console) -> str | None:
    try:
        return console.input("[bold]>[/bold] ") if console.is_terminal else input()
    except EOFError:
        return None


async def _answer(console: Console, chat: Chat, scope: Scope, line: str) -> None:
    if not line.strip():
        return
    try:
        async for event in chat.stream(scope, line, idempotency_key=new_id()):
            match event:
                case Token(text):
                    console.print(text, end="", markup=False, soft_wrap=True)
                case Finished(reply):
                    console.print()
                    _print_outcome(console, [memory.text for memory in reply.memories_saved], reply.history)
                case _:
                    pass
    except (InvalidInput, ModelUnavailable) as error:
        console.print(f"[red]{type(error).__name__}[/red]", end=" ")
        console.print(str(error), markup=False)


def _print_outcome(console: Console, remembered: list[str], history: str) -> None:
    for text in remembered:
        console.print(f"+ {text}", style="dim", markup=False)
    if history != "ok":
        console.print("The history is unavailable: this turn continued without it.", style="yellow")


def work_until_interrupted(
    settings: Settings, opening: AbstractAsyncContextManager[Recuerdo], concurrency: int
) -> None:
    """Work until Ctrl-C or SIGTERM, then return unfinished actions. Raises ConfigurationError."""
    queues = parse_queues(settings.queues)
    if not queues:
        raise ConfigurationError("A worker without a queue has nothing to do. Name some with --queues.")
    asyncio.run(_work(settings, queues, opening, concurrency))
    typer.echo("Stopped. What was not done yet is handed back.")


async def _work(
    settings: Settings, queues: Sequence[Queue], opening: AbstractAsyncContextManager[Recuerdo], concurrency: int
) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with opening as memory:
        memory.worker.retries = settings.retries
        async with working_alone(memory, queues, concurrency=concurrency):
            typer.echo(f"Working on {', '.join(memory.worker.queues)} (Ctrl-C stops it)")
            await stopped.wait()


def mcp(
    user: flags.User = flags.LOCAL_USER,
    tenant: flags.Tenant = flags.LOCAL_TENANT,
    database_url: flags.Database = None,
    cache_url: flags.CacheUrl = None,
    embeddings: flags.Embeddings = None,
) -> None:
    """Serve a user's memories to one agent that speaks MCP over standard input and output."""
    settings = read_settings(database_url=database_url, cache_url=cache_url, embeddings=embeddings)
    asyncio.run(_serve_tools(settings, Owner(tenant, user)))


async def _serve_tools(settings: Settings, owner: Owner) -> None:
    with needing("MCP", "mcp"):
        from recuerdo.integrations.mcp.tools import memory_server
    async with open_beside_server(settings) as memory:
        await memory_server(memory.memories, memory.history, lambda _: owner).run_stdio_async()
