"""A real client against a server that speaks the OpenAI protocol over a real socket."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing

import pytest

from recuerdo.adapters.models.chat import open_model
from recuerdo.adapters.models.clients import ModelClients
from recuerdo.core.errors import ConfigurationError, ModelUnavailable
from recuerdo.core.messages import Message, ToolCall
from recuerdo.core.ports import ChatModel
from servers.openai_server import OpenAIServer

HELLO = [Message.user("Hola")]
OpenModel = Callable[..., ChatModel]


@pytest.fixture
async def model_at(openai_server: OpenAIServer, model_clients: ModelClients) -> OpenModel:
    def opened(**options: float) -> ChatModel:
        how = {"clients": model_clients, "base_url": openai_server.url, "api_key": "sk-test", "retries": 0}
        return open_model("openai:test-1", **{**how, **options})

    return opened


async def pieces_of(stream: AsyncIterator[str]) -> list[str]:
    return [piece async for piece in stream]


async def test_a_reply_arrives_in_the_pieces_that_the_server_sent(openai_server: OpenAIServer, model_at: OpenModel):
    openai_server.say("Te llamas Emiliano.")
    assert await pieces_of(model_at().stream(HELLO)) == ["Te ", "llamas ", "Emiliano."]
    assert openai_server.requests[0]["stream"] is True
    assert openai_server.requests[0]["model"] == "test-1"
    assert openai_server.headers[0]["authorization"] == "Bearer sk-test"


async def test_every_role_part_name_and_tool_call_reaches_the_provider(
    openai_server: OpenAIServer, model_at: OpenModel
):
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    prompt = [
        Message.system("Sé breve."),
        Message.user("¿Qué hora es?", id="m-1", name="Emi García", metadata={"secret": "stays here"}),
        Message.assistant("", tool_calls=[ToolCall("call-1", "clock", {"zone": "UTC"})]),
        Message.tool("12:00", tool_call_id="call-1", name="clock"),
        Message.user([{"type": "text", "text": "¿Y esto?"}, image]),
    ]
    openai_server.say("Nada.")
    await pieces_of(model_at().stream(prompt))
    system, user, call, result, parts = openai_server.requests[0]["messages"]
    assert system == {"role": "system", "content": "Sé breve."}
    assert user == {"role": "user", "content": "¿Qué hora es?", "name": "Emi_García"}
    assert call["tool_calls"] == [
        {"type": "function", "id": "call-1", "function": {"name": "clock", "arguments": '{"zone": "UTC"}'}}
    ]
    assert (result["role"], result["content"], result["tool_call_id"]) == ("tool", "12:00", "call-1")
    assert parts["content"] == [{"type": "text", "text": "¿Y esto?"}, image]
    assert "stays here" not in str(openai_server.requests[0])


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, "smaller window"),
        (401, "Check the key"),
        (403, "what the key may use"),
        (404, "base URL"),
        (429, "limit or quota"),
        (500, "Try again later"),
        (503, "Try again later"),
    ],
)
async def test_an_http_error_says_what_to_check_and_quotes_nothing(
    openai_server: OpenAIServer, model_at: OpenModel, status: int, advice: str
):
    openai_server.fail(status)
    with pytest.raises(ModelUnavailable, match=advice) as raised:
        await pieces_of(model_at().stream([Message.user("my private words")]))
    assert str(status) in str(raised.value)
    assert not any(leak in str(raised.value) for leak in ("sk-test", "SECRET", "private"))


async def test_a_provider_that_names_a_time_to_wait_is_believed(openai_server: OpenAIServer, model_at: OpenModel):
    openai_server.fail(429, retry_after="17")
    with pytest.raises(ModelUnavailable) as raised:
        await pieces_of(model_at().stream(HELLO))
    assert raised.value.retry_after == 17


async def test_a_passing_error_is_retried_before_the_first_piece(openai_server: OpenAIServer, model_at: OpenModel):
    openai_server.fail(500, retry_after="0")
    openai_server.say("Ya estoy aquí.")
    assert "".join(await pieces_of(model_at(retries=1).stream(HELLO))) == "Ya estoy aquí."
    assert len(openai_server.requests) == 2


async def test_a_connection_that_breaks_in_mid_reply_is_an_error_after_the_pieces(
    openai_server: OpenAIServer, model_at: OpenModel
):
    openai_server.say("uno dos tres cuatro", cut_after=2)
    stream = model_at().stream(HELLO)
    assert [await anext(stream), await anext(stream)] == ["uno ", "dos "]
    with pytest.raises(ModelUnavailable, match="broke off"):
        await anext(stream)


async def test_a_server_that_says_nothing_is_given_up_after_the_timeout(
    openai_server: OpenAIServer, model_at: OpenModel
):
    openai_server.say("tarde", silence=30)
    with pytest.raises(ModelUnavailable, match="in time"):
        await pieces_of(model_at(timeout=0.2).stream(HELLO))


async def test_an_address_where_nobody_listens_is_named_as_a_network_problem(model_clients: ModelClients):
    async with OpenAIServer() as server:
        pass
    model = open_model("openai:test-1", clients=model_clients, base_url=server.url, api_key="k", retries=0)
    with pytest.raises(ModelUnavailable, match="can't be reached"):
        await pieces_of(model.stream(HELLO))


async def test_closing_the_stream_early_closes_the_connection(openai_server: OpenAIServer, model_at: OpenModel):
    openai_server.say("uno dos tres cuatro cinco", pause=0.05)
    async with aclosing(model_at().stream(HELLO)) as stream:
        assert await anext(stream) == "uno "
    await asyncio.wait_for(openai_server.hung_up.wait(), 60)


async def test_cancelling_the_reader_closes_the_connection(openai_server: OpenAIServer, model_at: OpenModel):
    openai_server.say("nunca", silence=30)
    reading = asyncio.create_task(pieces_of(model_at().stream(HELLO)))
    await openai_server.arrived.wait()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    await asyncio.wait_for(openai_server.hung_up.wait(), 60)


async def test_a_reader_who_is_cancelled_stops_while_the_pieces_are_there_already(
    openai_server: OpenAIServer, model_at: OpenModel
):
    """A cancellation that comes at the same moment as a piece counts: Python 3.11's `wait_for` prefers the piece."""
    model, heard = model_at(), list[str]()

    async def read() -> None:
        async for piece in model.stream(HELLO):
            heard.append(piece)

    for moment in range(20):
        heard.clear()
        openai_server.say("uno dos tres " * 300)
        reading = asyncio.create_task(read())
        while len(heard) < 10 + moment:  # noqa: ASYNC110 - the next step of the event loop is what it waits for
            await asyncio.sleep(0)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading


async def test_a_server_of_ones_own_needs_no_key(
    openai_server: OpenAIServer, model_clients: ModelClients, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    openai_server.say("Hola.")
    model = open_model("openai:local", clients=model_clients, base_url=openai_server.url)
    assert await pieces_of(model.stream(HELLO)) == ["Hola."]
    assert model.name == "openai:local"


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("gpt-5", "provider:model"),
        ("", "provider:model"),
        ("openai:", "provider:model"),
        ("nobody:model", "is not a provider that LangChain knows"),
        ("cohere:command", "pip install langchain-cohere"),
        ("openai:gpt-5", "OPENAI_API_KEY"),
    ],
)
def test_a_model_that_cannot_be_opened_says_what_to_set(spec: str, problem: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match=problem):
        open_model(spec, clients=ModelClients())


WHILE_LOADING = """
import asyncio, sys, threading
from recuerdo.adapters.models.clients import ModelClients
from recuerdo.adapters.models.chat import open_model
from recuerdo.core.messages import Message

class Halted:
    def find_spec(self, name, path=None, target=None):
        if name == "httpx._api":
            begun.set()
            over.wait(60)

async def reply():
    async with clients:
        return [piece async for piece in model.stream([Message.user("Hola")])]

clients = ModelClients()
model = open_model("openai:test-1", clients=clients, base_url=sys.argv[1], api_key="sk-test")
begun, over = threading.Event(), threading.Event()
sys.meta_path.insert(0, Halted())
other = threading.Thread(target=lambda: (__import__("httpx"), begun.set()))
other.start()
begun.wait()
try:
    print(asyncio.run(reply()))
finally:
    over.set()
    other.join()
"""


async def test_a_reply_comes_while_another_thread_is_still_loading_what_graphs_need(openai_server: OpenAIServer):
    openai_server.say("Hola.")
    command = [sys.executable, "-c", WHILE_LOADING, openai_server.url]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.stderr) == ("['Hola.']\n", "")
