"""How far one follows a call: the files and functions of `recuerdo` that an operation enters, over SQLite.

usage: python scripts/paths.py [--list OPERATION] [--another-model]

`--list` names what one operation enters, in order. With `--another-model` the answers come from a model that is nothing
but one word, as of a provider whose client is not ours: what is left out is the offline model. Each operation has run
before it is counted, so that nothing of loading is in the figures. A function counts when each of some tries enters it,
which have rests between them: work of the background may fall into one, and while it holds a lock a write goes by
a thread of its own. A lambda is a function as well, and so is a generator expression. Other comprehensions are none,
as for Python from 3.12 on: the figures are the same for every version.
"""

import argparse
import asyncio
import math
import sys
import tempfile
import threading
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import httpx
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointMetadata, empty_checkpoint

import recuerdo
from recuerdo import Message, MessageWindow, Recuerdo
from recuerdo.adapters.sqlite import connection
from recuerdo.app.graphs import hosting
from recuerdo.core.ports import ChatModel
from recuerdo.core.scope import Scope
from recuerdo.history import caches
from recuerdo.integrations.langgraph import RecuerdoSaver
from recuerdo.runs import engine
from recuerdo.server import admission, create_app

PACKAGE = Path(recuerdo.__file__).parent
TRIES = 8
REST_SECONDS = 0.05

COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>"})

Operation = Callable[[], Awaitable[Any]]


class Recorder:
    """Notes the functions of the package that are entered by any thread while `entered` is not None."""

    def __init__(self) -> None:
        self._folder = f"{PACKAGE}/"
        self.entered: dict[CodeType, None] | None = None

    def install(self) -> None:
        """Profile this thread and those that start from now on."""
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def remove(self) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    async def functions_of(self, operation: Operation) -> list[CodeType]:
        """Return the functions that the operation enters, in order."""
        self.entered = {}
        await operation()
        entered, self.entered = self.entered, None
        return list(entered)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or self.entered is None or code.co_name in COMPREHENSIONS:
            return
        if code.co_filename.startswith(self._folder):
            self.entered[code] = None


class OneWord:
    """A chat model that always says the same."""

    name = "one:word"

    async def stream(self, _: Sequence[Message]) -> AsyncGenerator[str]:
        """Answer the prompt."""
        yield "Hello"


@asynccontextmanager
async def opened(folder: Path, model: ChatModel | None) -> AsyncGenerator[dict[str, Operation]]:
    """The operations that are counted, over one database; `model` answers instead of the offline one."""
    async with AsyncExitStack() as stack:
        database = f"sqlite:///{folder / 'paths.db'}"
        memory = await stack.enter_async_context(Recuerdo.open(database, embeddings="none"))
        if model is not None:
            memory.chat._model, memory.chat._models = model, lambda _: model
        hosted = await stack.enter_async_context(hosting(memory))
        app = create_app(nullcontext(hosted))
        await stack.enter_async_context(app.router.lifespan_context(app))
        transport = httpx.ASGITransport(app)
        client = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers={"X-Recuerdo-User": "emi"})
        await stack.enter_async_context(client)
        saver = await stack.enter_async_context(RecuerdoSaver.from_conn_string(database, user="emi"))
        thread = memory.thread(tenant="acme", user="emi", thread="library")
        chat, run = Scope("acme", "emi", "chat"), str(uuid.uuid4())

        async def post(path: str, body: dict[str, Any]) -> None:
            response = await client.post(path, json=body)
            response.raise_for_status()

        hello, newest = Message.user("Hello"), MessageWindow(2)
        latest: RunnableConfig = {"configurable": {"thread_id": "put", "checkpoint_ns": ""}}
        said: list[str] = []

        async def put() -> None:
            nonlocal latest
            said.append("Hello")
            checkpoint = empty_checkpoint()
            checkpoint["channel_values"] = {"messages": [*said]}
            versions: dict[str, str | int | float] = {"messages": f"{len(said):032}"}
            checkpoint["channel_versions"] = versions
            metadata: CheckpointMetadata = {"source": "loop", "step": len(said), "parents": {}}
            latest = await saver.aput(latest, checkpoint, metadata, versions)

        await post("/threads", {"thread_id": run, "if_exists": "do_nothing"})
        await post("/v1/memories", {"text": "I live in Quito."})
        question = {"messages": [{"role": "user", "content": "What is my name?"}]}
        yield {
            "append": lambda: thread.append(hello),
            "window": lambda: thread.window(newest),
            "memory search over HTTP": lambda: post("/v1/memories/search", {"query": "Where do I live?"}),
            "chat turn": lambda: memory.chat.reply(chat, "¿Cómo me llamo?"),
            "runs/stream": lambda: post(
                f"/threads/{run}/runs/stream",
                {"assistant_id": "recuerdo", "input": question, "stream_mode": ["values"]},
            ),
            "checkpoint put": put,
        }


async def measure(model: ChatModel | None = None) -> dict[str, list[CodeType]]:
    """The functions that each operation enters; see `opened`."""
    connection.LONGEST_INLINE_SECONDS = math.inf  # as on a quick disk, whatever this one is doing
    # what looks around regularly does so once, before
    caches.PAUSE = engine.SECONDS_BETWEEN_LOOKS = admission.TICK = math.inf
    recorder = Recorder()
    recorder.install()
    try:
        with tempfile.TemporaryDirectory() as folder:
            async with opened(Path(folder), model) as operations:
                for operation in [*operations.values()] * 2:
                    await operation()
                always: dict[str, list[CodeType]] = {}
                for name, operation in operations.items():
                    tries: list[list[CodeType]] = []
                    for _ in range(TRIES):
                        await asyncio.sleep(REST_SECONDS)
                        tries.append(await recorder.functions_of(operation))
                    in_all = set(tries[0]).intersection(*tries)
                    always[name] = [function for function in tries[0] if function in in_all]
                return always
    finally:
        recorder.remove()


def counted(functions: list[CodeType]) -> tuple[int, int]:
    """How many files and functions these are."""
    return len({function.co_filename for function in functions}), len(functions)


def main() -> None:
    """Print the table, or what one operation enters."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--list", metavar="OPERATION", help="name what the operation enters")
    parser.add_argument("--another-model", action="store_true", help="leave the offline model out")
    arguments = parser.parse_args()
    chosen = arguments.list
    found = asyncio.run(measure(OneWord() if arguments.another_model else None))
    if chosen is not None:
        for function in found[chosen]:
            where = Path(function.co_filename).relative_to(PACKAGE)
            print(f"{where}:{function.co_firstlineno} {function.co_qualname}")
        return
    for name, functions in found.items():
        files, entered = counted(functions)
        print(f"{name}: {files} files, {entered} functions")


if __name__ == "__main__":
    main()
