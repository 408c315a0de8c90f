"""The middle one of a prompt's three layers: what of the history the model is shown."""

from datetime import datetime, timedelta

from recuerdo.core.contexts import Limits
from recuerdo.core.messages import Message, decode_all
from recuerdo.core.scope import Scope
from recuerdo.core.threads import MessageQuery
from recuerdo.history import History
from recuerdo.windowing import MessageWindow, WindowPolicy

_MOST = 200


async def read_window(
    history: History, scope: Scope, limits: Limits, policy: WindowPolicy, now: datetime
) -> list[Message]:
    """The window of the thread's messages that are not archived, of the roles and as old as the limits let them be.

    `policy` is for those who set no size. The system message is shown in any case. Raises Unavailable.
    """
    if limits.window is not None:
        policy = MessageWindow(limits.window)
    if not limits.roles and limits.days is None:
        return await history.window(scope, policy)
    since = None if limits.days is None else now - timedelta(days=limits.days)
    wanted = MessageQuery(limit=limits.window or _MOST, roles=frozenset(limits.roles), since=since)
    system, rest = [
        decode_all((await history.page(scope, query)).records)
        for query in (MessageQuery(limit=1, roles=frozenset({"system"})), wanted)
    ]
    return policy.apply([*system, *[message for message in rest if message.role != "system"]])
