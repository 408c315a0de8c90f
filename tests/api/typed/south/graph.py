"""A graph whose file and type have the names of others."""

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict


class Order(BaseModel):
    south: int = 1


class State(TypedDict, total=False):
    order: Order
    seen: int


async def order(state: State) -> State:
    return {"order": Order()}


async def see(state: State) -> State:
    interrupt("sure?")
    return {"seen": state["order"].south}


def build() -> Any:
    graph: StateGraph[Any, Any] = StateGraph(State)
    graph.add_sequence([("order", order), ("see", see)])
    graph.add_edge(START, "order")
    graph.add_edge("see", END)
    return graph.compile()


graph = build()
