"""Schedules that make runs."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Response

from recuerdo.core.runs import Cron
from recuerdo.runs.services import RunServices
from recuerdo.runs.webhooks import check_webhook
from recuerdo.server.auth.principal import RuledPrincipal
from recuerdo.server.documentation import documented
from recuerdo.server.responses import JsonResponse
from recuerdo.server.routes.langgraph.answering import answer, page, selected
from recuerdo.server.routes.langgraph.bodies import CronBody, CronChange, CronCount, CronSearch
from recuerdo.server.services import GraphServices

router = APIRouter(tags=["crons"])

_FIELDS = {"schedule", "end_time", "timezone", "enabled", "on_run_completed", "metadata"}


@router.post("/runs/crons", responses=documented(Cron, 404))
async def create_cron(body: CronBody, principal: RuledPrincipal, services: GraphServices) -> JsonResponse:
    """Run an assistant by a schedule, each time on a thread of its own."""
    return await _create(services, principal, body, None)


@router.post("/threads/{thread_id}/runs/crons", responses=documented(Cron, 404))
async def create_thread_cron(
    thread_id: UUID, body: CronBody, principal: RuledPrincipal, services: GraphServices
) -> JsonResponse:
    """Run an assistant on a thread by a schedule."""
    await services.threads.get(principal.owner, str(thread_id))
    return await _create(services, principal, body, str(thread_id))


@router.post("/runs/crons/search", responses=documented(None))
async def search_crons(body: CronSearch, principal: RuledPrincipal, services: GraphServices) -> JsonResponse:
    """The caller's schedules that match."""
    query = body.query(**body.part())
    found = await services.crons.search(principal.owner, query)
    total = await services.crons.count(principal.owner, query)
    return page([selected(each, body.select) for each in found], total, body.limit, body.offset)


@router.post("/runs/crons/count", responses=documented(None))
async def count_crons(body: CronCount, principal: RuledPrincipal, services: GraphServices) -> JsonResponse:
    """How many match."""
    return answer(await services.crons.count(principal.owner, body.query()))


@router.patch("/runs/crons/{cron_id}", responses=documented(Cron, 404))
async def update_cron(
    cron_id: UUID, body: CronChange, principal: RuledPrincipal, services: GraphServices
) -> JsonResponse:
    """Change what is given of a schedule."""
    check_webhook(body.webhook)
    given = body.model_dump(exclude_unset=True, exclude_none=True)
    fields: dict[str, Any] = {name: getattr(body, name) for name in given if name in _FIELDS}
    if "end_time" in body.model_fields_set:
        fields["end_time"] = body.end_time
    payload = {name: value for name, value in given.items() if name not in fields}
    return answer(await services.crons.update(principal.owner, str(cron_id), payload, fields))


@router.delete("/runs/crons/{cron_id}", status_code=204, responses=documented(None, 404, status=204))
async def delete_cron(cron_id: UUID, principal: RuledPrincipal, services: GraphServices) -> Response:
    """Forget a schedule."""
    await services.crons.delete(principal.owner, str(cron_id))
    return Response(status_code=204)


async def _create(services: RunServices, principal: Any, body: CronBody, thread_id: str | None) -> JsonResponse:
    check_webhook(body.webhook)
    assistant = await services.assistants.resolve(principal.owner, body.assistant_id)
    payload = body.model_dump(exclude=_FIELDS, exclude_unset=True, exclude_none=True)
    payload["assistant_id"] = assistant.assistant_id
    fields: dict[str, Any] = {name: getattr(body, name) for name in _FIELDS if getattr(body, name) is not None}
    cron = await services.crons.create(principal.owner, assistant.assistant_id, payload, thread_id, fields)
    return answer(cron)
