"""The parts that tests of actions share: actions by their ids, and everything that works on them over one database."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from recuerdo.actions import Actions, Retries, Worker
from recuerdo.actions.records import RecordLocation, begun, on_row
from recuerdo.adapters.registry import open_repositories
from recuerdo.adapters.signals import LocalSignals
from recuerdo.core.actions import DomainAction, Query
from recuerdo.core.graph_ports import DocumentRepository
from recuerdo.core.ports import Clock
from recuerdo.core.scope import Scope
from recuerdo.history.history import utc_now

NOW = datetime(2026, 11, 22, tzinfo=UTC)
SCOPE = Scope("acme", "emi", "t-1")
QUICKLY = Retries(most_attempts=5, first_pause=0.001)


def ids(action_id: str = "a-1", scope: Scope = SCOPE, **more: Any) -> dict[str, Any]:
    whose = {"tenant": scope.tenant, "user": scope.user, "thread": scope.thread}
    return {"action_id": action_id, "task_id": "task-1", "created_at": NOW, **whose, **more}


def query(action_id: str = "a-1", scope: Scope = SCOPE, **more: Any) -> Query:
    return Query(**{**ids(action_id, scope), "text": "x", **more})


class Working(NamedTuple):
    """A process's share of the work."""

    actions: Actions
    worker: Worker
    another: Callable[[], Worker]
    documents: DocumentRepository


@asynccontextmanager
async def working_over(url: str, clock: Clock = utc_now, **options: Any) -> AsyncGenerator[Working]:
    """Actions and a worker over a database, as a process has them, and if need be others."""
    async with AsyncExitStack() as stack:
        repositories = await stack.enter_async_context(open_repositories(url))
        documents, signals = repositories.documents, repositories.signals or LocalSignals()
        assert documents is not None

        def worker() -> Worker:
            made = Worker(documents, signals, clock, **{"retries": QUICKLY, "pause": 0.05, **options})
            stack.push_async_callback(made.aclose)
            return made

        first = worker()
        yield Working(Actions(documents, first, clock), first, worker, documents)


async def take_and_die(
    documents: DocumentRepository, action: DomainAction, now: datetime, lease: float, *, alone: bool = False
) -> None:
    """Begin with the action, as a worker does whose process dies at once."""
    place = RecordLocation.of(action)
    decide = on_row(place.keys, begun(now, now + timedelta(seconds=lease), alone=alone))
    assert await documents.change(place.owner, place.group, place.keys, decide) is not None
