"""The part of the histories that a prompt carries: the thread's window, and passages from before it."""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from recuerdo.core.contexts import Limits
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.memories import Memory
from recuerdo.core.messages import Message, decode_all
from recuerdo.core.passages import MessageHit
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Consistency, MessageQuery
from recuerdo.history import History
from recuerdo.windowing import MessageWindow, WindowPolicy

_MOST = 200

MOST_PASSAGES = 6
MOST_CHARACTERS = 3_000
"""Of all passages in a prompt together."""

_LONGEST_PASSAGE = 600
_LOOKED_AT = 3 * MOST_PASSAGES
_LONGEST_QUERY = 1_000
_REPEATS = "offline"
"""The model whose answers are no passages: it only repeats what others said."""

_log = logging.getLogger(__name__)


async def read_window(
    history: History,
    scope: Scope,
    limits: Limits,
    policy: WindowPolicy,
    now: datetime,
    consistency: Consistency = "strong",
) -> tuple[int, list[Message]]:
    """The thread's epoch, 0 while it is absent, and its window: of the roles and as old as the limits let messages be.

    `policy` is for those who set no size. Archived messages are left out, and the system message is shown in any case.
    Raises Unavailable.
    """
    if limits.window is not None:
        policy = MessageWindow(limits.window)
    if not limits.roles and limits.days is None:
        head, window = await history.headed_window(scope, policy, consistency=consistency)
        return head.version.epoch, window
    since = None if limits.days is None else now - timedelta(days=limits.days)
    wanted = MessageQuery(limit=limits.window or _MOST, roles=frozenset(limits.roles), since=since)
    only_system = MessageQuery(limit=1, roles=frozenset({"system"}))
    system, page = [await history.page(scope, query, consistency=consistency) for query in (only_system, wanted)]
    rest = [message for message in decode_all(page.records) if message.role != "system"]
    return system.version.epoch, policy.apply([*decode_all(system.records), *rest])


async def find_passages(history: History, scope: Scope, text: str, limits: Limits, now: datetime) -> list[MessageHit]:
    """Find passages of the user's threads that the text may be about, best first, within the limits.

    None when it can't be looked for, or when the user has no memories: an answer goes on without.
    """
    query = " ".join(text[:_LONGEST_QUERY].replace("\0", " ").split())
    if scope.owner.is_anonymous or limits.memories == 0 or not query:
        return []
    try:
        found = await history.search(scope.owner, query, limit=_LOOKED_AT)
    except ConfigurationError:  # there is no search here
        return []
    except Exception as error:  # whatever it is, an answer without passages is better than none
        _log.warning("passages can't be looked for: %s", type(error).__name__, exc_info=error)
        return []
    since = None if limits.days is None else now - timedelta(days=limits.days)
    return [hit for hit in found if _may_be_quoted(hit.message, limits, since)]


def chosen_passages(
    found: Sequence[MessageHit], scope: Scope, message: Message, window: Sequence[Message]
) -> list[MessageHit]:
    """The best of the passages, cut where they are long: none that the window shows, and none that asks the same."""
    shown = {each.seq for each in window}
    chosen: list[MessageHit] = []
    left = MOST_CHARACTERS
    for hit in found:
        if (hit.thread == scope.thread and hit.seq in shown) or hit.message.text == message.text:
            continue
        cut = replace(hit.message, content=hit.message.text[: min(left, _LONGEST_PASSAGE)])
        chosen.append(hit._replace(message=cut))
        left -= len(cut.text)
        if len(chosen) == MOST_PASSAGES or left <= 0:
            break
    return chosen


def summarises_window(memory: Memory, scope: Scope, window: Sequence[Message]) -> bool:
    """Whether the memory is the summary of a thread that the window shows whole."""
    if memory.kind != "summary" or memory.source.thread != scope.thread:
        return False
    return any(message.seq == 1 for message in window)


def _may_be_quoted(message: Message, limits: Limits, since: datetime | None) -> bool:
    if message.role not in ("user", "assistant") or (limits.roles and message.role not in limits.roles):
        return False
    if since is not None and message.created_at is not None and message.created_at < since:
        return False
    return message.metadata.get("model") != _REPEATS
