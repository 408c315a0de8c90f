"""The commands and their flags. A flag that is not given leaves its setting to the environment."""

from contextlib import AbstractAsyncContextManager
from typing import Annotated

import typer

from recuerdo import __version__
from recuerdo.app.recuerdo import Recuerdo
from recuerdo.app.settings import Settings, read_settings
from recuerdo.cli import actions, cache, db, documents, memories, threads, token
from recuerdo.cli.conversation import converse
from recuerdo.cli.graphs import read_served_settings
from recuerdo.cli.logs import log_from
from recuerdo.cli.mcp import mcp
from recuerdo.cli.options import (
    LOCAL_TENANT,
    LOCAL_USER,
    CacheUrl,
    Database,
    Durability,
    Embeddings,
    Model,
    ModelBaseUrl,
    Spool,
)
from recuerdo.cli.retention import retention
from recuerdo.cli.working import work_until_interrupted
from recuerdo.core.scope import Owner
from recuerdo.observability.metrics import Metrics, open_metrics

app = typer.Typer(name="recuerdo", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

app.add_typer(threads.app, name="threads")
app.add_typer(memories.app, name="memories")
app.add_typer(db.app, name="db")
app.add_typer(cache.app, name="cache")
app.add_typer(token.app, name="token")
app.add_typer(documents.app, name="docs")
app.add_typer(actions.app, name="actions")
app.command()(retention)
app.command()(mcp)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def recuerdo(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """The memory that conversational agents run on."""


@app.command()
def version() -> None:
    """Print the version."""
    _print_version(True)


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="The port to listen on; 0 takes a free one.")] = None,
    config: Annotated[str | None, typer.Option(help="The langgraph.json that names the graphs to serve.")] = None,
    reload: Annotated[bool, typer.Option("--reload", help="Start again when files of the graphs change.")] = False,
    allowed_origins: Annotated[str | None, typer.Option(help="Sites whose pages may use the server.")] = None,
    database_url: Database = None,
    cache_url: CacheUrl = None,
    durability: Durability = None,
    spool: Spool = None,
    model: Model = None,
    model_base_url: ModelBaseUrl = None,
    embeddings: Embeddings = None,
    log_level: Annotated[str | None, typer.Option(help="debug, info, warning or error.")] = None,
    log_format: Annotated[str | None, typer.Option(help="console or json.")] = None,
) -> None:
    """Serve the HTTP API and the page."""
    from recuerdo.cli.serving import serve_until_interrupted  # the server is an extra

    if reload:
        from recuerdo.cli.reloading import serve_reloading

        serve_reloading(read_settings(config=config).config)
        return
    settings = read_served_settings(
        host=host,
        port=port,
        config=config,
        allowed_origins=allowed_origins,
        database_url=database_url,
        cache_url=cache_url,
        durability=durability,
        spool=spool,
        model=model,
        model_base_url=model_base_url,
        embeddings=embeddings,
        log_level=log_level,
        log_format=log_format,
    )
    log_from(settings.log_level, settings.log_format)
    metrics = open_metrics(by_tenant=settings.metrics_tenants)
    serve_until_interrupted(settings, open_recuerdo(settings, metrics), metrics)


@app.command()
def worker(
    queues: Annotated[str | None, typer.Option(help="The queues to work on: all, or some by commas.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="So many actions of each queue at a time.")] = 10,
    database_url: Database = None,
    cache_url: CacheUrl = None,
    model: Model = None,
    model_base_url: ModelBaseUrl = None,
    embeddings: Embeddings = None,
    log_level: Annotated[str | None, typer.Option(help="debug, info, warning or error.")] = None,
    log_format: Annotated[str | None, typer.Option(help="console or json.")] = None,
) -> None:
    """Do the actions that servers and other programs hand over."""
    settings = read_settings(
        queues=queues,
        database_url=database_url,
        cache_url=cache_url,
        model=model,
        model_base_url=model_base_url,
        embeddings=embeddings,
        log_level=log_level,
        log_format=log_format,
    )
    log_from(settings.log_level, settings.log_format)
    work_until_interrupted(settings, open_recuerdo(settings), concurrency)


@app.command()
def chat(
    user: Annotated[str, typer.Option(help="Who you are: memories belong to a user.")] = LOCAL_USER,
    thread: Annotated[str, typer.Option(help="The conversation to go on with, or to begin.")] = "terminal",
    tenant: Annotated[str, typer.Option(help="Whose data this is.")] = LOCAL_TENANT,
    database_url: Database = None,
    cache_url: CacheUrl = None,
    durability: Durability = None,
    spool: Spool = None,
    model: Model = None,
    model_base_url: ModelBaseUrl = None,
    embeddings: Embeddings = None,
) -> None:
    """Chat in the terminal; end with Ctrl-D."""
    settings = read_settings(
        database_url=database_url,
        cache_url=cache_url,
        durability=durability,
        spool=spool,
        model=model,
        model_base_url=model_base_url,
        embeddings=embeddings,
    )
    log_from(settings.log_level, settings.log_format)
    converse(open_recuerdo(settings), Owner(tenant, user).thread(thread))


def open_recuerdo(settings: Settings, metrics: Metrics | None = None) -> AbstractAsyncContextManager[Recuerdo]:
    """What the settings describe, to be opened with `async with`."""
    return Recuerdo.open(
        settings.database_url,
        cache=settings.cache_url,
        durability=settings.durability,
        spool=settings.spool,
        **settings.model_arguments,
        metrics=metrics,
        retention=settings.retention or "",
        extraction=settings.extraction_budget,
    )
