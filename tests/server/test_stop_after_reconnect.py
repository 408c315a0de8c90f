"""A person whose connection broke comes back and stops the answer: from outside, over servers as people start them."""

import asyncio
from collections.abc import Generator
from contextlib import ExitStack

import pytest
from talking import hear, hear_until, say, stored, talk

from recuerdo.core.identifiers import new_id
from servers.openai_server import OpenAIServer
from servers.patience import PATIENCE
from servers.recuerdo import running_recuerdo

WORDS = " ".join(f"palabra-{number}" for number in range(400))


@pytest.fixture(params=["at the same server", "at another one"])
def places(
    request: pytest.FixtureRequest, openai_server: OpenAIServer, empty_postgres_url: str, redis_url: str
) -> Generator[tuple[str, str]]:
    """Where a conversation begins, and where it goes on."""
    settings = {"model": "openai:test", "model_base_url": openai_server.url, "model_api_key": "k"}
    stores = {"database_url": empty_postgres_url, "cache_url": redis_url, "embeddings": "none"}
    with ExitStack() as stack:
        begun = stack.enter_context(running_recuerdo(**settings, **stores))
        other = begun if "same" in request.param else stack.enter_context(running_recuerdo(**settings, **stores))
        session = new_id()  # the tests share a cache
        yield f"ws{begun.url.removeprefix('http')}/ws/{session}", f"ws{other.url.removeprefix('http')}/ws/{session}"


async def test_a_person_who_comes_back_stops_the_answer(places: tuple[str, str], openai_server: OpenAIServer) -> None:
    """It is stored as far as it came, the model is left alone, and the conversation goes on."""
    (here, there), thread = places, new_id()
    openai_server.say(WORDS, pause=0.1)
    async with talk(f"{here}?thread_id={thread}") as socket:
        await hear(socket)
        await say(socket, "cuenta")
        frame_id = (await hear_until(socket, "token"))[-1]["id"]
        socket.transport.abort()  # as a phone that has lost its network
    async with talk(f"{there}?last_frame_id={frame_id}") as socket:
        ending = asyncio.create_task(hear_until(socket, "stopped", "done"))
        while not ending.done():  # a server that has just started may not listen to the others yet
            await socket.send('{"type": "stop"}')
            await asyncio.wait([ending], timeout=2)
        assert ending.result()[-1]["type"] == "stopped"
        async with asyncio.timeout(PATIENCE):
            await openai_server.hung_up.wait()
        said, answered = await asyncio.to_thread(stored, there, thread)
        assert said == "cuenta"
        assert WORDS.startswith(answered)
        assert len(answered) < len(WORDS)
        openai_server.say("Aquí sigo")
        await say(socket, "¿sigues?")
        assert (await hear_until(socket, "done"))[-1]["data"]["reply"]["content"] == "Aquí sigo"
