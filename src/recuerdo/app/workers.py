"""Runs a worker: registers action handlers for its queues."""

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, nullcontext

from recuerdo.app.recuerdo import Recuerdo
from recuerdo.concurrency.tasks import in_background
from recuerdo.core.actions import AnswerSession, Queue
from recuerdo.core.errors import MissingExtra, needing
from recuerdo.observability.metrics import Metrics
from recuerdo.observability.observed import CountedActions

_log = logging.getLogger(__name__)


@asynccontextmanager
async def working(
    memory: Recuerdo, queues: Sequence[Queue], *, concurrency: int = 10, metrics: Metrics | None = None
) -> AsyncGenerator[None]:
    """Execute actions of the queues during the block; unfinished ones are then returned to their queues."""
    from recuerdo.agents.action_handlers import action_handlers

    if memory.documents is None and queues:
        _log.warning(
            "This database stores no actions: they are held in this process alone, and lost when it ends. "
            "Use postgresql://, sqlite:// or mongodb:// if that matters."
        )
    worker = memory.worker
    worker.concurrency = concurrency
    worker.watch = CountedActions(metrics) if metrics else None
    handlers = dict(action_handlers(lambda: memory.chat, memory.embedder, memory.actions.result))
    if memory.learning is not None:
        handlers["memory"] = memory.learning.do
    for queue in queues:
        if queue in handlers:
            worker.take(queue, handlers[queue])
    if AnswerSession.queue in queues:
        _take_sessions(memory)
    try:
        yield
    finally:
        await worker.aclose()


def _take_sessions(memory: Recuerdo) -> None:
    """Answer sessions of WebSockets, too, as servers ask for it. Their frames are those of a server, and need it."""
    try:
        with needing("Answering sessions", "server"):
            from recuerdo.server.streaming.worker_turns import SessionWorker
    except MissingExtra as missing:
        _log.info("sessions are left to other workers: %s", missing)
        return
    worker = memory.worker
    sessions = SessionWorker(lambda: memory.chat, memory.actions, memory.contexts, memory.events, worker.signals)
    worker.register(AnswerSession, sessions.answer)


@asynccontextmanager
async def working_alone(memory: Recuerdo, queues: Sequence[Queue], *, concurrency: int) -> AsyncGenerator[None]:
    """Do a worker's work in a process of its own, which loads in the background what its first answer would wait for.

    Raises MissingExtra or ConfigurationError if its model can't be loaded.
    """
    if answers := not {"agent", "query"}.isdisjoint(queues):
        _ = memory.chat  # imports the model and reports its errors before the first action
    loading = in_background(_load_models(memory)) if answers else nullcontext()
    async with working(memory, queues, concurrency=concurrency), loading:
        yield


async def _load_models(memory: Recuerdo) -> None:
    await memory.memories.load_embedder()
    await memory.memories.load_detectors()
