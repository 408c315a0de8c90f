"""How a server behaves, as far as that is a matter of choice."""

from typing import Annotated, NamedTuple, Protocol, cast

from fastapi import Depends
from starlette.requests import HTTPConnection

from recuerdo.core.ports import ApiKeyRepository
from recuerdo.core.quotas import TokenBuckets
from recuerdo.server.auth.options import AuthOptions
from recuerdo.server.auth.principal import OPERATOR_ROLE, Principal
from recuerdo.server.limits import CallerLimits
from recuerdo.server.mounted_app import MountedApp
from recuerdo.server.streaming.sse import HEARTBEAT_SECONDS


class MetricsPage(Protocol):
    """What /metrics shows."""

    @property
    def content_type(self) -> str: ...

    def render(self) -> bytes: ...


class ServerOptions(NamedTuple):
    """Choices of whoever starts the server.

    `auth` says whom to believe, and `api_keys` are where API keys are looked up. Without `auth` everybody is believed:
    the server answers to loopback names only, `local_user` is the user that the page acts as until somebody names
    another, and `hosts` are further names that it may be called by. `origins` are sites (`https://chat.example`) whose
    pages may change things here. `embeddings` is the embedding model's name as /info shows it. A stream that is silent
    for `heartbeat` seconds gets a comment, and one of a thread ends when nothing has happened there for `idle` seconds.
    `metrics` are what /metrics shows. `beside` is an application of somebody's own, and `graphs` are the names of
    their graphs, the first of which the page talks to. `limits` are what callers may do, counted in `buckets`.
    """

    local_user: str = "local"
    embeddings: str | None = None
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    heartbeat: float = HEARTBEAT_SECONDS
    idle: float = 3600.0
    metrics: MetricsPage | None = None
    auth: AuthOptions | None = None
    api_keys: ApiKeyRepository | None = None
    beside: MountedApp | None = None
    graphs: tuple[str, ...] = ()
    limits: CallerLimits | None = None
    buckets: TokenBuckets | None = None

    def allows(self, role: str, wanted: str) -> bool:
        """Whether the role may do what is for the wanted one. Without `auth` whoever reaches the server may."""
        return self.auth is None or role == wanted

    def role_of(self, principal: Principal) -> str:
        """The role whose headers are heeded: the principal's; without `auth` an operator's."""
        return OPERATOR_ROLE if self.auth is None else principal.role


def options_of(connection: HTTPConnection) -> ServerOptions:
    """The choices behind the application that the connection reached."""
    return cast(ServerOptions, connection.app.state.options)


async def _options(connection: HTTPConnection) -> ServerOptions:
    return options_of(connection)


Options = Annotated[ServerOptions, Depends(_options)]
