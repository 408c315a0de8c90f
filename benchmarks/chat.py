"""The cost of a chat turn without the model and the embedding: recall, window, prompt, two appends."""

import struct
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

from benchmarks.raw import TEXT, RawHistory
from benchmarks.rounds import Measurement, compare
from recuerdo import Message
from recuerdo.adapters.registry import open_repositories
from recuerdo.agents.chat import Chat
from recuerdo.core.memories import Embedding
from recuerdo.core.scope import Owner
from recuerdo.history import History
from recuerdo.history.history import utc_now
from recuerdo.memories import Memories

TOPIC = "chat"
LENGTH = 1_000
MEMORIES = 50
_VECTOR = struct.pack("<512f", 1.0, *[0.0] * 511)


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
    """A turn on a thread of 1,000 messages, of a user with 50 memories."""
    rounds = 20 if full else 8
    async with open_repositories(f"sqlite:///{folder}/chat.db") as repositories:
        history = History(repositories.history, repositories.threads)
        memories = Memories(repositories.memories, InstantEmbedder(), utc_now)
        chat = Chat(history, memories, InstantModel())
        scope = Owner("acme", "emi").thread("t-1")
        await history.append(scope, [Message.user(TEXT) for _ in range(LENGTH)])
        for number in range(MEMORIES):
            await memories.add(scope.owner, f"Invoice {number} of Data Oilers was paid in March")

        async def turn() -> None:
            await chat.reply(scope, "What did we say about the invoices of March?")

        with RawHistory.open(folder / "chat-raw.db") as raw:
            turns = await compare(turn, raw.insert, rounds=rounds, turns=20)
    found = turns.measurement(TOPIC, "a turn on 1,000 messages", "sqlite3 insert + commit")
    return [found._replace(goal_seconds=0.010)]
