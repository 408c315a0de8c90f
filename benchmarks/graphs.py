"""The graph that is measured: it answers each message of 200 characters with another."""

from typing import Annotated, Any, TypedDict
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import _messages_delta_reducer, add_messages

_TEXT = "x" * 200


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


class DeltaState(TypedDict):
    messages: Annotated[list[AnyMessage], DeltaChannel(_messages_delta_reducer)]


def build(saver: BaseCheckpointSaver[Any], *, delta: bool = False) -> Any:
    """A graph that answers. With `delta` LangGraph stores what is new in a step, and everything now and then."""
    graph = StateGraph(DeltaState if delta else State)
    graph.add_node("agent", _answer)
    graph.add_edge(START, "agent")
    graph.add_edge("agent", END)
    return graph.compile(checkpointer=saver)


def human() -> HumanMessage:
    """A new message of a user."""
    return HumanMessage(_TEXT, id=str(uuid4()))


def assistant() -> AIMessage:
    """A new answer."""
    return AIMessage(_TEXT, id=str(uuid4()))


def _answer(state: Any) -> dict[str, Any]:
    del state
    return {"messages": [assistant()]}
