"""Graphs as people write them: they end up in the same states over LangGraph's InMemorySaver and over ours."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, TypedDict

import pytest
from checkpoint_twins import plain
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, Send, interrupt

from recuerdo.core.errors import ConfigurationError, InvalidInput
from recuerdo.core.scope import Owner, owner_in
from recuerdo.integrations.langgraph import RecuerdoSaver


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    approved: bool


@pytest.fixture(params=["sqlite", "postgres", "mongodb", "memory"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return request.getfixturevalue("postgres_url")
    if request.param == "mongodb":
        return request.getfixturevalue("empty_mongodb_url")
    return "memory://" if request.param == "memory" else f"sqlite:///{tmp_path / 'recuerdo.db'}"


async def test_an_agent_with_tools_interrupts_and_a_subgraph_is_the_same_over_both(url: str) -> None:
    expected = await _converse(InMemorySaver(), "agent")
    async with RecuerdoSaver.from_conn_string(url, user="emi") as saver:
        assert await _converse(saver, "agent") == expected


async def test_time_travel_and_forks_are_the_same_over_both(url: str) -> None:
    expected = await _travel(InMemorySaver(), "travel")
    async with RecuerdoSaver.from_conn_string(url, user="emi") as saver:
        assert await _travel(saver, "travel") == expected


async def test_another_process_goes_on_where_the_first_one_was_interrupted(url: str) -> None:
    if url == "memory://":
        pytest.skip("it ends with the process")
    config: Any = {"configurable": {"thread_id": "handed over"}}
    async with RecuerdoSaver.from_conn_string(url, user="emi") as saver:
        await _agent(saver).ainvoke({"messages": [HumanMessage("book it", id="h1")]}, config)
    async with RecuerdoSaver.from_conn_string(url, user="emi") as saver:
        state = await _agent(saver).ainvoke(Command(resume=True), config)
        assert [each.type for each in state["messages"]] == ["human", "ai", "tool", "ai"]


async def test_owners_do_not_see_each_others_threads(url: str) -> None:
    """The tenant and the user may come from the config, and go back into it for time travel."""
    async with RecuerdoSaver.from_conn_string(url) as saver:
        graph = _agent(saver)
        mine: Any = {"configurable": {"thread_id": "same", "tenant": "a", "user": "u"}}
        other: Any = {"configurable": {"thread_id": "same", "tenant": "b", "user": "u"}}
        await graph.ainvoke({"messages": [HumanMessage("secret", id="h1")]}, mine)
        assert (await graph.aget_state(other)).values == {}
        snapshots = [each async for each in graph.aget_state_history(mine)]
        assert snapshots[0].config["configurable"]["tenant"] == "a"
        assert (await graph.aget_state(snapshots[0].config)).values["messages"][0].content == "secret"
        assert [each async for each in saver.owned_by(tenant="b", user="u").alist(None)] == []
        assert [each async for each in saver.owned_by(tenant="a", user="u").alist(None)]


@pytest.mark.parametrize(
    "named",
    [
        {"tenant": "acme", "user": "emi"},
        {"tenant_id": "acme", "user_id": "emi"},
        {"langgraph_auth_user": {"identity": "emi", "tenant_id": "acme"}},
        {"langgraph_auth_user": SimpleNamespace(identity="emi", tenant="acme"), "user_id": "eva", "tenant_id": "zeta"},
        {"langgraph_auth_user_id": "emi", "tenant_id": "acme", "user_id": "eva"},
    ],
)
async def test_a_run_names_its_owner_and_the_one_who_was_authenticated_goes_first(named: dict[str, Any]) -> None:
    assert owner_in(named) == Owner("acme", "emi")


@pytest.mark.parametrize("named", [{}, {"tenant_id": "acme"}, {"user_id": ""}, {"langgraph_auth_user": {}}])
async def test_a_thread_without_an_owner_is_refused_by_an_error_that_says_how_to_name_one(
    url: str, named: dict[str, Any]
) -> None:
    """Not kept for an anonymous user, whom others share."""
    async with RecuerdoSaver.from_conn_string(url) as saver:
        config: Any = {"configurable": {"thread_id": "t-1", **named}}
        with pytest.raises(InvalidInput, match="'user_id': 'emi'"):
            await _agent(saver).ainvoke({"messages": [HumanMessage("Hi", id="h1")]}, config)
        with pytest.raises(InvalidInput, match="'user_id': 'emi'"):
            await saver.adelete_thread("t-1")


async def test_a_saver_with_a_user_heeds_no_config(url: str) -> None:
    async with RecuerdoSaver.from_conn_string(url, user="emi") as saver:
        config: Any = {"configurable": {"thread_id": "t-1", "tenant_id": "zeta", "user_id": "eva"}}
        await _agent(saver).ainvoke({"messages": [HumanMessage("Hi", id="h1")]}, config)
        assert [each async for each in saver.owned_by(tenant="default", user="emi").alist(None)]
        assert [each async for each in saver.owned_by(tenant="zeta", user="eva").alist(None)] == []


def test_programs_without_a_loop_use_it_too(url: str) -> None:
    config: Any = {"configurable": {"thread_id": "in step"}}
    with RecuerdoSaver.from_conn_string(url, user="emi") as saver:
        graph = _agent(saver)
        graph.invoke({"messages": [HumanMessage("book it", id="h1")]}, config)
        assert graph.get_state(config).interrupts
        graph.invoke(Command(resume=True), config)
        assert len(list(graph.get_state_history(config))) == 5


def test_every_call_may_come_from_an_event_loop_of_its_own(url: str) -> None:
    config: Any = {"configurable": {"thread_id": "from all sides"}}
    with RecuerdoSaver.from_conn_string(url, user="emi") as saver:
        graph = _agent(saver)

        async def history() -> int:
            return len([each async for each in graph.aget_state_history(config)])

        asyncio.run(graph.ainvoke({"messages": [HumanMessage("book it", id="h1")]}, config))
        graph.invoke(Command(resume=True), config)
        assert asyncio.run(history()) == 5
        asyncio.run(saver.adelete_thread("from all sides"))
        assert asyncio.run(history()) == 0


async def test_a_synchronous_call_on_the_loop_says_what_to_do(url: str) -> None:
    async with RecuerdoSaver.from_conn_string(url, user="emi") as saver:
        with pytest.raises(ConfigurationError, match="to_thread"):
            saver.get_tuple({"configurable": {"thread_id": "t"}})


async def test_a_bytearray_is_no_bytes(url: str) -> None:
    """A graph may go on to append to it."""
    async with RecuerdoSaver.from_conn_string(url, user="emi") as saver:
        place: Any = {"configurable": {"thread_id": "bytes", "checkpoint_ns": ""}}
        checkpoint = empty_checkpoint() | {
            "channel_values": {"data": bytearray(b"x")},
            "channel_versions": {"data": 1},
        }
        await saver.aput(place, checkpoint, {}, {"data": 1})
        found = await saver.aget_tuple(place)
        assert found is not None
        assert type(found.checkpoint["channel_values"]["data"]) is bytearray


class Stranger:
    """A type that nobody has allowed."""

    def model_dump(self) -> dict[str, Any]:
        return {}


async def test_an_unknown_type_is_refused_when_it_is_written(url: str) -> None:
    async with RecuerdoSaver.from_conn_string(url, user="emi") as saver:
        place: Any = {"configurable": {"thread_id": "strange", "checkpoint_ns": "", "checkpoint_id": "1"}}
        with pytest.raises(InvalidInput, match=r"allow=\[Stranger\]"):
            await saver.aput_writes(place, [("channel", [Stranger()])], "task")
        allowing = RecuerdoSaver(_Memory(saver), allow=[Stranger], user="emi")
        await allowing.aput_writes(place, [("channel", [Stranger()])], "task")


@pytest.mark.parametrize(
    "hidden",
    [
        Stranger(),
        [Stranger()],
        {"deep": [{"in": Stranger()}]},
        [HumanMessage("x", id="h"), Stranger()],
        [ToolMessage("x", id="t", tool_call_id="c", artifact=Stranger())],
        Send("node", {"to": Stranger()}),
    ],
    ids=["alone", "in a list", "deep", "beside a message", "as an artifact", "sent"],
)
async def test_nothing_of_a_checkpoint_with_an_unknown_type_is_kept(hidden: object, tmp_path: Path) -> None:
    """Wherever it is; and the saver works on."""
    async with RecuerdoSaver.from_conn_string(f"sqlite:///{tmp_path}/r.db", user="emi") as saver:
        place: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
        about: Any = {"source": "loop", "step": 0, "parents": {}}
        new: Any = {**empty_checkpoint(), "channel_values": {"x": hidden}, "channel_versions": {"x": 1}}
        with pytest.raises(InvalidInput, match=r"allow=\[Stranger\]"):
            await saver.aput(place, new, about, {"x": 1})
        assert await saver.aget_tuple(place) is None
        await saver.aput(place, {**new, "channel_values": {"x": [1]}}, about, {"x": 1})
        found = await saver.aget_tuple(place)
        assert found is not None
        assert found.checkpoint["channel_values"] == {"x": [1]}


class _Memory:
    def __init__(self, saver: RecuerdoSaver) -> None:
        self.checkpoints = saver._checkpoints
        self.message_fields = saver._fields


async def _converse(saver: Any, thread: str) -> Any:
    config: Any = {"configurable": {"thread_id": thread}}
    graph = _agent(saver)
    await graph.ainvoke({"messages": [HumanMessage("book it", id="h1")]}, config)
    waiting = await graph.aget_state(config, subgraphs=True)
    assert waiting.interrupts
    await graph.ainvoke(Command(resume=True, update={"approved": True}), config)
    await graph.ainvoke({"messages": [HumanMessage("thanks", id="h2")]}, config, durability="exit")
    return await _history(graph, config)


async def _travel(saver: Any, thread: str) -> Any:
    config: Any = {"configurable": {"thread_id": thread}}
    graph = _agent(saver)
    for turn in range(3):
        await graph.ainvoke({"messages": [HumanMessage("hello", id=f"h{turn}")]}, config)
    history = [each async for each in graph.aget_state_history(config)]
    old = history[len(history) // 2]
    await graph.aupdate_state(old.config, {"messages": [HumanMessage("otherwise", id="h1")]}, as_node="answer")
    await graph.ainvoke({"messages": [HumanMessage("and now?", id="h9")]}, config)
    await graph.ainvoke(None, history[-2].config)
    return await _history(graph, config)


async def _history(graph: Any, config: Any) -> Any:
    snapshots = [each async for each in graph.aget_state_history(config)]
    return [(plain(each.values), each.next, each.metadata["source"], each.metadata["step"]) for each in snapshots]


def _agent(saver: Any) -> Any:
    """Answers; a booking is asked back for, and made by a subgraph."""
    tools = StateGraph(State)
    tools.add_node("ask", _ask)
    tools.add_node("book", _book)
    tools.add_edge(START, "ask")
    tools.add_edge("ask", "book")
    graph = StateGraph(State)
    graph.add_node("answer", _answer)
    graph.add_node("tools", tools.compile())
    graph.add_edge(START, "answer")
    graph.add_conditional_edges("answer", _next, ["tools", END])
    graph.add_edge("tools", "answer")
    return graph.compile(checkpointer=saver)


def _answer(state: State) -> dict[str, Any]:
    asked = state["messages"][-1]
    number = len(state["messages"])
    if asked.content == "book it":
        call = {"name": "book", "args": {"seats": 2}, "id": f"c{number}"}
        return {"messages": [AIMessage("", id=f"a{number}", tool_calls=[call])]}
    return {"messages": [AIMessage(f"You said {asked.content}", id=f"a{number}")]}


def _next(state: State) -> str:
    last = state["messages"][-1]
    return "tools" if isinstance(last, AIMessage) and last.tool_calls else END


def _ask(state: State) -> Command[Any]:
    return Command(update={"approved": interrupt({"may I?": state["messages"][-1].tool_calls})})


def _book(state: State) -> dict[str, Any]:
    [call] = state["messages"][-1].tool_calls
    return {"messages": [ToolMessage(f"booked {state['approved']}", id="t1", tool_call_id=call["id"])]}
