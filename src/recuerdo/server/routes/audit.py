"""The audit log, for those who answer for a tenant or for the server."""

from typing import Annotated

from fastapi import APIRouter, Query

from recuerdo.core.audit import AUDIT_ACTIONS, SERVER_TENANT, AuditPlace, AuditQuery
from recuerdo.core.checks import check_choice
from recuerdo.core.errors import Forbidden
from recuerdo.core.roles import ADMIN_ROLE, OPERATOR_ROLE
from recuerdo.server.answers import AuditEntries, JsonResponse
from recuerdo.server.documentation import documented
from recuerdo.server.requests import CurrentCall
from recuerdo.server.schemas import Limit, Skip, Time

router = APIRouter(prefix="/v1", tags=["audit"])


@router.get("/audit", responses=documented(AuditEntries, 403))
async def read_audit(
    call: CurrentCall,
    limit: Limit = 100,
    before: Annotated[str | None, Query(description="The `next` of the page before.")] = None,
    skip: Skip = 0,
    since: Annotated[Time | None, Query(description="Only from this time on.")] = None,
    until: Annotated[Time | None, Query(description="Only before this time.")] = None,
    actor: Annotated[str | None, Query(description="Only what this user did.")] = None,
    action: Annotated[str | None, Query(description="Only this action.")] = None,
    server: Annotated[
        bool, Query(description="What is of no tenant, such as refused credentials. For operators.")
    ] = False,
) -> JsonResponse:
    """List the audit log of the caller's tenant, the latest first. For admins. Reading it is recorded as well."""
    wanted = OPERATOR_ROLE if server else ADMIN_ROLE
    if not call.may(wanted):
        raise Forbidden(f"The audit log is for the role {wanted!r}, and this credential has {call.principal.role!r}.")
    if action is not None:
        check_choice("action", action, AUDIT_ACTIONS)
    place = AuditPlace.parse(before) if before is not None else None
    tenant = SERVER_TENANT if server else call.owner.tenant
    page = await call.audit_log.read(tenant, AuditQuery(limit, place, since, until, actor, action, skip))
    call.audit("audit.read", "server" if server else None)
    return JsonResponse(AuditEntries(page.entries, page.next))
