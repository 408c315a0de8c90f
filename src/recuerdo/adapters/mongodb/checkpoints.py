"""Checkpoints in MongoDB.

A thread's own document in `checkpoint_threads` has its generation, and all writers of the thread go through it, see
`transactions.py`. Its rows are in four collections, each with the thread's address and key. Logs and values are
written before the checkpoint that points to them, and removed after it. So a reader finds whole checkpoints without
transactions, too, unless a process was killed while it copied or erased a thread: then a part is left, and erasing the
thread again completes that.

The document also has the `ends` of the logs that the last transaction has extended. A writer that knows where it has
left them lets its transaction compare them, and does not look.

Each checkpoint and write has a `stamp` that changes whenever it is replaced: `recent` compares those.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import msgspec
from bson import ObjectId
from pymongo import DeleteMany, InsertOne, ReplaceOne, UpdateMany, UpdateOne
from pymongo.errors import DuplicateKeyError, PyMongoError

from recuerdo.adapters.mongodb.appends import ThreadLocks, Unseen, WriteConflict, messages_in, move, settle, unseen
from recuerdo.adapters.mongodb.conflicts import contended, pauses
from recuerdo.adapters.mongodb.connection import (
    MongoDatabase,
    MongoRepository,
    of_owner,
    owners_in,
    translated,
    translated_write,
)
from recuerdo.adapters.mongodb.documents import document_key
from recuerdo.adapters.mongodb.threads import ThreadState, address, commit, comparable
from recuerdo.adapters.mongodb.transactions import Collection, CollectionWrite, Document, Exclusive, Session
from recuerdo.concurrency.lru import LruCache
from recuerdo.core.checkpoints import (
    CheckpointBatch,
    CheckpointFound,
    CheckpointQuery,
    CommitRefused,
    Committed,
    Contents,
    Decide,
    Generation,
    Holder,
    KnownRange,
    RecentCheckpoints,
    Segment,
    Span,
    StoredCheckpoint,
    StoredWrite,
    Survey,
    SurveyedWrite,
    SweptRows,
)
from recuerdo.core.documents import DocumentKey
from recuerdo.core.errors import LeaseLost, RecuerdoError, ThreadExists
from recuerdo.core.graph_ports import CheckpointRepository
from recuerdo.core.scope import Owner, Scope

_COPIED_TOGETHER = 200
_TURN = {"$inc": {"turns": 1}}
"""The update of a thread's document by which a transaction is alone there."""

_SEGMENTS_A_REPLY = 100

_THREADS_LEFT = 1_000
"""The number of threads whose last state a process remembers."""


class _Rows(NamedTuple):
    """The collections of rows: what points to others before what is pointed to."""

    checkpoints: Collection
    writes: Collection
    segments: Collection
    values: Collection


class _Outcome(NamedTuple):
    """The outcome of a commit, and the state of the history if its messages are still to be moved."""

    outcome: Committed | CommitRefused
    history: ThreadState | None = None


class _Left(NamedTuple):
    """The ends of logs and the state of the history with which this process has left a thread, as far as it knows."""

    generation: Generation
    ends: Mapping[str, int] = {}
    history: ThreadState | None = None


class MongoCheckpoints(MongoRepository, CheckpointRepository):
    """The CheckpointRepository over a MongoDB database."""

    def __init__(self, database: MongoDatabase) -> None:
        super().__init__(database)
        self._transactions = database.transactions
        self._guards = database.checkpoint_threads
        self._rows = _Rows(
            database.checkpoints, database.checkpoint_writes, database.checkpoint_segments, database.checkpoint_values
        )
        self._turns = ThreadLocks()
        self._left: LruCache[Scope, _Left] = LruCache(_THREADS_LEFT)

    @translated
    async def load(self, scope: Scope, namespace: str, checkpoint: str | None) -> CheckpointFound | None:
        generation = await self._generation(scope)
        if generation is None:
            return None
        wanted = {**_place(scope, generation.key), "namespace": namespace}
        if checkpoint is not None:
            wanted["id"] = checkpoint
        rows = await self._rows.checkpoints.find(wanted).sort("id", -1).limit(1).to_list()
        return next(iter(await self._with_writes(scope.owner, {generation.key: generation}, rows)), None)

    @translated
    async def contents(
        self, generation: Generation, scope: Scope, spans: Sequence[Span], digests: Sequence[bytes]
    ) -> Contents:
        place = _place(scope, generation.key)
        values, touched = await asyncio.gather(
            self._values(place, digests), asyncio.gather(*(self._touched(place, span) for span in spans))
        )
        segments = {(each.log, each.start): each for some in touched for each in some}
        return Contents([segments[at] for at in sorted(segments)], values)

    @translated
    async def select(self, query: CheckpointQuery) -> list[CheckpointFound]:
        """Looks for the places first, then reads the generations, and the rows after those."""
        wanted = _matching(query)
        order = [("id", -1), ("thread", 1), ("namespace", 1)]
        for pause in pauses() if query.limit else ():
            places = self._rows.checkpoints.find(wanted, {"key": 1, "thread": 1}).sort(order).limit(query.limit)
            found = await places.to_list()
            of_threads = {**of_owner(query.owner), "thread": {"$in": [*{each["thread"] for each in found}]}}
            guards = await self._guards.find(of_threads).to_list() if found else []
            generations = {each["key"]: _generation_of(each) for each in guards}
            ids = [each["_id"] for each in found if each["key"] in generations]
            rows = self._rows.checkpoints.find({**of_owner(query.owner), "_id": {"$in": ids}}).sort(order)
            if checkpoints := await self._with_writes(query.owner, generations, await rows.to_list()):
                return checkpoints
            if not found:
                return []
            await asyncio.sleep(pause)  # all of them were removed meanwhile
        return []

    @translated
    async def recent(self, scope: Scope, namespace: str, known: KnownRange, limit: int) -> RecentCheckpoints:
        generation = await self._generation(scope)
        if generation is None:
            return RecentCheckpoints([], known, are_known=False)
        place = {**_place(scope, generation.key), "namespace": namespace}
        stamps = await asyncio.gather(
            self._stamps(self._rows.checkpoints, place, "id", known.since),
            self._stamps(self._rows.writes, place, "checkpoint", known.since),
        )
        are_known = _digest(generation, stamps, known.below) == known.digest
        wanted = {**place, "id": {"$gte": known.below if are_known else known.since}}
        rows = await self._rows.checkpoints.find(wanted).sort("id", -1).limit(limit).to_list()
        found = await self._with_writes(scope.owner, {generation.key: generation}, rows)
        below = found[0].checkpoint.id if found else ""
        return RecentCheckpoints(found, KnownRange(known.since, below, _digest(generation, stamps, below)), are_known)

    @translated_write
    async def commit(self, batch: CheckpointBatch) -> Committed | CommitRefused:
        async def committed(turn: Exclusive) -> _Outcome:
            return await self._commit(turn, batch)

        async with self._turns.at([batch.scope]):
            if (at_once := await self._commit_at_once(batch)) is not None:
                return at_once
            for pause in pauses():
                with suppress(WriteConflict, DuplicateKeyError):
                    made = await self._transactions.alone(self._guards, address(batch.scope), committed)
                    if made.history is not None:
                        with suppress(PyMongoError):  # its messages are committed: another process can move them
                            await move(self._database, [made.history])
                    return made.outcome
                await settle(self._database, batch.scope)
                await asyncio.sleep(pause)
            raise contended()

    @translated_write
    async def erase(self, scope: Scope) -> None:
        async def erased(turn: Exclusive) -> None:
            if turn.found is not None:
                for rows in self._rows:
                    await rows.delete_many(_place(scope, turn.found["key"]), session=turn.session)
                await self._guards.delete_one(address(scope), session=turn.session)

        await self._transactions.alone(self._guards, address(scope), erased)

    async def erase_all(self, owner: Owner) -> int:
        threads = await self._threads(owner)
        for thread in threads:
            await self.erase(owner.thread(thread))
        return len(threads)

    @translated_write
    async def copy(self, scope: Scope, target: str) -> bool:
        copy = scope.owner.thread(target)

        async def copied(turn: Exclusive) -> bool:
            if turn.found is None:
                return False
            key = await self._database.new_checkpoint_key()
            guard = {**address(copy), "key": key, "sweeps": 0, **turn.lock}
            try:
                await self._guards.insert_one(guard, session=turn.session)
            except DuplicateKeyError:
                raise ThreadExists(target) from None
            for rows in reversed(self._rows):
                await _copy(rows, _place(scope, turn.found["key"]), _place(copy, key), turn.session)
            if turn.lock:
                await self._guards.update_one(address(copy), {"$unset": {"lock": ""}})
            return True

        return await self._transactions.alone(self._guards, address(scope), copied)

    @translated_write
    async def sweep(self, scope: Scope, decide: Decide) -> None:
        async def sweeping(turn: Exclusive) -> None:
            if turn.found is None:
                return
            place, session = _place(scope, turn.found["key"]), turn.session
            swept = {"$inc": {"sweeps": 1}, "$unset": {"ends": ""}}
            await self._guards.update_one(address(scope), swept, session=session)
            gone = decide(await self._survey(place, session))
            for rows, works in zip(self._rows, _removals(place, gone), strict=True):
                if works:
                    await rows.bulk_write(works, session=session)

        await self._transactions.alone(self._guards, address(scope), sweeping)

    @translated
    async def threads_of(self, owner: Owner, runs: Sequence[str]) -> list[str]:
        wanted = {**of_owner(owner), "run": {"$in": [run for run in runs if run]}}
        return sorted({each["thread"] async for each in self._rows.checkpoints.find(wanted, {"thread": 1}).hint("run")})

    @translated
    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        return [Owner(*each) for each in await owners_in(self._guards, {}, tenant, limit, after)]

    @translated
    async def _threads(self, owner: Owner) -> list[str]:
        return [each["thread"] async for each in self._guards.find(of_owner(owner), {"thread": 1})]

    async def _generation(self, scope: Scope) -> Generation | None:
        found = await self._guards.find_one(address(scope))
        return _generation_of(found) if found else None

    async def _with_writes(
        self, owner: Owner, generations: Mapping[int, Generation], rows: Sequence[Document]
    ) -> list[CheckpointFound]:
        """The checkpoints of these rows, in their order, with their writes."""
        ids: dict[tuple[int, str], list[str]] = defaultdict(list)
        for row in rows:
            ids[row["key"], row["namespace"]].append(row["id"])
        places = [{"key": key, "namespace": name, "checkpoint": {"$in": some}} for (key, name), some in ids.items()]
        wanted = {**of_owner(owner), **places[0]} if len(places) == 1 else {**of_owner(owner), "$or": places}
        written = await self._rows.writes.find(wanted).to_list() if rows else []
        writes: dict[tuple[int, str, str], list[StoredWrite]] = defaultdict(list)
        for each in written:
            writes[each["key"], each["namespace"], each["checkpoint"]].append(
                StoredWrite(*(each[name] for name in StoredWrite._fields))
            )
        return [
            CheckpointFound(
                row["thread"],
                generations[row["key"]],
                _checkpoint(row),
                sorted(writes[row["key"], row["namespace"], row["id"]], key=lambda write: write.order),
            )
            for row in rows
        ]

    async def _values(self, place: Document, digests: Sequence[bytes]) -> dict[bytes, bytes]:
        if not digests:
            return {}
        found = self._rows.values.find({**place, "digest": {"$in": [*digests]}})
        return {bytes(each["digest"]): bytes(each["data"]) async for each in found}

    async def _touched(self, place: Document, span: Span) -> list[Segment]:
        """The segments of the span: at most as many as it has elements, read from its end."""
        most = span.end - span.start
        if most <= 0:
            return []
        wanted = {**place, "log": span.log, "start": {"$lt": span.end}}
        found = self._rows.segments.find(wanted).sort("start", -1).limit(most).batch_size(min(most, _SEGMENTS_A_REPLY))
        touched: list[Segment] = []
        async with found as replies:
            async for each in replies:
                touched.append(Segment(each["log"], each["start"], each["size"], bytes(each["data"])))
                if each["start"] <= span.start:
                    break
        return touched

    async def _stamps(self, rows: Collection, place: Document, name: str, since: str) -> list[tuple[str, ObjectId]]:
        found = rows.find({**place, name: {"$gte": since}}, {"_id": 0, name: 1, "stamp": 1})
        return sorted([(each[name], each["stamp"]) async for each in found])

    async def _commit_at_once(self, batch: CheckpointBatch) -> Committed | None:
        """Commit a batch that finds its thread as it knows it, in fewer round trips than `_commit`.

        To be alone at the thread is one of its writes, which fails the transaction if another one has changed the
        thread since its first operation. Nothing is read again that this process has left there: the writes compare it.
        None where the batch is wrong: nothing is written, and `_commit` tells why.
        """
        if batch.generation is None or not self._transactions.write_together:
            return None
        left = self._left.get(batch.scope)
        tries = [left, None] if left is not None and left.generation == batch.generation else [None]
        for known in tries:
            with suppress(WriteConflict, DuplicateKeyError):
                known = known or _Left(batch.generation)
                unknown = [each for each in batch.segments if known.ends.get(each.log) != each.start]
                work = partial(self._work, batch, known, unknown)
                committed, left = await self._transactions.run(work, reads=bool(unknown or batch.holders))
                self._left.put(batch.scope, left)
                return committed
        return None

    async def _work(
        self, batch: CheckpointBatch, known: _Left, unknown: Sequence[Segment], session: Session
    ) -> tuple[Committed, _Left]:
        """A transaction that does all of the batch, or raises WriteConflict or DuplicateKeyError."""
        generation = known.generation
        heads, new = await asyncio.gather(
            self._heads(batch._replace(segments=unknown), generation, session),
            self._unseen(batch, all_new=True, left=known.history),
        )
        if isinstance(new, Exception) or any(each.start != heads[each.log] for each in unknown):
            raise WriteConflict
        change = new.change if new else None
        at_ends = [_end(each.log, each.start) for each in batch.segments if each not in unknown]
        guard = {**address(batch.scope), **generation._asdict(), **({"ends": {"$all": at_ends}} if at_ends else {})}
        history = messages_in(self._database, change) if change else []
        rows = self._additions(generation.key, batch, are_new=True)
        found = await self._transactions.write([self._turn(guard, batch), *history, *rows], session)
        if not all(found[: 1 + bool(history)]):
            raise WriteConflict
        ends = {each.log: each.end for each in batch.segments} or known.ends
        state = comparable(change.after) if change else known.history
        return Committed(generation, new.epoch if new else None), _Left(generation, ends, state)

    def _turn(self, guard: Document, batch: CheckpointBatch) -> CollectionWrite:
        """The update of a thread's document by which a transaction is alone there, with the ends that it leaves."""
        ends = [_end(each.log, each.end) for each in batch.segments]
        return CollectionWrite(
            self._guards, partial(UpdateOne, guard, {**_TURN, **({"$set": {"ends": ends}} if ends else {})})
        )

    async def _commit(self, turn: Exclusive, batch: CheckpointBatch) -> _Outcome:
        generation = _generation_of(turn.found) if turn.found else None
        heads, new = await asyncio.gather(self._heads(batch, generation, turn.session), self._unseen(batch))
        if generation != batch.generation or any(segment.start != heads[segment.log] for segment in batch.segments):
            return _Outcome(CommitRefused(generation, heads))
        if isinstance(new, Exception):
            raise new
        if generation is None:
            generation = Generation(await self._database.new_checkpoint_key(), 0)
            guard = {**address(batch.scope), **generation._asdict(), **turn.lock}
            await self._guards.insert_one(guard, session=turn.session)
        writes = self._additions(generation.key, batch)
        change, to_move = new.change if new else None, None
        if turn.session is not None and batch.segments:
            writes.append(self._turn(address(batch.scope), batch))
        if change and turn.session is None:
            if not await commit(self._database, change):
                raise WriteConflict
            change, to_move = None, change.after
        first = messages_in(self._database, change) if change else []
        found = await self._transactions.write([*first, *writes], turn.session)
        if first and not found[0]:
            raise WriteConflict
        return _Outcome(Committed(generation, new.epoch if new else None), to_move)

    async def _unseen(
        self, batch: CheckpointBatch, *, all_new: bool = False, left: ThreadState | None = None
    ) -> Unseen | RecuerdoError | WriteConflict | None:
        """The messages for the thread's history, which another session reads, beside the transaction."""
        if batch.messages is None:
            return None
        try:
            return await unseen(self._database, batch.messages, batch.epochs, all_new=all_new, left=left)
        except (RecuerdoError, WriteConflict) as error:  # a batch that is refused anyway tells that it is
            return error

    async def _heads(self, batch: CheckpointBatch, generation: Generation | None, session: Session) -> dict[str, int]:
        """The ends of the logs that the batch extends. Raises LeaseLost."""
        for holder in batch.holders:
            if not await self._holds(batch.scope.owner, holder, session):
                raise LeaseLost
        return {
            segment.log: await self._head(batch.scope, generation, segment.log, session) for segment in batch.segments
        }

    async def _holds(self, owner: Owner, holder: Holder, session: Session) -> bool:
        """Whether the run is the holder's. To touch it makes another that takes the run wait, or fail here."""
        run = {**of_owner(owner), "_id": document_key(owner, DocumentKey("run", holder.run)), "body": {"$exists": True}}
        touched = {"$set": {"touched": ObjectId()}}
        found = await self._database.documents.find_one_and_update(run, touched, {"body": 1}, session=session)
        body: dict[str, Any] = msgspec.json.decode(found["body"]) if found else {}
        return (body.get("token"), body.get("status")) == (holder.token, "running")

    async def _head(self, scope: Scope, generation: Generation | None, log: str, session: Session) -> int:
        if generation is None:
            return 0
        last = await self._rows.segments.find_one(
            {**_place(scope, generation.key), "log": log},
            {"start": 1, "size": 1},
            sort=[("start", -1)],
            session=session,
        )
        return last["start"] + last["size"] if last else 0

    def _additions(self, key: int, batch: CheckpointBatch, *, are_new: bool = False) -> list[CollectionWrite]:
        """The writes of a batch: what others point to first. If its segments must be new, one that is there fails."""
        place = _place(batch.scope, key)

        def kept(rows: Collection, row: Document, *names: str) -> CollectionWrite:
            where = {**place, **{name: row[name] for name in names}}
            return CollectionWrite(rows, partial(UpdateOne, where, {"$setOnInsert": row}, upsert=True))

        def replaced(rows: Collection, row: Document, *names: str) -> CollectionWrite:
            where = {**place, **{name: row[name] for name in names}}
            return CollectionWrite(rows, partial(ReplaceOne[Document], where, {**place, **row}, upsert=True))

        rows, written = self._rows, ("namespace", "checkpoint", "task", "place")
        return [
            *(kept(rows.values, {"digest": digest, "data": data}, "digest") for digest, data in batch.values.items()),
            *(
                CollectionWrite(rows.segments, partial(InsertOne[Document], {**place, **segment._asdict()}))
                if are_new
                else kept(rows.segments, segment._asdict(), "log", "start")
                for segment in batch.segments
            ),
            *(
                (replaced if write.place < 0 else kept)(rows.writes, {**write._asdict(), **_stamped()}, *written)
                for write in batch.writes
            ),
            *(replaced(rows.checkpoints, _row_of(each), "namespace", "id") for each in batch.checkpoints),
        ]

    async def _survey(self, place: Document, session: Session) -> Survey:
        def found(rows: Collection, *names: str) -> Any:
            return rows.find(place, dict.fromkeys(names, 1) if names else None, session=session)

        writes = found(self._rows.writes, *SurveyedWrite._fields)
        return Survey(
            checkpoints=[_checkpoint(each) async for each in found(self._rows.checkpoints)],
            writes=[SurveyedWrite(*(each[name] for name in SurveyedWrite._fields)) async for each in writes],
            segments=[
                Segment(each["log"], each["start"], each["size"], b"")
                async for each in found(self._rows.segments, "log", "start", "size")
            ],
            digests=[each["digest"] async for each in found(self._rows.values, "digest")],
        )


def _place(scope: Scope, key: int) -> Document:
    return {**address(scope), "key": key}


def _end(log: str, end: int) -> str:
    """An end of a log as the thread's document has it: names of logs may have dots, which names of fields can't."""
    return f"{end} {log}"


def _generation_of(guard: Document) -> Generation:
    return Generation(guard["key"], guard["sweeps"])


def _checkpoint(row: Document) -> StoredCheckpoint:
    return StoredCheckpoint(*(row.get(name, "") for name in StoredCheckpoint._fields))


def _matching(query: CheckpointQuery) -> Document:
    asked = {name: getattr(query, name) for name in ("thread", "namespace", "id")}
    wanted = {**of_owner(query.owner), **{name: value for name, value in asked.items() if value is not None}}
    both: list[Document] = [] if query.before is None else [{"id": {"$lt": query.before}}]
    if query.after is not None:
        after, thread, namespace = query.after
        behind = [{"thread": {"$gt": thread}}, {"thread": thread, "namespace": {"$gt": namespace}}]
        both.append({"$or": [{"id": {"$lt": after}}, {"id": after, "$or": behind}]})
    return {**wanted, "$and": both} if both else wanted


def _digest(generation: Generation, stamps: Sequence[Sequence[tuple[str, ObjectId]]], below: str) -> int:
    return hash((generation, *[each for some in stamps for each in some if each[0] < below]))


Works = list[UpdateMany | DeleteMany]


def _stamped() -> Document:
    return {"stamp": ObjectId()}


def _row_of(checkpoint: StoredCheckpoint) -> Document:
    row = {**checkpoint._asdict(), **_stamped()}
    if not checkpoint.run:  # the index of runs has no others
        del row["run"]
    return row


def _removals(place: Document, gone: SweptRows) -> tuple[Works, Works, Works, Works]:
    """The changes of each of the collections by a sweep."""

    def each(places: Iterable[tuple[str, Any]], outer: str, inner: str) -> list[Document]:
        groups: dict[str, list[Any]] = defaultdict(list)
        for name, value in places:
            groups[name].append(value)
        return [{**place, outer: name, inner: {"$in": some}} for name, some in groups.items()]

    emptied = [UpdateMany(those, {"$set": {"data": b""}}) for those in each(gone.emptied, "log", "start")]
    return (
        [DeleteMany(those) for those in each(gone.checkpoints, "namespace", "id")],
        [DeleteMany(those) for those in each(gone.checkpoints, "namespace", "checkpoint")],
        [*(DeleteMany(those) for those in each(gone.segments, "log", "start")), *emptied],
        [DeleteMany({**place, "digest": {"$in": [*gone.digests]}})] if gone.digests else [],
    )


async def _copy(rows: Collection, source: Document, target: Document, session: Session) -> None:
    some: list[Document] = []
    async for row in rows.find(source, {"_id": 0}, session=session):
        some.append({**row, **target})
        if len(some) == _COPIED_TOGETHER:
            await rows.insert_many(some, session=session)
            some = []
    if some:
        await rows.insert_many(some, session=session)
