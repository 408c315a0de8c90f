"""The programs in `examples/` do what its README says, with a model that speaks the OpenAI protocol over a socket."""

import ast
import asyncio
import io
import json
import os
import re
import runpy
import shutil
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from websockets.asyncio.client import connect

from recuerdo import Recuerdo
from servers.openai_server import OpenAIServer
from servers.preloaded import command, python
from servers.process import free_port
from servers.recuerdo import running_recuerdo

EXAMPLES = Path(__file__).parents[2] / "examples"
JAVASCRIPT = Path(__file__).parents[1] / "javascript" / "node_modules"
NOTEBOOKS = {each.name: each.read_text("utf-8") for each in EXAMPLES.glob("*.ipynb")}
OWNER = {"tenant": "acme", "user": "emi"}
MOST_LINES = 95

Load = Callable[[str], dict[str, Any]]
Start = Callable[..., Awaitable[str]]


@pytest.fixture
def load(openai_server: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Load an example in an empty folder, with the model's address and key where their libraries look for them."""
    monkeypatch.chdir(tmp_path)
    for name in ("DATABASE_URL", "MODEL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", openai_server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    return lambda name: runpy.run_path(str(EXAMPLES / name))


@pytest.fixture
def start(load: Load, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Start an example with arguments, in a process of its own in that folder, and return what it prints."""
    monkeypatch.setenv("PATH", f"{Path(command()).parent}{os.pathsep}{os.environ['PATH']}")

    async def started(name: str, *arguments: str) -> str:
        process = await asyncio.create_subprocess_exec(
            *(python(), str(EXAMPLES / name), *arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        printed, complaint = await process.communicate()
        assert process.returncode == 0, complaint.decode()
        return printed.decode()

    return started


@asynccontextmanager
async def served(app: Any) -> AsyncIterator[str]:
    """The application behind a socket, as `uvicorn` serves it: its host and port."""
    server = uvicorn.Server(uvicorn.Config(app, port=free_port(), log_config=None))
    serving = asyncio.create_task(server.serve())
    while not server.started:
        assert not serving.done(), "the example's server did not start"
        await asyncio.sleep(0.01)
    yield f"127.0.0.1:{server.config.port}"
    server.should_exit = True
    await serving


def shown(openai_server: OpenAIServer, request: int = -1) -> str:
    """The messages that the model was shown."""
    return json.dumps(openai_server.requests[request]["messages"], ensure_ascii=False)


async def test_the_fastapi_chatbot_streams_keeps_the_thread_and_knows_its_user_in_the_next(
    load: Load, openai_server: OpenAIServer
) -> None:
    openai_server.say("Noted, Quito.")
    openai_server.say("You live in Quito.")
    async with served(load("fastapi_chatbot.py")["app"]) as address, httpx.AsyncClient() as client:

        async def chat(thread: str, text: str) -> str:
            place = f"http://{address}/chat/{thread}"
            return (await client.post(place, json={"text": text}, headers={"X-User": "emi"})).text

        assert await chat("t-1", "I live in Quito") == "Noted, Quito."
        assert await chat("t-2", "Where do I live?") == "You live in Quito."
    assert "I live in Quito" in openai_server.requests[-1]["messages"][0]["content"]
    async with Recuerdo.open("sqlite:///chatbot.db") as memory:
        thread = await memory.thread(**OWNER, thread="t-1").read()
        assert [message.text for message in thread] == ["I live in Quito", "Noted, Quito."]


async def test_the_langgraph_agent_saves_by_a_tool_and_finds_it_in_another_thread_and_process(
    start: Start, openai_server: OpenAIServer
) -> None:
    openai_server.call(("c-1", "save_memory", {"text": "Emi is vegetarian"}))
    openai_server.say("I will remember that.")
    assert (
        await start("langgraph_agent.py", "t-1", "I'm vegetarian. Please remember that.") == "I will remember that.\n"
    )
    openai_server.call(("c-2", "search_memory", {"query": "diet"}), ("c-3", "restaurants", {"city": "Lima"}))
    openai_server.say("El Huerto.")
    assert await start("langgraph_agent.py", "t-2", "Find me something for lunch in Lima") == "El Huerto.\n"
    assert "Emi is vegetarian" in shown(openai_server)
    assert "El Huerto (vegetarian)" in shown(openai_server)


async def test_the_langchain_agent_shows_the_model_what_was_said_in_another_thread_and_process(
    start: Start, openai_server: OpenAIServer
) -> None:
    openai_server.say("Nice to meet you, Emi.")
    assert await start("langchain_agent.py", "t-1", "My name is Emi. My order is 4711") == "Nice to meet you, Emi.\n"
    openai_server.call(("c-1", "order_status", {"order": "4711"}))
    openai_server.say("It arrives tomorrow.")
    assert await start("langchain_agent.py", "t-2", "Where is my order?") == "It arrives tomorrow.\n"
    assert "My name is Emi" in openai_server.requests[-1]["messages"][0]["content"]
    assert "Order 4711 arrives tomorrow." in shown(openai_server)


async def test_the_agents_sdk_continues_its_session_and_looks_memories_up(
    load: Load, openai_server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    openai_server.call(("c-1", "weather", {"city": "Lima"}))
    openai_server.say("18 degrees.")
    openai_server.call(("c-2", "search_memory", {"query": "where the user lives"}))
    openai_server.say("Warmer.")
    main = load("openai_agents_guide.py")["main"]
    await main("t-1", "I live in Lima. How warm is it there?")
    await main("t-1", "And tomorrow?")
    assert capsys.readouterr().out == "18 degrees.\nWarmer.\n"
    assert "Lima: 18" in shown(openai_server)
    assert "I live in Lima" in openai_server.requests[-1]["messages"][-1]["content"]


async def test_the_customer_service_answers_over_a_socket_while_a_worker_opens_one_ticket(load: Load) -> None:
    names = load("customer_service.py")
    working = asyncio.create_task(names["work"]())
    async with (
        served(names["app"]) as address,
        connect(f"ws://{address}/service/t-1?user=emi", open_timeout=60) as socket,
    ):
        for _ in range(2):  # sent again, as after a broken connection
            await socket.send(json.dumps({"id": "m-1", "ticket": "It broke"}))
        await socket.send(json.dumps({"id": "m-2", "text": "Hola, me llamo Emiliano"}))
        frames = [json.loads(await socket.recv())]
        while [sum(name in frame for frame in frames) for name in ("ticket", "reply")] != [2, 1]:
            frames.append(json.loads(await socket.recv()))
    working.cancel()
    assert [frame for frame in frames if "ticket" in frame] == [{"ticket": "emi: It broke"}] * 2
    [reply] = [frame["reply"] for frame in frames if "reply" in frame]
    assert "".join(frame.get("token", "") for frame in frames) == reply
    assert "Emiliano" in reply


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js on this machine")
@pytest.mark.skipif(not JAVASCRIPT.exists(), reason="npm could not install the JavaScript clients")
def test_the_front_end_streams_a_reply_and_shows_the_conversation_again_after_a_reload(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "frontend", tmp_path, dirs_exist_ok=True)
    (tmp_path / "node_modules").symlink_to(JAVASCRIPT)
    (tmp_path / "drive.mjs").write_text(
        """
        import { openChat } from "./chat.mjs";
        const views = [], show = (messages) => views.push(messages.map(({ content }) => content));
        const place = { apiUrl: process.argv[2], headers: { "X-Recuerdo-User": "emi" }, show };
        const chat = await openChat(place);
        await chat.send("Hola, me llamo Emiliano");
        await openChat({ ...place, threadId: chat.threadId });
        console.log(JSON.stringify(views));
        const absent = crypto.randomUUID();
        const anew = await openChat({ ...place, threadId: absent, show: () => {} });
        if (anew.threadId !== absent) throw new Error("another thread");
        """
    )
    with running_recuerdo(database_url="memory://", embeddings="none") as server:
        done = subprocess.run(
            ["node", "drive.mjs", server.url], cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False
        )
    assert done.returncode == 0, done.stderr
    first, said, *grown, reloaded = json.loads(done.stdout)
    assert (first, said) == ([], ["Hola, me llamo Emiliano"])
    assert len(reloaded) == 2
    assert "Emiliano" in reloaded[1]
    assert grown[-1] == reloaded
    assert any(len(view) == 2 and view[1] != reloaded[1] and reloaded[1].startswith(view[1]) for view in grown)


async def test_the_configuration_of_a_desktop_client_starts_a_server_that_keeps_memories(start: Start) -> None:
    assert (await start("mcp/try_it.py")).endswith("found: I prefer window seats\n")


async def test_an_import_stores_messages_as_they_were_and_nothing_twice(
    load: Load, capsys: pytest.CaptureFixture[str]
) -> None:
    said = [
        ("emi", "t-1", "m-1", "user", "I live in Quito", "2024-05-01T09:00:00-05:00"),
        ("emi", "t-1", "m-2", "assistant", "A fine city.", "2024-05-01T09:00:02-05:00"),
        ("ana", "t-1", "m-3", "user", "Bom dia", "2024-05-02T08:30:00-03:00"),
    ]
    keys = ("user", "thread", "id", "role", "text", "time")
    lines = [json.dumps(dict(zip(keys, each, strict=True))) for each in said]
    main = load("batch_import.py")["main"]
    await main(lines)
    await main(lines)
    assert re.findall(r"\d+ memories are new", capsys.readouterr().out) == ["1 memories are new", "0 memories are new"]
    async with Recuerdo.open("sqlite:///imported.db") as memory:
        stored = await memory.thread(**OWNER, thread="t-1").read()
        [fact] = await memory.user(**OWNER).list()
    assert [(each.id, f"{each.created_at:%H:%M}") for each in stored] == [("m-1", "14:00"), ("m-2", "14:00")]
    assert (fact.value, fact.source.thread, fact.source.seq) == ("Quito", "t-1", 1)


@pytest.mark.parametrize("notebook", NOTEBOOKS)
async def test_the_cells_of_a_notebook_print_what_it_shows(notebook: str) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in json.loads(NOTEBOOKS[notebook])["cells"]:
        if cell["cell_type"] != "code":
            continue
        code = compile("".join(cell["source"]), cell["id"], "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        with redirect_stdout(io.StringIO()) as printed:
            result = eval(code, names)
            if asyncio.iscoroutine(result):
                await result
        assert printed.getvalue() == "".join(text for output in cell["outputs"] for text in output["text"]), cell["id"]


def test_the_table_names_every_example_and_each_is_short() -> None:
    named = re.findall(r"^\| \[[^\]]+\]\(([^)]+)\)", (EXAMPLES / "README.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(
        f"{each.name}{'/' * each.is_dir()}"
        for each in EXAMPLES.iterdir()
        if each.name not in {"README.md", "__pycache__"}
    )
    programs = [each for each in EXAMPLES.rglob("*") if each.suffix in {".py", ".mjs", ".html"}]
    long = {each.name for each in programs if len(each.read_text("utf-8").splitlines()) > MOST_LINES}
    assert long <= {"sqlalchemy_adapter.py"}
