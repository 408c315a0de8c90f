"""The server's state, description and metrics, and the caller's principal."""

import msgspec
from fastapi import APIRouter, HTTPException, Request, Response

from recuerdo import __version__
from recuerdo.core.api_keys import FULL
from recuerdo.core.errors import Forbidden
from recuerdo.core.roles import OPERATOR_ROLE
from recuerdo.core.scope import ANONYMOUS, DEFAULT_TENANT, Owner
from recuerdo.server.answers import OFFLINE, Alive, Info, JsonResponse, KnownPrincipal
from recuerdo.server.documentation import documented
from recuerdo.server.requests import RuledCall, ServerOptions, Services, find_principal

router = APIRouter(tags=["server"])

_ABILITIES: tuple[str, ...] = ("assistants", "chat", "crons", "memories", "runs", "store", "streaming", "threads")
_SOMEBODY = Owner(DEFAULT_TENANT, ANONYMOUS)


@router.get("/ok", responses=documented(Alive))
async def ok() -> JsonResponse:
    """The server lives."""
    return JsonResponse(Alive())


@router.get("/healthz", responses=documented(Alive))
async def healthz() -> JsonResponse:
    """The server is alive: for supervisors that restart it when it isn't."""
    return JsonResponse(Alive())


@router.get("/ready", responses=documented(Alive))
async def ready(request: Request) -> JsonResponse:
    """The database answers: for load balancers. 503 when it doesn't."""
    services: Services = request.app.state.services
    await services.history.threads(_SOMEBODY, limit=1)
    return JsonResponse(Alive())


@router.get("/info", responses=documented(Info))
async def info(request: Request) -> JsonResponse:
    """Describe this server, and the model that answers."""
    options: ServerOptions = request.app.state.options
    model = request.app.state.services.chat.model_name
    auth, embeddings, flags = _auth(options), options.embeddings, dict.fromkeys(_ABILITIES, True)
    is_offline = model == OFFLINE
    return JsonResponse(
        Info(__version__, model, is_offline, embeddings, auth, options.local_user, flags, options.graphs)
    )


def _auth(options: ServerOptions) -> str:
    auth = options.auth
    if auth is None:
        return "none"
    ways = {
        "token": bool(auth.issuers),
        "api_key": auth.api_keys,
        "custom": auth.rules is not None,
        "oidc": auth.oidc is not None,
    }
    return ", ".join(way for way, is_open in ways.items() if is_open)


@router.get("/metrics", response_class=Response, responses=documented(None, 401, 404))
async def metrics(request: Request) -> Response:
    """Counters and latencies, in the text format of Prometheus. 404 when metrics are off.

    They are about all tenants: with authentication they are for the role `operator` alone.
    """
    options: ServerOptions = request.app.state.options
    if options.auth is not None and not options.allows((await find_principal(request)).role, OPERATOR_ROLE):
        raise Forbidden(
            f"Metrics are for the role {OPERATOR_ROLE!r}. Make a key for them with: "
            f"recuerdo token create --user prometheus --role {OPERATOR_ROLE}"
        )
    if options.metrics is None:
        raise HTTPException(404, "Metrics are off. Turn them on with: pip install 'recuerdo[server]'")
    return Response(options.metrics.render(), headers={"Content-Type": options.metrics.content_type})


@router.get("/v1/principal", responses=documented(KnownPrincipal))
async def get_principal(call: RuledCall) -> JsonResponse:
    """Return the principal of the request."""
    owner, principal = call.owner, call.principal
    scopes = msgspec.UNSET if principal.scopes == FULL else principal.scopes
    return JsonResponse(
        KnownPrincipal(owner.tenant, owner.user, principal.role, principal.tier, principal.is_anonymous, scopes)
    )
