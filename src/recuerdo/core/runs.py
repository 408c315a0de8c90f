"""Assistants, the threads that they run on, runs, and schedules."""

from datetime import datetime
from typing import Any, Literal

import msgspec

from recuerdo.core.tracing import NO_REQUEST, RequestTrace

RunStatus = Literal["pending", "running", "error", "success", "timeout", "interrupted"]
ThreadStatus = Literal["idle", "busy", "interrupted", "error"]
MultitaskStrategy = Literal["reject", "interrupt", "rollback", "enqueue"]
CancelAction = Literal["interrupt", "rollback"]
OnCompletion = Literal["delete", "keep"]
TtlStrategy = Literal["delete", "keep_latest"]
Visibility = Literal["private", "tenant", "server"]
"""An assistant is visible to its user, to all users of its tenant, or to everybody, like a graph's own."""


class Assistant(msgspec.Struct, frozen=True, kw_only=True):
    """A graph with a configuration. Changing one makes a new version of it.

    A graph's own assistant may be there in name only: `stands_for` is the id of the one that answers then.
    """

    assistant_id: str
    graph_id: str
    config: dict[str, Any] = {}
    context: dict[str, Any] = {}
    metadata: dict[str, Any] = {}
    name: str = ""
    description: str | None = None
    version: int = 1
    visibility: Visibility = "private"
    stands_for: str | None = None
    created_at: datetime
    updated_at: datetime


class AgentThread(msgspec.Struct, frozen=True, kw_only=True):
    """A thread as runs see it. Its messages are stored in its checkpoints, and are not repeated here.

    `interrupts` are the questions that its graph waits for, by task; `expires_at` is when its time to live is over.
    """

    thread_id: str
    created_at: datetime
    updated_at: datetime
    state_updated_at: datetime
    metadata: dict[str, Any] = {}
    status: ThreadStatus = "idle"
    config: dict[str, Any] = {}
    error: Any = None
    interrupts: dict[str, Any] = {}
    ttl: float | None = None
    ttl_strategy: TtlStrategy = "delete"
    expires_at: datetime | None = None


class RunRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request for a run. With `thread_events` it streams all, in the thread protocol, not just its stream modes.

    With an `expected_epoch` it writes to the history only while the thread is in that epoch.
    """

    input: Any = None
    command: dict[str, Any] | None = None
    config: dict[str, Any] = {}
    context: dict[str, Any] = {}
    stream_mode: list[str] = msgspec.field(default_factory=lambda: ["values"])
    subgraphs: bool = False
    resumable: bool = False
    thread_events: bool = False
    interrupt_before: str | list[str] | None = None
    interrupt_after: str | list[str] | None = None
    checkpoint: dict[str, Any] | None = None
    durability: str = "async"
    webhook: str | None = None
    feedback_keys: list[str] | None = None
    on_completion: OnCompletion = "keep"
    temporary: bool = False
    expected_epoch: int | None = None


FIRST_TOKEN = 1
"""The first fencing token of a run."""


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One execution of an assistant on a thread; this row is the truth about it.

    The process that executes it holds `token` until `lease_until`: a later start has a greater token, and a write with
    an older one changes nothing. `start_at` is the earliest start, `cancel` a cancellation that was requested. One that
    `waits` ended with an unfinished graph: it has a question, or is to be continued. `checkpoint_id` is where it left
    its thread: later changes of the thread are not its result. `request` is what asked for it.
    """

    run_id: str
    thread_id: str
    assistant_id: str
    graph_id: str
    metadata: dict[str, Any] = {}
    status: RunStatus = "pending"
    kwargs: RunRequest
    multitask_strategy: MultitaskStrategy = "enqueue"
    created_at: datetime
    updated_at: datetime
    attempts: int = 0
    token: int = 0
    start_at: datetime | None = None
    lease_until: datetime | None = None
    cancel: CancelAction | None = None
    error: Any = None
    waits: bool = False
    checkpoint_id: str | None = None
    request: RequestTrace = NO_REQUEST

    @property
    def is_open(self) -> bool:
        return self.status in ("pending", "running")


class RunResult(msgspec.Struct, frozen=True):
    """The end of a run whose row is gone, for callers in other processes; `payload` is their answer."""

    run: Run
    payload: msgspec.Raw


class Cron(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule that makes runs: on its thread, or each on a thread of its own."""

    cron_id: str
    assistant_id: str
    thread_id: str | None
    user_id: str = ""
    end_time: datetime | None = None
    schedule: str
    timezone: str | None = None
    payload: dict[str, Any]
    next_run_date: datetime | None
    metadata: dict[str, Any] = {}
    on_run_completed: OnCompletion | None = "delete"
    enabled: bool = True
    created_at: datetime
    updated_at: datetime


class RunEvent(msgspec.Struct, frozen=True):
    """An event of a run; `data` is JSON. The ids of one run ascend."""

    id: str
    name: str
    data: bytes
