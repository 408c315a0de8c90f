"""The limits of clients in a test process: a busy machine is no failure of what is tested.

Tests of limits set their own. Servers in processes of their own have those that users have.
"""

from typing import Any

from httpx import _config as httpx_config  # pyright: ignore[reportPrivateUsage]
from websockets.asyncio.client import connect as connect_asynchronously
from websockets.sync.client import connect

from recuerdo.adapters import registry, run_events
from recuerdo.adapters.mongodb import MongoDatabase
from recuerdo.adapters.postgres import PostgresDatabase
from recuerdo.adapters.redis import buckets as redis_buckets
from recuerdo.adapters.redis import connection as redis_connection
from recuerdo.adapters.redis import events as redis_events
from recuerdo.agents import chat
from recuerdo.caching import tiered

PATIENCE = 240
"""Seconds after which something counts as stuck; a test has five minutes in all."""

_SECONDS_FOR_A_CACHE = 20.0
_SECONDS_FOR_A_DATABASE = 60

_open_to_changes: Any = (
    httpx_config,
    (connect, connect_asynchronously.__init__),
    registry,
    tiered,
    redis_connection,
    (redis_buckets, redis_events),
    run_events,
    chat,
    MongoDatabase,
)
_postgres: Any = PostgresDatabase.open
LIMITS_OF_POSTGRES: dict[str, Any] = _postgres.__func__.__wrapped__.__kwdefaults__
USUAL_LIMITS_OF_POSTGRES = {**LIMITS_OF_POSTGRES}
"""Those that users have."""


def be_patient() -> None:
    """Replace the defaults, which are made for people who wait."""
    http, sockets, opening, caches, redis, of_redis, events, turns, mongodb = _open_to_changes
    for limit in ("connect", "read", "write", "pool"):
        setattr(http.DEFAULT_TIMEOUT_CONFIG, limit, PATIENCE)
    for connection in sockets:
        connection.__kwdefaults__["open_timeout"] = PATIENCE
    opening.open_history_cache.__wrapped__.__defaults__ = (_SECONDS_FOR_A_CACHE,)
    opening.open_cache_tier.__wrapped__.__kwdefaults__["deadline"] = _SECONDS_FOR_A_CACHE
    for each in of_redis:
        each._TIMEOUT_SECONDS = _SECONDS_FOR_A_CACHE
    caches.SECONDS_TO_FORGET = events._SECONDS_OF_ASKING = _SECONDS_FOR_A_CACHE
    for options in (redis._TIMEOUTS, redis._ONE_SERVER):
        options["socket_connect_timeout"] = options["socket_timeout"] = _SECONDS_FOR_A_CACHE
    turns._SECONDS_TO_STORE = turns._LAST_SECONDS_TO_STORE = _SECONDS_FOR_A_DATABASE
    mongodb.open.__func__.__wrapped__.__kwdefaults__["timeout_ms"] = _SECONDS_FOR_A_DATABASE * 1000
    for limit in ("pool_timeout", "statement_timeout", "read_timeout"):
        LIMITS_OF_POSTGRES[limit] = _SECONDS_FOR_A_DATABASE
