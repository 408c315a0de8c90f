"""What sweepers, operators and searches need of memories from outside; see `recuerdo.core.ports`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from recuerdo.core.memories import Embedding, Memory
from recuerdo.core.messages import Message
from recuerdo.core.ports import MemoryLedger
from recuerdo.core.scope import Owner, Scope


class MemoryWithVector(NamedTuple):
    """A memory and its vector, when it has one."""

    memory: Memory
    embedding: Embedding | None


class StructuredAnswer(NamedTuple):
    """What a model answered, decoded from JSON, and how many tokens that took; 0 when nobody has counted."""

    body: Any
    tokens: int


class StructuredModel(Protocol):
    """A chat model that keeps to a form when it is asked to."""

    @property
    def name(self) -> str:
        """What people are shown, e.g. `openai:gpt-5`."""
        ...

    async def answer(self, prompt: Sequence[Message], schema: Mapping[str, Any]) -> StructuredAnswer:
        """The answer as JSON of this schema, as far as the model keeps to it. Raises ModelUnavailable."""
        ...


class ThreadSummaries(Protocol):
    """The summaries of threads, for those who show windows; see `recuerdo.memories.summarise`."""

    async def of(self, scope: Scope) -> Memory | None:
        """The summary of the thread as it is now; None where there is none."""
        ...

    async def summarise(self, scope: Scope) -> Memory | None:
        """Bring the summary up to the thread's end, and return it; None where there is nothing to say."""
        ...


class MemoryHoldings(MemoryLedger, Protocol):
    """A MemoryLedger that can be gone through, by those who look after all of it."""

    async def owners(self, tenant: str | None, limit: int, after: Owner | None = None) -> list[Owner]:
        """Who has memories, of one tenant or, with None, of all; in the order of tenants and users.

        A tenant's own come before its users'. Somebody whose memories were all erased may be told as well. `after` is
        where the last call ended. It is for operators: no request is ever answered from it.
        """
        ...

    async def list_with_vectors(self, owner: Owner, limit: int, after: str | None = None) -> list[MemoryWithVector]:
        """All of the owner's memories with their vectors, in the order of their ids; `after` is where a page ended."""
        ...

    async def get_many(self, owner: Owner, ids: Sequence[str]) -> list[MemoryWithVector]:
        """The owner's memories of these ids with their vectors, in any order; those that are not there are left out."""
        ...

    async def expired(self, at: datetime, limit: int) -> Sequence[tuple[Owner, str]]:
        """Memories of all tenants that expired at `at` or before, the earliest first: whose they are, and their ids.

        It is for sweepers: no request is ever answered from it.
        """
        ...

    async def postpone(self, owner: Owner, expiries: Mapping[str, datetime]) -> None:
        """Let the memories of these ids expire at these times, those that expire earlier and have a `refresh`.

        It is no change: versions stay, and nothing is written down.
        """
        ...
