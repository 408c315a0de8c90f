"""Moving committed messages from `latest` into the collection of messages."""

from collections.abc import Sequence

from pymongo import UpdateOne
from pymongo.errors import BulkWriteError

from recuerdo.adapters.mongodb.connection import Document, MongoDatabase
from recuerdo.adapters.mongodb.failures import raise_unless_duplicates
from recuerdo.adapters.mongodb.states import ThreadState, address, find_states


async def move(database: MongoDatabase, states: Sequence[ThreadState]) -> None:
    """Insert what is in `latest` of these states, durably, and then take it out of there.

    Anybody may do that at any time, also twice or late: the insert does nothing where the seq is taken, and `latest`
    is cleared only while it is still the one that was inserted. To clear it needs no durability: at worst it is moved
    once more. Where the epoch has ended meanwhile, what was inserted is removed again.
    """
    try:
        await database.messages.insert_many(
            [_row(state, message) for state in states for message in state.latest], ordered=False
        )
    except BulkWriteError as error:
        raise_unless_duplicates(error)
    cleared = await database.threads_quickly.bulk_write([_clearing(state) for state in states], ordered=False)
    if cleared.matched_count < len(states):
        await _remove_from_ended_epochs(database, states)


def _row(state: ThreadState, message: Document) -> Document:
    return {**address(state.scope), "epoch": state.epoch, **message}


def _clearing(state: ThreadState) -> UpdateOne:
    moved = {**address(state.scope), "epoch": state.epoch, "last_seq": state.last_seq}
    return UpdateOne(moved, {"$unset": {"latest": ""}})


async def _remove_from_ended_epochs(database: MongoDatabase, states: Sequence[ThreadState]) -> None:
    now = await find_states(database, [state.scope for state in states])
    for before, after in zip(states, now, strict=True):
        if before.epoch != after.epoch:
            await database.messages.delete_many({"tenant": before.scope.tenant, "epoch": before.epoch})
