"""Types of a user's own in states: those that the graph names are allowed by themselves, and others by a list."""

import operator
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Generic, NamedTuple, NotRequired, TypeVar

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.func import entrypoint, task
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send, interrupt
from pydantic import BaseModel, SecretStr
from pydantic.v1 import BaseModel as BaseModelV1
from typing_extensions import TypedDict

from recuerdo import Recuerdo
from recuerdo.core import quotas
from recuerdo.core.errors import InvalidInput
from recuerdo.integrations.langgraph import RecuerdoSaver

CONFIG: Any = {"configurable": {"thread_id": "t-1"}}
T = TypeVar("T")


class Colour(Enum):
    RED = "red"


class Line(BaseModel):
    item: str


class Order(BaseModel):
    lines: list[Line] = []


class Urgent(Order):
    hours: int = 1


class Old(BaseModelV1):
    colour: Colour = Colour.RED


class Place(NamedTuple):
    x: int


@dataclass
class Box(Generic[T]):
    inside: T


class Shop(TypedDict):
    order: NotRequired[Order]
    colours: NotRequired[Annotated[Sequence[Colour], operator.add]]
    old: NotRequired[dict[str, list[Old | None]]]
    box: NotRequired[Box[Place]]


class Loose(TypedDict):
    value: Any


class Login(BaseModel):
    key: SecretStr


class Asked(BaseModel):
    text: str


class Answered(TypedDict):
    answer: "Place"


VALUES: dict[str, Any] = {
    "order": Urgent(lines=[Line(item="bread")]),
    "colours": [Colour.RED],
    "old": {"a": [Old(), None]},
    "box": Box(Place(1)),
}


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'types.db'}"


@pytest.fixture
async def saver(url: str) -> AsyncIterator[RecuerdoSaver]:
    async with Recuerdo.open(url) as memory:
        yield RecuerdoSaver(memory, user="emi")


async def fresh(url: str, graph: Any) -> Any:
    """The values as another process would read them."""
    async with Recuerdo.open(url) as memory:
        return (await graph.copy({"checkpointer": RecuerdoSaver(memory, user="emi")}).aget_state(CONFIG)).values


def shop() -> StateGraph[Any, Any]:
    async def fill(state: Shop) -> Any:
        return VALUES

    graph: StateGraph[Any, Any] = StateGraph(Shop)
    graph.add_node("fill", fill)
    graph.add_edge(START, "fill")
    return graph


async def test_types_of_the_state_come_back_as_they_were(saver: RecuerdoSaver, url: str) -> None:
    """Models of both kinds, a subclass, dataclasses, enumerations, named tuples; also of a graph compiled without."""
    for graph in (shop().compile(checkpointer=saver), shop().compile().copy({"checkpointer": saver})):
        await graph.ainvoke({"colours": []}, CONFIG)
        assert (await graph.aget_state(CONFIG)).values == await fresh(url, graph)
        assert {name: (await fresh(url, graph))[name] for name in ("order", "old", "box")} == {
            name: VALUES[name] for name in ("order", "old", "box")
        }


async def test_types_of_subgraphs_inputs_outputs_and_what_is_sent(saver: RecuerdoSaver, url: str) -> None:
    async def ask(state: Asked) -> Any:
        return {"answer": Place(len(state.text) + interrupt(0))}

    inner: StateGraph[Any, Any, Any, Any] = StateGraph(Shop, input_schema=Asked, output_schema=Answered)
    inner.add_node("ask", ask)
    inner.add_edge(START, "ask")

    def send(state: Any) -> Any:
        return [Send("inner", Asked(text="hola"))]

    outer: StateGraph[Any, Any] = StateGraph(Shop)
    outer.add_node("inner", inner.compile())
    outer.add_conditional_edges(START, send, ["inner"])
    graph = outer.compile(checkpointer=saver)
    await graph.ainvoke({"colours": [Colour.RED]}, CONFIG)
    async with Recuerdo.open(url) as memory:
        resumed = graph.copy({"checkpointer": RecuerdoSaver(memory, user="emi")})
        assert (await resumed.ainvoke(Command(resume=1), CONFIG))["colours"] == [Colour.RED]


async def test_a_secret_of_pydantic_is_a_type_as_others_are(saver: RecuerdoSaver, url: str) -> None:
    class State(TypedDict):
        login: Login

    async def log_in(state: State) -> Any:
        return {"login": Login(key=SecretStr("k"))}

    graph = StateGraph(State).add_node(log_in).add_edge(START, "log_in").compile(checkpointer=saver)
    await graph.ainvoke({}, CONFIG)
    assert (await fresh(url, graph))["login"].key.get_secret_value() == "k"


async def test_a_class_that_a_node_finds_in_a_module_is_named_by_it(saver: RecuerdoSaver, url: str) -> None:
    async def find(state: Loose) -> Any:
        return {"value": quotas.Quota(1, 2)}

    graph = StateGraph(Loose).add_node(find).add_edge(START, "find").compile(checkpointer=saver)
    await graph.ainvoke({}, CONFIG)
    assert (await fresh(url, graph))["value"] == quotas.Quota(1, 2)


@task
async def price(order: Order) -> Place:
    return Place(len(order.lines))


async def test_types_of_tasks_and_entrypoints(saver: RecuerdoSaver, url: str) -> None:
    @entrypoint(checkpointer=saver)
    async def buy(order: Order) -> entrypoint.final[Box[Place], Order]:
        place = await price(order)
        interrupt("sure?")
        return entrypoint.final(value=Box(place), save=order)

    await buy.ainvoke(Order(lines=[Line(item="bread")]), CONFIG)
    async with Recuerdo.open(url) as memory:
        resumed = buy.copy({"checkpointer": RecuerdoSaver(memory, user="emi")})
        assert await resumed.ainvoke(Command(resume="yes"), CONFIG) == Box(Place(1))
    assert await fresh(url, buy) == Box(Place(1))


async def test_the_answer_of_an_agent_may_have_a_type(saver: RecuerdoSaver, url: str) -> None:
    call = {"name": "Line", "args": {"item": "bread"}, "id": "1"}

    class Model(GenericFakeChatModel):
        def bind_tools(self, *_: Any, **__: Any) -> Any:
            return self

    model = Model(messages=iter([AIMessage("", tool_calls=[call])]))
    agent: Any = create_agent(model, response_format=Line, checkpointer=saver)
    await agent.ainvoke({"messages": [HumanMessage("hola")]}, CONFIG)
    assert (await fresh(url, agent))["structured_response"] == Line(item="bread")


def loose(value: Any) -> StateGraph[Any, Any]:
    graph: StateGraph[Any, Any] = StateGraph(Loose)
    graph.add_node("fill", lambda _: {"value": value})  # pyright: ignore[reportUnknownLambdaType, reportUnknownMemberType]
    graph.add_edge(START, "fill")
    return graph


async def test_other_types_are_allowed_by_a_list_or_by_langgraphs_variable(
    saver: RecuerdoSaver, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    with pytest.raises(InvalidInput, match=r"Place is not a type .* name it in the graph's schema, .*allow=\[Place\]"):
        await loose(Place(1)).compile(checkpointer=saver).ainvoke({"value": 0}, CONFIG)
    async with Recuerdo.open(url) as memory:
        listed = loose(Place(1)).compile(checkpointer=RecuerdoSaver(memory, allow=[Place], user="emi"))
        assert await listed.ainvoke({"value": 0}, CONFIG) == {"value": Place(1)}
        monkeypatch.setenv("LANGGRAPH_STRICT_MSGPACK", "false")
        lenient = loose(Place(2)).compile(checkpointer=RecuerdoSaver(memory, user="emi"))
        assert await lenient.ainvoke({"value": 0}, CONFIG) == {"value": Place(2)}
        assert (await lenient.aget_state(CONFIG)).values == {"value": Place(2)}
