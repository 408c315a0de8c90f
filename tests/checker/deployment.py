"""The checked deployment: two replicas over one database and one Valkey, and a proxy on every way between them."""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from checker.databases import DATABASES, Database
from servers.proxy import Proxy, running_proxy
from servers.recuerdo import COMMAND, RecuerdoServer, running_recuerdo
from servers.valkey import ValkeyServer, running_valkey

REPLICAS = 2


class Stores(NamedTuple):
    """The servers that the replicas share."""

    database: Database
    valkey: ValkeyServer


class Replica(NamedTuple):
    """A server, and the ways to it, to its database and to its cache."""

    server: RecuerdoServer
    door: Proxy
    to_database: Proxy
    to_cache: Proxy

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.door.port}"

    @property
    def proxies(self) -> tuple[Proxy, Proxy, Proxy]:
        return self.door, self.to_database, self.to_cache


class Deployment(NamedTuple):
    """Everything that runs."""

    stores: Stores
    replicas: Sequence[Replica]

    @property
    def urls(self) -> list[str]:
        return [replica.url for replica in self.replicas]


@contextmanager
def running_stores(database: str = "postgres") -> Generator[Stores]:
    """One of the databases, and a cache."""
    with DATABASES[database]() as chosen, running_valkey() as valkey:
        yield Stores(chosen, valkey)


@contextmanager
def running_deployment(stores: Stores, command: Sequence[str] = COMMAND, **settings: str) -> Generator[Deployment]:
    """Two new replicas over the stores, started by the command."""
    with ExitStack() as stack:
        replicas = [_replica(stack, stores, command, settings) for _ in range(REPLICAS)]
        yield Deployment(stores, replicas)


def _replica(stack: ExitStack, stores: Stores, command: Sequence[str], settings: dict[str, str]) -> Replica:
    database = stores.database
    to_database = stack.enter_context(running_proxy(database.server.port))
    to_cache = stack.enter_context(running_proxy(stores.valkey.port))
    server = stack.enter_context(
        running_recuerdo(
            command,
            database_url=_through(database.url, to_database),
            cache_url=_through(stores.valkey.url, to_cache),
            **{"embeddings": "none", "log_level": "warning", **settings},
        )
    )
    return Replica(server, stack.enter_context(running_proxy(server.port)), to_database, to_cache)


def _through(url: str, proxy: Proxy) -> str:
    """The URL of the same server, by way of the proxy; no server stands behind a file."""
    parts = urlsplit(url)
    if not parts.netloc:
        return url
    who, at, _ = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{who}{at}127.0.0.1:{proxy.port}"))
