"""Threads as runs see them: what is known of a thread, and the state that its graph is in."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple
from weakref import WeakValueDictionary

import msgspec
from msgspec.structs import replace

from recuerdo.core.checkpoints import CheckpointFound
from recuerdo.core.conditions import check_depth
from recuerdo.core.documents import Decision, DocumentKey, DocumentQuery, contains, reader
from recuerdo.core.errors import AlreadyExists, DatabaseUnavailable, NoGraph, NotFound, OutcomeUnknown, ThreadBusy
from recuerdo.core.graph_ports import DocumentRepository
from recuerdo.core.identifiers import new_id
from recuerdo.core.ports import Clock
from recuerdo.core.runs import AgentThread, TtlStrategy
from recuerdo.core.scope import Owner
from recuerdo.core.thread_metadata import check_metadata
from recuerdo.core.threads import MOST_READ_BYTES
from recuerdo.runs.conversations import (
    NONE_MISSING,
    ConversationHistory,
    MissingThreads,
    ThreadsOfHistory,
    page_of_both,
)
from recuerdo.runs.lifecycle import ThreadWork, change_work, run_signal, thread_document

Ttl = tuple[float, TtlStrategy]
"""Minutes to live after the last change, and what happens then."""

_decode = reader("thread", AgentThread)
_MOST = 1_000_000
_EMPTY: dict[str, Any] = {
    "values": {},
    "next": [],
    "tasks": [],
    "metadata": None,
    "created_at": None,
    "checkpoint": None,
    "parent_checkpoint": None,
    "interrupts": [],
    "checkpoint_id": None,
    "parent_checkpoint_id": None,
}


class ThreadWakeups:
    """Wakes the tasks of this process that wait for runs of a thread. Tasks need not unsubscribe."""

    def __init__(self) -> None:
        self._expected: WeakValueDictionary[tuple[Owner, str], asyncio.Event] = WeakValueDictionary()

    def expect(self, owner: Owner, thread_id: str) -> asyncio.Event:
        """Set when something new comes to the thread here."""
        return self._expected.setdefault((owner, thread_id), asyncio.Event())

    def ring(self, owner: Owner, thread_id: str) -> None:
        """A run was made, or a state written."""
        waiting = self._expected.pop((owner, thread_id), None)
        if waiting is not None:
            waiting.set()


class ThreadSearchResult(NamedTuple):
    """A part of the threads that a search found, and how many it found in all."""

    threads: list[AgentThread]
    total: int


class StoredState(NamedTuple):
    """The checkpoint that a thread's state is made of, and the graph that makes it."""

    graph_id: str
    found: CheckpointFound


class Threads:
    """The threads of all users, over the documents and the graphs' host."""

    def __init__(
        self,
        documents: DocumentRepository,
        host: Callable[[], Awaitable[Any]],
        clock: Clock,
        history: ConversationHistory | None = None,
    ) -> None:
        """Without a history the threads are those that runs know."""
        self._documents = documents
        self._conversations = ThreadsOfHistory(documents, history) if history is not None else None
        self._host = host
        self._clock = clock
        self.arrivals = ThreadWakeups()

    def new(self, thread_id: str, metadata: Mapping[str, Any] | None = None, ttl: Ttl | None = None) -> AgentThread:
        """A new thread, not stored yet."""
        now = self._clock()
        return _living(
            AgentThread(
                thread_id=thread_id, created_at=now, updated_at=now, state_updated_at=now, metadata=dict(metadata or {})
            ),
            now,
            ttl,
        )

    async def create(self, owner: Owner, thread: AgentThread, *, reuse: bool = False) -> AgentThread:
        """Store a new thread; with `reuse`, the one that exists will do. Raises AlreadyExists.

        Its metadata is that of the conversation, too, which begins.
        """
        check_metadata(thread.metadata)

        def decide(work: ThreadWork) -> Decision[AgentThread]:
            if work.thread is None:
                work.thread = thread
            elif not reuse:
                raise AlreadyExists("a thread", thread.thread_id)
            return work.change(work.thread)

        created = await self._change(owner, thread.thread_id, decide)
        if created is thread:
            await self.describe(owner, thread.thread_id, thread.metadata)
        return created

    async def describe(self, owner: Owner, thread_id: str, metadata: Mapping[str, Any]) -> None:
        """Let the conversation of the history have this metadata as well."""
        if self._conversations is not None:
            try:
                await self._conversations.describe(owner, thread_id, metadata)
            except DatabaseUnavailable as error:  # what runs keep of the thread is stored already
                raise OutcomeUnknown("The database went away when half of it was done.") from error

    async def take_over(self, owner: Owner, thread_id: str, changes: Mapping[str, Any]) -> None:
        """Make a change of the conversation's metadata in what runs keep of the thread, where they keep something."""

        def decide(work: ThreadWork) -> Decision[None]:
            if work.thread is not None:
                gone = {name for name, value in changes.items() if value is None}
                merged = {**work.thread.metadata, **changes}
                kept = {name: value for name, value in merged.items() if name not in gone}
                work.thread = replace(work.thread, metadata=kept)
            return work.change(None)

        await self._change(owner, thread_id, decide)

    async def conversation(self, owner: Owner, thread_id: str) -> AgentThread | None:
        """The conversation of the history as a thread on which nothing has run; None where there is none."""
        return None if self._conversations is None else await self._conversations.get(owner, thread_id)

    async def described(self, owner: Owner, thread: AgentThread) -> AgentThread:
        """The thread with what the metadata of its conversation says besides."""
        return thread if self._conversations is None else await self._conversations.described(owner, thread)

    async def get(self, owner: Owner, thread_id: str) -> AgentThread:
        """The thread. Raises NotFound."""
        body = await self._documents.get(owner, DocumentKey("thread", thread_id))
        if body is not None:
            return _decode(body)
        known = await self.conversation(owner, thread_id)
        if known is None:
            raise NotFound("thread", thread_id)
        return known

    async def update(
        self, owner: Owner, thread_id: str, metadata: Mapping[str, Any], ttl: Ttl | None = None
    ) -> AgentThread:
        """Merge metadata into the thread's, and the conversation's. Raises NotFound or InvalidInput."""
        now, known = self._clock(), await self.conversation(owner, thread_id)

        def decide(work: ThreadWork) -> Decision[AgentThread]:
            thread = work.thread or known or _present(work)
            merged = {**thread.metadata, **(known.metadata if known else {}), **metadata}
            check_metadata(merged)
            work.thread = _living(replace(thread, metadata=merged, updated_at=now), now, ttl)
            return work.change(work.thread)

        updated = await self._change(owner, thread_id, decide)
        await self.describe(owner, thread_id, metadata)
        return updated

    async def delete(self, owner: Owner, thread_id: str) -> list[str]:
        """Erase the thread with its conversation, runs and checkpoints; the runs that were at work. Raises NotFound."""
        is_known = await self.conversation(owner, thread_id) is not None

        def decide(work: ThreadWork) -> Decision[list[str]]:
            if not is_known:
                _present(work)
            runs = [run.run_id for run in work.open_runs]
            return work.change(runs, erase=True, signals=[*map(run_signal, runs)])

        stopped = await self._change(owner, thread_id, decide)
        await (await self._host()).forget(owner, thread_id)
        if self._conversations is not None:
            await self._conversations.delete(owner, thread_id)
        return stopped

    async def search(self, owner: Owner, query: DocumentQuery, values: Mapping[str, Any]) -> ThreadSearchResult:
        """The user's threads that match, and whose state holds the values."""
        if values:
            return search_result([each async for each in self._holding(owner, query, values)], query)
        missing = await self._missing(owner, query)
        total = await self._documents.count(owner, "thread", query) + missing.beyond
        if not missing.documents:
            return ThreadSearchResult([*map(_decode, await self._documents.select(owner, "thread", query))], total)
        up_to_there = replace(query, limit=query.offset + query.limit, offset=0)
        found = await self._documents.select(owner, "thread", up_to_there)
        return ThreadSearchResult(page_of_both(found, missing.documents, query), total)

    async def count(self, owner: Owner, query: DocumentQuery, values: Mapping[str, Any]) -> int:
        """How many match, whatever the limit."""
        if not values:
            return await self._documents.count(owner, "thread", query) + (await self._missing(owner, query)).beyond
        return len([each async for each in self._holding(owner, query, values)])

    async def _missing(self, owner: Owner, query: DocumentQuery) -> MissingThreads:
        if self._conversations is None or query.where.get("status", "idle") != "idle":
            return NONE_MISSING
        return await self._conversations.missing(owner, query)

    async def _holding(
        self, owner: Owner, query: DocumentQuery, values: Mapping[str, Any]
    ) -> AsyncGenerator[AgentThread]:
        check_depth("values", values)
        everything = msgspec.structs.replace(query, limit=_MOST, offset=0)
        for thread in map(_decode, await self._documents.select(owner, "thread", everything)):
            if contains(await self.values(owner, thread), values):
                yield thread

    async def values(self, owner: Owner, thread: AgentThread) -> Any:
        """The values of the thread's latest state as JSON has them; None before its first run."""
        state = await self._state_of(owner, thread)
        if state["checkpoint"] is None:
            return None
        from recuerdo.runs.encoding import encode

        return msgspec.json.decode(encode(state["values"]))

    async def copy(
        self, owner: Owner, thread_id: str, copy_id: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> AgentThread:
        """A new thread with the same checkpoints, and the same metadata unless others are given. Raises NotFound."""
        source = await self.get(owner, thread_id)
        now = self._clock()
        copied = replace(
            source,
            thread_id=copy_id or new_id(),
            metadata=source.metadata if metadata is None else dict(metadata),
            created_at=now,
            updated_at=now,
            state_updated_at=now,
        )
        if copied.status == "busy":
            copied = replace(copied, status="idle")
        await (await self._host()).copy(owner, thread_id, copied.thread_id)
        return await self.create(owner, copied)

    async def prune(self, owner: Owner, thread_ids: Sequence[str], strategy: TtlStrategy) -> int:
        """Delete threads, or all their checkpoints but the latest. Skips absent ones. Returns the number pruned."""
        pruned = 0
        for thread_id in thread_ids:
            try:
                if strategy == "delete":
                    await self.delete(owner, thread_id)
                else:
                    await self.get(owner, thread_id)
                    await (await self._host()).keep_latest(owner, thread_id)
            except NotFound:
                continue
            pruned += 1
        return pruned

    async def state(
        self, owner: Owner, thread_id: str, checkpoint: Mapping[str, Any] | None = None, *, subgraphs: bool = False
    ) -> dict[str, Any]:
        """The state that the thread is in, or was at a checkpoint. Raises NotFound."""
        return await self._state_of(owner, await self.get(owner, thread_id), checkpoint, subgraphs=subgraphs)

    async def stored_state(self, owner: Owner, thread_id: str) -> StoredState | None:
        """The rows that `state` shows; None where nothing is stored, or a factory makes the graph. Raises NotFound."""
        if (graph_id := (await self.get(owner, thread_id)).metadata.get("graph_id")) is None:
            return None
        found = await (await self._host()).stored(owner, graph_id, thread_id)
        return found and StoredState(graph_id, found)

    async def _state_of(
        self, owner: Owner, thread: AgentThread, checkpoint: Mapping[str, Any] | None = None, *, subgraphs: bool = False
    ) -> dict[str, Any]:
        graph_id = thread.metadata.get("graph_id")
        if graph_id is None:
            return dict(_EMPTY)
        config = thread_config(owner, thread.thread_id, checkpoint)
        return await (await self._host()).state(owner, graph_id, config, subgraphs=subgraphs)

    async def history(
        self,
        owner: Owner,
        thread_id: str,
        *,
        limit: int,
        before: str | Mapping[str, Any] | None = None,
        metadata: dict[str, Any] | None = None,
        checkpoint: Mapping[str, Any] | None = None,
        most_bytes: int = MOST_READ_BYTES,
    ) -> list[dict[str, Any]]:
        """The states that the thread was in, the latest first. Raises NotFound or InvalidInput.

        They end after the state with which they have `most_bytes` as JSON.
        """
        check_depth("metadata", metadata)
        thread = await self.get(owner, thread_id)
        graph_id = thread.metadata.get("graph_id")
        if graph_id is None:
            return []
        earlier = {"checkpoint_id": before} if isinstance(before, str) else before
        return await (await self._host()).history(
            owner,
            graph_id,
            thread_config(owner, thread_id, checkpoint),
            limit=limit,
            before=thread_config(owner, thread_id, earlier) if earlier else None,
            metadata=metadata,
            most_bytes=most_bytes,
        )

    async def update_state(
        self,
        owner: Owner,
        thread_id: str,
        values: Any,
        *,
        as_node: str | None = None,
        checkpoint: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Write values into the state; the new checkpoint. Raises NotFound, ThreadBusy, or InvalidInput."""
        graph_id = await self._idle_graph(owner, thread_id)
        host = await self._host()
        config = await host.update(owner, graph_id, thread_config(owner, thread_id, checkpoint), values, as_node)
        await self._record_state(owner, thread_id, graph_id)
        names = ("thread_id", "checkpoint_ns", "checkpoint_id")
        return {name: config["configurable"][name] for name in names if name in config["configurable"]}

    async def play(self, owner: Owner, thread_id: str, supersteps: Sequence[Any]) -> None:
        """Write the steps of another thread, as if this one had taken them. Raises as `update_state` does."""
        graph_id = await self._idle_graph(owner, thread_id)
        await (await self._host()).play(owner, graph_id, thread_config(owner, thread_id), supersteps)
        await self._record_state(owner, thread_id, graph_id)

    async def expire(self, owner: Owner, thread: AgentThread) -> None:
        """The thread's time to live is over."""
        if thread.ttl_strategy == "delete":
            await self.delete(owner, thread.thread_id)
            return
        await (await self._host()).keep_latest(owner, thread.thread_id)
        kept = replace(thread, ttl=None, expires_at=None)
        await self._change(owner, thread.thread_id, lambda work: Decision(None, [thread_document(kept)]))

    async def _idle_graph(self, owner: Owner, thread_id: str) -> str:
        def decide(work: ThreadWork) -> Decision[str]:
            thread = _present(work)
            if work.open_runs:
                raise ThreadBusy(thread_id)
            if "graph_id" not in thread.metadata:
                raise NoGraph
            return work.change(str(thread.metadata["graph_id"]))

        return await self._change(owner, thread_id, decide)

    async def _record_state(self, owner: Owner, thread_id: str, graph_id: str) -> None:
        """Note in what state the thread was left."""
        state = await (await self._host()).state(owner, graph_id, thread_config(owner, thread_id))
        now = self._clock()
        status: Literal["interrupted", "idle"] = "interrupted" if state["next"] else "idle"
        interrupts = {task["id"]: task["interrupts"] for task in state["tasks"] if task["interrupts"]}

        def decide(work: ThreadWork) -> Decision[None]:
            work.thread = replace(
                _present(work), status=status, interrupts=interrupts, error=None, updated_at=now, state_updated_at=now
            )
            return work.change(None)

        await self._change(owner, thread_id, decide)
        self.arrivals.ring(owner, thread_id)

    async def _change(self, owner: Owner, thread_id: str, decide: Callable[[ThreadWork], Decision[Any]]) -> Any:
        return await change_work(self._documents, owner, thread_id, decide, DocumentKey("thread", thread_id))


def search_result(found: list[AgentThread], query: DocumentQuery) -> ThreadSearchResult:
    """The part of what was found that the query asks for."""
    return ThreadSearchResult(found[query.offset : query.offset + query.limit], len(found))


def _present(work: ThreadWork) -> AgentThread:
    if work.thread is None:
        raise NotFound("thread", work.thread_id)
    return work.thread


def _living(thread: AgentThread, now: datetime, ttl: Ttl | None) -> AgentThread:
    if ttl is None:
        minutes, strategy = thread.ttl, thread.ttl_strategy
    else:
        minutes, strategy = ttl
    if minutes is None:
        return thread
    return replace(thread, ttl=minutes, ttl_strategy=strategy, expires_at=now + timedelta(minutes=minutes))


def thread_config(owner: Owner, thread_id: str, checkpoint: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The config that names a thread, and a checkpoint or a subgraph of it."""
    given = {name: value for name, value in (checkpoint or {}).items() if value is not None}
    return {"configurable": {"checkpoint_ns": "", **given, "thread_id": thread_id, "user_id": owner.user}}
