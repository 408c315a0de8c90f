"""A graph whose runs end with the word that they were given."""

from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict


class Echo(TypedDict, total=False):
    word: str
    said: str


graph = StateGraph(Echo)
graph.add_node("say", lambda state: {"said": state["word"]})
graph.add_edge(START, "say")
echo = graph.compile()
