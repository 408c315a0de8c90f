"""Executes a graph and translates LangGraph's streams into the events of the API.

A run streams either what its stream modes name, or, with `thread_events`, everything in the thread-centric protocol
(`langchain-protocol`): the protocol's method, with params that say where in the graph it happened, when, and what.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any, cast
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

_MODES = ("values", "updates", "messages", "custom", "tasks", "checkpoints", "debug")
_CHANNELS = (UpdatesTransformer, CustomTransformer, CheckpointsTransformer, ToolCallTransformer)
_ROLES = ("human", "system", "ai")

AnyGraph = Pregel[Any, Any, Any, Any]
Configuration = dict[str, Any]
Event = tuple[str, Any]


class EventTranslator:
    """Translates the chunks of one run into events. `values` are the last ones, which become the run's result."""

    def __init__(self, request: RunRequest) -> None:
        self._modes = request.stream_mode
        self._subgraphs = request.subgraphs
        self._messages: dict[str, Any] = {}
        self.values: Any = None

    def events(self, chunk: Any) -> list[Event]:
        """The events of one chunk of `astream`; none for what the modes don't ask for."""
        namespace, mode, data = chunk if self._subgraphs else ((), *chunk)
        if mode == "values" and not namespace:
            self.values = data
        place = "".join(f"|{part}" for part in namespace) if namespace else ""
        if mode == "messages":
            if "messages-tuple" in self._modes:
                return [("messages" + place, list(data))]
            return self._accumulated(data, place) if "messages" in self._modes else []
        return [(mode + place, data)] if mode in self._modes else []

    def _accumulated(self, data: Any, place: str) -> list[Event]:
        message, metadata = data
        is_piece = type(message).__name__.endswith("Chunk")
        events: list[Event] = []
        if message.id in self._messages:
            message = self._messages[message.id] + message if is_piece else message
        else:
            events.append(("messages/metadata" + place, {message.id: {"metadata": metadata}}))
        self._messages[message.id] = message
        whole: dict[str, Any] = message.model_dump()
        for name in ("tool_call_chunks", "chunk_position"):  # what only pieces have
            whole.pop(name, None)
        whole["type"] = str(whole["type"]).removesuffix("MessageChunk").lower()
        return [*events, ("messages/partial" + place if is_piece else "messages/complete" + place, [whole])]


async def stream_events(
    graph: AnyGraph, run: Run, config: Configuration, translator: EventTranslator
) -> AsyncGenerator[Event]:
    """Execute the run's graph, and yield what its stream modes ask for."""
    request = run.kwargs
    given = request.input if request.command is None else command(request.command)
    options: dict[str, Any] = {
        "interrupt_before": request.interrupt_before,
        "interrupt_after": request.interrupt_after,
        "context": _context(graph, request.context),
    }
    if not request.temporary:
        options["durability"] = request.durability
    if request.thread_events:
        async with aclosing(_protocol_events(graph, given, config, translator, options)) as events:
            async for event in events:
                yield event
        return
    modes = dict.fromkeys(("values", *request.stream_mode))
    streamed = dict.fromkeys("messages" if mode == "messages-tuple" else mode for mode in modes)
    options |= {"subgraphs": request.subgraphs, "stream_mode": [mode for mode in streamed if mode in _MODES]}
    if "events" not in modes:
        async with aclosing(cast(Any, graph).astream(given, config, **options)) as chunks:
            async for chunk in chunks:
                for event in translator.events(chunk):
                    yield event
        return
    config = {**config, "run_id": UUID(run.run_id)}
    async for each in cast(Any, graph).astream_events(given, config, version="v2", **options):
        if "langsmith:hidden" in each.get("tags", ()):
            continue
        if each["event"] == "on_chain_stream" and each["run_id"] == run.run_id:
            for event in translator.events(each["data"].get("chunk")):
                yield event
        else:
            yield "events", each


def _context(graph: AnyGraph, given: dict[str, Any]) -> dict[str, Any]:
    """The graph's context, without the fields that its dataclass refuses: a configuration may stand in for it."""
    schema = graph.context_schema
    if not is_dataclass(schema):
        return given
    names = {field.name for field in fields(schema) if field.init}
    return {name: value for name, value in given.items() if name in names}


def command(given: dict[str, Any]) -> Command[Any]:
    """A Command from its JSON: `goto` names nodes, or has them with what they are sent."""
    goto: Any = given.get("goto") or []
    targets = cast(list[Any], goto) if isinstance(goto, list) else [goto]
    update: Any = given.get("update")
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


async def _protocol_events(
    graph: AnyGraph, given: Any, config: Configuration, translator: EventTranslator, options: dict[str, Any]
) -> AsyncGenerator[Event]:
    """Execute the graph, and yield every event that the protocol has a channel for.

    Questions come last, when the state that they are about is stored: a reader may change that state at once.
    """
    protocol, tasks, questions = _ProtocolTranslator(translator), list[Event](), list[Event]()
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
            for each in (*_taken(tasks), *protocol.events(event["method"], event["params"])):
                if each[0] == "input.requested":
                    questions.append(each)
                else:
                    yield each
    for each in (*_taken(tasks), *questions):
        yield each


class _Tasks(StreamTransformer):
    """Collects the events of tasks, which LangGraph's own transformers don't pass on."""

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

    def __init__(self, translator: EventTranslator) -> None:
        self._translator = translator
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
            self._translator.values = params["data"]
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
        # each of the two clients tells simultaneous messages apart by another id
        ids = {"run_id": run_id, "message_id": self._messages.get(run_id, run_id)}
        return [("messages", {**place, "data": {**said, **ids}})] if said.get("role") != "tool" else []


def question(interrupt: Any) -> dict[str, Any]:
    """A graph's question: `payload` is the protocol's name for it, `value` is where the Python client looks."""
    return {"interrupt_id": interrupt.id, "payload": interrupt.value, "value": interrupt.value}


def _custom(name: str, payload: Any) -> dict[str, Any]:
    """An event of the graph's own code. Of a payload with a name, clients look for its fields next to the name."""
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
    """A text that came as a whole, in the events of a streamed one. Pieces of the older kind come again as a whole."""
    role = message.type
    if role not in _ROLES or isinstance(message, AIMessageChunk | ToolMessage) or not message.text:
        return []
    ids = {"run_id": message.id, "message_id": message.id}
    events = cast(Any, message_to_events)(message, message_id=message.id)
    return [{**event, **ids, **({"role": role} if event["event"] == "message-start" else {})} for event in events]
