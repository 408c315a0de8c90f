"""The checks of `recuerdo doctor`: everything that a server needs, with advice for each failure."""

import asyncio
import os
import platform
import shutil
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar
from urllib.parse import urlsplit

from recuerdo import __version__
from recuerdo.adapters import registry
from recuerdo.adapters.registry import sqlite_file
from recuerdo.app.operations import cache_statistics
from recuerdo.app.recuerdo import Recuerdo
from recuerdo.app.settings import Settings
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.messages import Message
from recuerdo.history.history import utc_now

State = Literal["ok", "warning", "failed", "skipped"]
_T = TypeVar("_T")

_SECONDS = 15.0
"""How long one examination may take."""

_SLOW = 0.05
"""Seconds from which a database or a cache is too far away to be quick."""

_TRIES = 5
_MOST_APART = 2.0
"""Seconds by which two clocks may differ before it is worth a warning."""

_LEAST_SPACE = 2**30
_TENANT = "recuerdo-doctor"
_PORTS = {"http": 80, "https": 443}
_KEYS = frozenset({"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GROQ_API_KEY", "DEEPSEEK_API_KEY", "XAI_API_KEY"})
"""The variables with the keys that LangChain's clients need, of providers that require a key."""


class Diagnosis(NamedTuple):
    """The result of one examination."""

    name: str
    state: State
    detail: str
    advice: str = ""
    """The remedy; empty if there is nothing to do."""


Examination = Callable[[Settings], Awaitable[Diagnosis]]


async def examine(settings: Settings) -> AsyncIterator[Diagnosis]:
    """Examine everything that these settings name. An examination that fails does not keep others from their turn."""
    for name, examination in _EXAMINATIONS.items():
        try:
            async with asyncio.timeout(_SECONDS):
                yield await examination(settings)
        except TimeoutError:
            yield Diagnosis(name, "failed", f"no answer within {_SECONDS:.0f} s", "Look at its logs and the network.")
        except RecuerdoError as error:
            yield Diagnosis(name, "failed", str(error), "See docs/reference/errors.md.")


async def _version(_settings: Settings) -> Diagnosis:
    return Diagnosis("version", "ok", f"Recuerdo {__version__}, Python {platform.python_version()}")


async def _tables(settings: Settings) -> Diagnosis:
    pending = await registry.pending(settings.database_url)
    if pending and settings.database_url.startswith("sqlite:"):
        return Diagnosis("tables", "ok", f"{len(pending)} updates run when a server starts")
    if pending:
        return Diagnosis("tables", "warning", f"{len(pending)} updates are pending", "Run `recuerdo db upgrade`.")
    return Diagnosis("tables", "ok", "up to date")


async def _database(settings: Settings) -> Diagnosis:
    """Writes, reads and deletes one message, as the role that serves requests."""
    async with Recuerdo.open(
        settings.database_url, embeddings="none", encryption_key=settings.encryption_keys
    ) as memory:
        thread = memory.thread(tenant=_TENANT, user="doctor", thread="doctor")
        await thread.append(Message.user("A message that `recuerdo doctor` deletes at once."))
        seconds, _ = await _quickest(lambda: thread.messages(limit=1))
        await thread.delete()
    detail = f"writes and reads; a read takes {seconds * 1000:.1f} ms"
    if seconds > _SLOW:
        return Diagnosis("database", "warning", detail, "Move the server nearer to its database.")
    return Diagnosis("database", "ok", detail)


async def _cache(settings: Settings) -> Diagnosis:
    if settings.cache_url is None:
        advice = "Replicas need one for streams: set RECUERDO_CACHE_URL. A single server needs none."
        return Diagnosis("cache", "skipped", "no shared cache is named", advice)
    url = settings.cache_url
    seconds, found = await _quickest(lambda: cache_statistics(url))
    detail = f"{found.nodes} nodes, {found.threads} threads, answered in {seconds * 1000:.1f} ms"
    if not found.most_bytes:
        return Diagnosis("cache", "warning", f"{detail}, no limit of memory", "Set `maxmemory` and `allkeys-lru`.")
    if seconds > _SLOW * found.nodes:
        return Diagnosis("cache", "warning", detail, "Reads wait 50 ms for it at most. Move it nearer.")
    return Diagnosis("cache", "ok", detail)


async def _quickest(ask: Callable[[], Awaitable[_T]]) -> tuple[float, _T]:
    """The least seconds of a few answers, and the last one: a machine that is busy for a moment is not far away."""
    times: list[float] = []
    while True:
        began = time.perf_counter()
        answer = await ask()
        times.append(time.perf_counter() - began)
        if times[-1] <= _SLOW or len(times) == _TRIES:
            return min(times), answer


async def _clock(settings: Settings) -> Diagnosis:
    """Compares this machine's clock with the database server's, which answers at any moment of the time taken."""
    began, asked = utc_now(), time.monotonic()
    there = await registry.time_of(settings.database_url)
    if there is None:
        return Diagnosis("clock", "skipped", "the database is on this machine")
    taken = time.monotonic() - asked
    apart = (there - began).total_seconds()
    seconds = apart - max(0.0, min(taken, apart))
    if abs(seconds) > _MOST_APART:
        way = "behind" if seconds > 0 else "ahead of"
        advice = "Synchronise both clocks (NTP): leases, expiry and the order of memories go by them."
        return Diagnosis("clock", "warning", f"{abs(seconds):.0f} s {way} the database's", advice)
    return Diagnosis("clock", "ok", f"within {_MOST_APART:.0f} s of the database's")


async def find_model(settings: Settings) -> Diagnosis:
    """Reaches the model's address. It is not asked anything, because that may cost money."""
    if settings.model == "offline":
        return Diagnosis("model", "ok", "offline", "Set RECUERDO_MODEL to use a real one.")
    if settings.model_base_url is None:
        variable = f"{settings.model.partition(':')[0].upper()}_API_KEY"
        if variable in _KEYS and settings.model_api_key is None and not os.environ.get(variable):
            advice = f"Set RECUERDO_MODEL_API_KEY or {variable}: without it the server does not start."
            return Diagnosis("model", "failed", f"{settings.model} has no API key", advice)
        return Diagnosis("model", "ok", f"{settings.model}, at its provider's own address, which was not tried")
    address = urlsplit(settings.model_base_url)
    port = address.port or _PORTS.get(address.scheme, 443)
    try:
        _, writer = await asyncio.open_connection(address.hostname, port)
    except OSError as error:
        problem = f"{address.hostname}:{port} can't be reached: {error.strerror or type(error).__name__}"
        return Diagnosis("model", "failed", problem, "Check RECUERDO_MODEL_BASE_URL, and whether the model runs.")
    writer.close()
    return Diagnosis("model", "ok", f"{settings.model} at {address.hostname}:{port}")


async def _embeddings(settings: Settings) -> Diagnosis:
    async with Recuerdo.open("memory://", **settings.model_arguments) as memory:
        embedder = memory.embedder
        if embedder is None:
            advice = "Install the extra `offline`, or set RECUERDO_EMBEDDINGS."
            state: State = "ok" if settings.embeddings == "none" else "warning"
            return Diagnosis("embeddings", state, "none: searches compare words alone", advice)
        began = time.perf_counter()
        await embedder.embed(["How far is it to the sea?"])
        return Diagnosis("embeddings", "ok", f"{embedder.name}, {time.perf_counter() - began:.2f} s for the first text")


async def _disk(settings: Settings) -> Diagnosis:
    scheme, _, rest = settings.database_url.partition("://")
    folders = [Path(sqlite_file(rest)).parent] if scheme == "sqlite" else []
    if settings.durability == "async":
        folders.append(Path(settings.spool))
    if not folders:
        return Diagnosis("disk", "skipped", "nothing is stored on this machine")
    free = min(shutil.disk_usage(_existing(folder)).free for folder in folders)
    detail = f"{free / 2**30:.1f} GiB free for {', '.join(map(str, folders))}"
    if free < _LEAST_SPACE:
        return Diagnosis("disk", "warning", detail, "Free some space: a full disk refuses appends.")
    return Diagnosis("disk", "ok", detail)


async def _address(settings: Settings) -> Diagnosis:
    with socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            detail = f"{settings.host}:{settings.port}: {error.strerror}"
            return Diagnosis("address", "warning", detail, "Stop the program that uses it, or set RECUERDO_PORT.")
    return Diagnosis("address", "ok", f"{settings.host}:{settings.port} is free")


_EXAMINATIONS: dict[str, Examination] = {
    "version": _version,
    "tables": _tables,
    "database": _database,
    "clock": _clock,
    "cache": _cache,
    "model": find_model,
    "embeddings": _embeddings,
    "disk": _disk,
    "address": _address,
}


def _existing(folder: Path) -> Path:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder if folder.exists() else Path()
