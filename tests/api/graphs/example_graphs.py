"""Graphs of somebody else's, as a `langgraph.json` names them: each is one way of writing a graph."""

import asyncio
import operator
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.config import get_store, get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from typing_extensions import TypedDict  # before Python 3.12 pydantic describes no other


class Talk(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]


class Steps(TypedDict, total=False):
    items: Annotated[list[str], operator.add]
    wait: float
    gate: str
    answer: str


class Manner(TypedDict, total=False):
    tone: str


async def speak(state: Talk) -> dict[str, Any]:
    """A model that streams its words one by one."""
    get_stream_writer()({"heard": len(state["messages"])})
    said = f"you said {state['messages'][-1].text}"
    model = GenericFakeChatModel(messages=iter([AIMessage(said)]))
    return {"messages": [await model.ainvoke(state["messages"])]}


def talker() -> StateGraph[Talk]:
    graph = StateGraph(Talk)
    graph.add_node("speak", speak)
    graph.add_edge(START, "speak")
    graph.add_edge("speak", END)
    return graph


async def first(state: Steps) -> dict[str, Any]:
    await asyncio.sleep(state.get("wait", 0))
    return {"items": ["first"]}


async def second(state: Steps) -> dict[str, Any]:
    if state.get("answer") == "fail":
        raise ValueError("told to fail")
    await asyncio.sleep(state.get("wait", 0))
    while (gate := state.get("gate")) and not Path(gate).exists():  # noqa: ASYNC110, ASYNC240 - another process opens it
        await asyncio.sleep(0.02)
    return {"items": ["second"]}


def steps() -> StateGraph[Steps]:
    graph = StateGraph(Steps)
    graph.add_node("first", first)
    graph.add_node("second", second)
    graph.add_edge(START, "first")
    graph.add_edge("first", "second")
    graph.add_edge("second", END)
    return graph


async def stay(_: Steps) -> dict[str, Any]:
    await asyncio.sleep(3600)
    return {}


def slow() -> StateGraph[Steps]:
    graph = StateGraph(Steps)
    graph.add_node("first", first)
    graph.add_node("second", stay)
    graph.add_edge(START, "first")
    graph.add_edge("first", "second")
    graph.add_edge("second", END)
    return graph


async def ask(state: Steps) -> dict[str, Any]:
    answer = interrupt({"question": "go on?"})
    return {"answer": answer, "items": [f"heard {answer}"]}


def asker() -> StateGraph[Steps]:
    graph = StateGraph(Steps)
    graph.add_node("first", first)
    graph.add_node("ask", ask)
    graph.add_edge(START, "first")
    graph.add_edge("first", "ask")
    graph.add_edge("ask", END)
    return graph


async def manner(state: Steps, config: RunnableConfig, runtime: Runtime[Manner]) -> dict[str, Any]:
    configurable = config.get("configurable", {})
    tone = (runtime.context or {}).get("tone") or configurable.get("tone", "plain")
    await get_store().aput(("tones",), "last", {"tone": tone})
    return {"items": [f"{tone} in {configurable['graph_id']}"]}


def mannered() -> StateGraph[Any, Any]:
    graph = StateGraph(Steps, context_schema=Manner)
    graph.add_node("manner", manner)
    graph.add_edge(START, "manner")
    graph.add_edge("manner", END)
    return graph


def nested() -> StateGraph[Steps]:
    graph = StateGraph(Steps)
    graph.add_node("inner", asker().compile())
    graph.add_edge(START, "inner")
    graph.add_edge("inner", END)
    return graph


@tool
async def measure(text: str) -> str:
    """How long a text is."""
    return str(len(text))


async def work(_: Steps) -> dict[str, Any]:
    call = {"type": "tool_call", "id": "call-1", "name": "measure", "args": {"text": "hola"}}
    return {"items": [(await measure.ainvoke(call)).content]}


def worker() -> StateGraph[Steps]:
    graph = StateGraph(Steps)
    graph.add_node("work", work)
    graph.add_edge(START, "work")
    graph.add_edge("work", END)
    return graph


@asynccontextmanager
async def made_for_each_run(config: RunnableConfig) -> AsyncGenerator[Any]:
    yield steps()


talking = talker().compile()
stepping = steps()
lasting = slow()
asking = asker().compile()
nesting = nested().compile()
with_manners = mannered().compile()
working = worker().compile()
