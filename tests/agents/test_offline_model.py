"""The offline model as the chat sees it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recuerdo import Message, Recuerdo, ToolCall
from recuerdo.agents.offline import OfflineModel
from recuerdo.agents.prompts import build_prompt
from recuerdo.core.memories import Memory
from recuerdo.core.scope import Owner

TOLD = [Message.user("Me llamo Emiliano"), Message.assistant("¡Encantado!"), Message.user("¿Cómo me llamo?")]


async def said_to(*prompt: Message) -> list[str]:
    """The pieces of the offline model's reply."""
    return [piece async for piece in OfflineModel().stream(prompt)]


async def test_it_streams_word_by_word():
    assert await said_to(*TOLD) == ["Te ", "llamas ", "Emiliano."]


async def test_the_text_of_parts_is_read_and_other_parts_are_not():
    parts: list[Any] = [{"type": "image_url", "image_url": {"url": "data:,"}}, {"type": "text", "text": "Me llamo Eva"}]
    assert "".join(await said_to(Message.user(parts), TOLD[-1])) == "Te llamas Eva."


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("Vivo en Lima", "Entendido: vives en Lima. No puedo ver imágenes"),
        ("¿Qué hay en la foto?", "No puedo ver imágenes"),
        ("What is in this picture?", "I can't see images"),
        ("O que há nesta imagem?", "Não consigo ver imagens"),
        ("", "I can't see images"),
    ],
)
@pytest.mark.parametrize("kind", ["image_url", "image", "input_image"])
async def test_the_reply_to_a_message_with_an_image_says_that_images_are_not_seen(kind: str, text: str, reply: str):
    words: list[Any] = [{"type": "text", "text": text}] if text else []
    content: list[Any] = [*words, {"type": kind, kind: {"url": "data:,"}}]
    prompt = build_prompt("Be brief.", [], [], Message.user(content))
    assert "".join(await said_to(*prompt)).startswith(reply)
    assert reply.rpartition(". ")[2] in "".join(await said_to(Message.user(content)))


async def test_tools_and_system_messages_say_nothing_about_the_user():
    call = Message.assistant("", tool_calls=[ToolCall("c", "web")])
    result = Message.tool("Me llamo Eva", tool_call_id="c")
    assert "".join(await said_to(Message.system("Me llamo Ana"), call, result, TOLD[-1])).startswith("No lo sé")


@pytest.mark.parametrize("prompt", [[], [Message.system("Hi")], [Message.assistant("Hi")]])
async def test_a_prompt_without_a_users_message_is_answered_all_the_same(prompt: list[Message]):
    assert await said_to(*prompt)


@pytest.mark.parametrize(("days", "name"), [(-1, "Ana"), (1, "Eva")])
async def test_the_time_of_a_message_decides_between_it_and_a_memory(days: int, name: str):
    then = datetime(2026, 1, 1, tzinfo=UTC)
    told = Message.user("Me llamo Ana", created_at=then)
    at = then + timedelta(days=days)
    memory = Memory(
        id="m", owner=Owner("a", "b"), text="Soy Eva", attribute="name", value="Eva", created_at=at, updated_at=at
    )
    prompt = build_prompt("Hi.", [memory], [told], Message.user("¿Cómo me llamo?"))
    assert await said_to(*prompt) == ["Te ", "llamas ", f"{name}."]


@pytest.mark.parametrize(
    "message",
    ["", " ", "?", "¿?", "...", "🙂", "\x00", "¿" * 1000, "a" * 1_000_000, "me llamo " * 100_000, "? " * 500_000],
)
async def test_no_message_is_too_odd_or_too_long_to_be_answered(message: str):
    reply = "".join(await said_to(Message.user(message), Message.assistant(message), Message.user(message)))
    assert reply.strip()
    assert len(reply) < 5_000


async def test_a_user_is_known_after_a_restart_in_the_same_thread_and_in_a_new_one(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/recuerdo.db"
    emi, ana = Owner("default", "emi"), Owner("default", "ana")
    async with Recuerdo.open(url, embeddings="none") as memory:
        reply = await memory.chat.reply(emi.thread("t-1"), "Hola, me llamo Emiliano y trabajo en Data Oilers")
        assert reply.reply.text == "¡Encantado, Emiliano! Recordaré que trabajas en Data Oilers."
        assert reply.model == "offline"
    async with Recuerdo.open(url, embeddings="none") as memory:
        known = await memory.chat.reply(emi.thread("t-1"), "¿Cómo me llamo?")
        elsewhere = await memory.chat.reply(emi.thread("t-2"), "¿Dónde trabajo?")
        stranger = await memory.chat.reply(ana.thread("t-1"), "¿Quién soy?")
    assert known.reply.text == "Te llamas Emiliano."
    assert elsewhere.reply.text == "Trabajas en Data Oilers."
    assert stranger.reply.text.startswith("No lo sé")
