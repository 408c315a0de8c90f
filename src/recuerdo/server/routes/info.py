"""Whether the server lives, whether it can work, and what it is."""

from fastapi import APIRouter

from recuerdo import __version__
from recuerdo.core.scope import ANONYMOUS, Owner
from recuerdo.server.answers import OFFLINE, Alive, Info
from recuerdo.server.auth.principal import DEFAULT_TENANT
from recuerdo.server.documentation import documented
from recuerdo.server.options import Options, ServerOptions
from recuerdo.server.responses import JsonResponse
from recuerdo.server.services import OpenServices

router = APIRouter(tags=["server"])

_ABILITIES: tuple[str, ...] = ("assistants", "chat", "crons", "memories", "runs", "store", "streaming", "threads")

_SOMEBODY = Owner(DEFAULT_TENANT, ANONYMOUS)


@router.get("/ok", responses=documented(Alive))
async def ok() -> JsonResponse:
    """The server lives."""
    return JsonResponse(Alive())


@router.get("/healthz", responses=documented(Alive))
async def healthz() -> JsonResponse:
    """The server lives: for whoever restarts it when it doesn't."""
    return JsonResponse(Alive())


@router.get("/ready", responses=documented(Alive))
async def ready(services: OpenServices) -> JsonResponse:
    """The database answers: for whoever sends requests here. 503 when it doesn't."""
    await services.history.threads(_SOMEBODY, limit=1)
    return JsonResponse(Alive())


@router.get("/info", responses=documented(Info))
async def info(services: OpenServices, options: Options) -> JsonResponse:
    """What this server is, and which model answers."""
    model = services.chat.model_name
    flags = dict.fromkeys(_ABILITIES, True)
    return JsonResponse(
        Info(
            __version__,
            model,
            model == OFFLINE,
            options.embeddings,
            _auth(options),
            options.local_user,
            flags,
            options.graphs,
        )
    )


def _auth(options: ServerOptions) -> str:
    if options.auth is None:
        return "none"
    ways = {
        "token": bool(options.auth.issuers),
        "api_key": options.auth.api_keys,
        "custom": options.auth.rules is not None,
    }
    return ", ".join(way for way, is_open in ways.items() if is_open)
