"""Erasing everything of the caller, or of the caller's tenant."""

from typing import Annotated

from fastapi import APIRouter, Path

from recuerdo.core.errors import Forbidden, InvalidInput
from recuerdo.server.answers import Erasure, ErasureProgress
from recuerdo.server.auth.principal import ADMIN_ROLE, CurrentPrincipal
from recuerdo.server.documentation import documented
from recuerdo.server.options import Options
from recuerdo.server.responses import JsonResponse
from recuerdo.server.schemas import ErasureBody, TenantErasureBody
from recuerdo.server.services import OpenServices

router = APIRouter(prefix="/v1", tags=["memories"])


@router.post(
    "/erase",
    responses={
        **documented(Erasure),
        202: {**documented(ErasureProgress)[200], "description": "Begun, with `background`"},
    },
)
async def erase_everything(body: ErasureBody, principal: CurrentPrincipal, services: OpenServices) -> JsonResponse:
    """Erase everything of the caller, for good: threads, checkpoints, runs, memories, items. The receipt was verified.

    When it is not `complete` somebody kept writing; repeat it then. The anonymous user, who is many, can't be erased.
    """
    if principal.is_anonymous:
        raise InvalidInput("user", "the anonymous user is many people, whom nobody may erase; say who the user is")
    owner = principal.owner
    if body.background:
        return JsonResponse(ErasureProgress.of(await services.erasures.ask(owner.tenant, owner.user)), 202)
    return JsonResponse(Erasure.of(await services.memories.erase(owner)))


@router.post("/tenant/erase", status_code=202, responses=documented(ErasureProgress, 403, status=202))
async def erase_tenant(
    body: TenantErasureBody, principal: CurrentPrincipal, services: OpenServices, options: Options
) -> JsonResponse:
    """Erase the whole tenant of the caller, for good: all users, and all that they share. For admins."""
    _check_admin(principal.role, options.allows(principal.role, ADMIN_ROLE))
    if body.tenant != principal.owner.tenant:
        raise InvalidInput("tenant", "must be the tenant of the credential, which alone can be erased with it")
    return JsonResponse(ErasureProgress.of(await services.erasures.ask(body.tenant)), 202)


@router.get("/erasures/{erasure_id}", responses=documented(ErasureProgress, 404))
async def get_erasure(
    erasure_id: Annotated[str, Path(description="The erasure's id.")],
    principal: CurrentPrincipal,
    services: OpenServices,
    options: Options,
) -> JsonResponse:
    """How far an erasure is: the caller's own, or for admins any of the tenant."""
    is_admin = options.allows(principal.role, ADMIN_ROLE)
    user = None if is_admin else principal.owner.user
    return JsonResponse(ErasureProgress.of(await services.erasures.get(principal.owner.tenant, erasure_id, user)))


def _check_admin(role: str, is_allowed: bool) -> None:
    if not is_allowed:
        raise Forbidden(f"To erase a tenant is for the role {ADMIN_ROLE!r}, and this credential has {role!r}.")
