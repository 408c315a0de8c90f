"""The services of one caller: each call asks the rules first, and sees only what they let through.

What the rules hide is not there: NotFound. They may change what is created, put and searched.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from recuerdo.core.documents import DocumentQuery
from recuerdo.core.errors import AlreadyExists, NotFound
from recuerdo.core.runs import AgentThread, Assistant, CancelAction, Cron, Run, TtlStrategy
from recuerdo.core.scope import Owner
from recuerdo.runs.assistants import Assistants
from recuerdo.runs.commands import Commands
from recuerdo.runs.crons import Crons
from recuerdo.runs.filters import Conditions, fits, plain
from recuerdo.runs.rules import Access
from recuerdo.runs.runs import NewRun, Runs
from recuerdo.runs.services import RunServices
from recuerdo.runs.thread_join import ThreadJoin
from recuerdo.runs.threads import Threads, ThreadSearchResult, Ttl, page_of

_MOST = 1_000_000


def authorized(services: RunServices, access: Access) -> RunServices:
    """The same services for a caller with this access."""
    assistants = AuthorizedAssistants(services.assistants, access)
    threads = AuthorizedThreads(services.threads, access)
    runs = AuthorizedRuns(services.runs, access, assistants, threads)

    async def host() -> Any:
        return _AuthorizedHost(await services.host(), access)

    return services._replace(
        assistants=assistants,
        threads=threads,
        runs=runs,
        crons=AuthorizedCrons(services.crons, access),
        commands=Commands(runs, threads),
        stream=services.stream.guarded(runs, threads),
        join=ThreadJoin(runs, threads),
        host=host,
    )


class AuthorizedThreads(Threads):
    """Threads that the rules let through."""

    def __init__(self, threads: Threads, access: Access) -> None:
        vars(self).update(vars(threads))
        self._access = access

    async def create(self, owner: Owner, thread: AgentThread, *, reuse: bool = False) -> AgentThread:
        value: dict[str, Any] = {
            "thread_id": thread.thread_id,
            "metadata": thread.metadata,
            "if_exists": "do_nothing" if reuse else "raise",
        }
        conditions = await self._access.ask("threads", "create", value)
        created = await super().create(owner, replace(thread, metadata=value["metadata"] or {}), reuse=reuse)
        if not fits(created.metadata, conditions) and created.created_at != thread.created_at:
            raise AlreadyExists("a thread", thread.thread_id)
        return created

    async def get(self, owner: Owner, thread_id: str) -> AgentThread:
        return await self.permitted(owner, thread_id, "read")

    async def permitted(self, owner: Owner, thread_id: str, event: str, **value: Any) -> AgentThread:
        """The thread, if the rules let the caller do this with it. Raises NotFound."""
        conditions = await self._access.ask("threads", event, {"thread_id": thread_id, **value})
        return await self.fitting(owner, thread_id, conditions)

    async def fitting(self, owner: Owner, thread_id: str, conditions: Conditions) -> AgentThread:
        """The thread, if it is what the conditions ask for. Raises NotFound."""
        thread = await super().get(owner, thread_id)
        if not fits(thread.metadata, conditions):
            raise NotFound("thread", thread_id)
        return thread

    async def update(
        self, owner: Owner, thread_id: str, metadata: Mapping[str, Any], ttl: Ttl | None = None
    ) -> AgentThread:
        value: dict[str, Any] = {"thread_id": thread_id, "metadata": dict(metadata)}
        await self.fitting(owner, thread_id, await self._access.ask("threads", "update", value))
        return await super().update(owner, thread_id, value["metadata"], ttl)

    async def delete(self, owner: Owner, thread_id: str) -> list[str]:
        await self.permitted(owner, thread_id, "delete")
        return await super().delete(owner, thread_id)

    async def prune(self, owner: Owner, thread_ids: Sequence[str], strategy: TtlStrategy) -> int:
        conditions = await self._access.ask("threads", "delete", {"thread_ids": [*thread_ids]})
        known = [each for each in thread_ids if await self._is_fitting(owner, each, conditions)]
        return await super().prune(owner, known, strategy)

    async def _is_fitting(self, owner: Owner, thread_id: str, conditions: Conditions) -> bool:
        try:
            await self.fitting(owner, thread_id, conditions)
        except NotFound:
            return False
        return True

    async def search(self, owner: Owner, query: DocumentQuery, values: Mapping[str, Any]) -> ThreadSearchResult:
        conditions = await self._searching(query, values)
        narrower = _narrowed(query, conditions)
        if narrower is not None:
            return await super().search(owner, narrower, values)
        return page_of(await self._all_fitting(owner, query, values, conditions), query)

    async def count(self, owner: Owner, query: DocumentQuery, values: Mapping[str, Any]) -> int:
        conditions = await self._searching(query, values)
        narrower = _narrowed(query, conditions)
        if narrower is not None:
            return await super().count(owner, narrower, values)
        return len(await self._all_fitting(owner, query, values, conditions))

    async def _searching(self, query: DocumentQuery, values: Mapping[str, Any]) -> Conditions:
        value: dict[str, Any] = {
            "metadata": dict(query.where.get("metadata") or {}),
            "values": dict(values),
            "status": query.where.get("status"),
            "limit": query.limit,
            "offset": query.offset,
        }
        return await self._access.ask("threads", "search", value)

    async def _all_fitting(
        self, owner: Owner, query: DocumentQuery, values: Mapping[str, Any], conditions: Conditions
    ) -> list[AgentThread]:
        found = await super().search(owner, replace(query, limit=_MOST, offset=0), values)
        return [each for each in found.threads if fits(each.metadata, conditions)]

    async def update_state(
        self,
        owner: Owner,
        thread_id: str,
        values: Any,
        *,
        as_node: str | None = None,
        checkpoint: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        await self.permitted(owner, thread_id, "update")
        return await super().update_state(owner, thread_id, values, as_node=as_node, checkpoint=checkpoint)

    async def play(self, owner: Owner, thread_id: str, supersteps: Sequence[Any]) -> None:
        await self.permitted(owner, thread_id, "update")
        await super().play(owner, thread_id, supersteps)


class AuthorizedAssistants(Assistants):
    """Assistants that the rules let through. A graph's own assistant is nobody's: conditions don't hide it."""

    def __init__(self, assistants: Assistants, access: Access) -> None:
        vars(self).update(vars(assistants))
        self._access = access

    async def get(self, owner: Owner, assistant_id: str) -> Assistant:
        conditions = await self._access.ask("assistants", "read", {"assistant_id": assistant_id})
        return await self._fitting(owner, assistant_id, conditions)

    async def _fitting(self, owner: Owner, assistant_id: str, conditions: Conditions) -> Assistant:
        assistant = await super().get(owner, assistant_id)
        if not self._fits(assistant, conditions):
            raise NotFound("assistant", assistant_id)
        return assistant

    def _fits(self, assistant: Assistant, conditions: Conditions) -> bool:
        return assistant.assistant_id in self._own or fits(assistant.metadata, conditions)

    async def create(
        self, owner: Owner, assistant_id: str, graph_id: str, fields: Mapping[str, Any], *, reuse: bool = False
    ) -> Assistant:
        value: dict[str, Any] = {
            "assistant_id": assistant_id,
            "graph_id": graph_id,
            **fields,
            "metadata": dict(fields.get("metadata") or {}),
            "if_exists": "do_nothing" if reuse else "raise",
        }
        conditions = await self._access.ask("assistants", "create", value)
        made = await super().create(owner, assistant_id, graph_id, _taken(fields, value), reuse=reuse)
        if not self._fits(made, conditions) and reuse:
            raise AlreadyExists("an assistant", assistant_id)
        return made

    async def update(self, owner: Owner, assistant_id: str, fields: Mapping[str, Any]) -> Assistant:
        value = {"assistant_id": assistant_id, **fields, "metadata": dict(fields.get("metadata") or {})}
        await self._fitting(owner, assistant_id, await self._access.ask("assistants", "update", value))
        return await super().update(owner, assistant_id, _taken(fields, value))

    async def set_latest(self, owner: Owner, assistant_id: str, version: int) -> Assistant:
        value: dict[str, Any] = {"assistant_id": assistant_id, "version": version}
        await self._fitting(owner, assistant_id, await self._access.ask("assistants", "update", value))
        return await super().set_latest(owner, assistant_id, version)

    async def delete(self, owner: Owner, assistant_id: str) -> None:
        conditions = await self._access.ask("assistants", "delete", {"assistant_id": assistant_id})
        await self._fitting(owner, assistant_id, conditions)
        await super().delete(owner, assistant_id)

    async def search(self, owner: Owner, query: DocumentQuery) -> list[Assistant]:
        conditions = await self._searching(query)
        narrower = _narrowed(query, conditions)
        if narrower is not None:
            return await self._page(owner, query, narrower)
        found = await self._all_fitting(owner, query, conditions)
        return found[query.offset : query.offset + query.limit]

    async def count(self, owner: Owner, query: DocumentQuery) -> int:
        conditions = await self._searching(query)
        narrower = _narrowed(query, conditions)
        if narrower is not None:
            return await self._total(owner, query, narrower)
        return len(await self._all_fitting(owner, query, conditions))

    async def _searching(self, query: DocumentQuery) -> Conditions:
        metadata = dict(query.where.get("metadata") or {})
        value = {"graph_id": query.where.get("graph_id"), "metadata": metadata}
        return await self._access.ask("assistants", "search", {**value, "limit": query.limit, "offset": query.offset})

    async def _all_fitting(self, owner: Owner, query: DocumentQuery, conditions: Conditions) -> list[Assistant]:
        found = await super().search(owner, replace(query, limit=_MOST, offset=0))
        return [each for each in found if self._fits(each, conditions)]


class AuthorizedRuns(Runs):
    """Runs on threads that the rules let through."""

    def __init__(self, runs: Runs, access: Access, assistants: Assistants, threads: AuthorizedThreads) -> None:
        vars(self).update(vars(runs))
        self._access = access
        self._assistants = assistants
        self._threads = self._guarded = threads

    async def create(self, owner: Owner, new: NewRun) -> Run:
        value: dict[str, Any] = {
            "thread_id": new.thread_id,
            "assistant_id": new.assistant,
            "metadata": dict(new.metadata),
            "multitask_strategy": new.strategy,
            "if_not_exists": "create" if new.makes_thread else "reject",
            "after_seconds": new.after_seconds,
            "kwargs": msgspec.structs.asdict(new.request),
        }
        conditions = await self._access.ask("threads", "create_run", value)
        if new.thread_id is not None and (conditions or not new.makes_thread):
            await self._check(owner, new, conditions)
        caller = self._access.caller.configurable
        return await super().create(owner, new._replace(metadata=value["metadata"] or {}, caller=caller))

    async def _check(self, owner: Owner, new: NewRun, conditions: Conditions) -> None:
        assert new.thread_id is not None  # noqa: S101 - who calls this knows
        try:
            thread = await Threads.get(self._guarded, owner, new.thread_id)
        except NotFound:
            return  # it is made, or its absence is told
        if not fits(thread.metadata, conditions):
            raise NotFound("thread", new.thread_id)

    async def get(self, owner: Owner, thread_id: str | None, run_id: str) -> Run:
        run = await super().get(owner, thread_id, run_id)
        try:
            await self._guarded.permitted(owner, run.thread_id, "read")
        except NotFound:
            raise NotFound("run", run_id) from None
        return run

    async def _may_read(self, run: Run) -> bool:
        conditions = await self._access.ask("threads", "read", {"thread_id": run.thread_id})
        return fits(run.metadata, conditions)

    async def delete(self, owner: Owner, thread_id: str, run_id: str) -> None:
        await self._guarded.permitted(owner, thread_id, "delete", run_id=run_id)
        await super().delete(owner, thread_id, run_id)

    async def cancel(self, owner: Owner, thread_id: str, run_ids: Collection[str], action: CancelAction) -> list[Run]:
        metadata = {"run_ids": [*run_ids]}
        await self._guarded.permitted(owner, thread_id, "update", action=action, metadata=metadata)
        return await super().cancel(owner, thread_id, run_ids, action)


class AuthorizedCrons(Crons):
    """Schedules that the rules let through."""

    def __init__(self, crons: Crons, access: Access) -> None:
        vars(self).update(vars(crons))
        self._access = access

    async def create(
        self, owner: Owner, assistant_id: str, payload: dict[str, Any], thread_id: str | None, fields: Mapping[str, Any]
    ) -> Cron:
        value = {"payload": payload, "thread_id": thread_id, "user_id": owner.user, **fields}
        value["metadata"] = dict(fields.get("metadata") or {})
        await self._access.ask("crons", "create", value)
        return await super().create(owner, assistant_id, payload, thread_id, _taken(fields, value))

    async def _permitted(self, owner: Owner, cron_id: str, action: str, **value: Any) -> None:
        conditions = await self._access.ask("crons", action, {"cron_id": cron_id, **value})
        if not fits((await super().get(owner, cron_id)).metadata, conditions):
            raise NotFound("cron", cron_id)

    async def update(self, owner: Owner, cron_id: str, payload: Mapping[str, Any], fields: Mapping[str, Any]) -> Cron:
        await self._permitted(owner, cron_id, "update", payload=dict(payload), **fields)
        return await super().update(owner, cron_id, payload, fields)

    async def delete(self, owner: Owner, cron_id: str) -> None:
        await self._permitted(owner, cron_id, "delete")
        await super().delete(owner, cron_id)

    async def search(self, owner: Owner, query: DocumentQuery) -> list[Cron]:
        found = await self._fitting(owner, query)
        return found[query.offset : query.offset + query.limit]

    async def count(self, owner: Owner, query: DocumentQuery) -> int:
        return len(await self._fitting(owner, query))

    async def _fitting(self, owner: Owner, query: DocumentQuery) -> list[Cron]:
        value = {**query.where, "limit": query.limit, "offset": query.offset}
        conditions = await self._access.ask("crons", "search", value)
        found = await super().search(owner, replace(query, limit=_MOST, offset=0))
        return [each for each in found if fits(each.metadata, conditions)]


class _AuthorizedHost:
    """The graphs' host, whose stores ask first."""

    def __init__(self, host: Any, access: Access) -> None:
        self._host = host
        self._access = access

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)

    def store(self, owner: Owner) -> "_AuthorizedStore":
        return _AuthorizedStore(self._host.store(owner), self._access)


class _AuthorizedStore:
    """The calls of the store's routes. Handlers may give them another namespace."""

    def __init__(self, store: Any, access: Access) -> None:
        self._store = store
        self._access = access

    async def _asked(self, action: str, **value: Any) -> dict[str, Any]:
        await self._access.ask("store", action, value)
        return {**value, "namespace": tuple(value["namespace"] or ())}

    async def aput(self, namespace: tuple[str, ...], key: str, value: Any, **more: Any) -> None:
        put = await self._asked("put", namespace=namespace, key=key, value=value, index=more.get("index"))
        await self._store.aput(put["namespace"], put["key"], put["value"], **more)

    async def aget(self, namespace: tuple[str, ...], key: str, **more: Any) -> Any:
        wanted = await self._asked("get", namespace=namespace, key=key)
        return await self._store.aget(wanted["namespace"], wanted["key"], **more)

    async def adelete(self, namespace: tuple[str, ...], key: str) -> None:
        gone = await self._asked("delete", namespace=namespace, key=key)
        await self._store.adelete(gone["namespace"], gone["key"])

    async def asearch(self, namespace: tuple[str, ...], **query: Any) -> Any:
        wanted = await self._asked("search", namespace=namespace, **query)
        return await self._store.asearch(wanted.pop("namespace"), **wanted)

    async def alist_namespaces(self, *, prefix: tuple[str, ...] | None, **query: Any) -> Any:
        wanted = await self._asked("list_namespaces", namespace=prefix or (), **query)
        return await self._store.alist_namespaces(prefix=wanted.pop("namespace") or None, **wanted)


def _taken(fields: Mapping[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    """The fields as handlers have left them."""
    return {**{name: value.get(name) for name in fields}, "metadata": value["metadata"] or {}}


def _narrowed(query: DocumentQuery, conditions: Conditions) -> DocumentQuery | None:
    """A query that a database can answer with the conditions; None when it can't."""
    asked = cast(Mapping[str, Any], query.where.get("metadata") or {})
    if not plain(conditions) or asked.keys() & conditions.keys():
        return None
    return replace(query, where={**query.where, "metadata": {**asked, **conditions}}) if conditions else query
