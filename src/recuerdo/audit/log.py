"""Records entries of the audit log without letting anybody wait, and reads them."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple, cast

from recuerdo.concurrency.batcher import Batcher
from recuerdo.core.audit import SERVER_TENANT, AuditAction, AuditEntry, AuditQuery
from recuerdo.core.errors import ConfigurationError, Unavailable
from recuerdo.core.identifiers import new_id
from recuerdo.core.ports import AuditRepository, Clock
from recuerdo.core.tracing import current_request

_OF_LOGGING = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}
_log = logging.getLogger("recuerdo.audit")

MOST_WAITING = 10_000
"""How many entries may wait for the database. Those beyond are only logged, and counted in an `audit.lost`."""

_MOST_AT_ONCE = 500
_SECONDS_TO_CLOSE = 5.0
_LONGEST_DETAIL = 200


class AuditPage(NamedTuple):
    """Some entries, the latest first, and the `before` of the next page; None where there are no more."""

    entries: list[AuditEntry]
    next: str | None


class AuditLog:
    """Each entry goes to the logger `recuerdo.audit` at once, and to the table soon: together with others.

    While the database is away up to `most_waiting` entries wait for it. Without a repository entries are only logged.
    """

    def __init__(self, repository: AuditRepository | None, clock: Clock, *, most_waiting: int = MOST_WAITING) -> None:
        self._repository = repository
        self._clock = clock
        self._most_waiting = most_waiting
        self._waiting: set[asyncio.Task[None]] = set()
        self._lost = 0
        self._batches: Batcher[AuditEntry, None] = Batcher(self._store, concurrency=1, most=_MOST_AT_ONCE)

    def record(
        self,
        action: AuditAction,
        *,
        tenant: str = SERVER_TENANT,
        actor: str = "",
        role: str = "",
        target: str | None = None,
        address: str | None = None,
        **details: str,
    ) -> None:
        """Record it. Never raises and never waits."""
        entry = AuditEntry(
            id=new_id(),
            at=self._clock(),
            tenant=tenant,
            actor=actor,
            action=action,
            role=role,
            target=target,
            address=address,
            request_id=current_request.get().request_id or None,
            details={name: value[:_LONGEST_DETAIL] for name, value in details.items()},
        )
        _log.info(action, extra=_fields(entry))
        if self._repository is None:
            return
        if len(self._waiting) >= self._most_waiting:
            self._lost += 1
            return
        task = asyncio.create_task(self._keep(entry))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    def record_command(self, action: AuditAction, tenant: str, target: str, **details: str) -> None:
        """Record a command's change. It has no actor: the command line has the database, and knows no caller."""
        self.record(action, tenant=tenant, role="command line", target=target, **details)

    async def read(self, tenant: str, query: AuditQuery) -> AuditPage:
        """The tenant's entries that match. Raises ConfigurationError when the database keeps none."""
        if self._repository is None:
            raise ConfigurationError("This database keeps no audit log. Its entries are in the server's log.")
        found = await self._repository.select(tenant, query._replace(limit=query.limit + 1))
        page = found[: query.limit]
        return AuditPage(page, page[-1].cursor if len(found) > query.limit else None)

    async def flush(self) -> None:
        """Wait until everything that was recorded is stored, or lost."""
        while self._waiting:
            await asyncio.wait(self._waiting)

    async def aclose(self) -> None:
        """Store what waits, for some seconds at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS_TO_CLOSE):
                await self.flush()
        if waiting := [*self._waiting]:
            _log.warning("%d entries could not be stored; they are only in this log", len(waiting))
        for task in waiting:
            task.cancel()

    async def _keep(self, entry: AuditEntry) -> None:
        while True:
            try:
                await self._batches.get(entry)
                break
            except Unavailable as error:  # an entry that was stored after all is stored once
                await asyncio.sleep(error.retry_after)
            except Exception:
                self._lost += 1
                _log.exception("an entry could not be stored")
                return
        if lost := self._lost:
            self._lost = 0
            self._waiting.discard(cast(asyncio.Task[None], asyncio.current_task()))  # which makes room
            self.record("audit.lost", entries=str(lost))

    async def _store(self, entries: Sequence[AuditEntry]) -> list[None]:
        assert self._repository is not None  # noqa: S101 - nothing waits without one
        await self._repository.append(entries)
        return [None] * len(entries)


def _fields(entry: AuditEntry) -> dict[str, object]:
    """Return the fields of the log line besides the action, which is its event."""
    told = {"tenant": entry.tenant, "actor": entry.actor, "role": entry.role, "target": entry.target}
    fields = {**told, "address": entry.address, **entry.details}
    # `logging` raises KeyError for a field with the name of one of its own, such as `thread`
    named = {f"audit_{name}" if name in _OF_LOGGING else name: value for name, value in fields.items()}
    return {"audit": entry.id, **{name: value for name, value in named.items() if value}}
