"""Graphs whose state, context and answers have types of their own."""

from dataclasses import dataclass
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
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


toned, modelled = styled(Tone), styled(Style)
