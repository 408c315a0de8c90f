"""The HTTP application, made of the routes, the guards before them and the errors behind them."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fastapi import FastAPI
from fastapi.routing import APIRoute

from recuerdo import __version__
from recuerdo.server.auth.locality import LocalOnly
from recuerdo.server.documentation import add_documentation
from recuerdo.server.errors import add_error_handlers
from recuerdo.server.limits import BodyLimit
from recuerdo.server.options import ServerOptions
from recuerdo.server.paths import PathIds
from recuerdo.server.routes import chat, info, memories, messages, metrics, page, threads
from recuerdo.server.services import Services

_ROUTERS = (info.router, metrics.router, chat.router, threads.router, messages.router, memories.router, page.router)


def create_app(services: AbstractAsyncContextManager[Services], options: ServerOptions | None = None) -> FastAPI:
    """The application over services that are opened when it starts and closed when it stops.

    Nothing authenticates callers yet: serve it on loopback addresses only.
    """
    options = options or ServerOptions()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None, None]:
        async with services as opened:
            app.state.services = opened
            yield

    app = FastAPI(
        title="Recuerdo",
        version=__version__,
        description="The memory of conversational agents: threads, messages, windows, memories and a chat.",
        lifespan=lifespan,
        docs_url=None,  # FastAPI's pages load their scripts from other sites
        redoc_url=None,
        generate_unique_id_function=_operation_id,
    )
    app.state.options = options
    for router in _ROUTERS:
        app.include_router(router)
    add_error_handlers(app)
    add_documentation(app)
    app.add_middleware(BodyLimit)
    app.add_middleware(PathIds)
    app.add_middleware(LocalOnly, hosts=options.hosts, origins=options.origins)
    return app


def _operation_id(route: APIRoute) -> str:
    return route.name
