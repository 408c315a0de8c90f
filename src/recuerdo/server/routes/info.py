"""The server's state, description and metrics, and the caller's principal."""

import msgspec
from fastapi import APIRouter, HTTPException, Request, Response

from recuerdo import __version__
from recuerdo.core.api_keys import FULL
from recuerdo.core.errors import Forbidden
from recuerdo.core.health import PartHealth, Readiness
from recuerdo.core.roles import OPERATOR_ROLE
from recuerdo.core.scope import ANONYMOUS, DEFAULT_TENANT, Owner
from recuerdo.server.answers import OFFLINE, Alive, Info, JsonResponse, KnownPrincipal
from recuerdo.server.documentation import documented
from recuerdo.server.requests import RuledCall, ServerOptions, Services, find_principal

router = APIRouter(tags=["server"])

_ABILITIES: tuple[str, ...] = ("assistants", "chat", "crons", "memories", "runs", "store", "streaming", "threads")
_SECONDS_TO_WAIT = "2"
_SOMEBODY = Owner(DEFAULT_TENANT, ANONYMOUS)


@router.head("/ok", include_in_schema=False)
@router.get("/ok", responses=documented(Alive))
async def ok() -> JsonResponse:
    """Whether the server is alive."""
    return JsonResponse(Alive())


@router.head("/healthz", include_in_schema=False)
@router.get("/healthz", responses=documented(Alive))
async def healthz() -> JsonResponse:
    """The server is alive: for supervisors that restart it when it isn't."""
    return JsonResponse(Alive())


@router.head("/ready", include_in_schema=False)
@router.get("/ready", responses=documented(Readiness, 503))
async def ready(request: Request) -> JsonResponse:
    """The server takes requests, with its parts and reasons: for load balancers. 503 when a needed part fails."""
    services: Services = request.app.state.services
    examine = request.app.state.options.examine
    if examine is None:
        await services.history.threads(_SOMEBODY, limit=1)
        return JsonResponse(Readiness(True, {"database": PartHealth("ok")}))
    parts: dict[str, PartHealth] = {"draining": PartHealth("ok"), **await examine()}
    failed = [f"{name}: {part.reason}" for name, part in parts.items() if part.state == "failed"]
    if failed:
        answer = Readiness(False, parts, failed[0], "not_ready")
        return JsonResponse(answer, 503, {"Retry-After": _SECONDS_TO_WAIT})
    return JsonResponse(Readiness(True, parts))


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
