"""In which order threads were changed, without a transaction and without a clock: readers number the changes.

Each change of a thread makes it `dirty`. Whoever asks what was changed first gives numbers to the dirty threads: it
writes down a batch of them in one document, the ledger, by compare-and-set; then it lets each thread take its number
and be clean, and then it empties the batch. Whoever finds a batch there does that work before anything else, so all
numbers up to the ledger's last one have been taken, and no other number can turn up behind a reader's back.

A thread takes a number only when its own is lower, so nobody who comes late cleans it twice: what is changed after
that stays dirty for the next number. Heads are read behind the numbers, and so are never older than they.
"""

from collections.abc import Sequence

from pymongo import UpdateOne
from pymongo.errors import DuplicateKeyError

from recuerdo.adapters.mongodb.connection import Document, MongoDatabase
from recuerdo.adapters.mongodb.states import WITHOUT_MESSAGES, address, state_of
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Changes

_LEDGER = "changes"
_MOST_OF_A_BATCH = 500


async def changed(database: MongoDatabase, since: str | None, limit: int) -> Changes:
    """See ThreadRepository."""
    if since is None:
        return Changes({}, str((await _ledger(database))["last"]))
    last = await _number(database, limit)
    numbers = {"$gt": int(since or 0), "$lte": last}
    found = database.threads.find({"changed": numbers}, WITHOUT_MESSAGES).sort("changed", 1).limit(limit)
    documents = await found.to_list()
    heads = {state.scope: state.head for state in map(state_of, documents)}
    return Changes(heads, str(documents[-1]["changed"]) if documents else since)


async def _number(database: MongoDatabase, limit: int) -> int:
    """Give numbers to about `limit` dirty threads; the last number that has been taken."""
    numbered = 0
    while True:
        ledger = await _ledger(database)
        last: int = ledger["last"]
        await _hand_out(database, last, ledger["batch"])
        most = min(_MOST_OF_A_BATCH, limit - numbered)
        dirty = await database.threads.find({"dirty": True}, WITHOUT_MESSAGES).limit(most).to_list() if most > 0 else []
        if not dirty:
            return last
        batch = [
            {**address(state_of(document).scope), "number": number} for number, document in enumerate(dirty, last + 1)
        ]
        if await _write_down(database, last, batch):
            numbered += len(batch)


async def _ledger(database: MongoDatabase) -> Document:
    return await database.counters.find_one({"_id": _LEDGER}) or {"last": 0, "batch": []}


async def _write_down(database: MongoDatabase, last: int, batch: Sequence[Document]) -> bool:
    """False when another one was quicker."""
    after = {"$set": {"last": last + len(batch), "batch": batch}}
    try:
        written = await database.counters.update_one({"_id": _LEDGER, "last": last}, after, upsert=last == 0)
    except DuplicateKeyError:
        return False
    return written.matched_count == 1 or written.upserted_id is not None


async def _hand_out(database: MongoDatabase, last: int, batch: Sequence[Document]) -> None:
    if batch:
        await database.threads.bulk_write([_taking(each) for each in batch], ordered=False)
        await database.counters.update_one({"_id": _LEDGER, "last": last}, {"$set": {"batch": []}})


def _taking(each: Document) -> UpdateOne:
    scope, number = Scope(each["tenant"], each["user"], each["thread"]), each["number"]
    lower = {**address(scope), "changed": {"$lt": number}}
    return UpdateOne(lower, {"$set": {"changed": number}, "$unset": {"dirty": ""}})
