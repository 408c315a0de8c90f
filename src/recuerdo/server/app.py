"""The HTTP application: its routes, its middleware, and its error handlers."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from itertools import chain
from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import BaseRoute

from recuerdo import __version__
from recuerdo.audit import AuditLog
from recuerdo.caching.buckets import LocalBuckets
from recuerdo.concurrency.tasks import in_background
from recuerdo.history.history import utc_now
from recuerdo.integrations.mcp.endpoint import McpEndpoint
from recuerdo.server.admission import CHATS, AdmissionControl
from recuerdo.server.answers import OFFLINE
from recuerdo.server.auth.authenticator import RuledAuthenticator
from recuerdo.server.auth.visitors import VisitorTokens
from recuerdo.server.caller_limits import CallerLimits
from recuerdo.server.direct import DirectRoutes
from recuerdo.server.documentation import add_documentation
from recuerdo.server.errors import add_error_handlers
from recuerdo.server.guards import Drain, Draining, Guards, RequestObserver
from recuerdo.server.limits import RateLimits
from recuerdo.server.requests import VISITOR_HEADER, Authenticates, NoAuth, ServerOptions, Services
from recuerdo.server.response_cache import ResponseCache
from recuerdo.server.routes import (
    actions,
    audit,
    chat,
    contexts,
    documents,
    erasures,
    info,
    keys,
    langgraph,
    memories,
    page,
    sessions,
    sign_in,
    threads,
    visitors,
)
from recuerdo.server.streaming.turns import ServerTurns, Turns
from recuerdo.server.streaming.worker_turns import WorkerTurns

if TYPE_CHECKING:
    from recuerdo.server.auth.oidc import SignIn

# The busiest first: a request is compared with one route after the other.
_ROUTERS = (
    threads.messages_router,
    langgraph.busiest,
    *langgraph.routers,
    info.router,
    chat.router,
    threads.router,
    memories.router,
    erasures.router,
    threads.by_time_router,
    threads.search_router,
    threads.tenant_router,
    contexts.router,
    actions.router,
    audit.router,
    documents.router,
    keys.router,
    sign_in.router,
    visitors.router,
    sessions.router,
    page.router,
)

_SEEN_ELSEWHERE = (
    "X-Pagination-Total",
    "X-Pagination-Next",
    "Content-Location",
    "Location",
    "X-Request-Id",
    "X-Recuerdo-Version",
    "ETag",
    "Retry-After",
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    VISITOR_HEADER,
)
"""Headers that pages of allowed sites may read."""


def create_app(services: AbstractAsyncContextManager[Services], options: ServerOptions | None = None) -> FastAPI:
    """The application over services that are opened when it starts and closed when it stops.

    Without `options.auth` callers are not authenticated: then serve it on loopback addresses only. Raises
    ConfigurationError for options that can't work or are not safe.
    """
    options = options or ServerOptions()
    admission = AdmissionControl((options.limits or CallerLimits()).at_once, is_limited=not options.admits_all)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None, None]:
        async with _opening(app, services, options) as opened, in_background(admission.run()):
            app.state.services = opened
            admission.chats_with_model = frozenset() if opened.chat.model_name == OFFLINE else CHATS
            app.state.mcp = McpEndpoint(opened.memories, opened.history)
            turns = _turns(opened, options)
            app.state.connections = sessions.Connections(turns, opened.signals)
            try:
                yield
            finally:
                await app.state.mcp.aclose()
                await turns.aclose()
                await app.state.authenticator.aclose()

    app = FastAPI(
        title="Recuerdo",
        version=__version__,
        description="The memory of conversational agents: threads, messages, windows, memories and a chat.",
        lifespan=lifespan,
        docs_url=None,  # FastAPI's pages load their scripts from other sites
        redoc_url=None,
        redirect_slashes=False,  # `errors` does, and names no host
        # RequestObserver's stand alone: FastAPI's would export paths, and what errors say
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.options = options
    app.state.failure = None
    app.state.audit = options.audit or AuditLog(None, utc_now)
    app.state.sign_in = _sign_in(options)
    app.state.authenticator = _authenticator(options, app.state.sign_in)
    app.state.answers = ResponseCache()
    app.state.drain = Drain()
    app.router.routes += _routes()
    app.router.routes.append(memories.mcp_route)
    add_error_handlers(app)
    add_documentation(app)
    app.add_middleware(DirectRoutes)
    if options.auth is not None and options.auth.visitors is not None:
        app.add_middleware(VisitorTokens, lifetime=options.auth.visitors.lifetime)
    if options.limits is not None:
        app.add_middleware(RateLimits, limits=options.limits, buckets=options.buckets or LocalBuckets())
    app.add_middleware(Guards, options=options)
    app.add_middleware(Draining, drain=app.state.drain, control=admission)
    if options.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=options.origins,
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=_SEEN_ELSEWHERE,
        )
    app.add_middleware(RequestObserver, recording=options.recording, metrics=options.metrics)
    return app


def _routes() -> Iterator[BaseRoute]:
    """The routes of every application, each in its place: an included router compares a path with its routes twice."""
    for route in chain.from_iterable(router.routes for router in _ROUTERS):
        if isinstance(route, APIRoute):
            route.operation_id = route.name
        yield route


def _turns(opened: Services, options: ServerOptions) -> Turns:
    if options.sessions_by == "server":
        return ServerTurns(lambda: opened.chat, opened.events, opened.signals)
    return WorkerTurns(
        opened.actions,
        opened.history.epoch,
        opened.events,
        opened.signals,
        utc_now,
        options.sessions_wait,
    )


def _sign_in(options: ServerOptions) -> "SignIn | None":
    """How people sign in for the page, if they can."""
    if options.auth is None or options.auth.oidc is None:
        return None
    options.auth.checked()
    from recuerdo.server.auth.oidc import SignIn  # Authlib is an extra

    return SignIn(options.auth.oidc, options.auth.public_url)


def _authenticator(options: ServerOptions, sign_in: "SignIn | None") -> Authenticates:
    if options.auth is None:
        return NoAuth()
    auth = options.auth.checked()
    if auth.rules is not None:
        return RuledAuthenticator(auth.rules, auth.highest_role)
    from recuerdo.server.auth.authenticator import Authenticator  # cryptography takes a while to load

    return Authenticator(auth, options.api_keys, None if sign_in is None else sign_in.cookies)


@asynccontextmanager
async def _opening(
    app: FastAPI, services: AbstractAsyncContextManager[Services], options: ServerOptions
) -> AsyncGenerator[Services, None]:
    """Open the services while the application runs. If they can't be opened, `app.state.failure` says why."""
    async with AsyncExitStack() as stack:
        try:
            opened = await stack.enter_async_context(services)
            await stack.enter_async_context(_open_mounted(options))
        except Exception as error:
            app.state.failure = error
            raise
        yield opened


def _open_mounted(options: ServerOptions) -> AbstractAsyncContextManager[object]:
    if options.mounted is None:
        return nullcontext()
    other = options.mounted.app
    return other.router.lifespan_context(other)
