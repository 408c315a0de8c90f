"""The middle one of a prompt's three layers: what of the history the model is shown."""

from datetime import datetime, timedelta

from recuerdo.core.contexts import Limits
from recuerdo.core.messages import Message, decode_all
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Consistency, MessageQuery
from recuerdo.history import History
from recuerdo.windowing import MessageWindow, WindowPolicy

_MOST = 200


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
