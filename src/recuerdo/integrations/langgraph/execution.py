"""Executes a graph and translates LangGraph's streams into the events of the API.

A run streams either what its stream modes name, or, with `thread_events`, everything in the thread-centric protocol
(`langchain-protocol`): the protocol's method, with params that say where in the graph it happened, when, and what.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection
from contextlib import aclosing
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any, NamedTuple, cast
from uuid import UUID

from langchain_core._api import suppress_langchain_beta_warning
from langchain_core.language_models._compat_bridge import message_to_events
from langchain_core.messages import AIMessageChunk, BaseMessage, ToolMessage
from langgraph.prebuilt import ToolCallTransformer
from langgraph.pregel import Pregel
from langgraph.stream import (
    CheckpointsTransformer,
    CustomTransformer,
    ProtocolEvent,
    StreamTransformer,
    UpdatesTransformer,
)
from langgraph.types import Command, Send

from recuerdo.core.runs import Run, RunRequest

_OWN_MODES = {"messages-tuple": "messages"}
_MODES = ("values", "updates", "messages", "custom", "tasks", "checkpoints", "debug")
_CHANNELS = (UpdatesTransformer, CustomTransformer, CheckpointsTransformer, ToolCallTransformer)
_ROLES = ("human", "system", "ai")

AnyGraph = Pregel[Any, Any, Any, Any]
Configuration = dict[str, Any]
Event = tuple[str, Any]


class _StreamChunk(NamedTuple):
    namespace: tuple[str, ...]
    mode: str
    data: Any


class EventTranslator:
    """Turns the chunks of one run into events, and keeps the last values, which are its result."""

    def __init__(self, modes: Collection[str], *, subgraphs: bool) -> None:
        self._modes = modes
        self._subgraphs = subgraphs
        self._messages: dict[str, Any] = {}
        self.values: Any = None

    def keep(self, values: Any) -> None:
        """These are the values now."""
        self.values = values

    def events(self, chunk: _StreamChunk) -> list[Event]:
        """The events of one chunk, of which nobody may have asked for any."""
        if chunk.mode == "values" and not chunk.namespace:
            self.keep(chunk.data)
        if chunk.mode == "messages" and "messages-tuple" not in self._modes:
            return self._accumulated(chunk)
        if chunk.mode not in self._modes and chunk.mode != "messages":
            return []
        return [(self._named(chunk.mode, chunk.namespace), _shown(chunk))]

    def _accumulated(self, chunk: _StreamChunk) -> list[Event]:
        message, metadata = chunk.data
        if "messages" not in self._modes:
            return []
        is_piece = type(message).__name__.endswith("Chunk")
        events: list[Event] = []
        if message.id in self._messages:
            message = self._messages[message.id] + message if is_piece else message
        else:
            events.append((self._named("messages/metadata", chunk.namespace), {message.id: {"metadata": metadata}}))
        self._messages[message.id] = message
        name = "messages/partial" if is_piece else "messages/complete"
        return [*events, (self._named(name, chunk.namespace), [_whole(message)])]

    def _named(self, name: str, namespace: tuple[str, ...]) -> str:
        return "|".join((name, *namespace)) if self._subgraphs and namespace else name


def _shown(chunk: _StreamChunk) -> Any:
    return list(chunk.data) if chunk.mode == "messages" else chunk.data


def _whole(message: Any) -> dict[str, Any]:
    """A message as if it were complete: what only pieces have is left out."""
    fields: dict[str, Any] = message.model_dump()
    for name in ("tool_call_chunks", "chunk_position"):
        fields.pop(name, None)
    fields["type"] = str(fields["type"]).removesuffix("MessageChunk").lower()
    return fields


async def tell(graph: AnyGraph, run: Run, config: Configuration, telling: EventTranslator) -> AsyncGenerator[Event]:
    """Execute the run's graph, and yield what its stream modes ask for."""
    request = run.kwargs
    modes = [*{"values": None} | {_OWN_MODES.get(mode, mode): None for mode in request.stream_mode}]
    options = _options(request) | {"stream_mode": [mode for mode in modes if mode in _MODES]}
    context = _context(graph, request.context)
    given = _input(request)
    if request.thread_events:
        more = {name: value for name, value in _options(request).items() if name != "subgraphs"}
        stream = tell_protocol(graph, given, config, telling.keep, {**more, "context": context})
    elif "events" in request.stream_mode:
        stream = _with_events(graph, given, config, run, telling, {**options, "context": context})
    else:
        chunks = cast(Any, graph).astream(given, config, context=context, **options)
        stream = _plain(chunks, telling, request)
    async with aclosing(stream) as events:
        async for event in events:
            yield event


def _context(graph: AnyGraph, given: dict[str, Any]) -> dict[str, Any]:
    """What LangGraph makes the graph's context of: of nothing the defaults of its schema.

    A configuration may stand in for the context, and a dataclass refuses whatever else lies in that.
    """
    schema = graph.context_schema
    if not is_dataclass(schema):
        return given
    names = {field.name for field in fields(schema) if field.init}
    return {name: value for name, value in given.items() if name in names}


async def _plain(chunks: AsyncIterator[Any], telling: EventTranslator, request: RunRequest) -> AsyncGenerator[Event]:
    async for chunk in chunks:
        for event in telling.events(_chunk(chunk, request)):
            yield event


async def _with_events(
    graph: AnyGraph, given: Any, config: Configuration, run: Run, telling: EventTranslator, options: dict[str, Any]
) -> AsyncGenerator[Event]:
    """All that happens inside as well; what the graph itself streams is told in its own modes."""
    config = {**config, "run_id": UUID(run.run_id)}
    async for event in cast(Any, graph).astream_events(given, config, version="v2", **options):
        if "langsmith:hidden" in event.get("tags", ()):
            continue
        if event["event"] == "on_chain_stream" and event["run_id"] == run.run_id:
            for each in telling.events(_chunk(event["data"].get("chunk"), run.kwargs)):
                yield each
        else:
            yield "events", event


def _chunk(chunk: Any, request: RunRequest) -> _StreamChunk:
    return _StreamChunk(*chunk) if request.subgraphs else _StreamChunk((), *chunk)


def _options(request: RunRequest) -> dict[str, Any]:
    options: dict[str, Any] = {
        "interrupt_before": request.interrupt_before,
        "interrupt_after": request.interrupt_after,
        "subgraphs": request.subgraphs,
    }
    return options if request.temporary else {**options, "durability": request.durability}


def _input(request: RunRequest) -> Any:
    return request.input if request.command is None else command(request.command)


def command(given: dict[str, Any]) -> Command[Any]:
    """A Command of its JSON: `goto` names nodes, or has them with what they are sent."""
    goto: Any = given.get("goto") or []
    targets = cast(list[Any], goto) if isinstance(goto, list) else [goto]
    update = given.get("update")
    return Command(
        update=[tuple(each) for each in cast(list[Any], update)] if _is_pairs(update) else update,
        resume=given.get("resume"),
        goto=[_target(each) for each in targets],
    )


def _target(given: Any) -> Send | str:
    if isinstance(given, dict):
        sent = cast(dict[str, Any], given)
        return Send(sent["node"], sent.get("input"))
    return str(given)


def _is_pairs(update: Any) -> bool:
    return isinstance(update, list) and all(
        isinstance(each, list) and len(cast(list[Any], each)) == 2 for each in cast(list[Any], update)
    )


async def tell_protocol(
    graph: AnyGraph, given: Any, config: Configuration, keep_values: Callable[[Any], None], options: dict[str, Any]
) -> AsyncGenerator[Event]:
    """Execute the graph, and yield all that the protocol has a channel for.

    Questions come last, when the state that they are about is stored: who hears one may read or change that at once.
    """
    telling, tasks, questions = _ProtocolTranslator(keep_values), list[Event](), list[Event]()
    theirs = {
        type(make(())) for make in cast(list[Callable[[tuple[()]], object]], graph.stream_transformers)
    }  # LangGraph refuses to have one twice
    transformers: list[Any] = [*(each for each in _CHANNELS if each not in theirs), partial(_Tasks, tasks)]
    with suppress_langchain_beta_warning():
        stream = await cast(Any, graph).astream_events(
            given, config, version="v3", transformers=transformers, **options
        )
    async with stream as events:
        async for event in events:
            for each in (*_taken(tasks), *telling.events(event["method"], event["params"])):
                if each[0] == "input.requested":
                    questions.append(each)
                else:
                    yield each
    for each in (*_taken(tasks), *questions):
        yield each


class _Tasks(StreamTransformer):
    """Notes the events of tasks, which LangGraph keeps to itself when it has drawn its conclusions from them."""

    before_builtins = True
    required_stream_modes = ("tasks",)

    def __init__(self, notes: list[Event], scope: tuple[str, ...]) -> None:
        super().__init__(scope)
        self._notes = notes

    def init(self) -> dict[str, Any]:
        return {}

    def process(self, event: ProtocolEvent) -> bool:
        if event["method"] == "tasks" and not self.scope:  # those of subgraphs come here and there
            self._notes.append(("tasks", event["params"]))
        return True


def _taken(notes: list[Event]) -> list[Event]:
    taken = notes.copy()
    notes.clear()
    return taken


class _ProtocolTranslator:
    """Turns LangGraph's events into those of the wire."""

    def __init__(self, keep_values: Callable[[Any], None]) -> None:
        self._keep_values = keep_values
        self._asked: set[str] = set()
        self._messages: dict[str, str] = {}

    def events(self, method: str, params: dict[str, Any]) -> list[Event]:
        data = params["data"]
        if method == "values":
            return self._values(params)
        if method == "messages":
            return self._spoken(params)
        if method == "lifecycle":
            return [("lifecycle", {**params, "namespace": data["namespace"], "data": _lifecycle(data)})]
        if method == "checkpoints":
            return [("checkpoints", {**params, "data": _checkpoint(data)})]
        if method.partition(":")[0] == "custom":
            return [("custom", {**params, "data": _custom(method.partition(":")[2], data)})]
        return [(method, params)] if method in ("updates", "tools") else []

    def _values(self, params: dict[str, Any]) -> list[Event]:
        if not params["namespace"]:
            self._keep_values(params["data"])
        shown = {name: params[name] for name in ("namespace", "timestamp", "data")}
        new = [each for each in params.get("interrupts", ()) if each.id not in self._asked]
        self._asked.update(each.id for each in new)
        return [("values", shown), *(("input.requested", {**shown, "data": question(each)}) for each in new)]

    def _spoken(self, params: dict[str, Any]) -> list[Event]:
        said, metadata = params["data"]
        place = {**params, "node": metadata.get("langgraph_node")}
        if isinstance(said, BaseMessage):
            return [("messages", {**place, "data": data}) for data in _told_at_once(said)]
        run_id = str(metadata.get("run_id", ""))
        if said.get("event") == "message-start":
            self._messages[run_id] = str(said.get("id") or run_id)
        # both clients tell messages that come at once apart by ids, each by another one
        ids = {"run_id": run_id, "message_id": self._messages.get(run_id, run_id)}
        return [("messages", {**place, "data": {**said, **ids}})] if said.get("role") != "tool" else []


def question(interrupt: Any) -> dict[str, Any]:
    """What a graph asks: `payload` is the protocol's name for it, `value` is where the Python client looks."""
    return {"interrupt_id": interrupt.id, "payload": interrupt.value, "value": interrupt.value}


def _custom(name: str, payload: Any) -> dict[str, Any]:
    """What a graph's own code tells. Of a payload that names itself clients look for the fields beside the name."""
    if name:
        return {"name": name, "payload": payload}
    named = isinstance(payload, dict) and isinstance(cast(dict[str, Any], payload).get("name"), str)
    return {"payload": payload, **(cast(dict[str, Any], payload) if named else {})}


def _lifecycle(data: dict[str, Any]) -> dict[str, Any]:
    shown = {name: value for name, value in data.items() if name != "namespace"}
    return {**shown, "event": "interrupted"} if shown["event"] == "drained" else shown


def _checkpoint(data: dict[str, Any]) -> dict[str, Any]:
    metadata: dict[str, Any] = data.get("metadata") or {}
    parent: dict[str, Any] = data.get("parent_config") or {}
    shown = {
        "id": data["config"]["configurable"].get("checkpoint_id"),
        "step": metadata.get("step"),
        "source": metadata.get("source"),
    }
    parent_id = parent.get("configurable", {}).get("checkpoint_id")
    return {**shown, "parent_id": parent_id} if parent_id else shown


def _told_at_once(message: BaseMessage) -> list[dict[str, Any]]:
    """A text that came at once, as if it had been streamed. Pieces of the older kind come again as a whole."""
    role = message.type
    if role not in _ROLES or isinstance(message, AIMessageChunk | ToolMessage) or not message.text:
        return []
    ids = {"run_id": message.id, "message_id": message.id}
    events = cast(Any, message_to_events)(message, message_id=message.id)
    return [{**event, **ids, **({"role": role} if event["event"] == "message-start" else {})} for event in events]
