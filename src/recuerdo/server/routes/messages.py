"""The messages of a thread: append, read, archive, and the window that a model is shown."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Annotated, TypeVar

from fastapi import APIRouter, Query

from recuerdo.core.errors import DatabaseUnavailable, InvalidInput
from recuerdo.core.messages import Message, Role
from recuerdo.core.scope import Scope
from recuerdo.core.threads import NOWHERE, Consistency, Head, MessageQuery, Page, Version
from recuerdo.history import History, ThreadHistory
from recuerdo.server.answers import Archived, MessagePage, Receipt, Window
from recuerdo.server.auth.principal import CurrentPrincipal
from recuerdo.server.documentation import documented
from recuerdo.server.expectations import Expected
from recuerdo.server.response_cache import CachedResponseRoute
from recuerdo.server.responses import JsonResponse, object_with, version_headers
from recuerdo.server.schemas import AppendBody, ArchiveBody, IdempotencyKey, Limit, ThreadId, Time
from recuerdo.server.services import OpenServices
from recuerdo.windowing import MessageWindow, TokenWindow, WindowPolicy

router = APIRouter(prefix="/v1/threads/{thread_id}", tags=["messages"], route_class=CachedResponseRoute)

_USUAL_WINDOW = 50
_MOST_READS = 100
T = TypeVar("T")

Consistent = Annotated[
    Consistency, Query(description="`cached` asks a cache and no database, where a cache knows the thread.")
]
MinVersion = Annotated[
    str, Query(description="With `cached`: this version or a later one, as X-Recuerdo-Version had it.")
]


@router.post(
    "/messages",
    status_code=201,
    responses={
        **documented(Receipt, 409, 410, 412, status=201),
        200: {**documented(Receipt)[200], "description": "Appended before, with the same Idempotency-Key"},
        202: {**documented(Receipt)[200], "description": "On disk, and soon in the database: durability async"},
    },
)
async def append_messages(
    thread_id: ThreadId,
    body: AppendBody,
    principal: CurrentPrincipal,
    services: OpenServices,
    expected: Expected,
    idempotency_key: IdempotencyKey = None,
) -> JsonResponse:
    """Append messages, all or none; durable when it answers. The first append makes the thread."""
    scope = principal.thread(thread_id)
    appended = await services.history.append(
        scope,
        [message.to_message() for message in body.messages],
        idempotency_key=idempotency_key,
        expected_epoch=await expected.epoch(services.history, scope, body.expected_epoch),
    )
    status = 202 if appended.durability == "async" else 200 if appended.replayed else 201
    return JsonResponse(Receipt.of(appended), status, headers=version_headers(appended.version))


@router.get("/messages", responses=documented(MessagePage, 404))
async def list_messages(
    thread_id: ThreadId,
    principal: CurrentPrincipal,
    services: OpenServices,
    limit: Limit = 50,
    before: Annotated[int | None, Query(description="Only seqs below this one.")] = None,
    after: Annotated[int | None, Query(description="Only seqs above this one, the oldest first.")] = None,
    role: Annotated[Sequence[Role], Query(description="Only these roles; may be repeated.")] = (),
    since: Annotated[Time | None, Query(description="Only messages made at this time or later.")] = None,
    until: Annotated[Time | None, Query(description="Only messages made before this time.")] = None,
    include_archived: Annotated[bool, Query(description="Archived messages as well.")] = False,
    consistency: Consistent = "strong",
    min_version: MinVersion = str(NOWHERE),
) -> JsonResponse:
    """Messages as they were said, by cursors and filters: the last ones, or with `after` the ones that follow."""
    scope = principal.thread(thread_id)
    query = MessageQuery(
        limit=limit,
        before=before,
        after=after,
        roles=frozenset(role),
        since=since,
        until=until,
        archived=None if include_archived else False,
    )
    at_least = _version(min_version)

    async def read(consistency: Consistency) -> tuple[Version, Page]:
        page = await services.history.page(scope, query, consistency=consistency, min_version=at_least)
        return page.version, page

    page = await _of_thread(services.history, scope, read, consistency)
    return JsonResponse(_page_body(page), headers=version_headers(page.version))


@router.get("/window", responses=documented(Window, 404))
async def thread_window(
    thread_id: ThreadId,
    principal: CurrentPrincipal,
    services: OpenServices,
    messages: Annotated[int | None, Query(ge=1, le=10_000, description="At most so many messages.")] = None,
    tokens: Annotated[int | None, Query(ge=1, le=10_000_000, description="At most so many tokens.")] = None,
    consistency: Consistent = "strong",
    min_version: MinVersion = str(NOWHERE),
    summary: Annotated[bool, Query(description="The thread's summary, if it has one, for what does not fit.")] = False,
) -> JsonResponse:
    """What to show a model of the thread, within both budgets; 50 messages when none is given."""
    scope = principal.thread(thread_id)
    policy, at_least = await _policy(messages, tokens), _version(min_version)
    if summary:
        thread = ThreadHistory(services.history, scope, services.summaries)
        window = await thread.window(policy, consistency=consistency, min_version=at_least, summary=True)
        if window:
            return JsonResponse(Window(window))

    async def read(consistency: Consistency) -> tuple[Version, tuple[Head, list[Message]]]:
        headed = await services.history.headed_window(scope, policy, consistency=consistency, min_version=at_least)
        return headed[0].version, headed

    head, window = await _of_thread(services.history, scope, read, consistency)
    keeps = consistency == "strong" and not summary
    return JsonResponse(Window(window), holds=partial(services.history.is_at, scope, head) if keeps else None)


@router.post("/archive", responses=documented(Archived, 404))
async def archive_messages(
    thread_id: ThreadId, principal: CurrentPrincipal, services: OpenServices, body: ArchiveBody | None = None
) -> JsonResponse:
    """Take messages out of windows and pages, or bring them back; they stay in the history."""
    scope = principal.thread(thread_id)
    await services.history.thread(scope)
    body = body or ArchiveBody()
    changed = await services.history.archive(scope, first=body.first, last=body.last, archived=body.archived)
    return JsonResponse(Archived(changed))


async def _of_thread(
    history: History,
    scope: Scope,
    read: Callable[[Consistency], Awaitable[tuple[Version, T]]],
    consistency: Consistency,
) -> T:
    """What is read of a thread that is there. Raises NotFound for one that is not.

    Where it was absent when it was read and is there now, it was made in between: then it is read again.
    """
    version, found = await read(consistency)
    for _ in range(_MOST_READS):
        if version != NOWHERE:
            return found
        await history.thread(scope)
        version, found = await read("strong")
    raise DatabaseUnavailable("This thread is being deleted and created again too fast. Try again.", retry_after=0.1)


def _version(text: str) -> Version:
    try:
        return Version.parse(text)
    except InvalidInput as error:
        raise InvalidInput("min_version", error.problem) from None


async def _policy(messages: int | None, tokens: int | None) -> WindowPolicy:
    if tokens is None:
        return MessageWindow(_USUAL_WINDOW if messages is None else messages)
    policy = await asyncio.to_thread(TokenWindow, tokens)  # the first one loads a vocabulary
    return policy if messages is None else MessageWindow(messages) & policy


def _page_body(page: Page) -> bytes:
    records = page.records
    return object_with(
        "messages",
        records,
        {
            "version": str(page.version),
            "more": page.more,
            "before": records[0].seq if records else None,
            "after": records[-1].seq if records else None,
        },
    )
