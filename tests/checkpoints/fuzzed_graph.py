"""A graph that does what its input tells it, in all the ways in which graphs change their state."""

import operator
from contextlib import suppress
from random import Random
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.channels.delta import DeltaChannel
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages
from langgraph.types import Command, Send, interrupt


def _later(left: Any, right: Any) -> Any:
    del left
    return right


class State(TypedDict, total=False):
    plan: Annotated[list[int], _later]
    messages: Annotated[list[AnyMessage], add_messages]
    numbers: Annotated[list[int], operator.add]
    notes: Annotated[list[dict[str, Any]], operator.add]
    last: Annotated[list[Any], _later]
    mixed: Annotated[dict[str, Any], _later]


def message(random: Random) -> AnyMessage:
    """Any message."""
    text = "x" * random.choice((1, 10, 300)) + str(random.random())
    identity = f"m{random.getrandbits(40)}"
    match random.randrange(5):
        case 0:
            return HumanMessage(text, id=identity)
        case 1:
            return AIMessage(text, id=identity, name="ana", usage_metadata=_USAGE)
        case 2:
            call = {"name": "look", "args": {"what": [1, {"a": True}], "n": 1.0}, "id": identity, "type": "tool_call"}
            return AIMessage([{"type": "text", "text": text}], id=identity, tool_calls=[call])
        case 3:
            return ToolMessage(text, id=identity, tool_call_id="c", artifact={"rows": [1, 2.5, None]}, status="error")
        case _:
            return HumanMessage(text, id=identity, additional_kwargs={"k": [1, {"x": text}]}, seen=1)


_USAGE = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}


def change(state: State, random: Random) -> dict[str, Any]:
    """The changes that one node makes to the state."""
    messages = state.get("messages", [])
    match random.randrange(11):
        case 0 | 1 | 2:
            return {"messages": [message(random) for _ in range(random.randrange(4))]}
        case 3 if messages:
            old = random.choice(messages)
            return {"messages": [type(old)(**{**old.model_dump(), "content": f"edited {random.random()}"})]}
        case 4 if messages:
            gone = random.sample(messages, random.randrange(1, len(messages) + 1))
            return {"messages": [RemoveMessage(id=each.id) for each in gone]}
        case 5 if messages:
            kept = messages[random.randrange(len(messages)) :]
            return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *kept]}
        case 6 if messages:
            victim = random.choice(messages)
            victim.additional_kwargs["touched"] = random.choice((1, True, 1.0, "1"))
            if random.random() < 0.5:
                victim.content = "changed in place"
            return {"messages": [message(random)]} if random.random() < 0.5 else {}
        case 7:
            return {"numbers": [random.randrange(3) for _ in range(random.choice((1, 5, 90)))]}
        case 8:
            return {
                "notes": [{"n": random.random(), "deep": [{"a": [1, True]}] * random.randrange(3)}],
                "last": messages,
            }
        case 9:
            return {"last": [random.choice((1, True, "a", None, [1], {"b": 2})) for _ in range(random.randrange(70))]}
        case _:
            return {"mixed": {"messages": list(messages), "text": "t" * random.choice((3, 400)), "at": random.random()}}


def build(saver: Any, *, delta: bool = False, snapshots: int = 3) -> Any:
    """The graph: nodes in a row, beside each other, sent to, in a subgraph, and stopped in between."""
    state: type = _delta_state(snapshots) if delta else State
    inner = StateGraph(state)
    inner.add_node("first", _node)
    inner.add_node("second", _node)
    inner.add_edge(START, "first")
    inner.add_edge("first", "second")
    graph = StateGraph(state)
    for name in ("one", "left", "right", "sent", "last"):
        graph.add_node(name, _node)
    graph.add_node("ask", _ask)
    graph.add_node("inner", inner.compile())
    graph.add_edge(START, "one")
    graph.add_conditional_edges("one", _beside, ["left", "right", "sent", "inner", "ask", "last"])
    for name in ("left", "right", "sent", "inner"):
        graph.add_edge(name, "last")
    graph.add_edge("last", END)
    return graph.compile(checkpointer=saver)


def _delta_state(snapshots: int) -> type:
    return TypedDict(
        "DeltaState",
        {
            "plan": Annotated[list[int], _later],
            "messages": Annotated[list[AnyMessage], DeltaChannel(_reduce, snapshot_frequency=snapshots)],
            "numbers": Annotated[list[int], operator.add],
            "notes": Annotated[list[dict[str, Any]], DeltaChannel(_extend, snapshot_frequency=snapshots)],
            "last": Annotated[list[Any], _later],
            "mixed": Annotated[dict[str, Any], _later],
        },
        total=False,
    )


def _reduce(left: list[Any], writes: list[Any]) -> list[Any]:
    for write in writes:
        with suppress(ValueError):  # two nodes have removed the same message
            left = add_messages(left, write)
    return left


def _extend(left: list[Any], writes: list[Any]) -> list[Any]:
    return [*left, *(each for write in writes for each in write)]


def _random(state: State, name: str) -> Random:
    return Random(f"{state.get('plan')}-{name}-{len(state.get('messages', []))}")


def _node(state: Any) -> dict[str, Any]:
    return change(state, _random(state, "node"))


def _ask(state: Any) -> Command[Any]:
    random = _random(state, "ask")
    answer = interrupt({"question": [message(random)], "n": 1})
    return Command(update={**change(state, random), "last": [answer]}, goto="last")


def _beside(state: Any) -> list[Any]:
    random = _random(state, "beside")
    match random.randrange(6):
        case 0:
            return ["left", "right"]
        case 1:
            return [Send("sent", {**state, "plan": [index]}) for index in range(3)]
        case 2:
            return ["inner", "left"]
        case 3:
            return ["ask"]
        case _:
            return ["last"]
