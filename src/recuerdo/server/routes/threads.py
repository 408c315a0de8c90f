"""Threads and their messages: append, read, search, archive, fork, clear, delete, and the window for a model."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated, TypeVar

from fastapi import APIRouter, Query, Response

from recuerdo.core.audit import AuditAction
from recuerdo.core.errors import DatabaseUnavailable, Forbidden, InvalidInput, NotFound
from recuerdo.core.identifiers import new_id
from recuerdo.core.messages import Message
from recuerdo.core.roles import ADMIN_ROLE
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import NOWHERE, Consistency, Head, MessageQuery, Page, Version
from recuerdo.history import History, ThreadHistory
from recuerdo.memories.erasures import UserPage
from recuerdo.server.answers import (
    Archived,
    Cleared,
    JsonResponse,
    KnownMemory,
    MessageHits,
    MessagePage,
    Receipt,
    SaidHit,
    ThreadSummary,
    Window,
    object_with,
    version_headers,
)
from recuerdo.server.documentation import documented
from recuerdo.server.requests import ApiCall, CurrentCall, Expected
from recuerdo.server.response_cache import CachedResponseRoute
from recuerdo.server.schemas import (
    AppendBody,
    ArchiveBody,
    ForkBody,
    HistorySearchBody,
    IdempotencyKey,
    Limit,
    Skip,
    ThreadId,
    UserId,
)
from recuerdo.server.thread_answers import (
    IncludeArchived,
    Listing,
    MessageList,
    Roles,
    Since,
    ThreadDetail,
    ThreadEntry,
    ThreadList,
    ThreadUpdateBody,
    Timed,
    Until,
)
from recuerdo.windowing import MessageWindow, TokenWindow, WindowPolicy

router = APIRouter(prefix="/v1/threads", tags=["threads"])


@router.get("", responses=documented(ThreadList))
async def list_threads(call: CurrentCall, listing: Listing) -> JsonResponse:
    """The caller's threads, the latest changed first, all or those with the given metadata."""
    return JsonResponse(ThreadList.of(await call.services.history.threads(call.owner, **listing._asdict())))


@router.get("/{thread_id}", responses=documented(ThreadDetail, 404))
async def get_thread(thread_id: ThreadId, call: CurrentCall) -> JsonResponse:
    """One thread, with the number of its messages by role."""
    scope = call.thread(thread_id)
    thread = await call.services.history.thread(scope)
    counts = await call.services.history.count(scope)
    return JsonResponse(ThreadDetail.of(thread, counts=counts), headers=version_headers(thread.version))


@router.patch("/{thread_id}", responses=documented(ThreadEntry, 404))
async def update_thread(thread_id: ThreadId, body: ThreadUpdateBody, call: CurrentCall) -> JsonResponse:
    """Give the thread another title, or merge into its metadata; its version and its times stay."""
    thread = await call.services.history.update(call.thread(thread_id), title=body.title, metadata=body.metadata)
    if body.metadata and call.services.runs_or_none is not None:
        await call.services.runs_or_none.threads.take_over(call.owner, thread_id, body.metadata)
    return JsonResponse(ThreadEntry.of(thread), headers=version_headers(thread.version))


@router.delete("/{thread_id}", status_code=204, responses=documented(None, 404, 412, status=204))
async def delete_thread(thread_id: ThreadId, call: CurrentCall, expected: Expected) -> Response:
    """Erase the thread and its messages for good."""
    scope, history = call.thread(thread_id), call.services.history
    await history.delete(scope, expected_epoch=await expected.epoch(history, scope))
    await _forget_runs(call, call.owner, thread_id)
    return Response(status_code=204)


@router.post("/{thread_id}/clear", responses=documented(Cleared, 404, 412))
async def clear_thread(thread_id: ThreadId, call: CurrentCall, expected: Expected) -> JsonResponse:
    """Erase the messages for good and keep the empty thread."""
    scope, history = call.thread(thread_id), call.services.history
    version = await history.clear(scope, expected_epoch=await expected.epoch(history, scope))
    return JsonResponse(Cleared(str(version)), headers=version_headers(version))


@router.post("/{thread_id}/summarise", responses=documented(ThreadSummary, 404))
async def summarise_thread(thread_id: ThreadId, call: CurrentCall) -> JsonResponse:
    """Bring the thread's summary up to its end; null where there is nothing to say, or the caller is anonymous."""
    scope = call.thread(thread_id)
    await call.services.history.thread(scope)
    memory = await call.services.summaries.summarise(scope) if call.services.summaries else None
    return JsonResponse(ThreadSummary(KnownMemory.of(memory) if memory else None))


@router.post("/{thread_id}/fork", status_code=201, responses=documented(ThreadEntry, 404, 409, status=201))
async def fork_thread(thread_id: ThreadId, call: CurrentCall, body: ForkBody | None = None) -> JsonResponse:
    """Copy the thread, as a whole or up to a seq, into a new one."""
    body = body or ForkBody()
    target = new_id() if body.target is None else body.target
    thread = await call.services.history.fork(call.thread(thread_id), target, at_seq=body.at_seq)
    return JsonResponse(ThreadEntry.of(thread), 201, headers=version_headers(thread.version))


messages_router = APIRouter(prefix="/v1/threads/{thread_id}", tags=["messages"], route_class=CachedResponseRoute)

_USUAL_WINDOW = 50
_MOST_READS = 100
T = TypeVar("T")

Consistent = Annotated[
    Consistency, Query(description="`cached` asks a cache and no database, where a cache knows the thread.")
]
MinVersion = Annotated[
    str, Query(description="With `cached`: this version or a later one, as X-Recuerdo-Version had it.")
]


@messages_router.post(
    "/messages",
    status_code=201,
    responses={
        **documented(Receipt, 409, 410, 412, status=201),
        200: {**documented(Receipt)[200], "description": "Appended before, with the same Idempotency-Key"},
        202: {**documented(Receipt)[200], "description": "On disk, and soon in the database: durability async"},
    },
)
async def append_messages(
    thread_id: ThreadId, body: AppendBody, call: CurrentCall, expected: Expected, idempotency_key: IdempotencyKey = None
) -> JsonResponse:
    """Append messages, all or none; durable when it answers. The first append makes the thread."""
    scope = call.thread(thread_id)
    epoch = await expected.epoch(call.services.history, scope, body.expected_epoch)
    return await append(call, scope, [message.to_message() for message in body.messages], idempotency_key, epoch)


async def append(
    call: ApiCall,
    scope: Scope,
    messages: Sequence[Message],
    idempotency_key: str | None = None,
    expected_epoch: int | None = None,
) -> JsonResponse:
    """Append messages, and answer with their receipt."""
    appended = await call.services.history.append(
        scope,
        messages,
        idempotency_key=idempotency_key,
        expected_epoch=expected_epoch,
        durability=None if expected_epoch is None else "sync",  # whether it is met, only the database knows
    )
    status = 202 if appended.durability == "async" else 200 if appended.replayed else 201
    return JsonResponse(Receipt.of(appended), status, headers=version_headers(appended.version))


@messages_router.get("/window", responses=documented(Window, 404))
async def thread_window(
    thread_id: ThreadId,
    call: CurrentCall,
    messages: Annotated[int | None, Query(ge=1, le=10_000, description="At most this many messages.")] = None,
    tokens: Annotated[int | None, Query(ge=1, le=10_000_000, description="At most this many tokens.")] = None,
    consistency: Consistent = "strong",
    min_version: MinVersion = str(NOWHERE),
    summary: Annotated[bool, Query(description="The thread's summary, if it has one, for what does not fit.")] = False,
) -> JsonResponse:
    """The thread's window for a model, within both budgets; 50 messages when none is given."""
    scope = call.thread(thread_id)
    policy, at_least = await _policy(messages, tokens), _version(min_version)
    if summary:
        thread = ThreadHistory(call.services.history, scope, call.services.summaries)
        window = await thread.window(policy, consistency=consistency, min_version=at_least, summary=True)
        if window:
            return JsonResponse(Window(window))

    async def read(consistency: Consistency) -> tuple[Version, tuple[Head, list[Message]]]:
        headed = await call.services.history.headed_window(scope, policy, consistency=consistency, min_version=at_least)
        return headed[0].version, headed

    head, window = await _of_thread(call.services.history, scope, read, consistency)
    keeps = consistency == "strong" and not summary
    return JsonResponse(Window(window), holds=partial(call.services.history.is_at, scope, head) if keeps else None)


@messages_router.put("/messages", responses=documented(Receipt, 409, 410, 412))
async def replace_messages(
    thread_id: ThreadId, body: AppendBody, call: CurrentCall, expected: Expected, idempotency_key: IdempotencyKey = None
) -> JsonResponse:
    """Replace all messages of the thread at once: readers see either the former ones or these."""
    scope = call.thread(thread_id)
    replaced = await call.services.history.replace(
        scope,
        [message.to_message() for message in body.messages],
        idempotency_key=idempotency_key,
        expected_epoch=await expected.epoch(call.services.history, scope, body.expected_epoch),
    )
    return JsonResponse(Receipt.of(replaced), headers=version_headers(replaced.version))


@messages_router.get("/messages", responses=documented(MessagePage, 404))
async def list_messages(
    thread_id: ThreadId,
    call: CurrentCall,
    limit: Limit = 50,
    before: Annotated[int | None, Query(description="Only seqs below this one.")] = None,
    after: Annotated[int | None, Query(description="Only seqs above this one, the oldest first.")] = None,
    skip: Skip = 0,
    roles: Roles = (),
    ids: Annotated[Sequence[str], Query(alias="id", description="Only these messages; may be repeated.")] = (),
    since: Since = None,
    until: Until = None,
    include_archived: IncludeArchived = False,
    consistency: Consistent = "strong",
    min_version: MinVersion = str(NOWHERE),
) -> JsonResponse:
    """The thread's messages by cursors and filters: the last ones, or with `after` the ones that follow."""
    scope = call.thread(thread_id)
    query = MessageQuery(
        limit=limit,
        before=before,
        after=after,
        skip=skip,
        roles=frozenset(roles),
        ids=frozenset(ids),
        since=since,
        until=until,
        archived=None if include_archived else False,
    )
    at_least = _version(min_version)

    async def read(consistency: Consistency) -> tuple[Version, Page]:
        page = await call.services.history.page(scope, query, consistency=consistency, min_version=at_least)
        return page.version, page

    page = await _of_thread(call.services.history, scope, read, consistency)
    return JsonResponse(_page_body(page), headers=version_headers(page.version))


@messages_router.post("/archive", responses=documented(Archived, 404))
async def archive_messages(thread_id: ThreadId, call: CurrentCall, body: ArchiveBody | None = None) -> JsonResponse:
    """Take messages out of windows and pages, or bring them back; they stay in the history."""
    scope = call.thread(thread_id)
    await call.services.history.thread(scope)
    body = body or ArchiveBody()
    changed = await call.services.history.archive(scope, first=body.first, last=body.last, archived=body.archived)
    return JsonResponse(Archived(changed))


async def _of_thread(
    history: History,
    scope: Scope,
    read: Callable[[Consistency], Awaitable[tuple[Version, T]]],
    consistency: Consistency,
) -> T:
    """Return the result of reading an existing thread. Raises NotFound if there is none.

    A thread that was absent when it was read and exists now was created in between: then it is read again.
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


by_time_router = APIRouter(prefix="/v1/messages", tags=["messages"])


@by_time_router.get("", responses=documented(MessageList))
async def list_all_messages(call: CurrentCall, query: Timed) -> JsonResponse:
    """The caller's messages in all threads by time, the latest made first."""
    return JsonResponse(MessageList.of(await call.services.history.by_time(call.owner, query)))


search_router = APIRouter(prefix="/v1/search", tags=["messages"])


@search_router.post("", responses=documented(MessageHits))
async def search_history(body: HistorySearchBody, call: CurrentCall) -> JsonResponse:
    """The caller's messages that match the query best, best first."""
    if body.thread_id is not None:
        call.thread(body.thread_id)  # refuses what can't be a thread's id
    hits = await call.services.history.search(call.owner, body.query, limit=body.limit, thread=body.thread_id)
    return JsonResponse(MessageHits([*map(SaidHit.of, hits)]))


tenant_router = APIRouter(prefix="/v1/tenant/users", tags=["conversations of a tenant"])


@tenant_router.get("", responses=documented(UserPage, 403))
async def list_users(
    call: CurrentCall,
    limit: Limit = 50,
    after: Annotated[str, Query(description="The `after` of the page before.")] = "",
    skip: Skip = 0,
) -> JsonResponse:
    """List the tenant's users, visitors included, of whom anything is kept, in the order of their ids. For admins."""
    _as_admin(call, "user.read", what="users")
    return JsonResponse(await call.services.erasures.users(call.owner.tenant, limit, after, skip))


@tenant_router.get("/{user_id}/threads", responses=documented(ThreadList, 403))
async def list_threads_of_user(user_id: UserId, call: CurrentCall, listing: Listing) -> JsonResponse:
    """The threads of a user or a visitor of the tenant, the latest changed first. For admins."""
    owner = _as_admin(call, "user.read", user_id, what="threads")
    return JsonResponse(ThreadList.of(await call.services.history.threads(owner, **listing._asdict())))


@tenant_router.get("/{user_id}/messages", responses=documented(MessageList, 403))
async def list_messages_of_user(user_id: UserId, call: CurrentCall, query: Timed) -> JsonResponse:
    """The messages of a user or a visitor of the tenant by time, the latest made first. For admins."""
    owner = _as_admin(call, "user.read", user_id, what="messages")
    return JsonResponse(MessageList.of(await call.services.history.by_time(owner, query)))


@tenant_router.post("/{user_id}/search", responses=documented(MessageHits, 403))
async def search_history_of_user(user_id: UserId, body: HistorySearchBody, call: CurrentCall) -> JsonResponse:
    """The messages of a user or a visitor of the tenant that match the query best. For admins."""
    owner = _as_admin(call, "user.read", user_id, what="messages")
    if body.thread_id is not None:
        owner.thread(body.thread_id)  # refuses what can't be a thread's id
    hits = await call.services.history.search(owner, body.query, limit=body.limit, thread=body.thread_id)
    return JsonResponse(MessageHits([*map(SaidHit.of, hits)]))


@tenant_router.delete(
    "/{user_id}/threads/{thread_id}", status_code=204, responses=documented(None, 403, 404, status=204)
)
async def delete_thread_of_user(user_id: UserId, thread_id: ThreadId, call: CurrentCall) -> Response:
    """Erase the thread of a user or a visitor of the tenant for good. For admins."""
    owner = _as_admin(call, "thread.deleted", user_id, thread=thread_id)
    await call.services.history.delete(owner.thread(thread_id))
    await _forget_runs(call, owner, thread_id)
    return Response(status_code=204)


async def _forget_runs(call: ApiCall, owner: Owner, thread_id: str) -> None:
    """A conversation that is erased takes its runs and states along."""
    if call.services.runs_or_none is not None:
        with suppress(NotFound):
            await call.services.runs_or_none.runs.delete_thread(owner, thread_id)


def _as_admin(call: ApiCall, action: AuditAction, user: str | None = None, **details: str) -> Owner:
    """Record what an admin does, and return whose data it is about. Raises Forbidden for others, and InvalidInput."""
    if not call.may(ADMIN_ROLE):
        raise Forbidden(
            f"Conversations of others are for the role {ADMIN_ROLE!r}, and this credential has {call.principal.role!r}."
        )
    owner = call.owner if user is None else Owner(call.owner.tenant, user)
    call.audit(action, user, **details)
    return owner
