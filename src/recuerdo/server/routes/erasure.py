"""Erasing everything of the caller."""

from fastapi import APIRouter

from recuerdo.core.errors import InvalidInput
from recuerdo.server.answers import Erasure
from recuerdo.server.auth.principal import CurrentPrincipal
from recuerdo.server.documentation import documented
from recuerdo.server.responses import JsonResponse
from recuerdo.server.schemas import ErasureBody
from recuerdo.server.services import OpenServices

router = APIRouter(prefix="/v1", tags=["memories"])


@router.post("/erase", responses=documented(Erasure))
async def erase_everything(body: ErasureBody, principal: CurrentPrincipal, services: OpenServices) -> JsonResponse:
    """Erase everything of the caller, for good: threads, checkpoints, runs, memories, items. The receipt was verified.

    When it is not `complete` somebody kept writing; repeat it then. The anonymous user, who is many, can't be erased.
    """
    if principal.is_anonymous:
        raise InvalidInput("user", "the anonymous user is many people, whom nobody may erase; say who the user is")
    return JsonResponse(Erasure.of(await services.memories.erase(principal.owner)))
