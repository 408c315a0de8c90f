"""The services of one caller: each call asks the rules of a langgraph.json first, and sees only what they let through.

Objects that the rules hide are answered with NotFound. Handlers may change what is created, stored and searched.

A facade denies by default. A method that it defines asks the rules, and so does a name in `CHECKED`: about the resource
that the call names, whether the caller may do this with it. A name in `OPEN` is passed on, and the reason why no rule
needs to be asked is its value. Everything else is refused.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar, cast

import msgspec
from msgspec.structs import replace

from recuerdo.core.documents import DocumentQuery
from recuerdo.core.errors import AlreadyExists, Forbidden, NotFound
from recuerdo.core.identifiers import new_id
from recuerdo.core.runs import AgentThread, Assistant, CancelAction, Cron, Run, TtlStrategy
from recuerdo.core.scope import Owner
from recuerdo.runs.assistants import Assistants, answering
from recuerdo.runs.commands import Commands
from recuerdo.runs.crons import Crons
from recuerdo.runs.rules import Access, Conditions, are_values, fits
from recuerdo.runs.runs import NewRun, Runs
from recuerdo.runs.services import RunServices
from recuerdo.runs.thread_stream import ThreadJoin
from recuerdo.runs.threads import Threads, ThreadSearchResult, Ttl, search_result

_MOST = 1_000_000
_LET_THROUGH = "takes what one of the other methods has let through"


def authorized(services: RunServices, access: Access) -> RunServices:
    """The services as a caller with this access may use them."""
    assistants = AuthorizedAssistants(services.assistants, access)
    threads = AuthorizedThreads(services.threads, access)
    runs = AuthorizedRuns(services.runs, access, assistants, threads)

    async def host() -> Any:
        return AuthorizedHost(await services.host(), access)

    ruled_runs, ruled_threads = cast(Runs, runs), cast(Threads, threads)
    return RunServices(
        assistants=cast(Assistants, assistants),
        threads=ruled_threads,
        runs=ruled_runs,
        crons=cast(Crons, AuthorizedCrons(services.crons, access)),
        commands=Commands(ruled_runs, ruled_threads),
        stream=services.stream.guarded(ruled_runs, ruled_threads),
        join=ThreadJoin(ruled_runs, ruled_threads),
        host=host,
    )


class Facade:
    """Stands before a service. Any name that it neither defines nor lists in `CHECKED` or `OPEN` is refused."""

    CHECKED: ClassVar[Mapping[str, str]] = {}
    OPEN: ClassVar[Mapping[str, str]] = {}

    def __init__(self, service: Any, access: Access) -> None:
        self._service = service
        self._access = access

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self.CHECKED:
            return partial(self._checked, name)
        if name in self.OPEN:
            return getattr(self._service, name)
        raise Forbidden(f"The rules of langgraph.json do not cover {name!r}, and what they do not cover is refused.")

    async def _checked(self, name: str, owner: Owner, identifier: str, *arguments: Any, **more: Any) -> Any:
        await self.check(owner, identifier, self.CHECKED[name])
        return await getattr(self._service, name)(owner, identifier, *arguments, **more)

    async def check(self, owner: Owner, identifier: str, event: str) -> None:
        """Raises NotFound unless the rules let the caller do this with what has the id."""
        raise NotImplementedError


class _Collection(Facade):
    """Stands before a service of resources that have metadata: `RESOURCE` and `NOUN` are the words for them."""

    RESOURCE: ClassVar[str]
    NOUN: ClassVar[str]

    async def get(self, owner: Owner, identifier: str) -> Any:
        return await self._permitted(owner, identifier, "read")

    async def check(self, owner: Owner, identifier: str, event: str, **value: Any) -> None:
        await self._permitted(owner, identifier, event, **value)

    async def _permitted(self, owner: Owner, identifier: str, event: str, **value: Any) -> Any:
        """The resource, if the rules let the caller do this with it. Raises NotFound."""
        return await self._fitting(owner, identifier, await self._ask(event, {f"{self.NOUN}_id": identifier, **value}))

    async def _ask(self, event: str, value: dict[str, Any]) -> Conditions:
        return await self._access.ask(self.RESOURCE, event, value)

    async def _fitting(self, owner: Owner, identifier: str, conditions: Conditions) -> Any:
        found = await self._service.get(owner, identifier)
        if not self._fits(found, conditions):
            raise NotFound(self.NOUN, identifier)
        return found

    def _fits(self, found: Any, conditions: Conditions) -> bool:
        return fits(found.metadata, conditions)

    async def _searching(self, query: DocumentQuery, **about: Any) -> tuple[Conditions, DocumentQuery | None]:
        """The conditions, and a query that a database can answer with them; None when it can't."""
        asked = dict[str, Any](query.where.get("metadata") or {})
        value = {**about, "metadata": dict(asked), "limit": query.limit, "offset": query.offset}
        conditions = await self._ask("search", value)
        if not are_values(conditions) or asked.keys() & conditions.keys():
            return conditions, None
        where = {**query.where, "metadata": {**asked, **conditions}} if conditions else query.where
        return conditions, replace(query, where=where)

    async def _all_fitting(self, owner: Owner, query: DocumentQuery, conditions: Conditions, *more: Any) -> list[Any]:
        found = await self._service.search(owner, replace(query, limit=_MOST, offset=0), *more)
        entries: list[Any] = found.threads if isinstance(found, ThreadSearchResult) else found
        return [each for each in entries if self._fits(each, conditions)]


class AuthorizedThreads(_Collection):
    """Threads that the rules let through."""

    RESOURCE, NOUN = "threads", "thread"
    CHECKED: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("state", "stored_state", "history"), "read"),
        **dict.fromkeys(("update_state", "play"), "update"),
        "delete": "delete",
    }
    OPEN: ClassVar[Mapping[str, str]] = {
        "arrivals": "only wakes those who wait for runs of a thread; they read the runs through the rules",
        "new": "makes a thread in memory and stores nothing",
        "values": _LET_THROUGH,
        "described": _LET_THROUGH,
    }

    async def create(self, owner: Owner, thread: AgentThread, *, reuse: bool = False) -> AgentThread:
        value: dict[str, Any] = {
            "thread_id": thread.thread_id,
            "metadata": thread.metadata,
            "if_exists": "do_nothing" if reuse else "raise",
        }
        conditions = await self._ask("create", value)
        new = replace(thread, metadata=value["metadata"] or {})
        created = await self._service.create(owner, new, reuse=reuse)
        if not fits(created.metadata, conditions) and created.created_at != thread.created_at:
            raise AlreadyExists("a thread", thread.thread_id)
        return created

    async def check_run(self, owner: Owner, run: Run) -> None:
        """Raises NotFound unless the caller may read the run's thread, or the run when its thread is gone."""
        conditions = await self._ask("read", {"thread_id": run.thread_id})
        try:
            metadata = (await self._service.get(owner, run.thread_id)).metadata
        except NotFound:
            metadata = run.metadata
        if not fits(metadata, conditions):
            raise NotFound("run", run.run_id)

    async def check_new_run(self, owner: Owner, new: NewRun, conditions: Conditions) -> None:
        """Raises NotFound when the conditions hide the thread that the new run names. An absent thread is fine."""
        if new.thread_id is None or (new.makes_thread and not conditions):
            return
        try:
            thread = await self._service.get(owner, new.thread_id)
        except NotFound:
            return  # the run makes it, or is refused because it is absent
        if not fits(thread.metadata, conditions):
            raise NotFound("thread", new.thread_id)

    async def update(
        self, owner: Owner, thread_id: str, metadata: Mapping[str, Any], ttl: Ttl | None = None
    ) -> AgentThread:
        value: dict[str, Any] = {"thread_id": thread_id, "metadata": dict(metadata)}
        await self._fitting(owner, thread_id, await self._ask("update", value))
        return await self._service.update(owner, thread_id, value["metadata"], ttl)

    async def copy(self, owner: Owner, thread_id: str) -> AgentThread:
        source = await self.get(owner, thread_id)
        value: dict[str, Any] = {"thread_id": new_id(), "metadata": {**source.metadata}, "if_exists": "raise"}
        await self._ask("create", value)
        return await self._service.copy(owner, thread_id, value["thread_id"], value["metadata"] or {})

    async def prune(self, owner: Owner, thread_ids: Sequence[str], strategy: TtlStrategy) -> int:
        conditions = await self._ask("delete", {"thread_ids": [*thread_ids]})
        known: list[str] = []
        for thread_id in thread_ids:
            with suppress(NotFound):
                await self._fitting(owner, thread_id, conditions)
                known.append(thread_id)
        return await self._service.prune(owner, known, strategy)

    async def search(self, owner: Owner, query: DocumentQuery, values: Mapping[str, Any]) -> ThreadSearchResult:
        conditions, narrower = await self._searching(query, values=dict(values), status=query.where.get("status"))
        if narrower is not None:
            return await self._service.search(owner, narrower, values)
        return search_result(await self._all_fitting(owner, query, conditions, values), query)

    async def count(self, owner: Owner, query: DocumentQuery, values: Mapping[str, Any]) -> int:
        conditions, narrower = await self._searching(query, values=dict(values), status=query.where.get("status"))
        if narrower is not None:
            return await self._service.count(owner, narrower, values)
        return len(await self._all_fitting(owner, query, conditions, values))


class AuthorizedAssistants(_Collection):
    """Assistants that the rules let through. Conditions never hide a graph's own assistant, which has no creator."""

    RESOURCE, NOUN = "assistants", "assistant"
    CHECKED: ClassVar[Mapping[str, str]] = {"versions": "read", "holder": "read", "share": "update", "delete": "delete"}
    OPEN: ClassVar[Mapping[str, str]] = {"is_own": "tells nothing of what anybody has made"}

    async def resolve(self, owner: Owner, name: str) -> Assistant:
        found = await self.get(owner, self._service.id_of(name))
        return await answering(found, lambda target: self.get(owner, target))

    def _fits(self, found: Assistant, conditions: Conditions) -> bool:
        return self._service.is_own(found.assistant_id) or fits(found.metadata, conditions)

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
        conditions = await self._ask("create", value)
        made = await self._service.create(owner, assistant_id, graph_id, _taken(fields, value), reuse=reuse)
        if not self._fits(made, conditions) and reuse:
            raise AlreadyExists("an assistant", assistant_id)
        return made

    async def update(self, owner: Owner, assistant_id: str, fields: Mapping[str, Any]) -> Assistant:
        value = {"assistant_id": assistant_id, **fields, "metadata": dict(fields.get("metadata") or {})}
        await self._fitting(owner, assistant_id, await self._ask("update", value))
        return await self._service.update(owner, assistant_id, _taken(fields, value))

    async def set_latest(self, owner: Owner, assistant_id: str, version: int) -> Assistant:
        await self.check(owner, assistant_id, "update", version=version)
        return await self._service.set_latest(owner, assistant_id, version)

    async def search(self, owner: Owner, query: DocumentQuery) -> list[Assistant]:
        conditions, narrower = await self._searching(query, graph_id=query.where.get("graph_id"))
        if narrower is not None:
            return await self._service.search(owner, query, narrower)
        return (await self._all_fitting(owner, query, conditions))[query.offset : query.offset + query.limit]

    async def count(self, owner: Owner, query: DocumentQuery) -> int:
        conditions, narrower = await self._searching(query, graph_id=query.where.get("graph_id"))
        if narrower is not None:
            return await self._service.count(owner, query, narrower)
        return len(await self._all_fitting(owner, query, conditions))


class AuthorizedRuns(Facade):
    """Runs on threads that the rules let through."""

    CHECKED: ClassVar[Mapping[str, str]] = {"select": "read", "current": "read", "delete_thread": "delete"}
    OPEN: ClassVar[Mapping[str, str]] = {
        "arrivals": "only wakes those who wait for runs of a thread; they read the runs through the rules",
        **dict.fromkeys(("finished", "follow", "result", "wait"), _LET_THROUGH),
    }

    def __init__(
        self, runs: Runs, access: Access, assistants: AuthorizedAssistants, threads: AuthorizedThreads
    ) -> None:
        super().__init__(runs, access)
        self._assistants = assistants
        self._threads = threads

    async def check(self, owner: Owner, identifier: str, event: str) -> None:
        await self._threads.check(owner, identifier, event)

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
        await self._threads.check_new_run(owner, new, conditions)
        await self._assistants.resolve(owner, new.assistant)
        caller = self._access.caller.configurable
        return await self._service.create(owner, new._replace(metadata=value["metadata"] or {}, caller=caller))

    async def get(self, owner: Owner, thread_id: str | None, run_id: str) -> Run:
        run = await self._service.get(owner, thread_id, run_id)
        await self._threads.check_run(owner, run)
        return run

    async def found(self, owner: Owner, thread_id: str, run_id: str) -> Run:
        run = await self._service.found(owner, thread_id, run_id)
        await self._threads.check_run(owner, run)
        return run

    async def delete(self, owner: Owner, thread_id: str, run_id: str) -> None:
        await self._threads.check(owner, thread_id, "delete", run_id=run_id)
        await self._service.delete(owner, thread_id, run_id)

    async def cancel(self, owner: Owner, thread_id: str, run_ids: Collection[str], action: CancelAction) -> list[Run]:
        metadata = {"run_ids": [*run_ids]}
        await self._threads.check(owner, thread_id, "update", action=action, metadata=metadata)
        return await self._service.cancel(owner, thread_id, run_ids, action)

    async def cancel_all(self, owner: Owner, statuses: Collection[str], action: CancelAction) -> list[Run]:
        return await self._service.cancel_all(owner, statuses, action, self.cancel)

    async def delete_threads(self, owner: Owner, metadata: Mapping[str, Any]) -> None:
        query = DocumentQuery(where={"metadata": metadata}, limit=_MOST)
        for thread in (await self._threads.search(owner, query, {})).threads:
            with suppress(NotFound):
                await self.delete_thread(owner, thread.thread_id)


class AuthorizedCrons(_Collection):
    """Schedules that the rules let through."""

    RESOURCE, NOUN = "crons", "cron"
    CHECKED: ClassVar[Mapping[str, str]] = {"delete": "delete"}

    async def create(
        self, owner: Owner, assistant_id: str, payload: dict[str, Any], thread_id: str | None, fields: Mapping[str, Any]
    ) -> Cron:
        value = {"payload": payload, "thread_id": thread_id, "user_id": owner.user, **fields}
        value["metadata"] = dict(fields.get("metadata") or {})
        await self._ask("create", value)
        return await self._service.create(owner, assistant_id, payload, thread_id, _taken(fields, value))

    async def update(self, owner: Owner, cron_id: str, payload: Mapping[str, Any], fields: Mapping[str, Any]) -> Cron:
        await self.check(owner, cron_id, "update", payload=dict(payload), **fields)
        return await self._service.update(owner, cron_id, payload, fields)

    async def search(self, owner: Owner, query: DocumentQuery) -> list[Cron]:
        conditions, _ = await self._searching(query, **query.where)
        return (await self._all_fitting(owner, query, conditions))[query.offset : query.offset + query.limit]

    async def count(self, owner: Owner, query: DocumentQuery) -> int:
        conditions, _ = await self._searching(query, **query.where)
        return len(await self._all_fitting(owner, query, conditions))


class AuthorizedHost(Facade):
    """The graphs' host, as far as routes call it."""

    OPEN: ClassVar[Mapping[str, str]] = dict.fromkeys(("drawing", "schemas", "subgraphs"), _LET_THROUGH)

    def store(self, owner: Owner) -> "AuthorizedStore":
        return AuthorizedStore(self._service.store(owner), self._access)


class AuthorizedStore(Facade):
    """The calls of the store's routes. Handlers may give them another namespace."""

    async def _asked(self, action: str, **value: Any) -> dict[str, Any]:
        await self._access.ask("store", action, value)
        return {**value, "namespace": tuple(value["namespace"] or ())}

    async def aput(self, namespace: tuple[str, ...], key: str, value: Any, **more: Any) -> None:
        put = await self._asked("put", namespace=namespace, key=key, value=value, index=more.get("index"))
        await self._service.aput(put["namespace"], put["key"], put["value"], **more)

    async def aget(self, namespace: tuple[str, ...], key: str, **more: Any) -> Any:
        wanted = await self._asked("get", namespace=namespace, key=key)
        return await self._service.aget(wanted["namespace"], wanted["key"], **more)

    async def adelete(self, namespace: tuple[str, ...], key: str) -> None:
        gone = await self._asked("delete", namespace=namespace, key=key)
        await self._service.adelete(gone["namespace"], gone["key"])

    async def asearch(self, namespace: tuple[str, ...], **query: Any) -> Any:
        wanted = await self._asked("search", namespace=namespace, **query)
        return await self._service.asearch(wanted.pop("namespace"), **wanted)

    async def alist_namespaces(self, *, prefix: tuple[str, ...] | None, **query: Any) -> Any:
        wanted = await self._asked("list_namespaces", namespace=prefix or (), **query)
        return await self._service.alist_namespaces(prefix=wanted.pop("namespace") or None, **wanted)


def _taken(fields: Mapping[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    """The fields as handlers have left them."""
    return {**{name: value.get(name) for name in fields}, "metadata": value["metadata"] or {}}
