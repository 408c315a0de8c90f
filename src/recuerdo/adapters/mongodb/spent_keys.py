"""Idempotency keys of threads that were cleared or deleted, as digests: a late retry must not store again.

They are written before the epoch ends, so that whoever reads a thread's next epoch finds them. Should the change that
ends the epoch fail, nothing is wrong: a key that the living epoch knows is answered from there.
"""

from collections.abc import Collection
from datetime import datetime

from pymongo import UpdateOne
from pymongo.errors import BulkWriteError

from recuerdo.adapters.mongodb.connection import MongoDatabase
from recuerdo.adapters.mongodb.failures import raise_unless_duplicates
from recuerdo.adapters.mongodb.states import ThreadState
from recuerdo.adapters.times import to_microseconds
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import Scope
from recuerdo.core.threads import NAMELESS, spent_digest

_KEYS_A_BULK = 1000
_NAMES_A_SWEEP = 1000


async def spend_keys(database: MongoDatabase, state: ThreadState, at: int) -> None:
    """Remember the keys of the thread's epoch, which is about to end."""
    keyed = {"tenant": state.scope.tenant, "epoch": state.epoch, "append.key": {"$exists": True}}
    found = database.messages.find(keyed, {"_id": 0, "append.key": 1}).hint("idempotency_key")
    keys = {message["append"]["key"] for message in [*await found.to_list(), *state.latest] if "append" in message}
    digests = [spent_digest(state.scope, key) for key in keys]
    for start in range(0, len(digests), _KEYS_A_BULK):
        some = digests[start : start + _KEYS_A_BULK]
        spent = [UpdateOne({"_id": digest}, {"$set": {"spent_at": at}}, upsert=True) for digest in some]
        try:
            await database.spent_keys.bulk_write(spent, ordered=False)
        except BulkWriteError as error:  # another process erases the thread at the same moment
            raise_unless_duplicates(error)


async def spent_among(database: MongoDatabase, keys: Collection[tuple[Scope, str]]) -> set[tuple[Scope, str]]:
    """Those of the keys that were used in an epoch of their thread that has ended."""
    if not keys:
        return set()
    digests = {spent_digest(scope, key): (scope, key) for scope, key in keys}
    found = await database.spent_keys.find({"_id": {"$in": list(digests)}}, {"_id": 1}).to_list()
    return {digests[document["_id"]] for document in found}


async def forget_keys(database: MongoDatabase, before: datetime) -> int:
    """Forget the keys that were spent before that time; how many. Tombstones of before lose their names."""
    time = {"$lt": to_microseconds(before)}
    old = {"deleted": True, "dirty": {"$exists": False}, "user": {"$ne": NAMELESS}, "updated_at": time}
    for tombstone in await database.threads.find(old, {"_id": 1}).limit(_NAMES_A_SWEEP).to_list():
        nameless = {"user": NAMELESS, "thread": new_id()}
        await database.threads.update_one({"_id": tombstone["_id"], "deleted": True}, {"$set": nameless})
    result = await database.spent_keys.delete_many({"spent_at": time})
    return result.deleted_count
