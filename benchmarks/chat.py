"""The cost of a chat turn without the model and the embedding: recall, window, prompt, two appends."""

import struct
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import count
from pathlib import Path
from statistics import median
from unittest.mock import patch

from benchmarks.raw import TEXT, RawHistory
from benchmarks.rounds import Contestant, Measurement, compare
from recuerdo import Message
from recuerdo.adapters.registry import open_repositories
from recuerdo.agents.chat import Chat
from recuerdo.core.memories import Embedding
from recuerdo.core.scope import Owner
from recuerdo.history import History
from recuerdo.history.history import utc_now
from recuerdo.memories import Memories
from recuerdo.memories.extraction import cross_encoder, tagger

TOPIC = "chat"
LENGTH = 1_000
MEMORIES = 50
_VECTOR = struct.pack("<512f", 1.0, *[0.0] * 511)
_TURNS = 20


class InstantModel:
    """A model that answers before it was asked."""

    name = "instant"

    async def stream(self, prompt: Sequence[Message]) -> AsyncGenerator[str, None]:
        yield "As you said in March, "
        yield "the invoices are paid."


class InstantEmbedder:
    """An embedding model that finds all texts alike."""

    name = "instant"

    async def embed(self, texts: Sequence[str]) -> list[Embedding]:
        return [Embedding(self.name, _VECTOR) for _ in texts]


async def measure(folder: Path, *, full: bool) -> list[Measurement]:
    """A turn on a thread of 1,000 messages, of a user with 50 memories; no two messages are the same."""
    rounds = 20 if full else 8
    async with open_repositories(f"sqlite:///{folder}/chat.db") as repositories:
        history = History(repositories.history, repositories.threads)
        memories = Memories(repositories.memories, InstantEmbedder(), utc_now)
        chat = Chat(history, memories, InstantModel())
        scope = Owner("acme", "emi").thread("t-1")
        await history.append(scope, [Message.user(TEXT) for _ in range(LENGTH)])
        for number in range(MEMORIES):
            await memories.add(scope.owner, f"Invoice {number} of Data Oilers was paid in March")
        numbers = count()

        async def turn() -> None:
            await chat.reply(scope, f"What did we say about the invoices of March, {next(numbers)}?")

        async def telling_turn() -> None:
            await chat.reply(scope, f"I paid the invoice {next(numbers)} of March with my own card")

        with RawHistory.open(folder / "chat-raw.db") as raw:
            turns = await compare(turn, raw.insert, rounds=rounds, turns=_TURNS)
        asking, read, unread = await _processor(
            rounds, (turn, nullcontext), (telling_turn, nullcontext), (telling_turn, _no_networks)
        )
    case = f"a turn on {LENGTH:,} messages"
    return [
        turns.measurement(TOPIC, case, "sqlite3 insert + commit")._replace(goal_seconds=0.010),
        Measurement(TOPIC, "the processor, of a question", asking, goal_seconds=0.004),
        Measurement(TOPIC, "the processor, of a statement, which two networks read", read),
        Measurement(TOPIC, "the processor, of a statement without the networks", unread, goal_seconds=0.004),
    ]


async def _processor(rounds: int, *cases: tuple[Contestant, Callable[[], AbstractContextManager[None]]]) -> list[float]:
    """Seconds of the processor that a turn of each case takes within its context, the cases by turns."""
    samples: list[list[float]] = [[] for _ in cases]
    for _ in range(rounds):
        for taken, (turn, context) in zip(samples, cases, strict=True):
            with context():
                began = time.process_time()
                for _ in range(_TURNS):
                    await turn()
                taken.append((time.process_time() - began) / _TURNS)
    return [*map(median, samples)]


@contextmanager
def _no_networks() -> Iterator[None]:
    with patch.object(tagger, "load", lambda: None), patch.object(cross_encoder, "load", lambda: None):
        yield
