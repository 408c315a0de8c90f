"""Merges metadata into that of a thread, also while others change it."""

from collections.abc import Mapping
from typing import Any

from recuerdo.core.errors import DatabaseUnavailable, NotFound
from recuerdo.core.ports import Clock, ThreadRepository
from recuerdo.core.scope import Scope
from recuerdo.core.thread_metadata import ThreadMetadata
from recuerdo.history.requests import check_object

_MOST_TRIES = 100


async def merge_metadata(
    threads: ThreadRepository, clock: Clock, scope: Scope, changes: Mapping[str, Any], *, create: bool = False
) -> None:
    """Set these keys of the thread's metadata, and take those away that are None. The others stay.

    With `create` an absent thread is made, without a message. Raises NotFound or InvalidInput, and then nothing was
    changed.
    """
    check_object("metadata", changes)
    for _ in range(_MOST_TRIES):
        thread = await threads.get(scope)
        if thread is None and not create:
            raise NotFound("thread", scope.thread)
        known = thread.metadata if thread else {}
        merged = {name: value for name, value in {**known, **changes}.items() if value is not None}
        before, after = ThreadMetadata.of(known) if thread else None, ThreadMetadata.of(merged)
        if after == before or await threads.set_metadata(scope, after, before, clock()):
            return
    raise DatabaseUnavailable("Others change the thread's metadata all the time. Try again.", retry_after=0.1)
