"""Actions, as callers hand them over: each takes effect once, in any worker, and its result is kept for a while."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

from recuerdo.actions.records import (
    DEAD,
    KINDS,
    ActionRecord,
    Matches,
    RecordLocation,
    enqueued,
    group_of,
    offered,
    on_row,
    read_handover,
    revived,
    withdrawn,
)
from recuerdo.actions.work import Worker
from recuerdo.core.actions import QUEUES, ActionEnvelope, ActionResult, ForeignAction
from recuerdo.core.documents import DocumentKey, DocumentQuery
from recuerdo.core.errors import NotFound
from recuerdo.core.graph_ports import DocumentRepository
from recuerdo.core.ports import Clock
from recuerdo.core.scope import Owner

_FIRST_LOOK = 0.01
_LAST_LOOK = 0.5


class Actions:
    """The actions of all users. The database keeps them until a worker, of any process, has executed them.

    The ids of actions are unique by owner: of two with the same id and owner only the first counts.
    """

    def __init__(self, documents: DocumentRepository, worker: Worker, clock: Clock) -> None:
        self._documents = documents
        self._worker = worker
        self._clock = clock

    async def enqueue(self, action: ActionEnvelope | ForeignAction, *, after: float = 0) -> bool:
        """Hand the action over, to be begun at once or `after` seconds; False when it was handed over before.

        When this returns it is durable. One that was given up begins again.
        """
        now = self._clock()
        new = ActionRecord.of(action, now, now + timedelta(seconds=after))
        place = RecordLocation.of(action)
        if not after and self._worker.knows(new):
            self._worker.expect(place)
        signals = [] if after else [action.queue]
        decide = on_row(place.keys, enqueued(new), signals)
        return await self._documents.change(place.owner, place.group, place.keys, decide)

    async def offer(self, action: ActionEnvelope, replaces: Matches = lambda _: False) -> ActionRecord:
        """Hand the action over, unless one with its id exists and must not be replaced. Returns the one stored then."""
        now, place = self._clock(), RecordLocation.of(action)
        decide = on_row(place.keys, offered(ActionRecord.of(action, now, now), replaces), [action.queue])
        return await self._documents.change(place.owner, place.group, place.keys, decide)

    async def withdraw(self, place: RecordLocation, matches: Matches) -> ActionRecord | None:
        """Take back an action that is not done yet, if it matches. A worker that is doing it stops soon.

        Returns the action as it stood; None when there was none to take back.
        """
        decide = on_row(place.keys, withdrawn(matches))
        return await self._documents.change(place.owner, place.group, place.keys, decide)

    async def result(self, action: ActionEnvelope) -> ActionResult | None:
        """The action's outcome, with an `error` when it was given up; None as long as it is not done.

        Raises NotFound for one that was never handed over, or is forgotten.
        """
        row = await self._row(RecordLocation.of(action))
        if row is None:
            raise NotFound("action", action.action_id)
        return row.result

    async def find(self, owner: Owner, action_id: str) -> ActionRecord:
        """The owner's action, of whatever kind. Raises NotFound for one that was never handed over, or is forgotten."""
        for queue in QUEUES:
            row = await self._row(RecordLocation(owner, queue, action_id))
            if row is not None:
                return row
        raise NotFound("action", action_id)

    async def wait(self, action: ActionEnvelope) -> ActionResult:
        """The result, once it is there. Raises NotFound when the action is not, any more or at all."""
        pause = _FIRST_LOOK
        while (result := await self.result(action)) is None:
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, _LAST_LOOK)
        return result

    async def do(self, action: ActionEnvelope) -> ActionResult:
        """Hand the action over, and wait for its result."""
        await self.enqueue(action)
        return await self.wait(action)

    async def flush(self) -> None:
        """Wait for what this process has handed over, of the queues that it works on itself."""
        for place in self._worker.expected:
            pause = _FIRST_LOOK
            while place in self._worker.expected and (row := await self._row(place)) is not None and row.is_open:
                await asyncio.sleep(pause)
                pause = min(pause * 1.5, _LAST_LOOK)
            self._worker.forget(place)

    async def dead_letters(self, owner: Owner | None = None, limit: int = 100) -> Sequence[ActionRecord]:
        """Actions that were given up, the earliest first: the owner's, or for operators those of all."""
        if owner is None:
            found = await self._documents.due(DEAD, self._clock(), limit)
            return [read_handover(document.body) for _, document in found]
        query = DocumentQuery(sort_by="due", descending=False, limit=limit)
        return [read_handover(body) for body in await self._documents.select(owner, DEAD, query)]

    async def retry(self, owner: Owner, action_id: str) -> None:
        """Begin again with an action that was given up. Raises NotFound."""
        dead = [DocumentKey(DEAD, action_id)]
        decide = on_row(dead, revived(self._clock()), [*KINDS])
        if await self._documents.change(owner, group_of(action_id), dead, decide) is None:
            raise NotFound("dead letter", action_id)

    async def _row(self, place: RecordLocation) -> ActionRecord | None:
        for key in place.keys:
            body = await self._documents.get(place.owner, key)
            if body is not None:
                return read_handover(body)
        return None
