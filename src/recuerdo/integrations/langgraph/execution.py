"""What a run tells while its graph works: LangGraph's stream in the words of the API's events."""

from collections.abc import AsyncGenerator, AsyncIterator, Collection
from contextlib import aclosing
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple, cast
from uuid import UUID

from langgraph.types import Command, Send

from recuerdo.core.runs import Run, RunRequest
from recuerdo.integrations.langgraph.loading import AnyGraph, Configuration
from recuerdo.integrations.langgraph.protocol import tell_protocol

_OWN_MODES = {"messages-tuple": "messages"}
_MODES = ("values", "updates", "messages", "custom", "tasks", "checkpoints", "debug")

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
