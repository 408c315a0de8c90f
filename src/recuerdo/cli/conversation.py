"""A conversation in the terminal."""

import asyncio
import sys
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from io import TextIOWrapper

from rich.console import Console

from recuerdo.agents.chat import Chat
from recuerdo.agents.events import Finished, Token
from recuerdo.app.recuerdo import Recuerdo
from recuerdo.core.errors import InvalidInput, ModelUnavailable
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import Scope


def converse(opening: AbstractAsyncContextManager[Recuerdo], scope: Scope) -> None:
    """Read lines and answer each, until the input ends or Ctrl-C."""
    console = Console(highlight=False)
    _let_any_bytes_in()
    stack = AsyncExitStack()
    with asyncio.Runner() as runner:
        try:
            chat = runner.run(stack.enter_async_context(opening)).chat
            console.print(f"{chat.model_name} · user {scope.user} · thread {scope.thread} · Ctrl-D ends", style="dim")
            # the line is read outside the event loop, which would hold Ctrl-C back until Enter
            while (line := _read_line(console)) is not None:
                runner.run(_answer(console, chat, scope, line))
        except KeyboardInterrupt:
            console.print()
        finally:
            runner.run(stack.aclose())


def _let_any_bytes_in() -> None:
    """Accept undecodable bytes, so that they are refused like any other invalid message."""
    stdin: object = sys.stdin
    if isinstance(stdin, TextIOWrapper):
        stdin.reconfigure(errors="surrogateescape")


def _read_line(console: Console) -> str | None:
    try:
        return console.input("[bold]>[/bold] ") if console.is_terminal else input()
    except EOFError:
        return None


async def _answer(console: Console, chat: Chat, scope: Scope, line: str) -> None:
    if not line.strip():
        return
    try:
        async for event in chat.stream(scope, line, idempotency_key=new_id()):
            match event:
                case Token(text):
                    console.print(text, end="", markup=False, soft_wrap=True)
                case Finished(reply):
                    console.print()
                    _tell(console, [memory.text for memory in reply.memories_saved], reply.history)
                case _:
                    pass
    except (InvalidInput, ModelUnavailable) as error:
        console.print(f"[red]{type(error).__name__}[/red]", end=" ")
        console.print(str(error), markup=False)


def _tell(console: Console, remembered: list[str], history: str) -> None:
    for text in remembered:
        console.print(f"+ {text}", style="dim", markup=False)
    if history != "ok":
        console.print("The history is unavailable: this turn continued without it.", style="yellow")
