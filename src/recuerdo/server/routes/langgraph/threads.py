"""Threads as runs see them, and their states: what they are, what they were, and writing into them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Response
from pydantic import Field

from recuerdo.core.documents import DocumentQuery
from recuerdo.core.errors import InvalidInput
from recuerdo.core.identifiers import new_id
from recuerdo.core.runs import AgentThread, ThreadStatus, TtlStrategy
from recuerdo.runs.thread_stream import ThreadMode
from recuerdo.runs.threads import StoredState, Ttl
from recuerdo.server.answers import Holds, JsonResponse
from recuerdo.server.documentation import documented, event_stream
from recuerdo.server.requests import ApiCall, RuledCall
from recuerdo.server.response_cache import CachedResponseRoute
from recuerdo.server.routes.langgraph.answering import (
    Answered,
    CheckpointBody,
    LangGraphBody,
    LastEventId,
    Limit,
    Metadata,
    PageBody,
    PathThreadId,
    ThreadId,
    answer,
    extracted,
    page,
    selected,
)
from recuerdo.server.streaming.sse import EVERYTHING, EventStream, joined_frames

router = APIRouter(prefix="/threads", tags=["threads of runs"])

ThreadModes = Annotated[
    list[ThreadMode] | None,
    Query(
        description="`run_modes` for what runs tell, `lifecycle` for their beginnings and ends, `state_update` for "
        "states that were written by hand."
    ),
]

_HIDDEN = ("ttl", "ttl_strategy", "expires_at")

_ThreadField = Literal[
    "thread_id",
    "created_at",
    "updated_at",
    "state_updated_at",
    "metadata",
    "config",
    "context",
    "status",
    "values",
    "interrupts",
    "error",
]
_StateField = (
    Literal[
        "values",
        "next",
        "tasks",
        "metadata",
        "created_at",
        "interrupts",
        "checkpoint",
        "checkpoint_id",
        "parent_checkpoint",
        "parent_checkpoint_id",
    ]
    | Annotated[str, Field(pattern=r"^values\.")]
)
"""A field of a state, or one of its values: `values.messages`."""

SelectState = Annotated[list[_StateField] | None, Query(description="Only these fields, or values: `values.messages`.")]

Subgraphs = Annotated[bool, Query(description="Whether to show the states of subgraphs, too.")]


class TtlBody(LangGraphBody):
    """How many minutes something lives after its last change, and what happens then."""

    ttl: float = Field(gt=0, le=10**8)
    strategy: TtlStrategy = "delete"


class SuperstepUpdate(LangGraphBody):
    """The update of one node in another thread's step."""

    values: Any = None
    command: dict[str, Any] | None = None
    as_node: str | None = None


class Superstep(LangGraphBody):
    """One step of another thread."""

    updates: list[SuperstepUpdate]


class ThreadBody(LangGraphBody):
    """A new thread."""

    thread_id: ThreadId | None = None
    metadata: Metadata | None = None
    if_exists: Literal["raise", "do_nothing"] = "raise"
    ttl: TtlBody | None = None
    supersteps: list[Superstep] | None = None


class ThreadChange(LangGraphBody):
    """Metadata to merge into a thread's, and how long it lives from now on."""

    metadata: Metadata = {}  # noqa: RUF012 - pydantic copies it
    ttl: TtlBody | None = None


class ThreadCount(LangGraphBody):
    """Which threads: by metadata, by what their state holds, by status."""

    metadata: Metadata | None = None
    values: dict[str, Any] | None = None
    status: ThreadStatus | None = None

    def query(self, **more: Any) -> DocumentQuery:
        """The same as a query, but for the values."""
        where: dict[str, Any] = {"metadata": self.metadata} if self.metadata else {}
        if self.status:
            where["status"] = self.status
        return DocumentQuery(where=where, **more)


class ThreadSearch(ThreadCount, PageBody):
    """Which threads, in which order, and what to show of them: `extract` names places in them (`values.items[0]`)."""

    ids: list[ThreadId] | None = None
    sort_by: Literal["thread_id", "status", "created_at", "updated_at", "state_updated_at"] = "created_at"
    select: list[_ThreadField] | None = None
    extract: dict[str, str] | None = None


class PruneBody(LangGraphBody):
    """Threads to delete, or to cut down to their latest checkpoint."""

    thread_ids: list[ThreadId]
    strategy: TtlStrategy = "delete"


class StateBody(LangGraphBody):
    """Values to write into a thread's state, as if a node had."""

    values: Any = None
    as_node: str | None = None
    checkpoint: CheckpointBody | None = None
    checkpoint_id: str | None = None


class StateAtBody(LangGraphBody):
    """Which checkpoint to show."""

    checkpoint: CheckpointBody
    subgraphs: bool = False
    select: list[_StateField] | None = None


class HistoryBody(LangGraphBody):
    """Which states of a thread, the latest first."""

    limit: Limit = 10
    before: CheckpointBody | str | None = None
    metadata: Metadata | None = None
    checkpoint: CheckpointBody | None = None
    select: list[_StateField] | None = None


def ttl_of(body: TtlBody | None) -> Ttl | None:
    """The time to live of a body that may have none."""
    return (body.ttl, body.strategy) if body else None


@router.post("", responses=documented(None, 400, 409))
async def create_run_thread(body: ThreadBody, call: RuledCall) -> JsonResponse:
    """Create a thread, also with the steps of another one."""
    threads, owner = call.graphs.threads, call.owner
    new = threads.new(body.thread_id or new_id(), body.metadata, ttl_of(body.ttl))
    thread = await threads.create(owner, new, reuse=body.if_exists == "do_nothing")
    if body.supersteps:
        await threads.play(owner, thread.thread_id, [step.model_dump() for step in body.supersteps])
        thread = await threads.get(owner, thread.thread_id)
    return answer(await _shown(call, thread))


@router.post("/search", responses=documented(None))
async def search_run_threads(body: ThreadSearch, call: RuledCall) -> JsonResponse:
    """The caller's threads that match."""
    ids = body.ids
    query = body.query(ids=ids, **body.part())
    found, total = await call.graphs.threads.search(call.owner, query, body.values or {})
    answered = Answered(call.services.history.most_bytes)
    for thread in found:
        needs_values = body.select is None or "values" in body.select or bool(body.extract)
        entry = await _shown(call, thread, with_values=needs_values)
        chosen = selected(entry, body.select)
        if not answered.add({**chosen, "extracted": extracted(entry, body.extract)} if body.extract else chosen):
            break
    return page(answered.entries, total, len(answered.entries) or body.limit, body.offset)


@router.post("/count", responses=documented(None))
async def count_run_threads(body: ThreadCount, call: RuledCall) -> JsonResponse:
    """How many match."""
    return answer(await call.graphs.threads.count(call.owner, body.query(), body.values or {}))


@router.post("/prune", responses=documented(None))
async def prune_run_threads(body: PruneBody, call: RuledCall) -> JsonResponse:
    """Delete threads, or cut them down to their latest checkpoint."""
    pruned = await call.graphs.threads.prune(call.owner, body.thread_ids, body.strategy)
    return answer({"pruned_count": pruned})


@router.get("/{thread_id}", responses=documented(None, 404))
async def get_run_thread(
    thread_id: PathThreadId,
    call: RuledCall,
    include: Annotated[str | None, Query(description="`ttl` to be shown how long the thread lives.")] = None,
) -> JsonResponse:
    """One thread, with the values of its state."""
    wanted = {each.strip() for each in (include or "").split(",")} - {""}
    if not wanted <= {"ttl"}:
        raise InvalidInput("include", "must name parts that an answer may leave out, separated by commas: ttl")
    threads = call.graphs.threads
    thread = await threads.described(call.owner, await threads.get(call.owner, thread_id))
    shown = await _shown(call, thread)
    if wanted and thread.ttl is not None:
        shown["ttl"] = {"ttl_minutes": thread.ttl, "strategy": thread.ttl_strategy, "expires_at": thread.expires_at}
    return answer(shown)


@router.patch("/{thread_id}", responses=documented(None, 404) | documented(None, 404, status=204))
async def update_run_thread(
    thread_id: PathThreadId,
    body: ThreadChange,
    call: RuledCall,
    prefer: Annotated[str | None, Header(description="`return=minimal` for an empty answer.")] = None,
) -> Response:
    """Merge metadata into the thread's."""
    thread = await call.graphs.threads.update(call.owner, thread_id, body.metadata, ttl_of(body.ttl))
    if prefer == "return=minimal":
        return Response(status_code=204)
    return answer(await _shown(call, thread))


@router.delete("/{thread_id}", status_code=204, responses=documented(None, 404, status=204))
async def delete_run_thread(thread_id: PathThreadId, call: RuledCall) -> Response:
    """Erase the thread with its messages, its runs and its checkpoints."""
    await call.graphs.runs.delete_thread(call.owner, thread_id)
    return Response(status_code=204)


@router.post("/{thread_id}/copy", responses=documented(None, 404))
async def copy_run_thread(thread_id: PathThreadId, call: RuledCall) -> JsonResponse:
    """A new thread with the same checkpoints."""
    thread = await call.graphs.threads.copy(call.owner, thread_id)
    return answer(await _shown(call, thread))


@router.get("/{thread_id}/stream", responses=event_stream("Events of the thread's runs, run after run.", 404))
async def join_thread_stream(
    thread_id: PathThreadId, call: RuledCall, stream_mode: ThreadModes = None, last_event_id: LastEventId = ""
) -> EventStream:
    """Stream the events of every run of the thread, from now on or after an event, until the client disconnects."""
    after = "0-0" if last_event_id == EVERYTHING else last_event_id
    modes = stream_mode or ["run_modes"]
    events = await call.graphs.join.follow(call.owner, thread_id, modes, after, call.options.idle)
    return EventStream(joined_frames(events), call.options.heartbeat)


async def _shown(call: ApiCall, thread: AgentThread, *, with_values: bool = True) -> dict[str, Any]:
    """A thread as clients see it."""
    shown = {name: value for name, value in selected(thread, None).items() if name not in _HIDDEN}
    return {**shown, "values": await call.graphs.threads.values(call.owner, thread) if with_values else None}


states = APIRouter(prefix="/threads/{thread_id}", tags=["states of threads"], route_class=CachedResponseRoute)


@states.get("/state", responses=documented(None, 404))
async def get_state(
    thread_id: PathThreadId, call: RuledCall, subgraphs: Subgraphs = False, select: SelectState = None
) -> JsonResponse:
    """The state that the thread is in."""
    threads, is_cached = call.graphs.threads, not subgraphs and call.principal.access is None
    stored = await threads.stored_state(call.owner, thread_id) if is_cached else None
    state = await threads.state(call.owner, thread_id, subgraphs=subgraphs)
    return answer(_part_of(state, select), holds=_holds(call, thread_id, stored, state))


@states.get("/state/{checkpoint_id}", responses=documented(None, 404))
async def get_state_at(
    thread_id: PathThreadId,
    checkpoint_id: str,
    call: RuledCall,
    subgraphs: Subgraphs = False,
    select: SelectState = None,
) -> JsonResponse:
    """The state that the thread was in at a checkpoint."""
    place = {"checkpoint_id": checkpoint_id}
    state = await call.graphs.threads.state(call.owner, thread_id, place, subgraphs=subgraphs)
    return answer(_part_of(state, select))


@states.post("/state/checkpoint", responses=documented(None, 404))
async def get_state_at_checkpoint(thread_id: PathThreadId, body: StateAtBody, call: RuledCall) -> JsonResponse:
    """The state that the thread, or a subgraph of it, was in at a checkpoint."""
    state = await call.graphs.threads.state(
        call.owner, thread_id, body.checkpoint.model_dump(), subgraphs=body.subgraphs
    )
    return answer(_part_of(state, body.select))


@states.post("/state", responses=documented(None, 400, 404, 409))
async def update_state(thread_id: PathThreadId, body: StateBody, call: RuledCall) -> JsonResponse:
    """Write values into the state, as if a node had."""
    place = body.checkpoint.model_dump() if body.checkpoint else {}
    if body.checkpoint_id:
        place["checkpoint_id"] = body.checkpoint_id
    checkpoint = await call.graphs.threads.update_state(
        call.owner, thread_id, body.values, as_node=body.as_node, checkpoint=place
    )
    return answer(
        {"checkpoint": checkpoint, "configurable": checkpoint, "checkpoint_id": checkpoint.get("checkpoint_id")}
    )


@states.post("/history", responses=documented(None, 404))
async def get_history(thread_id: PathThreadId, call: RuledCall, body: HistoryBody | None = None) -> JsonResponse:
    """The states that the thread was in, the latest first."""
    body = body or HistoryBody()
    states = await call.graphs.threads.history(
        call.owner,
        thread_id,
        limit=body.limit,
        before=body.before.model_dump() if isinstance(body.before, CheckpointBody) else body.before,
        metadata=body.metadata,
        checkpoint=body.checkpoint.model_dump() if body.checkpoint else None,
        most_bytes=call.services.history.most_bytes,
    )
    return answer([_part_of(state, body.select) for state in states])


def _part_of(state: Mapping[str, Any], fields: Sequence[str] | None) -> dict[str, Any]:
    """The state with the chosen fields and values only."""
    part, values = selected(state, fields), state.get("values")
    if fields is not None and "values" not in part and isinstance(values, Mapping):
        chosen = [field.removeprefix("values.") for field in fields if field.startswith("values.")]
        part |= {"values": selected(values, chosen)} if chosen else {}
    return part


def _holds(call: ApiCall, thread_id: str, stored: StoredState | None, state: Mapping[str, Any]) -> Holds | None:
    """Whether the thread still has the checkpoint that the state shows; None if another one may come back.

    That nothing is stored may become true again after an erasure, and so may a checkpoint whose successor is rolled
    back.
    """
    if stored is None or stored.found.checkpoint.id != state["checkpoint_id"]:
        return None

    async def is_stored() -> bool:
        return await call.graphs.threads.stored_state(call.owner, thread_id) == stored

    return is_stored
