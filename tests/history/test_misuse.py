"""An argument of the wrong kind is refused by its name, with what to write instead."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from recuerdo import Message, MessageWindow, Recuerdo, SummaryWindow
from recuerdo.core.errors import InvalidInput
from recuerdo.history import ThreadHistory
from recuerdo.memories import UserMemory

ANY: Any = object()
NUMBER: Any = 5
OF_A_THREAD: list[tuple[str, Callable[[ThreadHistory], Awaitable[object]]]] = [
    ("policy", lambda thread: thread.window(ANY)),
    ("min_version", lambda thread: thread.window(MessageWindow(5), consistency="cached", min_version=ANY)),
    ("before", lambda thread: thread.messages(before=ANY)),
    ("after", lambda thread: thread.messages(after=ANY)),
    ("roles", lambda thread: thread.messages(roles=NUMBER)),
    ("first", lambda thread: thread.archive(first=ANY)),
    ("last", lambda thread: thread.archive(last=ANY)),
    ("at_seq", lambda thread: thread.fork("t-2", at_seq=ANY)),
    ("expected_epoch", lambda thread: thread.append(Message.user("Hola"), expected_epoch=ANY)),
    ("messages[0]", lambda thread: thread.append(ANY)),
]
OF_A_USER: list[tuple[str, Callable[[UserMemory], Awaitable[object]]]] = [
    ("memory_id", lambda user: user.get(NUMBER)),
    ("before", lambda user: user.history(before=ANY)),
]


@pytest.fixture
async def memory():
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        yield memory


@pytest.mark.parametrize(("name", "misuse"), OF_A_THREAD)
async def test_a_thread_names_the_argument_that_can_t_be_meant(memory, name, misuse):
    with pytest.raises(InvalidInput, match="must be") as raised:
        await misuse(memory.thread(tenant="acme", user="emi", thread="t-1"))
    assert raised.value.field == name


@pytest.mark.parametrize(("name", "misuse"), OF_A_USER)
async def test_a_user_s_memories_name_the_argument_that_can_t_be_meant(memory, name, misuse):
    with pytest.raises(InvalidInput, match="must be") as raised:
        await misuse(memory.user(tenant="acme", user="emi"))
    assert raised.value.field == name


async def test_a_number_in_place_of_a_window_is_told_which_window_it_may_have_meant(memory):
    thread = memory.thread(tenant="acme", user="emi", thread="t-1")
    with pytest.raises(InvalidInput, match=r"MessageWindow\(5\)"):
        await thread.window(NUMBER)
    with pytest.raises(InvalidInput, match=r"policies\[1\]"):
        MessageWindow(5) & NUMBER
    with pytest.raises(InvalidInput, match="summary: must be a Summary"):
        SummaryWindow(MessageWindow(5), NUMBER)


async def test_a_chat_is_told_that_it_wants_the_scope_of_a_thread(memory):
    thread = memory.thread(tenant="acme", user="emi", thread="t-1")
    with pytest.raises(InvalidInput, match=r"\.scope of a thread"):
        await memory.chat.reply(thread, "Hola")
    with pytest.raises(InvalidInput, match="must be a text or a Message"):
        await memory.chat.reply(thread.scope, NUMBER)
