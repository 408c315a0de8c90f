"""Schedules that make runs."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from msgspec.structs import replace

from recuerdo.core.documents import Decision, Document, DocumentKey, DocumentQuery, reader
from recuerdo.core.errors import InvalidInput, NotFound
from recuerdo.core.graph_ports import DocumentRepository
from recuerdo.core.identifiers import new_id
from recuerdo.core.ports import Clock
from recuerdo.core.runs import Cron
from recuerdo.core.scope import Owner

_MANY = 5
_FIELDS = "must be five fields: minute, hour, day of month, month, day of week, e.g. */5 * * * *"
_encode = msgspec.json.Encoder().encode
_decode = reader("cron", Cron)


class Crons:
    """The schedules of all users. `launch` makes the run of one whose time has come."""

    def __init__(
        self, documents: DocumentRepository, launch: Callable[[Owner, Cron], Awaitable[None]], clock: Clock
    ) -> None:
        self._documents = documents
        self._launch = launch
        self._clock = clock

    async def create(
        self, owner: Owner, assistant_id: str, payload: dict[str, Any], thread_id: str | None, fields: Mapping[str, Any]
    ) -> Cron:
        """Store a schedule. Raises InvalidInput when it can't be read."""
        _check_schedule(fields)
        now, cron_id = self._clock(), new_id()
        config: dict[str, Any] = payload.get("config") or {}
        configurable = {**config.get("configurable", {}), "cron_id": cron_id}
        payload = {**payload, "config": {**config, "configurable": configurable}}
        cron = Cron(
            cron_id=cron_id,
            assistant_id=assistant_id,
            thread_id=thread_id,
            user_id=owner.user,
            payload=payload,
            next_run_date=None,
            created_at=now,
            updated_at=now,
            **fields,
        )
        cron = replace(cron, next_run_date=next_time(cron, now))
        await self._put(owner, cron)
        return cron

    async def get(self, owner: Owner, cron_id: str) -> Cron:
        """The schedule. Raises NotFound."""
        body = await self._documents.get(owner, DocumentKey("cron", cron_id))
        if body is None:
            raise NotFound("cron", cron_id)
        return _decode(body)

    async def update(self, owner: Owner, cron_id: str, payload: Mapping[str, Any], fields: Mapping[str, Any]) -> Cron:
        """Change what is given. Raises NotFound or InvalidInput."""
        _check_schedule(fields)
        now, current = self._clock(), await self.get(owner, cron_id)
        changed = replace(current, **fields, payload={**current.payload, **payload}, updated_at=now)
        changed = replace(changed, next_run_date=next_time(changed, now))
        await self._put(owner, changed)
        return changed

    async def delete(self, owner: Owner, cron_id: str) -> None:
        """Forget the schedule; runs that it made stay. Raises NotFound."""
        await self.get(owner, cron_id)
        await self._documents.change(owner, cron_id, [], lambda _: Decision(None, erase=True))

    async def search(self, owner: Owner, query: DocumentQuery) -> list[Cron]:
        """The user's schedules that match."""
        return [*map(_decode, await self._documents.select(owner, "cron", query))]

    async def count(self, owner: Owner, query: DocumentQuery) -> int:
        """How many match."""
        return await self._documents.count(owner, "cron", query)

    async def fire(self, owner: Owner, cron_id: str) -> None:
        """Make the run of a schedule whose time has come, unless another replica was faster."""
        now = self._clock()

        def claim(documents: Any) -> Decision[Cron | None]:
            cron = next((_decode(each.body) for each in documents if each.kind == "cron"), None)
            if cron is None or cron.next_run_date is None or cron.next_run_date > now:
                return Decision(None)
            return Decision(cron, [_document(replace(cron, next_run_date=next_time(cron, now)))])

        cron = await self._documents.change(owner, cron_id, [DocumentKey("cron", cron_id)], claim)
        if cron is not None:
            await self._launch(owner, cron)

    async def _put(self, owner: Owner, cron: Cron) -> None:
        await self._documents.change(owner, cron.cron_id, [], lambda _: Decision(None, [_document(cron)]))


def next_time(cron: Cron, now: datetime) -> datetime | None:
    """When the schedule makes its next run; None when it is over. Raises InvalidInput."""
    from croniter import CroniterBadDateError, CroniterError, croniter  # slow to import, and seldom needed

    try:
        zone = ZoneInfo(cron.timezone or "UTC")
        following = croniter(cron.schedule, now.astimezone(zone)).get_next(datetime).astimezone(now.tzinfo)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        if isinstance(error, CroniterBadDateError):
            raise InvalidInput("schedule", "names a day that never comes; name one that does") from None
        if isinstance(error, CroniterError):
            raise InvalidInput("schedule", _FIELDS) from None
        raise InvalidInput("timezone", "must be the name of a time zone, e.g. America/Montevideo") from None
    return None if cron.end_time is not None and following > cron.end_time else following


def _check_schedule(fields: Mapping[str, Any]) -> None:
    """Six fields have seconds, at one end or at the other, which five are not. A few were stored, and go on."""
    schedule = fields.get("schedule")
    if schedule is not None and len(schedule.split()) != _MANY and not schedule.startswith("@"):
        raise InvalidInput("schedule", _FIELDS)


def _document(cron: Cron) -> Document:
    return Document("cron", cron.cron_id, cron.cron_id, _encode(cron), due=cron.next_run_date if cron.enabled else None)
