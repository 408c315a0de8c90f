"""Every open Recuerdo has HTTP clients of its own: a second event loop never meets the connections of a first one."""

import asyncio
import threading
from typing import Any

import pytest

from recuerdo import Owner, Recuerdo
from recuerdo.adapters.models.clients import ModelClients
from servers.openai_server import OpenAIServer
from servers.patience import PATIENCE


async def chat_once(server: OpenAIServer, embeddings: str = "none") -> str:
    opening = Recuerdo.open(
        "memory://", model="openai:test", model_base_url=server.url, model_api_key="sk-model", embeddings=embeddings
    )
    async with opening as memory:
        await memory.user(tenant="acme", user="emi").add("Prefers green tea")
        await memory.user(tenant="acme", user="emi").search("tea")
        reply = await memory.chat.reply(Owner("acme", "emi").thread("t-1"), "Hola")
    return reply.reply.text


async def test_programs_on_one_loop_after_another_all_get_their_answers(openai_server: OpenAIServer) -> None:
    for _ in range(3):
        assert await asyncio.to_thread(asyncio.run, chat_once(openai_server, "openai:embed-1")) == "Hola"


async def test_programs_on_several_loops_at_once_all_get_their_answers(openai_server: OpenAIServer) -> None:
    barrier = threading.Barrier(4)

    def program() -> list[str]:
        barrier.wait()
        return [asyncio.run(chat_once(openai_server, "openai:embed-1")) for _ in range(3)]

    answers: list[list[str]] = await asyncio.gather(*(asyncio.to_thread(program) for _ in range(4)))
    assert answers == [["Hola"] * 3] * 4


async def test_connections_are_closed_with_the_recuerdo(openai_server: OpenAIServer) -> None:
    await chat_once(openai_server, "openai:embed-1")
    async with asyncio.timeout(PATIENCE):
        await openai_server.is_alone()


async def test_a_client_that_can_not_be_given_is_told_apart_by_its_time_limit() -> None:
    """LangChain's package for Anthropic keeps one client for all loops by address and time limit, and takes none."""
    limits: set[Any] = set()
    for _ in range(3):
        async with ModelClients() as clients:
            limits.add(clients.options("anthropic", 60.0)["timeout"])
    assert len(limits) == 3
    assert all(limit == pytest.approx(60.0, abs=0.1) for limit in limits)
