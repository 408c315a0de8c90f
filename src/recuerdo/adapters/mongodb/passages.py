"""Passages for searches, in MongoDB. A vector is a field of its message's document, and so is gone with it."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from typing import TypeVar

from pymongo import UpdateOne

from recuerdo.adapters.mongodb.conflicts import contended, pauses
from recuerdo.adapters.mongodb.connection import MongoRepository, translated, translated_write
from recuerdo.adapters.mongodb.history import MessageFilter, records_of
from recuerdo.adapters.mongodb.ranges import covers, pairs
from recuerdo.adapters.mongodb.threads import WITHOUT_MESSAGES, ThreadState, address, find_states, state_of
from recuerdo.adapters.mongodb.transactions import Document
from recuerdo.adapters.rows import from_microseconds, to_microseconds
from recuerdo.core.errors import DamagedMessage
from recuerdo.core.messages import Record
from recuerdo.core.passages import (
    MessagePlace,
    PassageVector,
    StoredPassage,
    TimedPage,
    TimedPlace,
    TimedQuery,
    TimedRecord,
)
from recuerdo.core.ports import PassageRepository
from recuerdo.core.scope import Owner
from recuerdo.core.threads import MOST_READ_BYTES, HeadChanges, Version

_PAGE = 200
_FIELDS = {"_id": 0, "epoch": 1, "seq": 1, "body": 1, "checksum": 1, "vector": 1, "vector_model": 1}
_TIMED_FIELDS = {"_id": 0, "thread": 1, "epoch": 1, "seq": 1, "created_at": 1, "body": 1, "checksum": 1}

P = TypeVar("P", StoredPassage, TimedRecord)


class MongoPassages(MongoRepository, PassageRepository):
    """The PassageRepository over a MongoDB database."""

    @translated
    async def heads(self, owner: Owner, thread: str | None = None, since: str | None = None) -> HeadChanges:
        wanted: Document = {"tenant": owner.tenant, "user": owner.user, "deleted": False}
        if thread is not None:
            wanted["thread"] = thread
        states = [state_of(each) async for each in self._database.threads.find(wanted, WITHOUT_MESSAGES)]
        heads = {state.scope.thread: state.head for state in states}
        return HeadChanges(heads)  # without a mark: the numbers of changes are given out later

    @translated
    async def read(
        self, owner: Owner, since: Mapping[str, Version], model: str, limit: int, *, most_bytes: int = MOST_READ_BYTES
    ) -> list[StoredPassage]:
        found: list[StoredPassage] = []
        for thread, state in (await self._living(owner, since)).items():
            if len(found) >= limit or most_bytes <= 0:
                break
            epoch, known = since[thread]
            if state.epoch != epoch:
                continue
            some = await self._behind(state, known, limit - len(found), most_bytes)
            found += [
                StoredPassage(MessagePlace(thread, epoch, record.seq), record, _vector(each, model))
                for record, each in zip(records_of(state, some), some, strict=True)
            ]
            most_bytes -= sum(map(_size, some))
        return await self._still_there(owner, found)

    @translated
    async def archived(self, owner: Owner, threads: Collection[str]) -> set[MessagePlace]:
        living = await self._living(owner, threads)
        return {
            MessagePlace(thread, state.epoch, seq)
            for thread, state in living.items()
            for first, end in pairs(state.archived)
            for seq in range(first, end)
        }

    @translated
    async def get_many(self, owner: Owner, places: Collection[MessagePlace]) -> dict[MessagePlace, Record]:
        seqs: dict[str, list[int]] = defaultdict(list)
        living = await self._living(owner, {place.thread for place in places})
        for thread, epoch, seq in places:
            if thread in living and living[thread].epoch == epoch:
                seqs[thread].append(seq)
        wanted = [{**_in_epoch(living[thread]), "seq": {"$in": some}} for thread, some in seqs.items()]
        stored = await self._database.messages.find({"$or": wanted}, _FIELDS).to_list() if wanted else []
        messages: dict[int, dict[int, Document]] = defaultdict(dict)
        for each in stored:
            messages[each["epoch"]][each["seq"]] = each
        picked: dict[MessagePlace, Record] = {}
        for thread, some in seqs.items():
            state = living[thread]
            there = {**messages[state.epoch], **{each["seq"]: each for each in state.latest}}
            records = records_of(state, [there[seq] for seq in some if seq in there])
            picked |= {MessagePlace(thread, state.epoch, record.seq): record for record in records}
        return picked

    @translated
    async def by_time(self, owner: Owner, query: TimedQuery) -> TimedPage:
        for pause in pauses():
            page = await self._page_by_time(owner, query)
            if await self._still_there(owner, page.found) == page.found:
                return page
            await asyncio.sleep(pause)
        raise contended()

    async def _page_by_time(self, owner: Owner, query: TimedQuery) -> TimedPage:
        skip, room, found = query.skip, query.most_bytes, list[TimedRecord]()
        async for some in self._by_time(owner, query):
            for each in await self._shown(owner, some, query.archived):
                if skip:
                    skip -= 1
                elif len(found) == query.limit or room <= 0:
                    return TimedPage(found, more=True)
                else:
                    found.append(each)
                    room -= len(each.record.body)
        return TimedPage(found, more=False)

    async def _by_time(self, owner: Owner, query: TimedQuery) -> AsyncGenerator[list[Document]]:
        """Messages that match, whether or not they are archived or erased, a few at a time, the latest made first.

        Those in the documents of threads are read first: they are moved from there, and never back.
        """
        wanted = MessageFilter.by(query)
        living: Document = {"tenant": owner.tenant, "user": owner.user, "deleted": False, "latest": {"$exists": True}}
        states = [state_of(each) async for each in self._database.threads.find(living)]
        unmoved = [
            {"thread": state.scope.thread, "epoch": state.epoch, **each}
            for state in states
            for each in state.latest
            if wanted.matches(each) and (query.cursor is None or _timed_place(each) < query.cursor)
        ]
        unmoved.sort(key=_timed_place)
        stored: Document = {"tenant": owner.tenant, "user": owner.user, **wanted.query, **_before(query.cursor)}
        latest_first = {"created_at": -1, "epoch": -1, "seq": -1}
        size = min(query.skip + query.limit + 1, _PAGE)
        some: list[Document] = []
        async with self._database.messages.find(stored, _TIMED_FIELDS).sort(latest_first).batch_size(size) as replies:
            async for each in replies:
                place = _timed_place(each)
                while unmoved and _timed_place(unmoved[-1]) >= place:
                    if _timed_place(unmoved[-1]) > place:
                        some.append(unmoved[-1])
                    unmoved.pop()
                some.append(each)
                if len(some) >= size:
                    yield some
                    some = []
        yield some + unmoved[::-1]

    async def _shown(self, owner: Owner, some: Sequence[Document], archived: bool | None) -> list[TimedRecord]:
        """The passages that are still in their threads, filtered by `archived`."""
        living = await self._living(owner, {each["thread"] for each in some})
        shown_marks = (True, False) if archived is None else (archived,)
        shown: list[TimedRecord] = []
        for each in some:
            state = living.get(each["thread"])
            if state is None or state.epoch != each["epoch"] or covers(state.archived, each["seq"]) not in shown_marks:
                continue
            [record] = records_of(state, [each])
            place = MessagePlace(each["thread"], state.epoch, record.seq)
            shown.append(TimedRecord(place, from_microseconds(each["created_at"]), record))
        return shown

    @translated_write
    async def keep(self, owner: Owner, vectors: Sequence[PassageVector]) -> None:
        works = [
            UpdateOne(
                {**address(owner.thread(each.place.thread)), "epoch": each.place.epoch, "seq": each.place.seq},
                {"$set": {"vector": each.vector, "vector_model": each.model}},
            )
            for each in vectors
        ]
        if works:
            await self._database.messages.bulk_write(works, ordered=False)

    async def _living(self, owner: Owner, threads: Collection[str]) -> dict[str, ThreadState]:
        """The threads that are there, in this order."""
        states = await find_states(self._database, [owner.thread(thread) for thread in threads]) if threads else []
        return {state.scope.thread: state for state in states if not state.deleted}

    async def _behind(self, state: ThreadState, known: int, limit: int, most_bytes: int) -> list[Document]:
        """The first messages after the seq, up to the one that fills the bytes."""
        some: list[Document] = []
        moved = {"$gt": known, "$lte": state.last_seq - len(state.latest)}
        stored = self._database.messages.find({**_in_epoch(state), "seq": moved}, _FIELDS).sort("seq", 1).hint("seq")
        async with stored.limit(limit).batch_size(min(limit, _PAGE)) as replies:
            async for each in replies:
                some.append(each)
                most_bytes -= _size(each)
                if most_bytes <= 0:
                    return some
        for each in state.latest:
            if each["seq"] > known and len(some) < limit and most_bytes > 0:
                some.append(each)
                most_bytes -= _size(each)
        return some

    async def _still_there(self, owner: Owner, found: Sequence[P]) -> list[P]:
        """The passages whose epochs did not end while they were read; the others may be incomplete."""
        living = await self._living(owner, {each.place.thread for each in found})
        epochs = {thread: state.epoch for thread, state in living.items()}
        return [each for each in found if epochs.get(each.place.thread) == each.place.epoch]


def _in_epoch(state: ThreadState) -> Document:
    return {**address(state.scope), "epoch": state.epoch}


def _vector(message: Document, model: str) -> bytes | None:
    return message.get("vector") if message.get("vector_model") == model else None


def _size(message: Document) -> int:
    return len(body) if isinstance(body := message.get("body"), str) else 0


def _timed_place(message: Document) -> TimedPlace:
    """Raises DamagedMessage for a message without a time."""
    epoch, seq = message["epoch"], message["seq"]
    if (time := message.get("created_at")) is None:
        raise DamagedMessage(message["thread"], epoch, seq, "its document has no `created_at`")
    return TimedPlace(from_microseconds(time), epoch, seq)


def _before(place: TimedPlace | None) -> Document:
    if place is None:
        return {}
    at = to_microseconds(place.created_at)
    same_epoch = {"epoch": place.epoch, "seq": {"$lt": place.seq}}
    same_moment = {"created_at": at, "$or": [{"epoch": {"$lt": place.epoch}}, same_epoch]}
    return {"$and": [{"created_at": {"$lte": at}}, {"$or": [{"created_at": {"$lt": at}}, same_moment]}]}
