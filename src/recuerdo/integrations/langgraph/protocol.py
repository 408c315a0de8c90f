"""What a run tells in the thread-centric protocol: LangGraph's third stream in the words of `langchain-protocol`.

An event is the protocol's method, and its params: where in the graph it happened, when, and what.
"""

from collections.abc import AsyncGenerator, Callable
from functools import partial
from typing import Any, cast

from langchain_core._api import suppress_langchain_beta_warning
from langchain_core.language_models._compat_bridge import message_to_events
from langchain_core.messages import AIMessageChunk, BaseMessage, ToolMessage
from langgraph.prebuilt import ToolCallTransformer
from langgraph.stream import (
    CheckpointsTransformer,
    CustomTransformer,
    ProtocolEvent,
    StreamTransformer,
    UpdatesTransformer,
)

from recuerdo.integrations.langgraph.loading import AnyGraph, Configuration

Event = tuple[str, Any]

_CHANNELS = (UpdatesTransformer, CustomTransformer, CheckpointsTransformer, ToolCallTransformer)
_ROLES = {"human": "human", "system": "system", "ai": "ai"}


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
            return [("messages", {**place, "data": data}) for data in _whole(said)]
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


def _whole(message: BaseMessage) -> list[dict[str, Any]]:
    """A text that came at once, as if it had been streamed. Pieces of the older kind come again as a whole."""
    role = _ROLES.get(message.type)
    if role is None or isinstance(message, AIMessageChunk | ToolMessage) or not message.text:
        return []
    ids = {"run_id": message.id, "message_id": message.id}
    events = cast(Any, message_to_events)(message, message_id=message.id)
    return [{**event, **ids, **({"role": role} if event["event"] == "message-start" else {})} for event in events]
