"""Times how long a request waits for a model, for embeddings and for the database, and makes spans of it."""

import functools
import inspect
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from contextvars import ContextVar
from typing import Any

from recuerdo.core.ports import Embedder
from recuerdo.core.tracing import Attributes, Tracer, WaitedFor, time_waited

_REPOSITORIES = ("threads", "memories", "passages", "library", "documents", "sessions")
_READS = ("head", "snapshot", "tail", "page", "count")
"""The operations of the history that are timed here. Appends are not: those of many callers share a transaction."""

_waits: ContextVar[bool] = ContextVar("waits", default=False)
"""Whether the call is part of another one, which is timed."""


def add_waited(what: WaitedFor, seconds: float) -> None:
    """Add seconds to the waiting time of the current request, if there is one."""
    waited = time_waited.get()
    if waited is not None:
        waited[what] = waited.get(what, 0.0) + seconds


def watch_database(repositories: Mapping[str, object], tracer: Tracer | None) -> None:
    """Time the calls of these repositories, by their names, from now on."""
    for name, repository in repositories.items():
        for call in _calls(name, repository):
            _watch(repository, call, "database", f"recuerdo.database.{name}.{call}", {}, tracer)


def watch_appends(history: object) -> None:
    """Time how long the appends of this history wait from now on."""
    _watch(history, "append", "database", "", {}, None)


def _calls(name: str, repository: object) -> list[str]:
    if name == "history":
        return [*_READS]
    found = dir(repository) if name in _REPOSITORIES and repository is not None else []
    return [each for each in found if each[0] != "_" and inspect.iscoroutinefunction(getattr(repository, each))]


def watch_embedder(embedder: Embedder, tracer: Tracer | None) -> None:
    """Time the calls of this embedding model from now on."""
    provider, _, model = embedder.name.rpartition(":")
    attributes = {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.request.model": model,
        "gen_ai.provider.name": provider or "recuerdo",
    }
    _watch(embedder, "embed", "embeddings", f"embeddings {model}", attributes, tracer)


def _watch(
    service: object, call: str, what: WaitedFor, name: str, attributes: Attributes, tracer: Tracer | None
) -> None:
    setattr(service, call, _timed(getattr(service, call), what, name, attributes, tracer))


def _timed(
    method: Callable[..., Any], what: WaitedFor, name: str, attributes: Attributes, tracer: Tracer | None
) -> Callable[..., Any]:
    @functools.wraps(method)
    async def timed(*args: Any, **options: Any) -> Any:
        if _waits.get():
            return await method(*args, **options)
        token, began = _waits.set(True), time.perf_counter()
        try:
            with tracer.span(name, attributes) if tracer and tracer.is_tracing() else nullcontext():
                return await method(*args, **options)
        finally:
            add_waited(what, time.perf_counter() - began)
            _waits.reset(token)

    return timed
