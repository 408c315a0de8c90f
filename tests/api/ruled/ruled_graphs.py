"""A graph that says for whom it works."""

import operator
from typing import Annotated, Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph_sdk.runtime import ServerRuntime
from typing_extensions import TypedDict


class Named(TypedDict, total=False):
    items: Annotated[list[str], operator.add]


async def name(_: Named, config: RunnableConfig) -> dict[str, Any]:
    configurable = config.get("configurable", {})
    user = configurable["langgraph_auth_user"]
    return {"items": [user["identity"], user["team"], *configurable["langgraph_auth_permissions"]]}


def naming(runtime: ServerRuntime[Any]) -> StateGraph[Named]:
    graph = StateGraph(Named)
    graph.add_node("name", name)
    graph.add_edge(START, "name")
    graph.add_edge("name", END)
    if runtime.execution_runtime is not None and runtime.user is not None:
        graph.add_node(runtime.user.identity, name)
    return graph
