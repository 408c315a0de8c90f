"""Databases with threads in them, for tests of what operators do."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from recuerdo.adapters.registry import Repositories, open_repositories
from recuerdo.core.messages import Message, Record, ToolCall, encode
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Append, MessageQuery, NewMessage, Thread
from recuerdo.history.iteration import OwnerFilter, threads_of
from recuerdo.history.lines import check
from recuerdo.history.transfer import ImportProgress, Transfer
from recuerdo.testing.clock import NOON
from recuerdo.testing.samples import commit

ALL = 2**53
EVERYTHING = OwnerFilter()

TEXTS = (
    "Hola, me llamo Emiliano",
    "日本語のメッセージ\n二行目",
    "رسالة بالعربية",
    "\u2028 \u0000 \\ \" ' </script> {}",
    "👩‍👩‍👧‍👦 é é",
    "x" * 5000,
)


def rich_messages() -> list[Message]:
    """One of everything that a message can have."""
    call = ToolCall("call-1", "buscar", {"q": "café", "n": 1, "deep": {"a": [1, 2.5, None, True]}})
    parts = [{"type": "text", "text": "mira"}, {"type": "image_url", "image_url": {"url": "data:,x"}}]
    return [
        Message.system("Eres amable."),
        *(Message.user(text, metadata={"n": number, "t": text[:9]}) for number, text in enumerate(TEXTS)),
        Message.user(parts, name="emi"),
        Message.assistant("", tool_calls=[call]),
        Message.tool([{"type": "text", "text": "nada"}], tool_call_id="call-1"),
        Message.assistant("No hay."),
    ]


async def fill(
    repositories: Repositories, scope: Scope, messages: Sequence[Message], *, minutes: int = 0, title: str = "título"
) -> None:
    """Append the messages one by one, a minute each, from NOON and so many minutes on."""
    for number, message in enumerate(messages):
        at = NOON + timedelta(minutes=minutes + number)
        identified = Message(
            **{name: getattr(message, name) for name in Message.__struct_fields__}
            | {"id": f"m-{minutes}-{number}", "created_at": at - timedelta(microseconds=number + 1)}
        )
        new = NewMessage(identified.id, message.role, at, encode(identified))
        await commit(repositories.history, Append(scope, [new], at, title))


async def contents(
    repositories: Repositories, choice: OwnerFilter = EVERYTHING
) -> dict[Scope, tuple[Any, list[Record]]]:
    """Everything that an export must keep: each thread's title and times, and its records to the last byte."""
    found: dict[Scope, tuple[Any, list[Record]]] = {}
    async for scope, thread in threads_of(repositories.threads, choice):
        page = await repositories.history.page(scope, MessageQuery(limit=ALL, archived=None))
        found[scope] = (_outside(thread), page.records)
    return found


async def exported(repositories: Repositories, choice: OwnerFilter = EVERYTHING) -> list[bytes]:
    """The lines of an export."""
    transfer = Transfer(repositories.history, repositories.threads)
    return b"".join([piece.data async for piece in transfer.export(choice)]).splitlines(keepends=True)


async def imported(repositories: Repositories, lines: Sequence[bytes]) -> list[ImportProgress]:
    """The transactions of an import of the lines."""
    transfer = Transfer(repositories.history, repositories.threads)
    return [part async for part in transfer.import_from(lines, check(lines))]


@asynccontextmanager
async def two_databases(kind: str, folder: Any) -> AsyncIterator[tuple[Repositories, Repositories]]:
    """Two that know nothing of each other."""
    one, other = (("memory://",) * 2) if kind == "memory" else (f"sqlite:///{folder}/{name}.db" for name in ("a", "b"))
    async with open_repositories(one) as source, open_repositories(other) as target:
        yield source, target


def _outside(thread: Thread) -> tuple[str, Any, Any]:
    return thread.title, thread.created_at, thread.updated_at
