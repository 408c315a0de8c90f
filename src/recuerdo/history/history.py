"""The history service: every read and write of conversations, of all threads or of one, over any repository."""

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

from msgspec.structs import replace

from recuerdo.core.bound import Bound, bound
from recuerdo.core.cache_ports import CachedReads
from recuerdo.core.checks import check_choice, check_skip, check_time, check_whole
from recuerdo.core.errors import ConfigurationError, DatabaseUnavailable, EpochChanged, InvalidInput, NotFound
from recuerdo.core.memories import Memory
from recuerdo.core.messages import ROLES, Message, Role, decode, decode_all
from recuerdo.core.passages import MessageHit, ThreadMessage, TimedQuery, UserMessages
from recuerdo.core.ports import Clock, HistoryRepository, PassageRepository, ThreadRepository, ThreadSummaries
from recuerdo.core.scope import Owner, Scope, check_id
from recuerdo.core.thread_metadata import AGENT_ID, wanted_fields
from recuerdo.core.threads import (
    MOST_READ_BYTES,
    NOWHERE,
    Appended,
    Consistency,
    Head,
    MessageQuery,
    Page,
    Thread,
    ThreadPage,
    Version,
)
from recuerdo.history.claims import ClaimedThread, VisitorClaims
from recuerdo.history.commits import DeferredAppends, GroupCommit
from recuerdo.history.message_fields import NO_FIELDS, MessageFields
from recuerdo.history.metadata import merge_metadata
from recuerdo.history.requests import checked_title, prepare
from recuerdo.windowing import Summary, SummaryWindow, WindowPolicy
from recuerdo.windowing.policy import check_policy

if TYPE_CHECKING:
    from recuerdo.history.search import MessageSearch

MOST_IN_PAGE = 1000
_SECONDS_TO_FLUSH = 5.0
_LARGEST_SEQ = 2**53
_CONSISTENCIES = get_args(Consistency)
_GROWTH = 3
"""How much longer a part of a thread is read when one was too short."""

_MOST_LOOKS = 3


utc_now: Clock = partial(datetime.now, UTC)
"""The clock of the real world."""


class History:
    """Conversations of all tenants: append, read, archive, clear, delete, fork. Each call names its scope."""

    def __init__(
        self,
        messages: HistoryRepository,
        threads: ThreadRepository,
        clock: Clock = utc_now,
        cached: CachedReads | None = None,
        deferred: DeferredAppends | None = None,
        concurrency: int = 1,
        search: "Callable[[], MessageSearch] | None" = None,
        most_bytes: int = MOST_READ_BYTES,
        passages: PassageRepository | None = None,
        fields: MessageFields = NO_FIELDS,
    ) -> None:
        """`most_bytes` is how many bytes of messages one page or window has, but for the message that fills them.

        `fields` are filled into the metadata of new messages.
        """
        self._messages = messages
        self.most_bytes = most_bytes
        self._threads = threads
        self._cached = cached
        self._clock = clock
        self._commits = GroupCommit(messages, concurrency)
        self._deferred = deferred
        self._make_search = search
        self._search: MessageSearch | None = None
        self._passages = passages
        self._fields = fields

    async def append(
        self,
        scope: Scope,
        messages: Sequence[Message],
        *,
        idempotency_key: str | None = None,
        expected_epoch: int | None = None,
        agent_id: str | None = None,
        durability: Literal["sync"] | None = None,
    ) -> Appended:
        """Append the messages, all or none, after everything that is there. Durable when it returns.

        The receipt says how: `sync` is committed; `async` is on this machine's disk and has no seqs yet. With the
        durability `sync` it is committed where others are deferred, behind those that were acknowledged before.

        With an `idempotency_key` a repeated request answers with the first one's receipt. With an `expected_epoch`
        the append is refused when the thread was cleared or deleted meanwhile. `agent_id` is the agent that the user
        talks to, for the field of this name; else the thread's metadata says it. Raises InvalidInput,
        IdempotencyConflict, DuplicateMessage, EpochChanged or Unavailable.
        """
        if agent_id is None and AGENT_ID in self._fields.names:
            agent_id = await self._agent_of(scope)
        request = prepare(
            scope,
            messages,
            self._clock(),
            idempotency_key=idempotency_key,
            expected_epoch=expected_epoch,
            fields=self._fields,
            agent_id=agent_id,
        )
        if self._deferred:
            if durability is None:
                return await self._deferred.append(request)
            await self._flush_appends()
        return await self._commits.get(request)

    async def window(
        self, scope: Scope, policy: WindowPolicy, *, consistency: Consistency = "strong", min_version: Version = NOWHERE
    ) -> list[Message]:
        """The part of the thread that the policy selects for a model; empty for a thread without messages.

        Only as much of the tail is read as the policy needs, so that long threads cost no more than short ones, and no
        more than `most_bytes`: a window of larger messages ends there. A `cached` read asks no database where a cache
        knows the thread at `min_version` or later.
        Raises BudgetTooSmall when the policy can't hold the system message, and InvalidInput.
        """
        return (await self.headed_window(scope, policy, consistency=consistency, min_version=min_version))[1]

    async def headed_window(
        self, scope: Scope, policy: WindowPolicy, *, consistency: Consistency = "strong", min_version: Version = NOWHERE
    ) -> tuple[Head, list[Message]]:
        """The window, and the head that the thread had: while `is_at` is true of that, the window stays the same."""
        check_policy("policy", policy)
        _check_reading(consistency, min_version)
        if consistency == "cached" and self._cached is not None:
            tail = await self._cached.cached_tail(scope, policy.reach, min_version, most_bytes=self.most_bytes)
        else:
            tail = await self._messages.tail(scope, policy.reach, most_bytes=self.most_bytes)
        while True:
            selection = policy.begin(decode(tail.system.json) if tail.system else None)
            for message in reversed(decode_all(tail.records)):
                if not selection.take(message):
                    return tail.head, selection.finish()
            if tail.complete or tail.is_full:
                return tail.head, selection.finish()
            # more in one read: parts of two states would make up a window that never was
            more = _GROWTH * len(tail.records)
            tail = await self._messages.tail(scope, more, most_bytes=self.most_bytes)

    async def is_at(self, scope: Scope, head: Head) -> bool:
        """Whether the thread has this head in the database now."""
        return await self._messages.head(scope) == head

    async def page(
        self,
        scope: Scope,
        query: MessageQuery | None = None,
        *,
        consistency: Consistency = "strong",
        min_version: Version = NOWHERE,
    ) -> Page:
        """Messages as they are stored, by cursors and filters; see MessageQuery, and `window` for consistency.

        Raises InvalidInput.
        """
        query = query or MessageQuery()
        _check_query(query)
        if query.most_bytes > self.most_bytes:
            query = replace(query, most_bytes=self.most_bytes)
        _check_reading(consistency, min_version)
        if consistency == "cached" and self._cached is not None:
            return await self._cached.cached_page(scope, query, min_version)
        return await self._messages.page(scope, query)

    async def read(self, scope: Scope) -> list[Message]:
        """The whole history, archived messages included, oldest first, however large it is; see `page` for parts."""
        everything = MessageQuery(limit=_LARGEST_SEQ, archived=None, most_bytes=_LARGEST_SEQ)
        return decode_all((await self._messages.page(scope, everything)).records)

    async def count(self, scope: Scope) -> dict[Role, int]:
        """How many messages of each role the thread has, archived ones included."""
        return await self._messages.count(scope)

    async def search(self, owner: Owner, query: str, *, limit: int = 10, thread: str | None = None) -> list[MessageHit]:
        """The owner's messages that most likely hold what the query looks for, best first; of one thread, if named.

        Words, their forms, parts and meanings are looked for in each message and in those around it. A message is
        found as soon as it was appended; the first search waits some seconds for vectors. Archived messages and
        instructions are not found, and over all threads the anonymous user finds nothing: they are not one person's.
        Raises InvalidInput, MissingExtra without numpy, or ConfigurationError when this history can't be searched.
        """
        if self._search is None:
            if self._make_search is None:
                raise ConfigurationError("This history is not searched. Use Recuerdo.open, which sets the search up.")
            self._search = self._make_search()
        return await self._search.search(owner, query, limit=limit, thread=thread)

    async def by_time(self, owner: Owner, query: TimedQuery) -> UserMessages:
        """The owner's messages in all threads, the latest made first; see TimedQuery for which.

        As many as are asked for or as `most_bytes` hold, and the cursor of the next page. The anonymous user has none:
        they are not one person's. Raises InvalidInput, or ConfigurationError when this history knows single threads
        only.
        """
        if self._passages is None:
            raise ConfigurationError("This history knows single threads only. Use Recuerdo.open, which knows all.")
        _check_query(query)
        if owner.is_anonymous and not owner.is_visitor:
            return UserMessages([], None)
        bounded = replace(query, most_bytes=min(query.most_bytes, self.most_bytes))
        found, more = await self._passages.by_time(owner, bounded)
        messages = decode_all([each.record for each in found])
        said = [ThreadMessage(each.place.thread, message) for each, message in zip(found, messages, strict=True)]
        return UserMessages(said, str(found[-1].timed_place) if more else None)

    async def archive(self, scope: Scope, *, first: int = 1, last: int | None = None, archived: bool = True) -> int:
        """Take the messages first..last out of windows and pages (or back in, with `archived=False`).

        They stay in the history. Returns how many changed. Raises InvalidInput.
        """
        last = _LARGEST_SEQ if last is None else last
        check_whole("last", last, 1, _LARGEST_SEQ, "must be the seq of a message, or None for all from 'first' on")
        check_whole("first", first, 1, last, "must be a seq of 1 or more, and not after 'last'")
        return await self._messages.archive(scope, first, last, archived)

    async def thread(self, scope: Scope) -> Thread:
        """The thread. Raises NotFound."""
        thread = await self._threads.get(scope)
        if thread is None:
            raise NotFound("thread", scope.thread)
        return thread

    async def _agent_of(self, scope: Scope) -> str | None:
        """The agent that the thread's metadata names."""
        thread = await self._threads.get(scope)
        agent_id = thread.metadata.get(AGENT_ID) if thread else None
        return agent_id if isinstance(agent_id, str) else None

    async def epoch(self, scope: Scope) -> int:
        """The epoch that the thread is in; 0 where there is none."""
        thread = await self._threads.get(scope)
        return 0 if thread is None else thread.version.epoch

    async def threads(
        self,
        owner: Owner,
        *,
        limit: int = 50,
        cursor: str | None = None,
        skip: int = 0,
        metadata: Mapping[str, Any] | None = None,
    ) -> ThreadPage:
        """The owner's threads, the latest changed first.

        With `metadata` those that have it: objects by their keys, lists by their elements. The first `skip` after the
        cursor are left out. Raises InvalidInput.
        """
        check_whole("limit", limit, 1, MOST_IN_PAGE)
        check_skip(skip)
        fields = wanted_fields(metadata) if metadata else ()
        return await self._threads.select(owner, limit, cursor, skip=skip, fields=fields)

    async def update_metadata(self, scope: Scope, changes: Mapping[str, Any], *, create: bool = False) -> Thread:
        """Set these keys of the thread's metadata, and take those away that are None; see `merge_metadata`."""
        await merge_metadata(self._threads, self._clock, scope, changes, create=create)
        return await self.thread(scope)

    async def replace(
        self,
        scope: Scope,
        messages: Sequence[Message],
        *,
        idempotency_key: str | None = None,
        expected_epoch: int | None = None,
    ) -> Appended:
        """Put these messages, 1 to 1,000, in the place of all that the thread has, in one transaction.

        The former ones are erased for good, and the thread is in a new epoch; readers see one or the other whole. A
        thread that does not exist begins. The key and the epoch are as in `append`. When it raises InvalidInput,
        EpochChanged, IdempotencyConflict, AlreadyErased or DuplicateMessage, nothing has changed.
        """
        request = prepare(
            scope,
            messages,
            self._clock(),
            idempotency_key=idempotency_key,
            expected_epoch=expected_epoch,
            replaces=True,
            fields=self._fields,
            agent_id=await self._agent_of(scope) if AGENT_ID in self._fields.names else None,
        )
        await self._flush_appends()
        receipt = await self._messages.replace(request)
        self._forget(scope)
        return receipt

    async def clear(self, scope: Scope, *, expected_epoch: int | None = None) -> Version:
        """Erase the thread's messages for good; the empty thread stays, in a new epoch.

        With an `expected_epoch` only in that one. Raises NotFound or EpochChanged.
        """
        await self._flush_appends()
        version = await self._threads.clear(scope, self._clock(), expected_epoch)
        if version is None:
            raise NotFound("thread", scope.thread)
        self._forget(scope)
        return version

    async def delete(self, scope: Scope, *, expected_epoch: int | None = None) -> None:
        """Erase the thread and its messages for good, as `clear` does. Raises NotFound or EpochChanged."""
        await self._flush_appends()
        if not await self._threads.delete(scope, self._clock(), expected_epoch=expected_epoch):
            raise NotFound("thread", scope.thread)
        self._forget(scope)

    async def take_back(self, scope: Scope, appended: Appended) -> bool:
        """Delete the thread that this append has begun, unless another caller has appended to it by now.

        Returns whether the thread is in another epoch now, and the append not in it.
        """
        if appended.first_seq == 1 and not appended.replayed:
            head = Head(appended.version, appended.revision or 0)
            if await self._threads.delete(scope, self._clock(), only_at=head):
                return True
        return (await self._messages.head(scope)).version.epoch != appended.version.epoch

    async def check_not_emptied(self, scope: Scope, since: float) -> None:
        """Raise EpochChanged if the thread was cleared, replaced or deleted after `since`, a `time.perf_counter` time.

        The database says only how long ago that was, at some moment during the call. Where that could change the result
        it is asked again, three times in all; if it still can't be told, the thread counts as not emptied.
        """
        for _ in range(_MOST_LOOKS):
            asked = time.perf_counter()
            age = (await self._threads.since_emptied([scope])).get(scope)
            if age is None or age.total_seconds() >= time.perf_counter() - since:
                return
            if age.total_seconds() < asked - since:
                raise EpochChanged(NOWHERE.epoch, None)

    async def claim(self, visitor: Owner, owner: Owner) -> list[ClaimedThread]:
        """Move all threads of a visitor to the user that they turned out to be; see VisitorClaims.

        Raises InvalidInput unless it is a visitor of the owner's tenant who is claimed, and a user who claims.
        """
        if not visitor.is_visitor or visitor.tenant != owner.tenant:
            raise InvalidInput("visitor", "must be a visitor of the same tenant")
        if owner.is_anonymous:
            raise InvalidInput("user", "must not be anonymous: log in before you claim a visitor's conversations")
        await self._flush_appends()
        claimed = await VisitorClaims(self._messages, self._threads, self._clock).move(visitor, owner)
        for thread in claimed:
            self._forget(visitor.thread(thread.thread_id))
        return claimed

    async def fork(self, scope: Scope, target: str, *, at_seq: int | None = None) -> Thread:
        """Copy the thread, up to and including `at_seq`, into the new thread `target` of the same user.

        Raises NotFound, ThreadExists or InvalidInput.
        """
        check_id("target", target)
        if at_seq is None:
            at_seq = (await self.thread(scope)).version.seq
        check_whole("at_seq", at_seq, 0, _LARGEST_SEQ, "must be a seq of the thread, or 0 for an empty copy")
        return await self._threads.fork(scope, at_seq, target, self._clock())

    async def update(
        self, scope: Scope, *, title: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> Thread:
        """Rename the thread, merge into its metadata, or both. Raises NotFound, or InvalidInput without any change."""
        checked = None if title is None else checked_title(title)
        if metadata is not None:
            await merge_metadata(self._threads, self._clock, scope, metadata)
        return await self.thread(scope) if checked is None else await self.rename(scope, checked)

    async def rename(self, scope: Scope, title: str) -> Thread:
        """Give the thread another title, of 1 to 80 characters. Raises NotFound or InvalidInput."""
        if not await self._threads.rename(scope, checked_title(title)):
            raise NotFound("thread", scope.thread)
        return await self.thread(scope)

    async def flush(self) -> None:
        """Wait until every append that was acknowledged is committed."""
        await self._commits.flush()
        if self._deferred is not None:
            await self._deferred.flush()

    async def indexed(self) -> None:
        """Wait until the vectors of the searched messages are made, or can't be made now."""
        if self._search is not None:
            await self._search.flush()

    async def aclose(self) -> None:
        """Stop making vectors: the next search continues."""
        if self._search is not None:
            await self._search.aclose()

    def _forget(self, scope: Scope) -> None:
        if self._search is not None:
            self._search.forget_thread(scope)

    async def _flush_appends(self) -> None:
        """Commit acknowledged appends first: an erasure erases them too, and one that is not deferred follows them."""
        try:
            async with asyncio.timeout(_SECONDS_TO_FLUSH):
                await self.flush()
        except TimeoutError:
            raise DatabaseUnavailable(
                "Appends that were acknowledged still wait for the database, and have to come first. "
                "Try again when the database answers."
            ) from None


class ThreadHistory(Bound[History, Scope]):
    """The history of one thread. Nothing happens until a method is awaited; the thread is made by its first append."""

    def __init__(self, history: History, scope: Scope, summaries: ThreadSummaries | None = None) -> None:
        super().__init__(history, scope)
        self._summaries = summaries
        self.scope = scope

    info = bound(History.thread)
    read = bound(History.read)
    count = bound(History.count)
    archive = bound(History.archive)
    rename = bound(History.rename)
    replace = bound(History.replace)
    clear = bound(History.clear)
    delete = bound(History.delete)

    async def append(
        self, *messages: Message, idempotency_key: str | None = None, expected_epoch: int | None = None
    ) -> Appended:
        """Append messages, all or none; see History.append."""
        return await self._service.append(
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
        """The messages to send to the model; see History.window.

        With `summary` the thread's summary, if it has one, stands for the messages that don't fit into the window.
        """
        read = partial(self._service.headed_window, self.scope, consistency=consistency, min_version=min_version)
        _, window = await read(policy)
        stored = await self._require_summaries().of(self.scope) if summary else None
        if stored is None or (until := min(stored.source.seq or 0, _left_out(window))) < 1:
            return window
        _, longer = await read(SummaryWindow(policy, Summary(stored.text, until)))
        return longer if await self._require_summaries().of(self.scope) else window  # it was not cleared meanwhile

    async def summarise(self) -> Memory | None:
        """Bring the thread's summary up to its end: a memory of the kind `summary`, whose `source.seq` says how far.

        Only what came after the former summary is read. None where there is nothing to say, and for the anonymous
        user. Raises Unavailable.
        """
        return await self._require_summaries().summarise(self.scope)

    def _require_summaries(self) -> ThreadSummaries:
        if self._summaries is None:
            raise ConfigurationError("This thread has no summaries. Use Recuerdo.thread instead.")
        return self._summaries

    async def messages(
        self,
        *,
        limit: int = 50,
        before: int | None = None,
        after: int | None = None,
        skip: int = 0,
        roles: Collection[Role] = (),
        ids: Collection[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        archived: bool | None = False,
    ) -> list[Message]:
        """Messages by ids, cursors and filters, oldest first; see MessageQuery for each."""
        if isinstance(ids, str):
            raise InvalidInput("ids", "must be a list of ids of messages")
        if not isinstance(roles, Collection):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("roles", "must be a list of roles, e.g. ['user']")
        query = MessageQuery(
            limit=limit,
            before=before,
            after=after,
            skip=skip,
            roles=frozenset(roles),
            ids=frozenset(ids),
            since=since,
            until=until,
            archived=archived,
        )
        return decode_all((await self._service.page(self.scope, query)).records)

    async def search(self, query: str, limit: int = 10) -> list[MessageHit]:
        """The messages that most likely hold what the query looks for, best first; see History.search."""
        return await self._service.search(self.scope.owner, query, limit=limit, thread=self.scope.thread)

    async def metadata(self) -> dict[str, Any]:
        """The thread's metadata; none of a thread that does not exist."""
        try:
            return (await self.info()).metadata
        except NotFound:
            return {}

    async def update_metadata(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Set these keys of the thread's metadata, take those away that are None, and return all that there is then.

        A thread that does not exist begins, without a message. Raises InvalidInput.
        """
        return (await self._service.update_metadata(self.scope, changes, create=True)).metadata

    async def fork(self, target: str, *, at_seq: int | None = None) -> "ThreadHistory":
        """Copy the thread up to `at_seq` into a new one, and return that."""
        await self._service.fork(self.scope, target, at_seq=at_seq)
        return ThreadHistory(self._service, self.scope.owner.thread(target), self._summaries)


def _left_out(window: list[Message]) -> int:
    """The seq of the last message that came before all of the window's but the system message; 0 for none."""
    first = min((message.seq for message in window if message.role != "system"), default=1)
    older = {message.seq for message in window if message.role == "system" and message.seq < first}
    return first - 1 if first - 1 > len(older) else 0


def _check_reading(consistency: object, min_version: object) -> None:
    if consistency not in _CONSISTENCIES:
        raise InvalidInput("consistency", f"must be one of {', '.join(_CONSISTENCIES)}")
    if not isinstance(min_version, Version):
        raise InvalidInput("min_version", "must be a Version, e.g. the one that an append returned")


def _check_query(query: MessageQuery | TimedQuery) -> None:
    check_whole("limit", query.limit, 1, MOST_IN_PAGE)
    if query.skip != 0:
        check_skip(query.skip)
    for role in query.roles:
        check_choice("roles", role, ROLES)
    for field, at in (("since", query.since), ("until", query.until)):
        if at is not None:
            check_time(field, at)
    if isinstance(query, TimedQuery):
        return
    for message_id in query.ids:
        check_id("ids", message_id)
    for field, seq in (("before", query.before), ("after", query.after)):
        if seq is not None:
            check_whole(field, seq, 0, _LARGEST_SEQ, "must be the seq of a message, or 0")
