"""What clients of the LangGraph API send. Fields that this server does not know are ignored, as the reference does."""

import re
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Header, Query
from msgspec.structs import replace
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool

from recuerdo.core.documents import DocumentQuery
from recuerdo.core.runs import CancelAction, MultitaskStrategy, OnCompletion, RunRequest, ThreadStatus, TtlStrategy
from recuerdo.runs.runs import NewRun
from recuerdo.runs.threads import Ttl
from recuerdo.runs.webhooks import check_webhook

StreamMode = Literal[
    "values",
    "messages",
    "updates",
    "events",
    "tasks",
    "checkpoints",
    "debug",
    "custom",
    "messages-tuple",
]
_EVENT_ID = re.compile(r"-1|[0-9]{1,15}(-[0-9]{1,9})?", re.ASCII)
Nodes = Literal["*"] | list[str]
Metadata = dict[str, Any]
SortOrder = Literal["asc", "desc"]
Limit = Annotated[int, Field(strict=True, ge=1, le=1000)]
Offset = Annotated[int, Field(strict=True, ge=0, le=1_000_000)]
Label = Annotated[str, Field(min_length=1, pattern=r"^[^.\x00]+$")]
"""Of a namespace of the store."""

Select = Annotated[list[str] | None, Query(description="Only these fields.")]
Subgraphs = Annotated[bool, Query(description="Whether to show the states of subgraphs, too.")]
LastEventId = Annotated[
    str,
    Header(
        description="The last event that was heard, to go on behind it; `-1`, and an id that is none of ours, for all "
        "that are kept.",
    ),
    AfterValidator(lambda given: given if _EVENT_ID.fullmatch(given) else ""),
]
Action = Annotated[CancelAction, Query(description="`interrupt` keeps what was done, `rollback` takes it back.")]


class _LangGraphBody(BaseModel):
    model_config = ConfigDict(extra="ignore")


class TtlBody(_LangGraphBody):
    """How many minutes something lives after its last change, and what happens then."""

    ttl: float = Field(gt=0, le=10**8)
    strategy: TtlStrategy = "delete"


class PageBody(_LangGraphBody):
    """Which part of a list, in an order that each list has its own names for: `sort_by`."""

    limit: Limit = 10
    offset: Offset = 0
    sort_order: SortOrder = "desc"
    select: list[str] | None = None

    def part(self) -> dict[str, Any]:
        """The same as fields of a DocumentQuery."""
        fields = self.model_dump(include={"sort_by", "limit", "offset"})
        return {**fields, "descending": self.sort_order == "desc"}


class CheckpointBody(_LangGraphBody):
    """A checkpoint of a thread, perhaps in one of its subgraphs."""

    checkpoint_id: str | None = None
    checkpoint_ns: str = ""
    checkpoint_map: dict[str, Any] | None = None


class AssistantFields(_LangGraphBody):
    """What an assistant is made of."""

    config: dict[str, Any] | None = None
    context: dict[str, Any] | None = None
    metadata: Metadata | None = None
    name: str | None = None
    description: str | None = None


class AssistantBody(AssistantFields):
    """A new assistant over a graph."""

    graph_id: str
    assistant_id: UUID | None = None
    if_exists: Literal["raise", "do_nothing"] = "raise"


class AssistantChange(AssistantFields):
    """What the assistant's next version has instead."""

    graph_id: str | None = None


class AssistantCount(_LangGraphBody):
    """Which assistants."""

    metadata: Metadata | None = None
    graph_id: str | None = None
    name: str | None = None

    def query(self, **more: Any) -> DocumentQuery:
        """The same as a query."""
        where: dict[str, Any] = {"metadata": self.metadata} if self.metadata else {}
        if self.graph_id:
            where["graph_id"] = self.graph_id
        return DocumentQuery(where=where, like={"name": self.name} if self.name else {}, **more)


class AssistantSearch(AssistantCount, PageBody):
    """Which assistants, in which order."""

    sort_by: Literal["assistant_id", "graph_id", "name", "created_at", "updated_at"] = "created_at"


class VersionsBody(_LangGraphBody):
    """Which versions of an assistant."""

    metadata: Metadata | None = None
    limit: Limit = 10
    offset: Offset = 0


class LatestBody(_LangGraphBody):
    """The version to go back to."""

    version: int


class SuperstepUpdate(_LangGraphBody):
    """What one node of another thread's step did."""

    values: Any = None
    command: dict[str, Any] | None = None
    as_node: str | None = None


class Superstep(_LangGraphBody):
    """One step of another thread."""

    updates: list[SuperstepUpdate]


class ThreadBody(_LangGraphBody):
    """A new thread."""

    thread_id: UUID | None = None
    metadata: Metadata | None = None
    if_exists: Literal["raise", "do_nothing"] = "raise"
    ttl: TtlBody | None = None
    supersteps: list[Superstep] | None = None


class ThreadChange(_LangGraphBody):
    """What to merge into a thread's metadata, and how long it lives from now on."""

    metadata: Metadata = {}
    ttl: TtlBody | None = None


class ThreadCount(_LangGraphBody):
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

    ids: list[UUID] | None = None
    sort_by: Literal["thread_id", "status", "created_at", "updated_at", "state_updated_at"] = "created_at"
    extract: dict[str, str] | None = None


class PruneBody(_LangGraphBody):
    """Threads to delete, or to cut down to their latest checkpoint."""

    thread_ids: list[UUID]
    strategy: TtlStrategy = "delete"


class StateBody(_LangGraphBody):
    """Values to write into a thread's state, as if a node had."""

    values: Any = None
    as_node: str | None = None
    checkpoint: CheckpointBody | None = None
    checkpoint_id: str | None = None


class StateAtBody(_LangGraphBody):
    """Which checkpoint to show."""

    checkpoint: CheckpointBody
    subgraphs: bool = False
    select: list[str] | None = None


class HistoryBody(_LangGraphBody):
    """Which states of a thread, the latest first."""

    limit: Limit = 10
    before: CheckpointBody | str | None = None
    metadata: Metadata | None = None
    checkpoint: CheckpointBody | None = None
    select: list[str] | None = None


class WorkFields(_LangGraphBody):
    """What runs and schedules have in common."""

    assistant_id: str
    input: Any = None
    command: dict[str, Any] | None = None
    metadata: Metadata | None = None
    config: dict[str, Any] | None = None
    context: dict[str, Any] | None = None
    webhook: str | None = None
    interrupt_before: Nodes | None = None
    interrupt_after: Nodes | None = None
    stream_mode: StreamMode | list[StreamMode] | None = None
    stream_subgraphs: bool = False
    stream_resumable: bool = False
    durability: Literal["sync", "async", "exit"] | None = None
    checkpoint_during: bool | None = None
    multitask_strategy: MultitaskStrategy = "enqueue"


class RunBody(WorkFields):
    """A run to start."""

    checkpoint: CheckpointBody | None = None
    checkpoint_id: str | None = None
    feedback_keys: list[str] | None = None
    on_completion: OnCompletion | None = None
    on_disconnect: Literal["cancel", "continue"] = "continue"
    after_seconds: float = Field(0, ge=0, le=10**8)
    if_not_exists: Literal["create", "reject"] = "reject"
    thread_id: UUID | None = None
    expected_epoch: int | None = Field(None, ge=0)

    def new_run(self, thread_id: str | None = None, expected_epoch: int | None = None) -> NewRun:
        """The same in our words. Raises InvalidInput."""
        check_webhook(self.webhook)
        return NewRun(
            self.assistant_id,
            replace(self._request(thread_id), expected_epoch=expected_epoch),
            thread_id,
            self.metadata or {},
            self.multitask_strategy,
            self.if_not_exists == "create",
            self.after_seconds,
        )

    def _request(self, thread_id: str | None) -> RunRequest:
        modes = self.stream_mode if isinstance(self.stream_mode, list) else [self.stream_mode or "values"]
        checkpoint = self.checkpoint.model_dump() if self.checkpoint else None
        if self.checkpoint_id:
            checkpoint = {**(checkpoint or {}), "checkpoint_id": self.checkpoint_id}
        return RunRequest(
            input=self.input,
            command=self.command,
            config=self.config or {},
            context=self.context or {},
            stream_mode=[*modes],
            subgraphs=self.stream_subgraphs,
            resumable=self.stream_resumable,
            interrupt_before=self.interrupt_before,
            interrupt_after=self.interrupt_after,
            checkpoint=checkpoint,
            durability=self.durability or ("exit" if self.checkpoint_during is False else "async"),
            webhook=self.webhook,
            feedback_keys=self.feedback_keys,
            on_completion=self.on_completion or ("keep" if thread_id else "delete"),
        )


class CancelBody(_LangGraphBody):
    """Which runs to stop: those of the ids on the thread, or all of a status."""

    thread_id: UUID | None = None
    run_ids: list[UUID] | None = None
    status: Literal["pending", "running", "all"] | None = None


class CronBody(WorkFields):
    """A schedule for runs: five fields, of which times are those of the time zone."""

    schedule: str
    end_time: datetime | None = None
    timezone: str | None = None
    enabled: bool = True
    on_run_completed: OnCompletion = "delete"


class CronChange(_LangGraphBody):
    """What a schedule has instead."""

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


class CronCount(_LangGraphBody):
    """Which schedules."""

    assistant_id: UUID | None = None
    thread_id: UUID | None = None
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


class ItemKey(_LangGraphBody):
    """Where an item of the store is."""

    namespace: list[Label] = []
    key: str


class ItemBody(ItemKey):
    """An item to put: `index` says what of it is searched for meaning, `ttl` how many minutes it lives."""

    value: dict[str, Any]
    index: Literal[False] | list[str] | None = None
    ttl: float | None = None


class ItemSearch(_LangGraphBody):
    """Which items below a namespace, by filter and by meaning."""

    namespace_prefix: list[Label] = []
    filter: dict[str, Any] | None = None
    query: str | None = None
    limit: Limit = 10
    offset: Offset = 0
    refresh_ttl: StrictBool | None = None


class NamespacesBody(_LangGraphBody):
    """Which namespaces."""

    prefix: list[Label] | None = None
    suffix: list[Label] | None = None
    max_depth: int | None = Field(None, strict=True, ge=1)
    limit: Limit = 100
    offset: Offset = 0


def ttl_of(body: TtlBody | None) -> Ttl | None:
    """The time to live of a body that may have none."""
    return (body.ttl, body.strategy) if body else None
