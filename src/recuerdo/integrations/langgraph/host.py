"""Executes and describes graphs: opened with the owner's saver and store, whatever they were compiled with."""

import asyncio
import inspect
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    aclosing,
    asynccontextmanager,
    contextmanager,
)
from typing import Any, cast

from langgraph.graph import StateGraph
from langgraph.pregel import Pregel
from langgraph.types import StateSnapshot, StateUpdate
from langgraph_sdk.runtime import _ExecutionRuntime as ExecutionRuntime  # pyright: ignore[reportPrivateUsage]
from langgraph_sdk.runtime import _ReadRuntime as ReadRuntime  # pyright: ignore[reportPrivateUsage]
from msgspec.structs import replace
from pydantic import TypeAdapter

from recuerdo.core.checkpoints import CheckpointFound
from recuerdo.core.errors import ConfigurationError, Conflict, Damaged, InvalidInput, NotFound, Unavailable
from recuerdo.core.runs import FIRST_TOKEN, Assistant, Run
from recuerdo.core.scope import Owner
from recuerdo.integrations.langgraph.execution import AnyGraph, Configuration, EventTranslator, command, stream_events
from recuerdo.runs.encoding import encode, interrupt
from recuerdo.runs.lifecycle import RunOutcome
from recuerdo.runs.rules import User
from recuerdo.runs.sources import GraphSources
from recuerdo.runs.threads import thread_config

_log = logging.getLogger(__name__)

Schemas = dict[str, Any]
Savers = Callable[[Owner], Any]
Stores = Callable[[Owner], Any]


_SHOWN = ("checkpoint_id", "thread_id", "checkpoint_ns", "checkpoint_map")


class GraphHost:
    """Opens graphs, executes them, and looks at what they left in threads.

    `builtin` are our graphs, made when first used; `sources` are the user's. `own_savers` make the savers of our
    graphs, if these differ.
    """

    def __init__(
        self,
        builtin: Mapping[str, Callable[[], Any]],
        sources: GraphSources | None,
        savers: Savers,
        stores: Stores,
        own_savers: Savers | None = None,
    ) -> None:
        self._builtin = builtin
        self._own_savers = own_savers or savers
        self._sources = sources
        self._savers = savers
        self._stores = stores
        self._loaded: dict[str, Any] = {}
        self._loading = asyncio.Lock()

    async def load_sources(self) -> None:
        """Load all of the user's own graphs. Raises ConfigurationError, which names each that can't be loaded."""
        problems: list[ConfigurationError] = []
        for name in self._sources.graphs if self._sources else ():
            try:
                await self._load(name)
            except ConfigurationError as problem:
                problems.append(problem)
        if problems:
            raise ConfigurationError("\n".join(map(str, problems))) from problems[0]

    async def warm_up(self) -> None:
        """Load our own graphs, so that no first run waits."""
        for name in self._builtin:
            try:
                await self._load(name)
            except Exception as error:
                _log.error("%s", error, exc_info=error)

    @asynccontextmanager
    async def open(
        self, owner: Owner, graph_id: str, config: Configuration, access: str = "threads.read", **more: Any
    ) -> AsyncGenerator[AnyGraph]:
        """The graph with the owner's saver and store. Raises ConfigurationError when it can't be loaded.

        `access` is what the graph is opened for, so that a factory can do less when nothing is executed.
        """
        loaded, store = await self._load(graph_id), self._stores(owner)
        savers = self._own_savers if graph_id in self._builtin else self._savers
        saver = savers(owner) if more.get("checkpointed", True) else None
        kind: Any = ExecutionRuntime if access == "threads.create_run" else ReadRuntime
        about_run: dict[str, Any] = {}
        if access == "threads.create_run":
            configurable: dict[str, Any] = config.get("configurable") or {}
            caller = configurable.get("langgraph_auth_user")  # where rules of a langgraph.json authenticate one
            about_run = {"context": more.get("context"), "user": User(caller) if caller else None}
        runtime = kind(access_context=access, store=store, **about_run)
        async with opened(graph_id, loaded, config, runtime) as graph:
            yield graph.copy(update={"checkpointer": saver, "store": store})

    async def execute(self, owner: Owner, run: Run, tell_it: Callable[[str, Any], Awaitable[None]]) -> RunOutcome:
        """Execute the run and pass its events to `tell_it`. Returns how it ended, and how it left its thread."""
        config, request = run_config(owner, run), run.kwargs
        translator = EventTranslator(request)
        checkpointed = not request.temporary
        async with self.open(
            owner, run.graph_id, config, "threads.create_run", checkpointed=checkpointed, context=request.context
        ) as graph:
            if run.token > FIRST_TOKEN and checkpointed:
                run = await _resumed(graph, run, owner)
            if checkpointed:
                saver = cast(Any, graph.checkpointer).held_by(run.run_id, run.token, run.kwargs.expected_epoch)
                graph = graph.copy(update={"checkpointer": saver})
            async with aclosing(stream_events(graph, run, config, translator)) as events:
                async for name, data in events:
                    await tell_it(name, data)
            if not checkpointed:
                return RunOutcome("success", "idle", {}, result=translator.values)
            snapshot = await graph.aget_state(cast(Any, thread_config(owner, run.thread_id)))
            status = "interrupted" if snapshot.next else "idle"
            result = translator.values if translator.values is not None else result_of(snapshot)
            return RunOutcome(
                "success", status, interrupts_of(snapshot), result=result, checkpoint_id=checkpoint_of(snapshot)
            )

    async def left(self, owner: Owner, run: Run) -> RunOutcome:
        """How a run that broke off left its thread."""
        if run.kwargs.temporary:
            return RunOutcome("interrupted", "idle", {})
        async with self.open(owner, run.graph_id, run.kwargs.config) as graph:
            snapshot = await graph.aget_state(cast(Any, thread_config(owner, run.thread_id)))
        status = "interrupted" if snapshot.next else "idle"
        return RunOutcome(
            "interrupted",
            status,
            interrupts_of(snapshot),
            result=result_of(snapshot),
            checkpoint_id=checkpoint_of(snapshot),
        )

    async def state(
        self, owner: Owner, graph_id: str, config: Configuration, *, subgraphs: bool = False
    ) -> dict[str, Any]:
        """The state of a thread, or of a checkpoint or a subgraph that the config names."""
        async with self.open(owner, graph_id, config) as graph:
            return shown_state(await graph.aget_state(cast(Any, config), subgraphs=subgraphs))

    async def stored(self, owner: Owner, graph_id: str, thread_id: str) -> CheckpointFound | None:
        """The stored rows of the thread's state; None where there are none, or a factory makes the graph."""
        if not is_graph(await self._load(graph_id)):
            return None
        return await self._savers(owner).astored(thread_config(owner, thread_id))

    async def result(self, owner: Owner, graph_id: str, config: Configuration) -> Any:
        """The values of a thread, with the questions that its graph waits for. Raises NotFound for no checkpoint."""
        async with self.open(owner, graph_id, config) as graph:
            snapshot = await graph.aget_state(cast(Any, config))
        if checkpoint_of(snapshot) is None:
            raise NotFound("checkpoint of the thread", config["configurable"]["thread_id"])
        return result_of(snapshot)

    async def history(
        self,
        owner: Owner,
        graph_id: str,
        config: Configuration,
        *,
        limit: int,
        before: Configuration | None,
        metadata: dict[str, Any] | None,
        most_bytes: int,
    ) -> list[dict[str, Any]]:
        """The states of a thread, the latest first, up to the one with which they have `most_bytes` as JSON."""
        found: list[dict[str, Any]] = []
        async with self.open(owner, graph_id, config) as graph:
            states = graph.aget_state_history(cast(Any, config), filter=metadata, before=cast(Any, before), limit=limit)
            async for each in states:
                found.append(shown_state(each))
                most_bytes -= len(encode(found[-1])) if limit > 1 else 0
                if most_bytes <= 0:
                    break
        return found

    async def update(
        self, owner: Owner, graph_id: str, config: Configuration, values: Any, as_node: str | None
    ) -> Configuration:
        """Write values as if a node had, and return the config of the new checkpoint. Raises InvalidInput."""
        async with self.open(owner, graph_id, config, "threads.update") as graph:
            with _naming("values"):
                return cast(Any, await graph.aupdate_state(cast(Any, config), values, as_node=as_node))

    async def play(self, owner: Owner, graph_id: str, config: Configuration, supersteps: Sequence[Any]) -> None:
        """Write the steps of another thread, each as if its nodes had run. Raises InvalidInput."""
        steps = [[_state_update(update) for update in step["updates"]] for step in supersteps]
        async with self.open(owner, graph_id, config, "threads.update") as graph:
            with _naming("supersteps"):
                await graph.abulk_update_state(cast(Any, config), steps)

    async def forget(self, owner: Owner, thread_id: str) -> None:
        """Erase the thread's checkpoints."""
        await self._savers(owner).adelete_thread(thread_id)

    async def undo(self, owner: Owner, run_id: str) -> None:
        """Erase the checkpoints that the run has made."""
        await self._savers(owner).adelete_for_runs([run_id])

    async def copy(self, owner: Owner, source: str, target: str) -> None:
        """Give another thread the same checkpoints."""
        await self._savers(owner).acopy_thread(source, target)

    async def keep_latest(self, owner: Owner, thread_id: str) -> None:
        """Erase all checkpoints of the thread but the latest."""
        await self._savers(owner).aprune([thread_id], strategy="keep_latest")

    async def drawing(self, owner: Owner, assistant: Assistant, xray: bool | int) -> dict[str, Any]:
        """The assistant's graph as nodes and edges."""
        async with self.open(owner, assistant.graph_id, assistant.config, "assistants.read") as graph:
            return await drawing_of(graph, xray)

    async def schemas(self, owner: Owner, assistant: Assistant) -> Schemas:
        """The schemas of the assistant's graph."""
        async with self.open(owner, assistant.graph_id, assistant.config, "assistants.read") as graph:
            return await asyncio.to_thread(schemas_of, assistant.graph_id, graph)

    async def subgraphs(
        self, owner: Owner, assistant: Assistant, namespace: str | None, *, recurse: bool
    ) -> dict[str, Schemas]:
        """The schemas of the graph's subgraphs, by namespace."""
        async with self.open(owner, assistant.graph_id, assistant.config, "assistants.read") as graph:
            return await subgraphs_of(assistant.graph_id, graph, namespace, recurse=recurse)

    def store(self, owner: Owner) -> Any:
        """The owner's store."""
        return self._stores(owner)

    async def _load(self, graph_id: str) -> Any:
        async with self._loading:
            if graph_id not in self._loaded:
                self._loaded[graph_id] = await asyncio.to_thread(self._read, graph_id)
            return self._loaded[graph_id]

    def _read(self, graph_id: str) -> Any:
        if self._sources is not None and graph_id in self._sources.graphs:
            found = self._sources.load(f"graph {graph_id!r}", self._sources.graphs[graph_id])
            return compiled(graph_id, found) if isinstance(found, StateGraph) else found
        return self._builtin[graph_id]()


async def _resumed(graph: AnyGraph, run: Run, owner: Owner) -> Run:
    """The run as it continues from its last checkpoint, without its input, where an earlier attempt has saved that.

    A thread that was to be new is there since.
    """
    snapshot = await graph.aget_state(cast(Any, thread_config(owner, run.thread_id)))
    begun = snapshot.metadata is not None and snapshot.metadata.get("run_id") == run.run_id
    if not begun:
        return run
    epoch = run.kwargs.expected_epoch or None
    return replace(run, kwargs=replace(run.kwargs, input=None, command=None, checkpoint=None, expected_epoch=epoch))


def run_config(owner: Owner, run: Run) -> Configuration:
    """The config that a run's graph is called with."""
    request = run.kwargs
    given: dict[str, Any] = dict(request.config.get("configurable") or {})
    about: dict[str, Any] = {
        "run_id": run.run_id,
        "thread_id": run.thread_id,
        "graph_id": run.graph_id,
        "assistant_id": run.assistant_id,
    }
    own: dict[str, Any] = {
        **about,
        "tenant": owner.tenant,
        "user": owner.user,
        "user_id": owner.user,
        "langgraph_auth_user_id": owner.user,
    }
    if request.expected_epoch is not None:
        own["expected_epoch"] = request.expected_epoch
    place = request.checkpoint or {}
    return {
        **request.config,
        "configurable": {**given, **{name: place[name] for name in place if place[name] is not None}, **own},
        "metadata": {**(request.config.get("metadata") or {}), **run.metadata, "run_attempt": run.attempts, **about},
    }


def _state_update(update: Any) -> StateUpdate:
    given: Any = command(update["command"]) if update.get("command") else update.get("values")
    return StateUpdate(given, update.get("as_node"))


@contextmanager
def _naming(field: str) -> Generator[None]:
    """Say that the graph refuses the field, unless it is the database that does."""
    try:
        yield
    except (Unavailable, Conflict, Damaged):
        raise
    except Exception as error:
        raise InvalidInput(field, f"the graph refuses it ({type(error).__name__}: {error})") from error


@asynccontextmanager
async def opened(name: str, loaded: Any, config: Configuration, runtime: Any) -> AsyncGenerator[AnyGraph]:
    """The graph, as long as it is needed; a factory is called with the config or the runtime, as its signature asks."""
    if is_graph(loaded):
        yield compiled(name, loaded)
        return
    made = loaded(*_arguments(loaded, config, runtime))
    if inspect.isawaitable(made):
        made = await made
    if isinstance(made, AbstractAsyncContextManager):
        async with cast(AbstractAsyncContextManager[Any], made) as graph:
            yield compiled(name, graph)
    elif isinstance(made, AbstractContextManager) and not is_graph(made):
        with cast(AbstractContextManager[Any], made) as graph:
            yield compiled(name, graph)
    else:
        yield compiled(name, made)


def is_graph(loaded: Any) -> bool:
    """Whether this is a graph itself, and no function that makes one."""
    return isinstance(loaded, Pregel | StateGraph)


def compiled(name: str, graph: Any) -> AnyGraph:
    """The graph, ready to run. Raises ConfigurationError when it is not a graph."""
    if isinstance(graph, StateGraph):
        return cast(AnyGraph, cast(Any, graph).compile(name=name))
    if isinstance(graph, Pregel):
        return cast(AnyGraph, graph)
    raise ConfigurationError(
        f"The graph {name!r} is a {type(graph).__name__}. Let langgraph.json name a StateGraph, a compiled graph, "
        "or a function that makes one."
    )


def _arguments(factory: Callable[..., Any], config: Configuration, runtime: Any) -> list[Any]:
    parameters = [
        each
        for each in inspect.signature(factory).parameters.values()
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    return [
        runtime if "Runtime" in str(each.annotation) or each.name == "runtime" else config for each in parameters[:2]
    ]


def schemas_of(graph_id: str, graph: AnyGraph) -> Schemas:
    """JSON Schemas of a graph's input, output, state and configuration; None where there is none."""
    return {
        "graph_id": graph_id,
        "input_schema": _schema(graph, "get_input_jsonschema") or _names(graph, "input_schema"),
        "output_schema": _schema(graph, "get_output_jsonschema"),
        "state_schema": _state(graph) or _names(graph, "state_schema"),
        "config_schema": _schema(graph, "get_config_jsonschema"),
        "context_schema": _schema(graph, "get_context_jsonschema"),
    }


async def drawing_of(graph: AnyGraph, xray: bool | int) -> dict[str, Any]:
    """Nodes and edges."""
    drawn: Any = await graph.aget_graph(xray=xray)
    return cast(dict[str, Any], drawn.to_json())


async def subgraphs_of(graph_id: str, graph: AnyGraph, namespace: str | None, *, recurse: bool) -> dict[str, Schemas]:
    """The schemas of subgraphs by their namespaces."""
    found = cast(Any, graph).aget_subgraphs(namespace=namespace, recurse=recurse)
    return {name: schemas_of(graph_id, subgraph) async for name, subgraph in found}


def _schema(graph: AnyGraph, method: str) -> Any:
    try:
        return getattr(graph, method)()
    except Exception:  # a type that JSON Schema has no words for
        return None


def _names(graph: AnyGraph, which: str) -> Any:
    """The names alone, of a schema with a type that JSON Schema has no words for; None where there is no schema."""
    builder: Any = getattr(graph, "builder", None)
    schema: Any = getattr(builder, which, None)
    names: list[str] = [*getattr(builder, "schemas", {}).get(schema, ())]
    anything: dict[str, Any] = {}
    properties = dict.fromkeys(names, anything)
    return {"title": schema.__name__, "type": "object", "properties": properties} if names else None


def _state(graph: AnyGraph) -> Any:
    """The schema that the graph was built with, which is also what a factory of such graphs declares."""
    schema: Any = getattr(getattr(graph, "builder", None), "state_schema", None)
    try:
        return TypeAdapter(schema).json_schema() if schema is not None else None
    except Exception:  # a type that JSON Schema has no words for
        return None


def shown_state(snapshot: StateSnapshot) -> dict[str, Any]:
    """A snapshot as JSON's types, but for its values; an empty one still names the checkpoint that was asked for."""
    checkpoint, parent = _checkpoint(snapshot.config), _checkpoint(snapshot.parent_config)
    if checkpoint and "checkpoint_id" not in checkpoint:
        checkpoint = None
    return {
        "values": snapshot.values,
        "next": list(snapshot.next),
        "tasks": [_task(task) for task in snapshot.tasks],
        "metadata": None if snapshot.created_at is None else snapshot.metadata,
        "created_at": snapshot.created_at,
        "checkpoint": checkpoint,
        "parent_checkpoint": parent,
        "interrupts": [interrupt(each) for each in snapshot.interrupts],
        "checkpoint_id": checkpoint["checkpoint_id"] if checkpoint else None,
        "parent_checkpoint_id": parent.get("checkpoint_id") if parent else None,
    }


def interrupts_of(snapshot: StateSnapshot) -> dict[str, Any]:
    """The questions that the graph waits for, by task."""
    return {task.id: [interrupt(each) for each in task.interrupts] for task in snapshot.tasks if task.interrupts}


def checkpoint_of(snapshot: StateSnapshot) -> str | None:
    """The id of the checkpoint that the snapshot shows; None where there is none."""
    return None if snapshot.created_at is None else snapshot.config.get("configurable", {}).get("checkpoint_id")


def result_of(snapshot: StateSnapshot) -> Any:
    """The answer for callers that waited for the run: the values, and the questions that it ended with."""
    values: Any = snapshot.values  # pyright: ignore[reportUnknownMemberType]
    if snapshot.interrupts and isinstance(values, dict):
        return {**cast(dict[str, Any], values), "__interrupt__": [interrupt(each) for each in snapshot.interrupts]}
    return values


def _task(task: Any) -> dict[str, Any]:
    state: Any = task.state
    is_snapshot = isinstance(state, StateSnapshot)
    return {
        "id": task.id,
        "name": task.name,
        "path": list(task.path),
        "error": None if task.error is None else repr(task.error) if isinstance(task.error, Exception) else task.error,
        "interrupts": [interrupt(each) for each in task.interrupts],
        "checkpoint": None if is_snapshot or state is None else _checkpoint(state),
        "state": shown_state(state) if is_snapshot else None,
        "result": getattr(task, "result", None),
    }


def _checkpoint(config: Any) -> dict[str, Any] | None:
    if not config:
        return None
    configurable = cast(dict[str, Any], config.get("configurable", {}))
    return {name: configurable[name] for name in _SHOWN if name in configurable}
