"""Schedules that make runs."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import StrictBool

from recuerdo.core.documents import DocumentQuery
from recuerdo.core.runs import Cron, OnCompletion
from recuerdo.runs.services import RunServices
from recuerdo.runs.webhooks import check_webhook
from recuerdo.server.auth.principal import RuledPrincipal
from recuerdo.server.documentation import documented
from recuerdo.server.responses import JsonResponse
from recuerdo.server.routes.langgraph.answering import (
    LangGraphBody,
    Metadata,
    Nodes,
    PageBody,
    PathThreadId,
    StreamMode,
    ThreadId,
    answer,
    page,
    selected,
)
from recuerdo.server.routes.langgraph.runs import WorkFields
from recuerdo.server.services import GraphServices

router = APIRouter(tags=["crons"])

_FIELDS = {"schedule", "end_time", "timezone", "enabled", "on_run_completed", "metadata"}


class CronBody(WorkFields):
    """A schedule for runs: five fields, of which times are those of the time zone."""

    schedule: str
    end_time: datetime | None = None
    timezone: str | None = None
    enabled: bool = True
    on_run_completed: OnCompletion = "delete"


class CronChange(LangGraphBody):
    """The fields that a schedule has instead."""

    schedule: str | None = None
    end_time: datetime | None = None
    timezone: str | None = None
    enabled: bool | None = None
    on_run_completed: OnCompletion | None = None
    metadata: Metadata | None = None
    input: Any = None
    config: dict[str, Any] | None = None
    context: dict[str, Any] | None = None
    webhook: str | None = None
    interrupt_before: Nodes | None = None
    interrupt_after: Nodes | None = None
    stream_mode: StreamMode | list[StreamMode] | None = None
    stream_subgraphs: bool | None = None
    stream_resumable: bool | None = None
    durability: Literal["sync", "async", "exit"] | None = None


class CronCount(LangGraphBody):
    """Which schedules."""

    assistant_id: UUID | None = None
    thread_id: ThreadId | None = None
    enabled: StrictBool | None = None
    metadata: Metadata | None = None

    def query(self, **more: Any) -> DocumentQuery:
        """The same as a query."""
        ids = {"assistant_id": self.assistant_id, "thread_id": self.thread_id}
        where: dict[str, Any] = {name: str(each) for name, each in ids.items() if each is not None}
        where |= {"enabled": self.enabled} if self.enabled is not None else {}
        return DocumentQuery(where=where | ({"metadata": self.metadata} if self.metadata else {}), **more)


class CronSearch(CronCount, PageBody):
    """Which schedules, in which order."""

    sort_by: Literal[
        "cron_id", "assistant_id", "thread_id", "created_at", "updated_at", "next_run_date", "end_time"
    ] = "created_at"


@router.post("/runs/crons", responses=documented(Cron, 404))
async def create_cron(body: CronBody, principal: RuledPrincipal, services: GraphServices) -> JsonResponse:
    """Run an assistant by a schedule, each time on a thread of its own."""
    return await _create(services, principal, body, None)


@router.post("/threads/{thread_id}/runs/crons", responses=documented(Cron, 404))
async def create_thread_cron(
    thread_id: PathThreadId, body: CronBody, principal: RuledPrincipal, services: GraphServices
) -> JsonResponse:
    """Run an assistant on a thread by a schedule."""
    await services.threads.get(principal.owner, thread_id)
    return await _create(services, principal, body, thread_id)


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
    if body.webhook is not None:
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
    if body.webhook is not None:
        check_webhook(body.webhook)
    assistant = await services.assistants.resolve(principal.owner, body.assistant_id)
    payload = body.model_dump(exclude=_FIELDS, exclude_unset=True, exclude_none=True)
    payload["assistant_id"] = assistant.assistant_id
    fields: dict[str, Any] = {name: getattr(body, name) for name in _FIELDS if getattr(body, name) is not None}
    cron = await services.crons.create(principal.owner, assistant.assistant_id, payload, thread_id, fields)
    return answer(cron)
