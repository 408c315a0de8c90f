"""The savings of the PostgreSQL adapter's shortcuts: each operation in one run with and without them."""

from collections.abc import Awaitable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from benchmarks.rounds import Contestant, Measurement, compare
from benchmarks.servers import postgres_url
from recuerdo.adapters.postgres import (
    PostgresDatabase,
    PostgresDocuments,
    PostgresHistory,
    PostgresSignals,
    PostgresThreads,
)
from recuerdo.adapters.postgres.decisions import DocumentCache
from recuerdo.core.documents import Decision, Document, DocumentKey
from recuerdo.core.messages import Message
from recuerdo.core.scope import Owner
from recuerdo.history import History
from recuerdo.windowing import MessageWindow

TOPIC = "tricks"
_OWNER = Owner("acme", "emi")
_THREAD = _OWNER.thread("t-1")


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """Reads and appends over libpq and by psycopg's cursors; changes of documents with a document cache and without."""
    del folder
    rounds, turns = 30 if full else 10, 50
    lines: list[Measurement] = []
    async with AsyncExitStack() as stack:
        url = stack.enter_context(postgres_url())
        direct = await stack.enter_async_context(PostgresDatabase.open(url))
        cursors = await stack.enter_async_context(PostgresDatabase.open(url, direct=False))
        history = History(PostgresHistory(direct), PostgresThreads(direct))
        for number in range(60):
            await history.append(_THREAD, [Message.user(f"message {number}")])
        for case in ("a thread's head", "a window of 50", "an append"):
            compared = await compare(_reading(direct, case), _reading(cursors, case), rounds=rounds, turns=turns)
            lines.append(compared.measurement(TOPIC, case, "psycopg's cursors"))
        signals = await stack.enter_async_context(PostgresSignals(direct).opened())
        kept, not_kept = PostgresDocuments(direct, signals), PostgresDocuments(direct, signals, DocumentCache(0))
        compared = await compare(_changing(kept, "a"), _changing(not_kept, "b"), rounds=rounds, turns=turns)
        lines.append(compared.measurement(TOPIC, "a change of a run's document", "no document cache"))
    return lines


def _reading(database: PostgresDatabase, case: str) -> Contestant:
    messages = PostgresHistory(database)
    history = History(messages, PostgresThreads(database))

    def work() -> Awaitable[object]:
        match case:
            case "a thread's head":
                return messages.head(_THREAD)
            case "a window of 50":
                return history.window(_THREAD, MessageWindow(50))
            case _:
                return history.append(_THREAD, [Message.user("x" * 200)])

    return work


def _changing(documents: PostgresDocuments, group: str) -> Contestant:
    numbers = iter(range(10**9))
    key = DocumentKey("run", f"run-of-{group}")

    def decide(seen: Sequence[Document]) -> Decision[None]:
        del seen
        body = b'{"number":%d,"text":"%s"}' % (next(numbers), b"x" * 1000)
        return Decision(None, put=[Document(*key, group, body, open=True)])

    async def change() -> None:
        await documents.change(_OWNER, group, [key], decide)

    return change
