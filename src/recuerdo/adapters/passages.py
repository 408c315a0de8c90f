"""Passages for searches over any history and threads, for databases without a way of their own.

It asks thread by thread, and keeps vectors only as long as the process lives.
"""

from collections.abc import Collection, Mapping, Sequence

from recuerdo.core.messages import Record
from recuerdo.core.passages import MessagePlace, PassageVector, StoredPassage
from recuerdo.core.ports import HistoryRepository, PassageRepository, ThreadRepository
from recuerdo.core.scope import Owner
from recuerdo.core.threads import MOST_READ_BYTES, NOWHERE, Head, MessageQuery, Version

_PAGE = 200
_ALL = 2**53


class PassagesOverHistory(PassageRepository):
    """The PassageRepository over two others. Searches keep vectors in memory themselves, so none are kept here."""

    def __init__(self, history: HistoryRepository, threads: ThreadRepository) -> None:
        self._history = history
        self._threads = threads

    async def heads(self, owner: Owner, thread: str | None = None) -> dict[str, Head]:
        names = [thread] if thread is not None else await self._names(owner)
        heads = {name: await self._history.head(owner.thread(name)) for name in names}
        return {name: head for name, head in heads.items() if head.version != NOWHERE}

    async def read(
        self,
        owner: Owner,
        since: Mapping[str, Version],
        model: str,
        limit: int,
        *,
        most_bytes: int = MOST_READ_BYTES,
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
