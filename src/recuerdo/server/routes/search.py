"""Searching what was said. The anonymous user finds nothing over all threads: they are different people's."""

from fastapi import APIRouter

from recuerdo.server.answers import MessageHits, SaidHit
from recuerdo.server.auth.principal import CurrentPrincipal
from recuerdo.server.documentation import documented
from recuerdo.server.responses import JsonResponse
from recuerdo.server.schemas import HistorySearchBody
from recuerdo.server.services import OpenServices

router = APIRouter(prefix="/v1/search", tags=["messages"])


@router.post("", responses=documented(MessageHits))
async def search_history(body: HistorySearchBody, principal: CurrentPrincipal, services: OpenServices) -> JsonResponse:
    """The caller's messages that most likely hold what the query looks for, best first."""
    if body.thread_id is not None:
        principal.thread(body.thread_id)  # refuses what can be no thread's id
    hits = await services.history.search(principal.owner, body.query, limit=body.limit, thread=body.thread_id)
    return JsonResponse(MessageHits([*map(SaidHit.of, hits)]))
