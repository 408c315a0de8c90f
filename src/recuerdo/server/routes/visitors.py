"""Visitors: moving their conversations to their account when they log in."""

from fastapi import APIRouter
from starlette.requests import Request

from recuerdo.core.errors import Forbidden, Unauthenticated
from recuerdo.server.answers import ClaimedConversations, JsonResponse
from recuerdo.server.auth.visitors import Visitors
from recuerdo.server.documentation import documented
from recuerdo.server.requests import DELIVERY, CurrentCall

router = APIRouter(prefix="/v1/visitors", tags=["visitors"])


@router.post("/claim", responses=documented(ClaimedConversations, 401, 403))
async def claim_conversations(request: Request, call: CurrentCall) -> JsonResponse:
    """Take over the conversations of a visitor: send a credential, and the visitor's token as a cookie or a header.

    They are moved once: the visitor does not have them any more. A thread keeps its id, unless the user has another
    one of that id. Nothing is remembered of what the visitor has said.
    """
    if call.owner.is_anonymous:
        raise Forbidden("Only a user can take over conversations. Log in, or send a credential, beside the token.")
    options = call.options.auth.visitors if call.options.auth is not None else None
    if options is None:
        raise Forbidden("This server has no visitors: RECUERDO_AUTH_ANONYMOUS is off.")
    visit = Visitors(options).present(request.headers, request, call.owner.tenant)
    if visit is None:
        raise Unauthenticated("No visitor token came with this, as a cookie or in the header X-Recuerdo-Visitor.")
    claimed = await call.services.history.claim(visit.owner, call.owner)
    call.audit("visitor.claimed", visit.owner.user, threads=str(len(claimed)))
    request.scope[DELIVERY] = ""
    return JsonResponse(ClaimedConversations(claimed))
