"""One thread's history, for callers who have said once whose it is."""

from collections.abc import Collection
from datetime import datetime

from recuerdo.core.errors import ConfigurationError, InvalidInput
from recuerdo.core.memories import Memory
from recuerdo.core.messages import Message, Role, decode_all
from recuerdo.core.passages import MessageHit
from recuerdo.core.ports import ThreadSummaries
from recuerdo.core.scope import Scope
from recuerdo.core.threads import NOWHERE, Appended, Consistency, MessageQuery, Thread, Version
from recuerdo.history.history import History
from recuerdo.windowing import Summary, SummaryWindow, WindowPolicy


class ThreadHistory:
    """The history of one thread. Nothing happens until a method is awaited; the thread is made by its first append."""

    def __init__(self, history: History, scope: Scope, summaries: ThreadSummaries | None = None) -> None:
        self._history = history
        self._summaries = summaries
        self.scope = scope

    async def append(
        self,
        *messages: Message,
        idempotency_key: str | None = None,
        expected_epoch: int | None = None,
    ) -> Appended:
        """Append messages, all or none; see History.append."""
        return await self._history.append(
            self.scope, messages, idempotency_key=idempotency_key, expected_epoch=expected_epoch
        )

    async def window(
        self,
        policy: WindowPolicy,
        *,
        consistency: Consistency = "strong",
        min_version: Version = NOWHERE,
        summary: bool = False,
    ) -> list[Message]:
        """What to send to the model; see History.window.

        With `summary` the thread's summary, if it has one, stands for the messages that don't fit into the window.
        """
        window = await self._history.window(self.scope, policy, consistency=consistency, min_version=min_version)
        stored = await self._known().of(self.scope) if summary else None
        if stored is None or (until := min(stored.source.seq or 0, _left_out(window))) < 1:
            return window
        summarised = SummaryWindow(policy, Summary(stored.text, until))
        longer = await self._history.window(self.scope, summarised, consistency=consistency, min_version=min_version)
        return longer if await self._known().of(self.scope) else window  # it was not cleared meanwhile

    async def summarise(self) -> Memory | None:
        """Bring the thread's summary up to its end: a memory of the kind `summary`, whose `source.seq` says how far.

        Only what came behind the former summary is read. None where there is nothing to say, and for the anonymous
        user. Raises Unavailable.
        """
        return await self._known().summarise(self.scope)

    def _known(self) -> ThreadSummaries:
        if self._summaries is None:
            raise ConfigurationError("This thread has no summaries. Use Recuerdo.thread instead.")
        return self._summaries

    async def messages(
        self,
        *,
        limit: int = 50,
        before: int | None = None,
        after: int | None = None,
        roles: Collection[Role] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        archived: bool | None = False,
    ) -> list[Message]:
        """Messages by cursors and filters, oldest first; see MessageQuery for each."""
        if not isinstance(roles, Collection):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("roles", "must be a list of roles, e.g. ['user']")
        query = MessageQuery(
            limit=limit,
            before=before,
            after=after,
            roles=frozenset(roles),
            since=since,
            until=until,
            archived=archived,
        )
        return decode_all((await self._history.page(self.scope, query)).records)

    async def read(self) -> list[Message]:
        """The whole history, archived messages included, oldest first."""
        return await self._history.read(self.scope)

    async def count(self) -> dict[Role, int]:
        """How many messages of each role there are."""
        return await self._history.count(self.scope)

    async def search(self, query: str, limit: int = 10) -> list[MessageHit]:
        """The messages that most likely hold what the query looks for, best first; see History.search."""
        return await self._history.search(self.scope.owner, query, limit=limit, thread=self.scope.thread)

    async def archive(self, *, first: int = 1, last: int | None = None, archived: bool = True) -> int:
        """Take messages out of windows and pages, or back in; see History.archive."""
        return await self._history.archive(self.scope, first=first, last=last, archived=archived)

    async def info(self) -> Thread:
        """The thread's title, times and version. Raises NotFound before its first append."""
        return await self._history.thread(self.scope)

    async def clear(self) -> Version:
        """Erase the messages for good and keep the thread."""
        return await self._history.clear(self.scope)

    async def delete(self) -> None:
        """Erase the thread and its messages for good."""
        await self._history.delete(self.scope)

    async def fork(self, target: str, *, at_seq: int | None = None) -> "ThreadHistory":
        """Copy the thread up to `at_seq` into a new one, and return that."""
        await self._history.fork(self.scope, target, at_seq=at_seq)
        return ThreadHistory(self._history, self.scope.owner.thread(target), self._summaries)


def _left_out(window: list[Message]) -> int:
    """The seq of the last message that came before all of the window's but the system message; 0 for none."""
    first = min((message.seq for message in window if message.role != "system"), default=1)
    older = {message.seq for message in window if message.role == "system" and message.seq < first}
    return first - 1 if first - 1 > len(older) else 0
