"""Everything that the LangGraph API asks for, put together."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from recuerdo.concurrency.tasks import in_background
from recuerdo.core.graph_ports import DocumentRepository, RunEvents, Signals
from recuerdo.core.ports import Clock
from recuerdo.core.runs import Cron, RunRequest
from recuerdo.core.scope import Owner, Scope
from recuerdo.runs.assistants import Assistants, Changing, Check
from recuerdo.runs.commands import Commands
from recuerdo.runs.conversations import ConversationHistory
from recuerdo.runs.crons import Crons
from recuerdo.runs.engine import Engine, LazyInThread, RunMaintenance
from recuerdo.runs.runs import NewRun, Runs
from recuerdo.runs.thread_stream import DeliveryTracker, ThreadJoin, ThreadStream
from recuerdo.runs.threads import Threads
from recuerdo.runs.webhooks import Webhooks


class RunServices(NamedTuple):
    """Open services. `host` gives the graphs' host, which is made when it is first needed."""

    assistants: Assistants
    threads: Threads
    runs: Runs
    crons: Crons
    commands: Commands
    stream: ThreadStream
    join: ThreadJoin
    host: Callable[[], Awaitable[Any]]


@asynccontextmanager
async def running_services(
    documents: DocumentRepository,
    events: RunEvents,
    graphs: Mapping[str, str | None],
    make_host: Callable[[], Any],
    clock: Clock,
    signals: Signals,
    *,
    lease: float = 30.0,
    changing: Changing | None = None,
    check: Check | None = None,
    webhooks: Webhooks | None = None,
    epoch_of: Callable[[Scope], Awaitable[int]] | None = None,
    history: ConversationHistory | None = None,
) -> AsyncGenerator[RunServices]:
    """The services over graphs by their names (each with a description, or None), with an engine at work.

    `make_host` imports LangGraph: it is called in a thread, when the first graph is needed. `changing` is told of
    changes of assistants, and `check` looks at them; see Assistants. For `epoch_of` see Runs, for `history` Threads.
    """
    host = LazyInThread(make_host)
    engine = Engine(documents, events, host, clock, signals=signals, lease=lease, epoch_of=epoch_of)
    assistants = Assistants(documents, graphs, clock, changing, check)
    threads = Threads(documents, host, clock, history)
    runs = Runs(documents, events, engine, assistants, threads, host, clock, epoch_of)

    async def launch(owner: Owner, cron: Cron) -> None:
        await _launch(runs, owner, cron)

    crons = Crons(documents, launch, clock)
    engine.on_end((webhooks or Webhooks()).tell)
    try:
        async with in_background(RunMaintenance(documents, engine, crons, threads, clock, signals).run()):
            commands, join = Commands(runs, threads), ThreadJoin(runs, threads)
            stream = ThreadStream(runs, threads, DeliveryTracker(clock))
            yield RunServices(assistants, threads, runs, crons, commands, stream, join, host)
    finally:
        await engine.aclose()


async def _launch(runs: Runs, owner: Owner, cron: Cron) -> None:
    given = cron.payload
    request = RunRequest(
        input=given.get("input"),
        command=given.get("command"),
        config=given.get("config") or {},
        context=given.get("context") or {},
        stream_mode=given.get("stream_mode") or ["values"],
        interrupt_before=given.get("interrupt_before"),
        interrupt_after=given.get("interrupt_after"),
        webhook=given.get("webhook"),
        durability=given.get("durability") or "async",
        on_completion=cron.on_run_completed or "delete",
    )
    metadata = {**cron.metadata, "cron_id": cron.cron_id}
    strategy = given.get("multitask_strategy") or "enqueue"
    await runs.create(owner, NewRun(cron.assistant_id, request, cron.thread_id, metadata, strategy))
