"""`recuerdo serve`, `worker` and `chat`: the commands that run an open Recuerdo."""

from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Annotated

import typer

from recuerdo.app.recuerdo import Recuerdo
from recuerdo.app.settings import Settings, read_settings
from recuerdo.cli.conversation import converse
from recuerdo.cli.graphs import read_served_settings
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
from recuerdo.cli.working import work_until_interrupted
from recuerdo.core.scope import Owner
from recuerdo.observability.logs import log_from
from recuerdo.observability.metrics import Metrics, open_metrics


def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="The port to listen on; 0 selects a free one.")] = None,
    config: Annotated[str | None, typer.Option(help="The langgraph.json that names the graphs to serve.")] = None,
    reload: Annotated[bool, typer.Option("--reload", help="Restart when files of the graphs change.")] = False,
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
    flags = {name: value for name, value in locals().items() if name != "reload"}
    from recuerdo.cli.serving import serve_until_interrupted  # the server is an extra

    if reload:
        from recuerdo.cli.reloading import serve_reloading

        serve_reloading(read_settings(config=config).config)
        return
    settings = read_served_settings(**flags)
    log_from(settings.log_level, settings.log_format)
    metrics = open_metrics(by_tenant=settings.metrics_tenants)
    serve_until_interrupted(settings, open_recuerdo(settings, metrics), metrics)


def worker(
    queues: Annotated[
        str | None, typer.Option(help="The queues to work on: all, or some, separated by commas.")
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="The number of concurrent actions per queue.")] = 10,
    database_url: Database = None,
    cache_url: CacheUrl = None,
    model: Model = None,
    model_base_url: ModelBaseUrl = None,
    embeddings: Embeddings = None,
    log_level: Annotated[str | None, typer.Option(help="debug, info, warning or error.")] = None,
    log_format: Annotated[str | None, typer.Option(help="console or json.")] = None,
) -> None:
    """Execute the actions that servers and other programs enqueue."""
    settings = read_settings(**{name: value for name, value in locals().items() if name != "concurrency"})
    log_from(settings.log_level, settings.log_format)
    work_until_interrupted(settings, open_recuerdo(settings), concurrency)


def chat(
    user: Annotated[str, typer.Option(help="Your user name; memories belong to a user.")] = LOCAL_USER,
    thread: Annotated[str, typer.Option(help="The thread to continue or create.")] = "terminal",
    tenant: Annotated[str, typer.Option(help="The tenant.")] = LOCAL_TENANT,
    database_url: Database = None,
    cache_url: CacheUrl = None,
    durability: Durability = None,
    spool: Spool = None,
    model: Model = None,
    model_base_url: ModelBaseUrl = None,
    embeddings: Embeddings = None,
) -> None:
    """Chat in the terminal; end with Ctrl-D."""
    settings = read_settings(**{name: value for name, value in locals().items() if name in Settings.model_fields})
    log_from(settings.log_level, settings.log_format)
    converse(open_recuerdo(settings), Owner(tenant, user).thread(thread))


def open_recuerdo(settings: Settings, metrics: Metrics | None = None) -> AbstractAsyncContextManager[Recuerdo]:
    """A Recuerdo with these settings, to open with `async with`."""
    return Recuerdo.open(
        settings.database_url,
        cache=settings.cache_url,
        durability=settings.durability,
        spool=settings.spool,
        **settings.model_arguments,
        metrics=metrics,
        retention=settings.retention or "",
        summarise_after=timedelta(seconds=settings.summarise_after),
        extraction=settings.extraction_budget,
    )
