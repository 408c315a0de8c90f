"""Appends that wait at the same moment are committed together: one transaction, one flush to disk, one round trip."""

from operator import attrgetter

from recuerdo.concurrency.batcher import Batcher
from recuerdo.core.errors import OutcomeUnknown
from recuerdo.core.ports import HistoryRepository
from recuerdo.core.threads import Append, Appended

MOST_APPENDS = 256
MOST_BYTES = 4 * 2**20


class GroupCommit(Batcher[Append, Appended]):
    """Commits appends through a repository, a few batches at a time, no two of them for the same thread.

    A cancelled caller's append may still be committed: use an idempotency key to find out.
    """

    def __init__(self, repository: HistoryRepository, lanes: int = 1) -> None:
        """`lanes` is how many batches are under way at a time: more than one where the database works on several."""
        super().__init__(
            repository.append,
            lanes=lanes,
            most=MOST_APPENDS,
            weigh=lambda request: sum([len(message.body) for message in request.messages]),
            heaviest=MOST_BYTES,
            place=attrgetter("scope"),
            interrupted=lambda: OutcomeUnknown("The append was interrupted."),
        )
