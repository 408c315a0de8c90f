"""Erasures as jobs: they survive a restart, report progress, and reach one user or a whole tenant."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal

import msgspec
from msgspec.structs import replace

from recuerdo.concurrency.tasks import stop
from recuerdo.core.documents import Decision, Document, DocumentKey, DocumentQuery, reader
from recuerdo.core.errors import InvalidInput, NotFound, Unavailable
from recuerdo.core.graph_ports import DocumentRepository
from recuerdo.core.identifiers import derived_id, new_id
from recuerdo.core.ports import Clock, UserDirectory
from recuerdo.core.scope import ANONYMOUS, Owner, TenantOwner
from recuerdo.memories.erase import ErasedPlace
from recuerdo.memories.memories import Memories

_log = logging.getLogger(__name__)

_PAGE = 100
_AT_A_TIME = 10
_LEASE = timedelta(seconds=60)
"""After so long without progress another process takes the job over. Both may work on it: it comes to the same."""

_PAUSE = timedelta(seconds=5)
_MOST_TRIES = 20
"""How often an erasure is repeated that could not be completed, until its job ends with what it could not reach."""

EraseTenantData = Callable[[str], Awaitable[int]]


class ErasureJob(msgspec.Struct, frozen=True, kw_only=True):
    """An erasure that was asked for. `user` is None for a whole tenant, and once the user is erased.

    `users` counts the users that were erased so far, `removed` what was removed, by place. When it is `done`,
    `complete` says whether all `places` were clean.
    """

    id: str
    tenant: str
    subject: str
    user: str | None
    status: Literal["pending", "running", "done"] = "pending"
    asked_at: datetime
    updated_at: datetime
    tries: int = 0
    users: int = 0
    removed: dict[str, int] = {}
    complete: bool = False
    places: list[ErasedPlace] = []


class UserPage(msgspec.Struct, frozen=True):
    """Users of a tenant, in the order of their ids. `after` asks for the next page; null at the end."""

    users: list[str]
    after: str | None


_encode = msgspec.json.Encoder().encode
_decode = reader("erasure", ErasureJob)


class Erasures:
    """Requests erasures, carries them out, and reports their progress.

    `users` lists whom a tenant has, and `tenant_data` removes what belongs to a tenant and to no user, by place.
    """

    def __init__(
        self,
        documents: DocumentRepository,
        memories: Memories,
        users: UserDirectory,
        tenant_data: Mapping[str, EraseTenantData],
        clock: Clock,
    ) -> None:
        self._documents = documents
        self._memories = memories
        self._users = users
        self._tenant_data = dict(tenant_data)
        self._clock = clock
        self._working: asyncio.Task[None] | None = None

    async def ask(self, tenant: str, user: str | None = None) -> ErasureJob:
        """Erase a user, or without one the whole tenant; this process begins at once. Raises InvalidInput."""
        if user == ANONYMOUS:
            raise InvalidInput("user", "the anonymous user is many people and can't be erased; say who the user is")
        now = self._clock()
        job = ErasureJob(
            id=new_id(), tenant=tenant, subject=subject_of(tenant, user), user=user, asked_at=now, updated_at=now
        )
        await self._write(job, due=now)
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self.work())
        return job

    async def get(self, tenant: str, job_id: str, user: str | None = None) -> ErasureJob:
        """The job; with a `user` only the one that erases this user. Raises NotFound."""
        body = await self._documents.get(TenantOwner(tenant), DocumentKey("erasure", job_id))
        job = _decode(body) if body is not None else None
        if job is None or (user is not None and job.subject != subject_of(tenant, user)):
            raise NotFound("erasure", job_id)
        return job

    async def latest(self, tenant: str, limit: int, user: str | None = None) -> Sequence[ErasureJob]:
        """The jobs of the tenant, the latest first; with a `user` only those that erase this user."""
        where = {} if user is None else {"subject": subject_of(tenant, user)}
        query = DocumentQuery(where=where, sort_by="asked_at", limit=limit)
        return [*map(_decode, await self._documents.select(TenantOwner(tenant), "erasure", query))]

    async def work(self) -> None:
        """Carry out due erasures: requested ones, and those that another process has left."""
        while due := await self._documents.due("erasure", self._clock(), _AT_A_TIME):
            for _, document in due:
                job = _decode(document.body)
                try:
                    await self._carry_out(job)
                except Unavailable as error:
                    _log.warning("an erasure can't go on now: %s", error, extra={"erasure": job.id})
                    return

    async def users(self, tenant: str, limit: int, after: str = "", skip: int = 0) -> UserPage:
        """The users whom an erasure of the tenant would reach, after `after` and the `skip` users after that."""
        users = (await self._users.users(tenant, skip + limit, after))[skip:]
        return UserPage(users, users[-1] if len(users) == limit else None)

    async def wait(self, job: ErasureJob) -> ErasureJob:
        """The job when this process works on it no more."""
        if self._working is not None:
            await asyncio.shield(self._working)
        return await self.get(job.tenant, job.id)

    async def aclose(self) -> None:
        """Stop working. Unfinished erasures continue at the next start, or in another process."""
        if self._working is not None:
            await stop(self._working)

    async def _carry_out(self, job: ErasureJob) -> None:
        job = replace(job, status="running", tries=job.tries + 1)
        before = Counter(job.removed)
        places: dict[str, ErasedPlace] = {}

        async def report(removed: Mapping[str, int]) -> None:
            nonlocal job
            job = replace(job, removed=dict(before + Counter(removed)), updated_at=self._clock())
            await self._write(job, due=self._clock() + _LEASE)

        await report({})
        async for owner in self._owners(job):
            receipt = await self._memories.erase(owner, report)
            before = Counter(job.removed)
            _merge(places, receipt.places)
            job = replace(job, users=job.users + 1)
            await report({})
        if job.user is None and job.subject == subject_of(job.tenant, None):
            await self._erase_tenant(job.tenant, places, report)
        is_complete = all(place.clean for place in places.values())
        job = replace(job, complete=is_complete, places=[*places.values()], updated_at=self._clock())
        if is_complete or job.tries >= _MOST_TRIES:
            await self._write(replace(job, status="done", user=None), due=None)
        else:
            await self._write(job, due=self._clock() + _PAUSE)

    async def _owners(self, job: ErasureJob) -> AsyncGenerator[Owner]:
        if job.user is not None:
            yield Owner(job.tenant, job.user)
            return
        after = ""
        while page := await self._users.users(job.tenant, _PAGE, after):
            for user in page:
                yield Owner(job.tenant, user)
            after = page[-1]

    async def _erase_tenant(
        self, tenant: str, places: dict[str, ErasedPlace], report: Callable[[Mapping[str, int]], Awaitable[None]]
    ) -> None:
        """Erase the data that belongs to the tenant itself, then check that no new users have appeared."""
        removed: Counter[str] = Counter()
        for name, remove in self._tenant_data.items():
            removed[name] += await remove(tenant)
            _merge(places, [ErasedPlace(name, removed[name], True, "removed until nothing was found")])
        await report(+removed)
        left = await self._users.users(tenant, 1)
        _merge(places, [ErasedPlace("users", 0, not left, "listed again, and no user was found")])

    async def _write(self, job: ErasureJob, due: datetime | None) -> None:
        document = Document("erasure", job.id, job.id, _encode(job), due=due)
        await self._documents.change(TenantOwner(job.tenant), job.id, [], lambda _: Decision(None, [document]))


def subject_of(tenant: str, user: str | None) -> str:
    """Return the id of the erased tenant or user, which stays known after the name is erased."""
    return derived_id(tenant) if user is None else derived_id(tenant, user)


def _merge(places: dict[str, ErasedPlace], more: Sequence[ErasedPlace]) -> None:
    for place in more:
        known = places.get(place.name) or ErasedPlace(place.name, 0, True, place.how)
        places[place.name] = ErasedPlace(
            place.name, known.removed + place.removed, known.clean and place.clean, place.how
        )
