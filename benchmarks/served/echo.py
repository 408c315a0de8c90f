"""The graphs that servers are measured with."""

import asyncio
import time
from pathlib import Path
from typing import Annotated, Any

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.config import get_stream_writer
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict  # before Python 3.12 pydantic describes no other

_AT_ONCE = 20


class Talk(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    words: int
    place: str


async def answer(state: Talk) -> dict[str, Any]:
    """Say some words, each with its number and the time, and keep a message."""
    tell = get_stream_writer()
    for word in range(state.get("words", 0)):
        tell({"word": word, "at": time.time()})
        if word % _AT_ONCE == _AT_ONCE - 1:
            await asyncio.sleep(0)
    return {"messages": [AIMessage(f"you said {state['messages'][-1].text}")]}


async def wait(state: Talk) -> dict[str, Any]:
    """Wait to be cancelled, and note when that was."""
    get_stream_writer()({"word": 0, "at": time.time()})
    try:
        await asyncio.Event().wait()
    finally:
        Path(state["place"]).write_text(str(time.time()))  # noqa: ASYNC240 (nothing else is going on)
    return {}


def _of_one_node(node: Any) -> Any:
    graph = StateGraph(Talk)
    graph.add_node("node", node)
    graph.add_edge(START, "node")
    return graph.compile()


echo = _of_one_node(answer)
waiting = _of_one_node(wait)
