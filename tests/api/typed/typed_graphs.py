"""Graphs whose state, context and answers have types of their own."""

import operator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, NamedTuple

from langchain_core.agents import AgentAction
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict


class Said(TypedDict, total=False):
    text: str


@dataclass
class Tone:
    tone: str = "plain"
    volume: int = 3


class Style(BaseModel):
    tone: str = "plain"
    volume: int = 3


async def tell_tone(state: Said, runtime: Runtime[Any]) -> Said:
    return {"text": f"{runtime.context.tone} {runtime.context.volume}"}


def styled(schema: type[Any]) -> Any:
    graph: StateGraph[Any, Any] = StateGraph(Said, context_schema=schema)
    graph.add_node("tell_tone", tell_tone)
    graph.add_edge(START, "tell_tone")
    graph.add_edge("tell_tone", END)
    return graph.compile()


class Colour(Enum):
    RED = "red"


class Line(BaseModel):
    item: str
    price: Decimal = Decimal("1.5")


class Order(BaseModel):
    lines: list[Line] = []
    colour: Colour = Colour.RED


class Place(NamedTuple):
    x: int
    y: int


@dataclass
class Parcel:
    order: Order
    place: Place


class Shop(TypedDict, total=False):
    order: Order
    parcels: Annotated[list[Parcel], operator.add]
    places: dict[str, Place | None]
    steps: list[tuple[AgentAction, str]]
    takes: timedelta


async def order(state: Shop) -> Shop:
    lines = [*(state["order"].lines if "order" in state else ()), Line(item="bread")]
    made = Order(lines=lines)
    taken = AgentAction("buy", {"item": "bread"}, "buying")
    return {
        "order": made,
        "parcels": [Parcel(made, Place(1, 2))],
        "places": {"home": Place(3, 4), "work": None},
        "steps": [(taken, "done")],
        "takes": timedelta(minutes=2),
    }


async def pack(state: Shop) -> Shop:
    """Reads what the step before has left."""
    kinds = [type(state["order"]), type(state["order"].lines[0].price), type(state["parcels"][-1].place)]
    kinds.append(type(state["steps"][0][0]))
    assert kinds == [Order, Decimal, Place, AgentAction]
    return {"parcels": []}


def shop() -> Any:
    graph: StateGraph[Any, Any] = StateGraph(Shop)
    graph.add_sequence([("order", order), ("pack", pack)])
    graph.add_edge(START, "order")
    return graph.compile()


async def ask_about(state: Shop) -> Shop:
    return {"order": Order(lines=[Line(item=interrupt(Order(lines=[Line(item="bread")])))])}


def asking_shop() -> Any:
    graph: StateGraph[Any, Any] = StateGraph(Shop)
    graph.add_node("ask_about", ask_about)
    graph.add_edge(START, "ask_about")
    return graph.compile()


class Anything(TypedDict, total=False):
    value: Any
    kind: str


@dataclass
class Listed:
    text: str


@dataclass
class Stranger:
    text: str


def made_of(kind: str) -> Any:
    return globals()[kind]("x")


async def be_careless(state: Anything) -> Anything:
    return {"value": made_of(state.get("kind", ""))}


def anything() -> Any:
    graph: StateGraph[Any, Any] = StateGraph(Anything)
    graph.add_node("be_careless", be_careless)
    graph.add_edge(START, "be_careless")
    return graph.compile()


ordering, asking, careless = shop(), asking_shop(), anything()
toned, modelled = styled(Tone), styled(Style)
