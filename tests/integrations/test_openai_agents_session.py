"""RecuerdoSession: what the Agents SDK put in comes out, and never an output without its call."""

import asyncio
import json
import random
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from agents.memory import Session, SessionSettings, SQLiteSession
from openai import AsyncOpenAI

from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, RunConfig, Runner, function_tool
from recuerdo import Message, MessageWindow, Recuerdo, ToolCall
from recuerdo.core.errors import InvalidInput
from recuerdo.integrations.bridge import Bridge
from recuerdo.integrations.openai_agents import RecuerdoSession
from recuerdo.integrations.openai_agents.items import answered_id, asked_id, to_items, to_messages
from servers.openai_server import OpenAIServer

T = TypeVar("T")


@pytest.fixture
async def memory() -> AsyncGenerator[Recuerdo]:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        yield memory


@pytest.fixture
def session(memory: Recuerdo) -> RecuerdoSession:
    return RecuerdoSession(memory.thread(tenant="acme", user="emi", thread="s-1"))


def said(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def answered(text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}


def thought() -> dict[str, Any]:
    return {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "..."}


def call(number: int, **fields: Any) -> dict[str, Any]:
    named = {"type": "function_call", "call_id": f"c{number}", "name": "weather", "arguments": '{"city":"Lima"}'}
    return named | {"id": f"fc_{number}", "status": "completed"} | fields


def output(number: int, text: Any = "18") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": f"c{number}", "output": text}


TURN = [said("Weather?"), thought(), call(1), call(2), output(1), output(2), answered("18 in both")]

ITEMS = {
    "a question": [said("Hola")],
    "typed parts": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "What is this?"}]},
        {"role": "user", "content": [{"type": "input_image", "image_url": "data:x", "detail": "low"}]},
    ],
    "instructions": [{"role": "developer", "content": "Be brief"}, {"role": "system", "content": "Be kind"}],
    "a whole turn": TURN,
    "texts one after the other": [answered("a"), answered("b"), answered("c")],
    "a refusal": [answered("x") | {"content": [{"type": "refusal", "refusal": "No."}]}],
    "broken arguments": [call(1, arguments="{"), output(1)],
    "a call twice": [call(1), call(1), output(1)],
    "parts as output": [
        call(1),
        output(1, [{"type": "input_text", "text": "x"}, {"type": "input_image", "image_url": "u"}]),
    ],
    "an odd output": [call(1), output(1, {"rows": [1, 2.5, None]})],
    "tools that the provider runs": [
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "x"}},
        {"type": "file_search_call", "id": "fs_1", "queries": ["q"], "results": None, "status": "completed"},
        answered("found"),
    ],
    "a computer": [
        {
            "type": "computer_call",
            "id": "cu_1",
            "call_id": "c1",
            "action": {"type": "screenshot"},
            "status": "completed",
        },
        {
            "type": "computer_call_output",
            "call_id": "c1",
            "output": {"type": "computer_screenshot", "image_url": "data:"},
        },
    ],
    "a shell": [
        {
            "type": "local_shell_call",
            "id": "ls_1",
            "call_id": "c1",
            "action": {"command": ["ls"]},
            "status": "completed",
        },
        {"type": "local_shell_call_output", "id": "c1", "output": "a\nb"},
    ],
    "an approval": [
        {"type": "mcp_approval_request", "id": "ap_1", "name": "delete", "arguments": "{}", "server_label": "s"},
        {"type": "mcp_approval_response", "approval_request_id": "ap_1", "approve": True},
    ],
    "a reference": [{"type": "item_reference", "id": "msg_9"}, said("go on")],
    "empty texts": [said(""), {"role": "assistant", "content": ""}, {"role": "user", "content": []}],
}


@pytest.mark.parametrize("items", ITEMS.values(), ids=ITEMS.keys())
async def test_what_goes_in_comes_out(session: RecuerdoSession, items: list[Any]) -> None:
    await session.add_items(items)
    assert await session.get_items() == items


@pytest.mark.parametrize("items", ITEMS.values(), ids=ITEMS.keys())
async def test_popping_takes_every_item_from_the_end(session: RecuerdoSession, items: list[Any]) -> None:
    await session.add_items(items)
    assert [await session.pop_item() for _ in items] == items[::-1]
    assert await session.pop_item() is None
    assert await session.get_items() == []


async def test_it_is_a_session_to_the_sdk(session: RecuerdoSession) -> None:
    assert isinstance(session, Session)
    assert session.session_id == "s-1"


async def test_it_answers_as_the_sdks_own_session_does(session: RecuerdoSession) -> None:
    """For every limit, where no output would be cut off its call."""
    theirs = SQLiteSession("s-1")
    items: list[Any] = [said("1"), answered("2"), said("3"), answered("4"), answered("5"), said("6")]
    for each in (session, theirs):
        await each.add_items([])
        await each.add_items(items[:4])
        await each.add_items(items[4:])
        await each.pop_item()
    for limit in (None, 0, 1, 2, 3, 4, 5, 6, 5000):
        assert await session.get_items(limit) == await theirs.get_items(limit)
    for each in (session, theirs):
        await each.clear_session()
        assert await each.get_items() == []
        assert await each.pop_item() is None
    theirs.close()


@pytest.mark.parametrize("limit", range(1, 9))
async def test_no_limit_cuts_an_output_off_its_call(session: RecuerdoSession, limit: int) -> None:
    """Nor a call off the reasoning that it came with."""
    await session.add_items([said("before"), *TURN])
    items: list[Any] = list(await session.get_items(limit))
    assert len(items) <= limit
    assert items == {1: TURN[6:], 2: TURN[6:], 3: TURN[6:]}.get(limit, items)
    _check_no_orphan(items)
    if limit >= 6:
        assert items == [said("before"), *TURN][-limit:]


async def test_no_limit_cuts_an_output_off_its_call_in_any_conversation(session: RecuerdoSession) -> None:
    chance = random.Random(7)
    number = 0
    for _ in range(40):
        batch: list[Any] = [said("?")] if chance.random() < 0.4 else []
        calls = range(number, number := number + chance.randint(0, 3))
        batch += [thought()] * chance.randint(0, 1) + [call(each) for each in calls]
        batch += [output(each) for each in chance.sample(calls, len(calls))]
        await session.add_items(batch + [answered("!")] * chance.randint(0, 1))
        for limit in (1, 2, 3, 5, 8, 13):
            items: list[Any] = list(await session.get_items(limit))
            assert len(items) <= limit
            _check_no_orphan(items)
    assert len(await session.get_items()) > 100


async def test_the_limit_of_the_settings_holds_where_none_is_given(memory: Recuerdo) -> None:
    thread = memory.thread(tenant="acme", user="emi", thread="s")
    session = RecuerdoSession(thread, session_settings=SessionSettings(limit=2))
    await session.add_items([said("1"), said("2"), said("3")])  # pyright: ignore[reportArgumentType]
    assert await session.get_items() == [said("2"), said("3")]
    assert len(await session.get_items(3)) == 3


@pytest.mark.parametrize("settings", [{"limit": 1}, SessionSettings(limit=1)], ids=["a dict", "an object"])
async def test_settings_come_as_the_sdks_own_sessions_take_them(memory: Recuerdo, settings: Any) -> None:
    thread = memory.thread(tenant="acme", user="emi", thread="s")
    session = RecuerdoSession(thread, session_settings=settings)
    await session.add_items([said("1"), said("2")])  # pyright: ignore[reportArgumentType]
    assert await session.get_items() == [said("2")]
    assert session.session_settings == SessionSettings(limit=1)
    with pytest.raises(TypeError, match="Unknown session settings: limitt"):
        RecuerdoSession(thread, session_settings={"limitt": 1})


async def test_a_closed_session_is_used_no_more_and_recuerdo_stays_open(session: RecuerdoSession) -> None:
    """`close` may be awaited, as in some of the SDK's sessions, or not, as in others."""
    await session.add_items([said("1")])  # pyright: ignore[reportArgumentType]
    session.close()
    await session.close()
    for use in (session.get_items, session.pop_item, session.clear_session, lambda: session.add_items([])):
        with pytest.raises(RuntimeError, match="RecuerdoSession is closed"):
            await use()
    assert await RecuerdoSession(session.thread).get_items() == [said("1")]


async def test_what_is_popped_stays_in_the_history(session: RecuerdoSession) -> None:
    await session.add_items([said("1"), said("2")])  # pyright: ignore[reportArgumentType]
    await session.pop_item()
    assert [(message.text, message.archived) for message in await session.thread.read()] == [("1", False), ("2", True)]


async def test_pops_at_the_same_moment_give_each_item_once(session: RecuerdoSession) -> None:
    items = [said(str(number)) for number in range(10)]
    await session.add_items(items)  # pyright: ignore[reportArgumentType]
    popped: list[Any] = await asyncio.gather(*(session.pop_item() for _ in range(12)))
    assert sorted(item["content"] for item in popped if item) == [str(number) for number in range(10)]


async def test_other_readers_see_whole_turns(session: RecuerdoSession) -> None:
    """A response is one assistant message with its calls, so that windows and other frameworks can use it."""
    await session.add_items(TURN)
    messages = await session.thread.window(MessageWindow(10))
    assert [(message.role, message.text, [c.id for c in message.tool_calls]) for message in messages] == [
        ("user", "Weather?", []),
        ("assistant", "", ["c1", "c2"]),
        ("tool", "18", []),
        ("tool", "18", []),
        ("assistant", "18 in both", []),
    ]
    assert messages[1].tool_calls[0].args == {"city": "Lima"}


def test_nothing_is_stored_twice() -> None:
    """The texts and outputs, which can be long, stand in the message alone."""
    for message in to_messages([said("long"), answered("long"), call(1), output(1, "long")]):
        assert "long" not in json.dumps(message.metadata)


async def test_messages_of_other_frameworks_are_items(session: RecuerdoSession) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:x"}}
    await session.thread.append(
        Message.system("Be brief"),
        Message.user([{"type": "text", "text": "Look"}, image]),
        Message.assistant("Hm", tool_calls=[ToolCall("c1", "f", {"x": 1})]),
        Message.tool("7", tool_call_id="c1"),
        Message.assistant("", metadata={"openai_agents": [["no", "note"]]}),
    )
    assert await session.get_items() == [
        {"role": "system", "content": "Be brief"},
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "Look"},
                {"type": "input_image", "image_url": "data:x", "detail": "auto"},
            ],
        },
        {"role": "assistant", "content": "Hm"},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"x": 1}'},
        {"type": "function_call_output", "call_id": "c1", "output": "7"},
    ]
    assert await session.pop_item() == {"type": "function_call_output", "call_id": "c1", "output": "7"}


async def test_what_is_no_item_is_refused(session: RecuerdoSession) -> None:
    with pytest.raises(InvalidInput, match=r"items\[0\]"):
        await session.add_items(["Hola"])  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("note", [[[0]], [[7, {}]], [[0, {"set": 3}]], [[None, {"at": {"x": 1}}]], 5, [3]])
def test_metadata_of_somebody_elses_pen_changes_nothing(note: object) -> None:
    assert to_items(Message.user("Hola", metadata={"openai_agents": note})) == [said("Hola")]


@pytest.mark.parametrize("streamed", [False, True])
async def test_an_agent_with_tools_remembers_its_turns(
    session: RecuerdoSession, openai_server: OpenAIServer, streamed: bool
) -> None:
    """Two runs over a model that speaks the real protocol; the second is sent all of the first."""

    @function_tool
    def weather(city: str) -> str:
        return f"{city}: 18"

    client = AsyncOpenAI(base_url=openai_server.url, api_key="sk-test")
    agent = Agent(
        name="guide",
        model=OpenAIChatCompletionsModel("test", client),
        tools=[weather],
        model_settings=ModelSettings(parallel_tool_calls=True),
    )
    config = RunConfig(tracing_disabled=True)

    async def ask(question: str) -> str:
        if not streamed:
            return (await Runner.run(agent, question, session=session, run_config=config)).final_output
        result = Runner.run_streamed(agent, question, session=session, run_config=config)
        async for _ in result.stream_events():
            pass
        return result.final_output

    openai_server.call(("c1", "weather", {"city": "Lima"}), ("c2", "weather", {"city": "Cusco"}))
    openai_server.say("18 in both")
    assert await ask("Weather?") == "18 in both"
    openai_server.say("You're welcome")
    assert await ask("Thanks") == "You're welcome"
    sent = openai_server.requests[-1]["messages"]
    assert [message["role"] for message in sent] == ["user", "assistant", "tool", "tool", "assistant", "user"]
    assert [message.role for message in await session.thread.read()] == [each["role"] for each in sent] + ["assistant"]
    await client.close()


def test_a_program_without_a_loop_remembers_its_turns(tmp_path: Path) -> None:
    """`Runner.run_sync` has a loop of its own, and a program may open Recuerdo on another."""
    url = f"sqlite:///{tmp_path}/s.db"
    with (
        Bridge() as bridge,
        bridge.entered(OpenAIServer()) as server,
        bridge.entered(Recuerdo.open(url, embeddings="none")) as memory,
    ):
        session = RecuerdoSession(memory.thread(tenant="acme", user="emi", thread="s-1"), bridge=bridge)
        config, said = RunConfig(tracing_disabled=True), list[str]()
        for question in ("Hola", "Adiós"):
            with asyncio.Runner() as runner:
                asyncio.set_event_loop(runner.get_loop())
                client = AsyncOpenAI(base_url=server.url, api_key="sk-test")
                agent = Agent(name="guide", model=OpenAIChatCompletionsModel("test", client))
                said.append(Runner.run_sync(agent, question, session=session, run_config=config).final_output)
                runner.run(client.close())
                asyncio.set_event_loop(None)
        assert said == ["Hola", "Adiós"]
        assert len(server.requests[-1]["messages"]) == 3


async def test_a_session_made_on_recuerdos_loop_answers_on_another(session: RecuerdoSession) -> None:
    async def elsewhere() -> Any:
        await session.add_items([said("1"), said("2")])  # pyright: ignore[reportArgumentType]
        return await session.pop_item(), await session.get_items()

    assert await asyncio.to_thread(asyncio.run, elsewhere()) == (said("2"), [said("1")])


def _check_no_orphan(items: list[Any]) -> None:
    called: set[str | None] = set()
    for item in items:
        assert answered_id(item) is None or answered_id(item) in called
        called.add(asked_id(item))
