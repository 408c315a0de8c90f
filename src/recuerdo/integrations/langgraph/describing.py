"""Graphs described: their drawing, and what they take and give."""

from typing import Any, cast

from pydantic import TypeAdapter

from recuerdo.integrations.langgraph.loading import AnyGraph

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
