"""Erasure of everything of a user or a tenant, and what a retention policy would delete."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Query

from recuerdo.core.errors import Forbidden, InvalidInput
from recuerdo.core.retention import RetentionForecast
from recuerdo.core.roles import ADMIN_ROLE, OPERATOR_ROLE
from recuerdo.core.scope import ANONYMOUS
from recuerdo.server.answers import JsonResponse
from recuerdo.server.documentation import documented
from recuerdo.server.erasure_answers import Erasure, ErasureList, ErasureProgress
from recuerdo.server.requests import CurrentCall
from recuerdo.server.schemas import ErasureBody, Limit, TenantErasureBody

router = APIRouter(prefix="/v1", tags=["memories"])


@router.post(
    "/erase",
    responses={
        **documented(Erasure),
        202: {**documented(ErasureProgress)[200], "description": "Begun, with `background`"},
    },
)
async def erase_everything(body: ErasureBody, call: CurrentCall) -> JsonResponse:
    """Erase everything of the caller, for good: threads, checkpoints, runs, memories, items. The receipt was verified.

    When it is not `complete`, something was written meanwhile: repeat it then. The anonymous user, shared by many
    people, can't be erased.
    """
    if call.owner.user == ANONYMOUS:
        raise InvalidInput("user", "the anonymous user is many people and can't be erased; say who the user is")
    if body.background:
        asked = await call.services.erasures.ask(call.owner.tenant, call.owner.user)
        call.audit("user.erased", call.owner.user, how="begun")
        return JsonResponse(ErasureProgress.of(asked), 202)
    receipt = await call.services.memories.erase(call.owner)
    call.audit("user.erased", call.owner.user, how="complete" if receipt.complete else "incomplete")
    return JsonResponse(Erasure.of(receipt))


@router.post("/tenant/erase", status_code=202, responses=documented(ErasureProgress, 403, status=202))
async def erase_tenant(body: TenantErasureBody, call: CurrentCall) -> JsonResponse:
    """Erase the whole tenant of the caller, for good: all users, and all that they share. For admins."""
    if not call.may(ADMIN_ROLE):
        role = call.principal.role
        raise Forbidden(f"To erase a tenant is for the role {ADMIN_ROLE!r}, and this credential has {role!r}.")
    if body.tenant != call.owner.tenant:
        raise InvalidInput("tenant", "must be the tenant of the credential, which alone can be erased with it")
    asked = await call.services.erasures.ask(body.tenant)
    call.audit("tenant.erased", body.tenant, how="begun")
    return JsonResponse(ErasureProgress.of(asked), 202)


@router.get("/erasures", responses=documented(ErasureList))
async def list_erasures(call: CurrentCall, limit: Limit = 50) -> JsonResponse:
    """List erasures that run, or ran, in the background: the caller's own, or for admins all of the tenant."""
    user = None if call.may(ADMIN_ROLE) else call.owner.user
    jobs = await call.services.erasures.latest(call.owner.tenant, limit, user)
    return JsonResponse(ErasureList([*map(ErasureProgress.of, jobs)]))


@router.get("/erasures/{erasure_id}", responses=documented(ErasureProgress, 404))
async def get_erasure(
    erasure_id: Annotated[str, Path(description="The erasure's id.")], call: CurrentCall
) -> JsonResponse:
    """The progress of an erasure: the caller's own, or for admins any of the tenant."""
    user = None if call.may(ADMIN_ROLE) else call.owner.user
    return JsonResponse(ErasureProgress.of(await call.services.erasures.get(call.owner.tenant, erasure_id, user)))


@router.get("/retention", responses=documented(RetentionForecast, 403, 404))
async def forecast_retention(
    call: CurrentCall,
    policy: Annotated[str | None, Query(description="A policy to try; without it the server's own.")] = None,
) -> JsonResponse:
    """Count what a retention policy would delete now, of all tenants. It deletes nothing. For operators."""
    if not call.may(OPERATOR_ROLE):
        role = call.principal.role
        raise Forbidden(f"Retention concerns all tenants: it is for the role {OPERATOR_ROLE!r}, and this is {role!r}.")
    options = call.options
    if options.forecast is None:
        raise HTTPException(404, "This server applies no retention policies; `recuerdo serve` does.")
    return JsonResponse(await options.forecast(options.retention if policy is None else policy))
