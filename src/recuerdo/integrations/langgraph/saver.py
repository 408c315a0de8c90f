"""LangGraph's checkpointer over Recuerdo, and opening a database for LangGraph alone."""

import copy
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any, Generic, Protocol, Self, TypeVar, cast

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_id,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.base import Checkpoint as GraphCheckpoint
from langgraph.checkpoint.serde.base import SerializerProtocol

from recuerdo.app.recuerdo import Recuerdo
from recuerdo.checkpoints import Checkpoint, Checkpoints, HistoryChannel, HistoryEpoch, NewCheckpoint, Place, Write
from recuerdo.core.checkpoints import CheckpointFound, CheckpointQuery, Holder
from recuerdo.core.conditions import check_depth
from recuerdo.core.errors import InvalidInput, RecuerdoError
from recuerdo.core.messages import Message
from recuerdo.core.scope import DEFAULT_TENANT, OWNER_NAMES, Owner, Scope, owner_in, tenant_in
from recuerdo.core.threads import Append
from recuerdo.history.history import utc_now
from recuerdo.history.message_fields import NO_FIELDS, MessageFields
from recuerdo.history.requests import MOST_MESSAGES, prepare
from recuerdo.integrations.bridge import Bridge, SyncCaller, nothing
from recuerdo.integrations.langchain.messages import from_langchain
from recuerdo.integrations.langgraph.codec import LangGraphCodec
from recuerdo.integrations.langgraph.strict import StrictSerializer, announce_types

_ANYWHERE = Scope("t", "u", "t")
_PAGE = 100
T = TypeVar("T")


class OpenRecuerdo(Protocol):
    """An open Recuerdo, as far as a saver needs it."""

    @property
    def checkpoints(self) -> Checkpoints: ...

    @property
    def message_fields(self) -> MessageFields: ...


class RecuerdoSaver(BaseCheckpointSaver[Any]):
    """Saves the state of LangGraph's graphs; a thread's storage grows only by its new elements.

    async with Recuerdo.open("sqlite:///recuerdo.db") as memory:
        graph = builder.compile(checkpointer=RecuerdoSaver(memory, tenant="acme", user="emi"))

    Threads belong to the `tenant` (else `default`) and the `user` that are given here. Without a user, each call's
    `configurable` names the owner, by `tenant_id` and `user_id` or as LangGraph's server has authenticated the caller;
    where it names no user either, InvalidInput is raised. Methods without a config, like `delete_thread`, need a saver
    that has its user: see `owned_by`.

    A state may hold LangGraph's own types, those that its graph's schemas name, and those in `allow`; values of others
    raise InvalidInput when they are saved. With a `serde` everything is packed by that instead, as it likes. Messages
    that the channel `history` of a graph gains are appended to the thread's history in the same transaction, each id
    once; None leaves the history alone. The synchronous methods may be called from any thread but the event loop's own.
    """

    def __init__(
        self,
        memory: OpenRecuerdo,
        *,
        tenant: str | None = None,
        user: str | None = None,
        serde: SerializerProtocol | None = None,
        allow: Iterable[tuple[str, ...] | type] = (),
        history: str | None = "messages",
        bridge: Bridge | None = None,
    ) -> None:
        super().__init__(serde=serde or StrictSerializer(allow))
        self._checkpoints = memory.checkpoints
        self._codec = LangGraphCodec(self.serde)
        self._tenant = tenant
        self._user = user
        if user is not None:
            Owner(tenant or DEFAULT_TENANT, user)  # an invalid id fails here, and not at the first checkpoint
        self._history = history
        self._fields = memory.message_fields
        self._holder: Holder | None = None
        self._epoch: HistoryEpoch | None = None
        self._sync = SyncCaller(bridge)

    @classmethod
    def from_conn_string(
        cls,
        conn_string: str,
        *,
        tenant: str | None = None,
        user: str | None = None,
        serde: SerializerProtocol | None = None,
        allow: Iterable[tuple[str, ...] | type] = (),
        history: str | None = "messages",
    ) -> "Opening[Self]":
        """Open a database for this saver alone, with `async with` or, in a program without a loop, with `with`.

        The tables are made and brought up to date; see Recuerdo.open for the URLs and for what may be raised.
        """
        return Opening(
            conn_string, lambda memory: cls(memory, tenant=tenant, user=user, serde=serde, allow=allow, history=history)
        )

    def setup(self) -> Any:
        """Do nothing: opening a database already brings its tables up to date. May be awaited."""
        return nothing()

    def owned_by(self, *, tenant: str, user: str) -> Self:
        """A copy of the saver for another owner's threads. Raises InvalidInput for impossible ids."""
        owner = Owner(tenant, user)
        return self._with(_tenant=owner.tenant, _user=owner.user)

    def held_by(self, run: str, token: int, epoch: int | None = None) -> Self:
        """A copy of the saver for one start of a run: it raises LeaseLost when another start holds the run.

        Messages go to the history only while that is in the `epoch`; without one, or with 0 for a history that must
        not exist yet, in the epoch of the first that are written. Afterwards EpochChanged is raised.
        """
        return self._with(_holder=Holder(run, token), _epoch=HistoryEpoch(epoch))

    def with_allowlist(self, extra_allowlist: Collection[tuple[str, ...]]) -> Self:
        """A copy of the saver that allows more types: each graph passes those that it names itself."""
        serde = super().with_allowlist(extra_allowlist).serde
        if serde is self.serde:
            return self
        return self._with(serde=serde, _codec=LangGraphCodec(serde))

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Whole numbers; where an imported thread has texts, texts that sort after them."""
        if not isinstance(current, str):
            return 1 if current is None else int(current) + 1
        return f"{int(current.split('.')[0]) + 1:032}.{random.random():016}"  # noqa: S311

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        found = await self._sync.join(self._checkpoints.get(self._codec, self._place(config)))
        return None if found is None else self._tuple(config, found)

    async def astored(self, config: RunnableConfig) -> CheckpointFound | None:
        """The stored rows behind `aget_tuple`: as long as they are equal, so is its answer."""
        return await self._sync.join(self._checkpoints.stored(self._place(config)))

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """See BaseCheckpointSaver. Messages that stay from one checkpoint to the next are the same objects in both."""
        check_depth("filter", filter)
        if limit is not None and limit <= 0:
            return
        query = self._query(config, before, _PAGE if limit is None or filter else min(limit, _PAGE))
        matches = partial(_has, wanted=filter)
        count = 0
        async with aclosing(self._sync.walk(self._checkpoints.list(self._codec, query, matches))) as all_found:
            async for found in all_found:
                yield self._tuple(config, found)
                count += 1
                if count == limit:
                    return

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: GraphCheckpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        place = self._place(config)
        about: Mapping[str, Any] = get_checkpoint_metadata(config, metadata)
        run, history = about.get("run_id"), None
        if self._history is not None and not place.namespace:  # a subgraph's messages are its own affair
            assistant, said_at = about.get("assistant_id"), _time(checkpoint.get("ts"))
            agent_id = assistant if isinstance(assistant, str) else None
            made = partial(appends, place.scope, said_at, fields=self._fields, agent_id=agent_id)
            history = HistoryChannel(self._history, made, self._epoch)
        new = NewCheckpoint(
            id=checkpoint["id"],
            parent=place.id,
            run=run if isinstance(run, str) else "",
            values=checkpoint["channel_values"],
            versions=checkpoint["channel_versions"],
            changed=new_versions.keys(),
            rest={name: part for name, part in checkpoint.items() if name not in _APART},
            metadata=about,
            history=history,
            holder=self._holder,
        )
        await self._sync.join(self._checkpoints.put(self._codec, place.scope, place.namespace, new))
        return self._config(config, place._replace(id=checkpoint["id"]))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        numbered = [
            Write(WRITES_IDX_MAP.get(channel, index), channel, value) for index, (channel, value) in enumerate(writes)
        ]
        await self._sync.join(
            self._checkpoints.put_writes(self._codec, self._place(config), task_id, task_path, numbered, self._holder)
        )

    async def adelete_thread(self, thread_id: str) -> None:
        await self._sync.join(self._checkpoints.delete(self.owner.thread(str(thread_id))))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """See BaseCheckpointSaver. The parts of a DeltaChannel's value at another run's checkpoint stay."""
        await self._sync.join(self._checkpoints.delete_runs(self._codec, self.owner, set(run_ids)))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """See BaseCheckpointSaver. Raises ThreadExists when the target has checkpoints."""
        await self._sync.join(self._checkpoints.copy(self.owner.thread(str(source_thread_id)), str(target_thread_id)))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """See BaseCheckpointSaver. The parts of a DeltaChannel's value at the latest checkpoint stay."""
        if strategy not in ("keep_latest", "delete"):
            raise InvalidInput("strategy", "must be keep_latest or delete")
        for thread in map(str, thread_ids):
            if strategy == "delete":
                await self.adelete_thread(thread)
            else:
                await self._sync.join(self._checkpoints.keep_latest(self._codec, self.owner.thread(thread)))

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        if not channels:
            return {}
        found = await self._sync.join(self._checkpoints.deltas(self._codec, self._place(config), channels))
        return {
            channel: DeltaChannelHistory(writes=delta.writes, seed=delta.seeds[0])
            if delta.seeds
            else DeltaChannelHistory(writes=delta.writes)
            for channel, delta in found.items()
        }

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self._sync.run(self.aget_tuple(config))

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        yield from self._sync.iterate(self.alist(config, filter=filter, before=before, limit=limit))

    def put(
        self,
        config: RunnableConfig,
        checkpoint: GraphCheckpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return self._sync.run(self.aput(config, checkpoint, metadata, new_versions))

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        self._sync.run(self.aput_writes(config, writes, task_id, task_path))

    def delete_thread(self, thread_id: str) -> None:
        self._sync.run(self.adelete_thread(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        self._sync.run(self.adelete_for_runs(run_ids))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        self._sync.run(self.acopy_thread(source_thread_id, target_thread_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        self._sync.run(self.aprune(thread_ids, strategy=strategy))

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        return self._sync.run(self.aget_delta_channel_history(config=config, channels=channels))

    @property
    def owner(self) -> Owner:
        """The owner of the threads that the methods without a config act on. Raises InvalidInput without a user."""
        return self._owner_of({})

    def _with(self, **changed: Any) -> Self:
        clone = copy.copy(self)
        for name, value in changed.items():
            setattr(clone, name, value)
        return clone

    def _owner_of(self, configurable: Mapping[str, Any]) -> Owner:
        if self._user is not None:
            return Owner(self._tenant or DEFAULT_TENANT, self._user)
        return Owner(self._tenant or tenant_in(configurable), owner_in(configurable).user)

    def _place(self, config: RunnableConfig) -> Place:
        configurable = _configurable(config)
        thread = configurable.get("thread_id")
        if thread is None:
            raise InvalidInput("thread_id", "is missing: pass config={'configurable': {'thread_id': ...}}")
        scope = self._owner_of(configurable).thread(str(thread))
        return Place(scope, configurable.get("checkpoint_ns") or "", get_checkpoint_id(config) or "")

    def _query(self, config: RunnableConfig | None, before: RunnableConfig | None, limit: int) -> CheckpointQuery:
        configurable = _configurable(config)
        thread = configurable.get("thread_id")
        return CheckpointQuery(
            owner=self._owner_of(configurable),
            thread=None if thread is None else str(thread),
            namespace=configurable.get("checkpoint_ns"),
            id=configurable.get("checkpoint_id"),
            before=get_checkpoint_id(before) if before else None,
            limit=limit,
        )

    def _config(self, asked: RunnableConfig | None, place: Place) -> RunnableConfig:
        """The place as a config, with the owner where that came from the config."""
        given = _configurable(asked)
        return {
            "configurable": {
                **{name: given[name] for name in OWNER_NAMES if name in given},
                "thread_id": place.scope.thread,
                "checkpoint_ns": place.namespace,
                "checkpoint_id": place.id,
            }
        }

    def _tuple(self, asked: RunnableConfig | None, found: Checkpoint) -> CheckpointTuple:
        checkpoint = {
            **found.rest,
            "id": found.place.id,
            "channel_values": found.values,
            "channel_versions": found.versions,
        }
        return CheckpointTuple(
            config=self._config(asked, found.place),
            checkpoint=cast(GraphCheckpoint, checkpoint),
            metadata=found.metadata,
            parent_config=self._config(asked, found.place._replace(id=found.parent)) if found.parent else None,
            pending_writes=found.writes,
        )


announce_types(lambda saver: isinstance(saver, RecuerdoSaver) and isinstance(saver.serde, StrictSerializer))

_APART = frozenset(("id", "channel_values", "channel_versions"))


def _configurable(config: RunnableConfig | None) -> Mapping[str, Any]:
    return (config or {}).get("configurable") or {}


def _has(metadata: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    return not wanted or all(metadata.get(name) == value for name, value in wanted.items())


def _time(said_at: str | None) -> datetime:
    """When a checkpoint was made, which may be years before it is written here; now, if that is not a time."""
    try:
        return datetime.fromisoformat(said_at or "").astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        return utc_now()


def appends(
    scope: Scope,
    said_at: datetime,
    elements: Sequence[Any],
    *,
    fields: MessageFields = NO_FIELDS,
    agent_id: str | None = None,
) -> list[Append]:
    """The appends of the elements that are messages with ids: without an id a repeated message can't be recognised."""
    messages: dict[str, Message] = {}
    for element in elements:
        if isinstance(element, BaseMessage) and element.id:
            with suppress(InvalidInput):  # the graph may hold what no history can, e.g. an order to remove something
                message = from_langchain(element)
                prepare(_ANYWHERE, [message], said_at)
                messages[message.id] = message
    pages, rest = list[Append](), [*messages.values()]
    while rest:
        pages.append(prepare(scope, rest[:MOST_MESSAGES], said_at, fields=fields, agent_id=agent_id))
        rest = rest[MOST_MESSAGES:]
    return pages


class Opening(Generic[T]):
    """A database that is open within `async with` or, where no event loop runs, within `with`."""

    def __init__(
        self, url: str, make: Callable[[Recuerdo], T], close: Callable[[T], Awaitable[object]] | None = None
    ) -> None:
        """`make` is given the open database, and `close` its result, just before the database is closed."""
        self._url = url
        self._make = make
        self._close = close
        self._stack = AsyncExitStack()
        self._bridge: Bridge | None = None

    async def __aenter__(self) -> T:
        async with AsyncExitStack() as stack:  # closes what is open when the rest fails
            try:
                made = self._make(await stack.enter_async_context(Recuerdo.open(self._url, embeddings="none")))
            except RecuerdoError as error:
                raise error.with_traceback(None) from None
            if self._close is not None:
                stack.push_async_callback(self._close, made)
            self._stack = stack.pop_all()
        return made

    async def __aexit__(self, *failure: object) -> None:
        await self._stack.aclose()

    def __enter__(self) -> T:
        self._bridge = Bridge()
        try:
            return self._bridge.run(self.__aenter__())
        except BaseException as error:
            self._bridge.close()
            if isinstance(error, RecuerdoError):
                raise error.with_traceback(None) from None
            raise

    def __exit__(self, *failure: object) -> None:
        if self._bridge is not None:
            try:
                self._bridge.run(self.__aexit__())
            finally:
                self._bridge.close()
