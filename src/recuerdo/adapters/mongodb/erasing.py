"""Removing the messages of epochs that have ended, whoever dies on the way.

The change that ends an epoch pushes a mark into the thread's document, `{epoch, since}`, and then the messages are
removed. The mark outlives that by GRACE: when whoever was at it dies in between, or somebody who moved messages into
the epoch at that very moment does, the next sweep removes what is left. Sweeps come with every erasing and opening.

The epoch that a fork is being copied into is marked as well, until the fork begins. A sweep that finds such a mark old
changes the thread's revision first, so that the fork, should it still be alive, can't begin any more.
"""

from collections.abc import Sequence

import msgspec

from recuerdo.adapters.mongodb.connection import Document, MongoDatabase
from recuerdo.adapters.mongodb.failures import speaking_recuerdo
from recuerdo.adapters.mongodb.states import StateChange, ThreadState, address, commit, state_of
from recuerdo.adapters.times import this_microsecond

GRACE = 10 * 60 * 1_000_000
"""Microseconds: far more than an operation can take."""

_THREADS_A_SWEEP = 20


def mark(epoch: int) -> Document:
    """The part of an update that marks the epoch."""
    return {"$push": {"erasing": {"epoch": epoch, "since": this_microsecond()}}}


def unmark(epoch: int) -> Document:
    """The part of an update that takes the epoch's mark away."""
    return {"$pull": {"erasing": {"epoch": epoch}}}


def marked(epoch: int) -> Document:
    """The part of a filter that demands the epoch's mark."""
    return {"erasing.epoch": epoch}


def ended_epochs(state: ThreadState) -> list[int]:
    """The epochs whose messages should be gone: those that are marked, without one that a fork is copied into."""
    return [each["epoch"] for each in state.erasing if each["epoch"] != state.epoch]


async def remove(database: MongoDatabase, tenant: str, epochs: Sequence[int]) -> None:
    """Remove all messages of these epochs."""
    if epochs:
        await database.messages.delete_many({"tenant": tenant, "epoch": {"$in": list(epochs)}})


@speaking_recuerdo
async def sweep(database: MongoDatabase, grace: int = GRACE) -> None:
    """Make sure of a few erasings that lie back, and take their marks away."""
    before = this_microsecond() - grace
    old = database.threads.find({"erasing.since": {"$lt": before}}).limit(_THREADS_A_SWEEP)
    for state in [state_of(document) async for document in old]:
        if await _has_no_fork_coming(database, state):
            await remove(database, state.scope.tenant, [m["epoch"] for m in state.erasing if m["since"] < before])
            await database.threads.update_one(address(state.scope), {"$pull": {"erasing": {"since": {"$lt": before}}}})


async def _has_no_fork_coming(database: MongoDatabase, state: ThreadState) -> bool:
    if all(each["epoch"] != state.epoch for each in state.erasing):
        return True
    return await commit(database, StateChange(state, msgspec.structs.replace(state, revision=state.revision + 1)))
