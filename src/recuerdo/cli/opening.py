"""Opens Recuerdo and databases for commands, by their settings."""

from contextlib import AbstractAsyncContextManager
from datetime import timedelta

from recuerdo.app.operations import Operations, open_operations
from recuerdo.app.recuerdo import Recuerdo
from recuerdo.app.settings import Settings, listed, read_settings
from recuerdo.core.ports import Clock
from recuerdo.core.tracing import Tracer
from recuerdo.history.history import utc_now
from recuerdo.observability.metrics import Metrics


def open_recuerdo(
    settings: Settings, metrics: Metrics | None = None, tracer: Tracer | None = None, clock: Clock = utc_now
) -> AbstractAsyncContextManager[Recuerdo]:
    """A Recuerdo with these settings, to open with `async with`."""
    return Recuerdo.open(
        settings.database_url,
        cache=settings.cache_url,
        durability=settings.durability,
        spool=settings.spool,
        **settings.model_arguments,
        metrics=metrics,
        tracer=tracer,
        clock=clock,
        retention=settings.retention or "",
        keep_secrets=settings.keep_secrets,
        encryption_key=settings.encryption_keys,
        read_bytes=settings.read_bytes,
        message_fields=listed(settings.message_fields),
        summarise_after=timedelta(seconds=settings.summarise_after),
        extraction=settings.extraction_budget,
        lives=settings.lives,
        pool_size=settings.pool_size,
        read_url=settings.read_url,
    )


def open_beside_server(settings: Settings, clock: Clock = utc_now) -> AbstractAsyncContextManager[Recuerdo]:
    """Open the memory for a command that may run beside a server: without the spool or a model for memories."""
    own = settings.model_copy(update={"durability": "sync", "extraction": "detectors"})
    return open_recuerdo(own, clock=clock)


def open_database(database_url: str | None, cache_url: str | None = None) -> AbstractAsyncContextManager[Operations]:
    """The database, and the shared cache, in which a task's changes must appear too."""
    settings = read_settings(database_url=database_url, cache_url=cache_url)
    return open_operations(settings.database_url, cache=settings.cache_url, encryption_key=settings.encryption_keys)
