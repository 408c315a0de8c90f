"""A graph that takes its time: in each of its steps it says some words, and keeps a message."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.config import get_stream_writer
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

STEPS = 4
WORDS = 10


class Talk(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    wait: float


def step(number: int) -> Callable[[Talk], Awaitable[dict[str, Any]]]:
    async def talk(state: Talk) -> dict[str, Any]:
        tell = get_stream_writer()
        for word in range(WORDS):
            tell({"step": number, "word": word})
            await asyncio.sleep(state.get("wait", 0) / WORDS)
        return {"messages": [AIMessage(f"step {number}", id=str(uuid.uuid4()))]}

    return talk


def talker() -> StateGraph[Talk]:
    graph = StateGraph(Talk)
    graph.add_sequence([(f"step-{number}", step(number)) for number in range(STEPS)])
    graph.add_edge(START, "step-0")
    return graph


talking = talker().compile()
