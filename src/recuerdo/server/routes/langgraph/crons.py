"""Schedules that make runs."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import BeforeValidator, Field

from recuerdo.core.documents import DocumentQuery
from recuerdo.core.runs import Cron, OnCompletion
from recuerdo.runs.webhooks import check_webhook
from recuerdo.server.answers import JsonResponse
from recuerdo.server.documentation import documented
from recuerdo.server.requests import ApiCall, RuledCall
from recuerdo.server.routes.langgraph.answering import (
    BodyUuid,
    LangGraphBody,
    Metadata,
    Nodes,
    PageBody,
    PathThreadId,
    StreamMode,
    ThreadId,
    answer,
    bounded_page,
)
from recuerdo.server.routes.langgraph.runs import WorkFields
from recuerdo.server.schemas import only_iso_8601

router = APIRouter(tags=["crons"])

EndTime = Annotated[datetime, Field(strict=False), BeforeValidator(only_iso_8601)]
_FIELDS = {"schedule", "end_time", "timezone", "enabled", "on_run_completed", "metadata"}


_CronField = Literal[
    "cron_id",
    "assistant_id",
    "thread_id",
    "user_id",
    "schedule",
    "timezone",
    "end_time",
    "next_run_date",
    "payload",
    "metadata",
    "enabled",
    "on_run_completed",
    "created_at",
    "updated_at",
    "now",
]


class CronBody(WorkFields):
    """A schedule for runs: five fields, of which times are those of the time zone."""

    schedule: str
    end_time: EndTime | None = None
    timezone: str | None = None
    enabled: bool = True
    on_run_completed: OnCompletion = "delete"


class CronChange(LangGraphBody):
    """The fields that a schedule has instead."""

    schedule: str | None = None
    end_time: EndTime | None = None
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

    assistant_id: BodyUuid | None = None
    thread_id: ThreadId | None = None
    enabled: bool | None = None
    metadata: Metadata | None = None

    def query(self, **more: Any) -> DocumentQuery:
        """The same as a query."""
        ids = {"assistant_id": self.assistant_id, "thread_id": self.thread_id}
        where: dict[str, Any] = {name: str(each) for name, each in ids.items() if each is not None}
        where |= {"enabled": self.enabled} if self.enabled is not None else {}
        return DocumentQuery(where=where | ({"metadata": self.metadata} if self.metadata else {}), **more)


class CronSearch(CronCount, PageBody):
    """Which schedules, in which order, and what to show of them."""

    select: list[_CronField] | None = None
    sort_by: Literal[
        "cron_id", "assistant_id", "thread_id", "created_at", "updated_at", "next_run_date", "end_time"
    ] = "created_at"


@router.post("/runs/crons", responses=documented(Cron, 404))
async def create_cron(body: CronBody, call: RuledCall) -> JsonResponse:
    """Run an assistant on a schedule, each time on a new thread."""
    return await _create(call, body, None)


@router.post("/threads/{thread_id}/runs/crons", responses=documented(Cron, 404))
async def create_thread_cron(thread_id: PathThreadId, body: CronBody, call: RuledCall) -> JsonResponse:
    """Run an assistant on a thread on a schedule."""
    await call.graphs.threads.get(call.owner, thread_id)
    return await _create(call, body, thread_id)


@router.post("/runs/crons/search", responses=documented(None))
async def search_crons(body: CronSearch, call: RuledCall) -> JsonResponse:
    """The caller's schedules that match."""
    query = body.query(**body.part())
    found = await call.graphs.crons.search(call.owner, query)
    total = await call.graphs.crons.count(call.owner, query)
    return bounded_page(call, found, body.offset, total, body.select)


@router.post("/runs/crons/count", responses=documented(None))
async def count_crons(body: CronCount, call: RuledCall) -> JsonResponse:
    """How many match."""
    return answer(await call.graphs.crons.count(call.owner, body.query()))


@router.patch("/runs/crons/{cron_id}", responses=documented(Cron, 404))
async def update_cron(cron_id: UUID, body: CronChange, call: RuledCall) -> JsonResponse:
    """Change the given fields of a schedule."""
    if body.webhook is not None:
        check_webhook(body.webhook)
    given = body.model_dump(exclude_unset=True, exclude_none=True)
    fields: dict[str, Any] = {name: getattr(body, name) for name in given if name in _FIELDS}
    if "end_time" in body.model_fields_set:
        fields["end_time"] = body.end_time
    payload = {name: value for name, value in given.items() if name not in fields}
    return answer(await call.graphs.crons.update(call.owner, str(cron_id), payload, fields))


@router.delete("/runs/crons/{cron_id}", status_code=204, responses=documented(None, 404, status=204))
async def delete_cron(cron_id: UUID, call: RuledCall) -> Response:
    """Forget a schedule."""
    await call.graphs.crons.delete(call.owner, str(cron_id))
    return Response(status_code=204)


async def _create(call: ApiCall, body: CronBody, thread_id: str | None) -> JsonResponse:
    if body.webhook is not None:
        check_webhook(body.webhook)
    assistant = await call.graphs.assistants.resolve(call.owner, body.assistant_id)
    payload = body.model_dump(exclude=_FIELDS, exclude_unset=True, exclude_none=True)
    payload["assistant_id"] = assistant.assistant_id
    fields: dict[str, Any] = {name: getattr(body, name) for name in _FIELDS if getattr(body, name) is not None}
    cron = await call.graphs.crons.create(call.owner, assistant.assistant_id, payload, thread_id, fields)
    return answer(cron)
