"""What the server needs of the product: the services that an open Recuerdo has."""

from typing import Annotated, Protocol, cast

from fastapi import Depends
from starlette.requests import HTTPConnection

from recuerdo.agents.chat import Chat
from recuerdo.contexts import Contexts, Sessions
from recuerdo.core.graph_ports import RunEvents, Signals
from recuerdo.core.ports import ThreadSummaries
from recuerdo.history import History
from recuerdo.library import Library
from recuerdo.memories import Memories
from recuerdo.memories.erasures import Erasures
from recuerdo.runs.services import RunServices
from recuerdo.server.auth.principal import Principal, RuledPrincipal


class Services(Protocol):
    """Open services, ready to be called."""

    @property
    def history(self) -> History: ...

    @property
    def memories(self) -> Memories: ...

    @property
    def erasures(self) -> Erasures: ...

    @property
    def summaries(self) -> ThreadSummaries | None: ...

    @property
    def chat(self) -> Chat: ...

    @property
    def library(self) -> Library: ...

    @property
    def runs(self) -> RunServices: ...

    @property
    def contexts(self) -> Contexts: ...

    @property
    def sessions(self) -> Sessions: ...

    @property
    def events(self) -> RunEvents: ...

    @property
    def signals(self) -> Signals: ...


async def open_services(connection: HTTPConnection) -> Services:
    """The services that the application opened when it started. Asynchronous, or FastAPI would use a thread for it."""
    return cast(Services, connection.app.state.services)


OpenServices = Annotated[Services, Depends(open_services)]


def services_for(principal: Principal, runs: RunServices) -> RunServices:
    """The services over graphs, as far as rules of somebody's own let the caller use them."""
    if principal.access is None:
        return runs
    from recuerdo.runs.authorized import authorized  # only where there are rules

    return authorized(runs, principal.access)


async def _graph_services(services: OpenServices, principal: RuledPrincipal) -> RunServices:
    return services_for(principal, services.runs)


GraphServices = Annotated[RunServices, Depends(_graph_services)]
