"""Passages for searches over any history and threads, for databases without a way of their own.

It asks thread by thread, and keeps vectors only as long as the process lives.
"""

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from heapq import nlargest
from operator import attrgetter

from msgspec.structs import replace

from recuerdo.core.messages import Record, decode, rows_within
from recuerdo.core.passages import MessagePlace, PassageVector, StoredPassage, TimedPage, TimedQuery, TimedRecord
from recuerdo.core.ports import HistoryRepository, PassageRepository, ThreadRepository
from recuerdo.core.scope import Owner
from recuerdo.core.threads import MOST_READ_BYTES, NOWHERE, HeadChanges, MessageQuery, Version

_PAGE = 200
_ALL = 2**53
_timed_place = attrgetter("timed_place")


class PassagesOverHistory(PassageRepository):
    """The PassageRepository over two others. Searches keep vectors in memory themselves, so none are kept here."""

    def __init__(self, history: HistoryRepository, threads: ThreadRepository) -> None:
        self._history = history
        self._threads = threads

    async def heads(self, owner: Owner, thread: str | None = None, since: str | None = None) -> HeadChanges:
        names = [thread] if thread is not None else await self._names(owner)
        heads = {name: await self._history.head(owner.thread(name)) for name in names}
        return HeadChanges({name: head for name, head in heads.items() if head.version != NOWHERE})

    async def read(
        self, owner: Owner, since: Mapping[str, Version], model: str, limit: int, *, most_bytes: int = MOST_READ_BYTES
    ) -> list[StoredPassage]:
        found: list[StoredPassage] = []
        for thread, version in since.items():
            if len(found) >= limit or most_bytes <= 0:
                break
            records = await self._records(owner, thread, version, limit - len(found), most_bytes=most_bytes)
            found += [StoredPassage(place, record, None) for place, record in records.items()]
            most_bytes -= sum(len(record.body) for record in records.values())
        return found

    async def archived(self, owner: Owner, threads: Collection[str]) -> set[MessagePlace]:
        places: set[MessagePlace] = set()
        for thread in threads:
            after, more = 0, True
            while more:
                query = MessageQuery(limit=_ALL, archived=True, after=after)
                page = await self._history.page(owner.thread(thread), query)
                places |= {MessagePlace(thread, page.version.epoch, record.seq) for record in page.records}
                more = page.more and bool(page.records)
                after = page.records[-1].seq if page.records else after
        return places

    async def get_many(self, owner: Owner, places: Collection[MessagePlace]) -> dict[MessagePlace, Record]:
        picked: dict[MessagePlace, Record] = {}
        for place in places:
            picked |= await self._records(owner, place.thread, Version(place.epoch, place.seq - 1), 1, place.seq + 1)
        return picked

    async def by_time(self, owner: Owner, query: TimedQuery) -> TimedPage:
        wanted = query.skip + query.limit + 1
        latest: list[TimedRecord] = []
        async for each in self._matching(owner, query):
            latest.append(each)
            if len(latest) >= 2 * wanted:
                latest = nlargest(wanted, latest, key=_timed_place)
        found = nlargest(wanted, latest, key=_timed_place)[query.skip :]
        rows, is_full = rows_within([(each, each.record.body) for each in found], query.most_bytes, 1)
        return TimedPage([each for each, _ in rows][: query.limit], len(rows) > query.limit or is_full)

    async def _matching(self, owner: Owner, query: TimedQuery) -> AsyncGenerator[TimedRecord]:
        every = MessageQuery(
            limit=_PAGE, roles=query.roles, since=query.since, until=query.until, archived=query.archived
        )
        for name in await self._names(owner):
            after, more = 0, True
            while more:
                page = await self._history.page(owner.thread(name), replace(every, after=after))
                for record in page.records:
                    place = MessagePlace(name, page.version.epoch, record.seq)
                    created_at = decode(record.body).created_at
                    assert created_at is not None  # noqa: S101 - each stored message has a time
                    timed = TimedRecord(place, created_at, record)
                    if query.cursor is None or timed.timed_place < query.cursor:
                        yield timed
                more = page.more and bool(page.records)
                after = page.records[-1].seq if page.records else after

    async def keep(self, owner: Owner, vectors: Sequence[PassageVector]) -> None:
        """Nothing: see the class."""

    async def _names(self, owner: Owner) -> list[str]:
        page = await self._threads.select(owner, _PAGE)
        names = [thread.id for thread in page.threads]
        while page.cursor is not None:
            page = await self._threads.select(owner, _PAGE, page.cursor)
            names += [thread.id for thread in page.threads]
        return list(dict.fromkeys(names))

    async def _records(
        self,
        owner: Owner,
        thread: str,
        since: Version,
        limit: int,
        before: int | None = None,
        *,
        most_bytes: int = MOST_READ_BYTES,
    ) -> dict[MessagePlace, Record]:
        query = MessageQuery(limit=limit, after=since.seq, before=before, archived=None, most_bytes=most_bytes)
        page = await self._history.page(owner.thread(thread), query)
        if page.version.epoch != since.epoch:
            return {}
        return {MessagePlace(thread, since.epoch, record.seq): record for record in page.records}
