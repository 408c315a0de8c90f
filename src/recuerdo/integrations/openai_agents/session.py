"""The OpenAI Agents SDK's session, in Recuerdo."""

from collections.abc import Awaitable, Coroutine, Generator, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar, cast

from agents.items import TResponseInputItem
from agents.memory import SessionSettings

from recuerdo.core.errors import NotFound
from recuerdo.core.messages import Message
from recuerdo.history import ThreadHistory
from recuerdo.history.history import MOST_IN_PAGE
from recuerdo.history.requests import MOST_MESSAGES
from recuerdo.integrations.bridge import Bridge, SyncCaller
from recuerdo.integrations.openai_agents.items import Item, answered_id, asked_id, to_items, to_messages

T = TypeVar("T")


class RecuerdoSession:
    """One thread as the session of an agent: `Runner.run(agent, "Hola", session=RecuerdoSession(thread))`.

    The thread may be filled by other frameworks too: their messages are items here. No read ever gives a tool's output
    without its call, or a step without the reasoning that it came with, whatever the limit. It answers on any event
    loop, that of `Runner.run_sync` too, when it is made on the loop that Recuerdo was opened on, or given its `bridge`.
    """

    def __init__(
        self,
        thread: ThreadHistory,
        *,
        session_settings: SessionSettings | Mapping[str, Any] | None = None,
        bridge: Bridge | None = None,
    ) -> None:
        self.thread = thread
        self.session_id: str = thread.scope.thread
        self.session_settings: SessionSettings | None = _settings(session_settings)
        self._caller = SyncCaller(bridge)
        self._closed = False

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The newest `limit` items, oldest first, or all; without a limit that of the settings holds.

        They are fewer where the limit would cut an output off its call.
        """
        if limit is None and self.session_settings is not None:
            limit = _settings(self.session_settings).limit
        return await self._join(self._get_items(limit))

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Append the items, in one transaction for every 1,000 messages. Raises InvalidInput or Unavailable."""
        await self._join(self._add_items(items))

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the newest item out of the session and return it; None when there is none.

        Its message is archived: out of every window, and still in the history. The rest of the message is appended
        again without it.
        """
        return await self._join(self._pop_item())

    async def clear_session(self) -> None:
        """Erase the thread's messages for good."""
        await self._join(self._clear())

    def close(self) -> Awaitable[None]:
        """Use the session no more; Recuerdo stays open. It may be awaited, as some of the SDK's sessions must be."""
        self._closed = True
        return _Nothing()

    async def _join(self, work: Coroutine[Any, Any, T]) -> T:
        if self._closed:
            work.close()
            raise RuntimeError(f"{type(self).__name__} is closed. Make another one of the thread.")
        return await self._caller.join(work)

    async def _get_items(self, limit: int | None) -> list[TResponseInputItem]:
        if limit is not None and limit <= 0:
            return []
        items = [item for message in await self._newest(limit) for item in to_items(message)]
        return cast(list[TResponseInputItem], _without_orphans(_cut(items, limit)))

    async def _add_items(self, items: list[TResponseInputItem]) -> None:
        messages = to_messages(cast(list[Item], items))
        for start in range(0, len(messages), MOST_MESSAGES):
            await self.thread.append(*messages[start : start + MOST_MESSAGES])

    async def _pop_item(self) -> TResponseInputItem | None:
        before: int | None = None
        while newest := await self.thread.messages(limit=1, before=before):
            [message] = newest
            items = to_items(message)
            if not items:  # a message from elsewhere that says nothing here
                before = message.seq
            elif await self.thread.archive(first=message.seq, last=message.seq):
                if items[:-1]:
                    await self._add_items(cast(list[TResponseInputItem], items[:-1]))
                return cast(TResponseInputItem, items[-1])
        return None

    async def _clear(self) -> None:
        try:
            await self.thread.clear()
        except NotFound:
            return

    async def _newest(self, limit: int | None) -> Sequence[Message]:
        """The messages that the newest `limit` items are in: nearly every message holds one at least."""
        if limit is not None and limit <= MOST_IN_PAGE:
            messages = await self.thread.messages(limit=limit)
            if len(messages) < limit or sum(len(to_items(message)) for message in messages) >= limit:
                return messages
        return [message for message in await self.thread.read() if not message.archived]


class _Nothing:
    """A result that may be awaited, for callers that do and callers that don't."""

    def __await__(self) -> Generator[Any, None, None]:
        yield from ()


def _settings(given: SessionSettings | Mapping[str, Any] | None) -> SessionSettings:
    """Raises TypeError for unknown settings, as the SDK's own sessions do."""
    if isinstance(given, SessionSettings):
        return given
    values = dict(given or {})
    if unknown := sorted(values.keys() - {field.name for field in fields(cast(Any, SessionSettings))}):
        raise TypeError(f"Unknown session settings: {', '.join(unknown)}")
    return SessionSettings(**values)


def _cut(items: list[Item], limit: int | None) -> list[Item]:
    """The newest items, without those whose reasoning is cut off: models refuse the one without the other."""
    start = 0 if limit is None else max(0, len(items) - limit)
    while 0 < start < len(items) and items[start - 1].get("type") == "reasoning":
        start += 1
    return items[start:]


def _without_orphans(items: list[Item]) -> list[Item]:
    """The items without outputs that have no call before them."""
    called: set[Any] = set()
    kept: list[Item] = []
    for item in items:
        answered = answered_id(item)
        if answered is None or answered in called:
            kept.append(item)
        called.add(asked_id(item))
    return kept
