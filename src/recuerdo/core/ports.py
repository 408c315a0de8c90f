"""Everything that the core needs from outside, in the words of the domain.

A `Repository` is durable: when a method returns, the data survives a power cut. Repositories raise the errors of
`recuerdo.core.errors` and nothing of their driver's. Each port has a contract suite in `recuerdo.testing`.
"""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Protocol

from recuerdo.core.errors import RecuerdoError
from recuerdo.core.memories import Embedding, Memory, MemoryHit, MemoryQuery
from recuerdo.core.messages import Message, Role
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import Append, Appended, MessageQuery, Page, Tail, Thread, ThreadPage, Version


class HistoryRepository(Protocol):
    """The messages of threads: append-only, seqs 1..n without a gap."""

    async def append(self, batch: Sequence[Append]) -> list[Appended | RecuerdoError]:
        """Commit the batch in one transaction, each request with its own outcome, in order.

        A request that fails leaves nothing behind and never fails its neighbours. The thread is created when it is
        absent. Raises DatabaseUnavailable when the batch as a whole could not be committed.
        """
        ...

    async def tail(self, scope: Scope, limit: int, before: int | None = None) -> Tail:
        """The newest `limit` messages (with a seq below `before`) that a window can be made of."""
        ...

    async def page(self, scope: Scope, query: MessageQuery) -> Page:
        """The messages that match, from one committed state."""
        ...

    async def count(self, scope: Scope) -> dict[Role, int]:
        """How many messages of each role the thread has, archived ones included; roles without any are left out."""
        ...

    async def archive(self, scope: Scope, first: int, last: int, archived: bool) -> int:
        """Mark the messages with seqs first..last as archived or not. Returns how many changed."""
        ...


class ThreadRepository(Protocol):
    """The threads themselves."""

    async def get(self, scope: Scope) -> Thread | None:
        """The thread, or None when it is absent or deleted."""
        ...

    async def select(self, owner: Owner, limit: int, cursor: str | None = None) -> ThreadPage:
        """The owner's threads, the latest changed first. Raises InvalidInput for a broken cursor."""
        ...

    async def clear(self, scope: Scope, at: datetime) -> Version | None:
        """Erase the messages and start a new epoch; the thread stays. None when there is no such thread."""
        ...

    async def delete(self, scope: Scope, at: datetime) -> bool:
        """Erase the messages and leave a tombstone in a new epoch. False when there was no such thread."""
        ...

    async def fork(self, scope: Scope, at_seq: int, target: str, at: datetime) -> Thread:
        """Copy the messages 1..at_seq into the new thread `target` of the same owner.

        Raises NotFound, ThreadExists, or InvalidInput when the thread is not that long.
        """
        ...


class MemoryRepository(Protocol):
    """Long-term memories, each with the vector that finds it (when there is an embedding model)."""

    async def save(self, memory: Memory, embedding: Embedding | None) -> None:
        """Insert the memory, or replace the one with its id of the same owner."""
        ...

    async def get(self, owner: Owner, memory_id: str) -> Memory | None:
        """The owner's memory, or None."""
        ...

    async def select(self, owner: Owner, query: MemoryQuery) -> list[Memory]:
        """The owner's memories that match, the latest created first."""
        ...

    async def delete(self, owner: Owner, memory_id: str) -> bool:
        """Remove the memory and everything derived from it. False when there was none."""
        ...

    async def search(self, owner: Owner, text: str, embedding: Embedding | None, limit: int) -> list[MemoryHit]:
        """The owner's memories nearest to the text, best first; by words alone without an embedding."""
        ...

    async def unembedded(self, owner: Owner, model: str, limit: int) -> list[Memory]:
        """Memories that have no vector of this model yet, so that they can get one."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors whose cosine tells how near their meanings are."""

    @property
    def name(self) -> str:
        """The model's name: vectors of different names are never compared."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """One embedding a text. Raises ModelUnavailable."""
        ...


class Tokenizer(Protocol):
    """Counts tokens as a model would."""

    def count(self, text: str) -> int:
        """The number of tokens of the text; 0 for an empty one."""
        ...


class ChatModel(Protocol):
    """Answers a prompt."""

    @property
    def name(self) -> str:
        """What people are shown, e.g. `offline` or `openai:gpt-5`."""
        ...

    def stream(self, prompt: Sequence[Message]) -> AsyncIterator[str]:
        """The reply in pieces, as they come. Raises ModelUnavailable."""
        ...


class Clock(Protocol):
    """Tells the time; tests have one that they can set."""

    def __call__(self) -> datetime:
        """Now, aware, UTC."""
        ...
