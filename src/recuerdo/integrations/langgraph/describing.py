"""Graphs described: their drawing, and what they take and give."""

from typing import Any, cast

from langgraph.types import StateSnapshot
from pydantic import TypeAdapter

from recuerdo.integrations.langgraph.execution import AnyGraph
from recuerdo.runs.encoding import interrupt

Schemas = dict[str, Any]


def schemas_of(graph_id: str, graph: AnyGraph) -> Schemas:
    """JSON Schemas of what a graph takes, gives, keeps, and is configured with; None for what has none."""
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


_SHOWN = ("checkpoint_id", "thread_id", "checkpoint_ns", "checkpoint_map")


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
    """What somebody gets who waited for the run: the values, and the questions that it ended with."""
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
