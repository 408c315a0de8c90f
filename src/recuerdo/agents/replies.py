"""The reply to a message, once: however often the message is sent, and whichever replica answers it.

The ids of replies are derived from the message's, and from the turn's where that has one, so that the database itself
refuses a second one. A reply that broke off makes way for a whole one: it is archived, and the next id is taken.
"""

from collections.abc import AsyncGenerator
from itertools import count

from msgspec.structs import replace

from recuerdo.core.errors import DuplicateMessage
from recuerdo.core.identifiers import derived_id
from recuerdo.core.messages import Message, decode_all
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Appended, MessageQuery, Version
from recuerdo.history import History

INCOMPLETE = "incomplete"
"""The metadata of a reply that broke off."""

_PAGE = 200
_LATEST = 8
"""Messages: one that another process stores in the same turn is among the last."""


def reply_id(message_id: str, turn_id: str | None, attempt: int = 1) -> str:
    """The id of the reply to a message, in the turn of that name; a turn without one is its message's only turn."""
    seed = message_id if turn_id is None else derived_id(message_id, turn_id)
    return derived_id(seed, str(attempt))


class Replies:
    """Keeps and finds replies in a history. Raises the errors of the history."""

    def __init__(self, history: History) -> None:
        self._history = history

    async def store(
        self,
        scope: Scope,
        message: Message,
        reply: Message,
        epoch: int,
        turn_id: str | None = None,
        agent_id: str | None = None,
    ) -> tuple[Message, Version]:
        """The reply as it is stored, and the thread's version after it: the one given, or the one that came first.

        It goes only into the `epoch` of its message, unless that is 0: not known.
        """
        for attempt in count(1):
            mine = replace(reply, id=reply_id(message.id, turn_id, attempt))
            try:
                receipt = await self._history.append(scope, [mine], expected_epoch=epoch or None, agent_id=agent_id)
                return replace(mine, seq=receipt.first_seq), receipt.version
            except DuplicateMessage:
                first = await self._find(scope, message.seq, mine.id)
            if first is not None and (_is_whole(first) or not _is_whole(mine)):
                return first, Version(epoch, first.seq)
            if first is not None:
                await self._history.archive(scope, first=first.seq, last=first.seq)
        raise AssertionError("a count never ends")

    async def stored(self, scope: Scope, message: Message) -> Message:
        """The message as it is stored: with its time; as it is given while it has no seq."""
        there = await anext(self._from(scope, message.seq, limit=1), message) if message.seq else message
        return there if there.id == message.id else message

    async def receipt(self, scope: Scope, message: Message) -> Appended | None:
        """Return the receipt of the message, stored by any caller under its id; None if that id has another text."""
        before, limit = None, _LATEST
        while True:
            page = await self._history.page(scope, MessageQuery(before=before, limit=limit, archived=None))
            for there in decode_all(page.records):
                if there.id == message.id:
                    same = (there.role, there.content) == (message.role, message.content)
                    version = Version(page.version.epoch, there.seq)
                    return Appended(version, there.seq, [there.id], replayed=True) if same else None
            if not page.more:
                return None
            before, limit = page.records[0].seq, _PAGE

    async def whole(self, scope: Scope, message: Message, turn_id: str | None = None) -> Message | None:
        """The whole reply to a stored message, if there is one."""
        replies = {reply.id: reply async for reply in self._from(scope, message.seq + 1) if reply.role == "assistant"}
        for attempt in count(1):
            reply = replies.get(reply_id(message.id, turn_id, attempt))
            if reply is None or _is_whole(reply):
                return reply
        raise AssertionError("a count never ends")

    async def _find(self, scope: Scope, after: int, message_id: str) -> Message | None:
        async for message in self._from(scope, after + 1):
            if message.id == message_id:
                return message
        return None

    async def _from(self, scope: Scope, seq: int, limit: int = _PAGE) -> AsyncGenerator[Message]:
        more = True
        while more:
            page = await self._history.page(scope, MessageQuery(after=seq - 1, limit=limit, archived=None))
            for message in decode_all(page.records):
                yield message
            more = page.more
            seq = page.records[-1].seq + 1 if page.records else seq


def _is_whole(reply: Message) -> bool:
    return INCOMPLETE not in reply.metadata
