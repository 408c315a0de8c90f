"""Who asks, as the server sees it."""

from fastapi import APIRouter

from recuerdo.server.answers import KnownPrincipal
from recuerdo.server.auth.principal import RuledPrincipal
from recuerdo.server.documentation import documented
from recuerdo.server.responses import JsonResponse

router = APIRouter(prefix="/v1/principal", tags=["server"])


@router.get("", responses=documented(KnownPrincipal))
async def get_principal(principal: RuledPrincipal) -> JsonResponse:
    """Who the request acts as."""
    owner = principal.owner
    return JsonResponse(
        KnownPrincipal(owner.tenant, owner.user, principal.role, principal.tier, principal.is_anonymous)
    )
