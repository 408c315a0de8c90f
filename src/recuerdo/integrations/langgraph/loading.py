"""From a graph's source to a graph that can run: compiled, a builder, or a factory of either."""

import inspect
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from typing import Any, cast

from langgraph.graph import StateGraph
from langgraph.pregel import Pregel

from recuerdo.core.errors import ConfigurationError

AnyGraph = Pregel[Any, Any, Any, Any]
Configuration = dict[str, Any]


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
    """The graph, ready to run. Raises ConfigurationError when it is no graph."""
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
    return [runtime if _wants_runtime(each) else config for each in parameters[:2]]


def _wants_runtime(parameter: inspect.Parameter) -> bool:
    return "Runtime" in str(parameter.annotation) or parameter.name == "runtime"
