"""Activities of an application that write to each table that grows, and know what is there then."""

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph

from recuerdo import Message, Recuerdo
from recuerdo.adapters.repositories import Repositories
from recuerdo.core.documents import Decision, Document, DocumentKey
from recuerdo.core.passages import MessagePlace, PassageVector
from recuerdo.core.scope import Owner
from recuerdo.core.threads import Version
from recuerdo.integrations.langgraph import RecuerdoSaver, RecuerdoStore
from recuerdo.testing.samples import drop, keep, remembered, vector, vectors


class Activity(Protocol):
    """Something that one user does again and again."""

    async def step(self, number: int) -> None:
        """Write what nobody else writes."""
        ...

    async def check(self) -> None:
        """Find exactly what was written, or fail."""
        ...


class Conversing:
    """Append with keys, set metadata, archive and clear."""

    def __init__(self, memory: Recuerdo, owner: Owner) -> None:
        self._memory, self._owner = memory, owner
        self._thread = memory.thread(tenant=owner.tenant, user=owner.user, thread="talk")
        self._said: list[str] = []

    async def step(self, number: int) -> None:
        if number % 20 == 19:
            await self._thread.clear()
            self._said.clear()
        self._said.append(f"message {number}")
        request = Message.user(self._said[-1]), f"key {number}"
        appended = await self._thread.append(request[0], idempotency_key=request[1])
        again = await self._thread.append(request[0], idempotency_key=request[1])
        assert again.version == appended.version
        await self._memory.history.update_metadata(self._thread.scope, {"number": number})
        if number % 5 == 0:
            await self._thread.archive(first=len(self._said))

    async def check(self) -> None:
        assert [message.text for message in await self._thread.read()] == self._said
        assert sum((await self._thread.count()).values()) == len(self._said)
        found = await self._memory.history.threads(self._owner, metadata=(await self._thread.info()).metadata)
        assert [thread.id for thread in found.threads] == ["talk"]


class Embedding:
    """Append, and keep vectors beside the messages, of threads that are deleted later."""

    def __init__(self, memory: Recuerdo, repositories: Repositories, owner: Owner) -> None:
        assert repositories.passages is not None
        self._memory, self._owner, self._passages = memory, owner, repositories.passages
        self._kept: dict[str, bytes] = {}

    async def step(self, number: int) -> None:
        thread = self._memory.thread(tenant=self._owner.tenant, user=self._owner.user, thread=f"vector {number}")
        version = (await thread.append(Message.user("hola"))).version
        self._kept[thread.scope.thread] = bytes([number % 256])
        place = MessagePlace(thread.scope.thread, *version)
        await self._passages.keep(self._owner, [PassageVector(place, "model-1", bytes([number % 256]))])
        if number % 3 == 0:
            await thread.delete()
            del self._kept[thread.scope.thread]

    async def check(self) -> None:
        heads = (await self._passages.heads(self._owner)).heads
        since = {name: Version(heads[name].version.epoch, 0) for name in self._kept}
        found = await self._passages.read(self._owner, since, "model-1", len(since) + 1)
        assert {each.place.thread: each.vector for each in found} == self._kept


class Remembering:
    """Keep memories with vectors, change and delete them."""

    def __init__(self, repositories: Repositories, owner: Owner) -> None:
        self._memories, self._owner = repositories.memories, owner
        self._kept: list[Any] = []

    async def step(self, number: int) -> None:
        memory = remembered(self._owner, f"memory {number}")
        await keep(self._memories, memory, vector(1, number))
        self._kept.append(memory)
        if len(self._kept) > 20:
            await drop(self._memories, self._kept.pop(0))

    async def check(self) -> None:
        assert {*await vectors(self._memories, self._owner)} == {memory.id for memory in self._kept}


_NOTE = "x" * 10_000


class _Notes(MessagesState):
    note: str


class Executing:
    """Run a graph with checkpoints."""

    def __init__(self, memory: Recuerdo, owner: Owner) -> None:
        graph = StateGraph(_Notes)
        graph.add_node("answer", lambda state: {"messages": [AIMessage("yes")], "note": f"{state['note']}x"})
        graph.add_edge(START, "answer")
        self._graph = graph.compile(checkpointer=RecuerdoSaver(memory, tenant=owner.tenant, user=owner.user))
        self._config: Any = {"configurable": {"thread_id": "graph"}}
        self._asked: list[str] = []

    async def step(self, number: int) -> None:
        self._asked.append(f"question {number}")
        await self._graph.ainvoke({"messages": [HumanMessage(self._asked[-1])], "note": _NOTE}, self._config)

    async def check(self) -> None:
        state = await self._graph.aget_state(self._config)
        assert [message.text for message in state.values["messages"][::2]] == self._asked
        assert len([each async for each in self._graph.aget_state_history(self._config)]) == 3 * len(self._asked)


class Storing:
    """Put items with vectors, and delete them."""

    def __init__(self, memory: Recuerdo, owner: Owner) -> None:
        index: Any = {"dims": 128, "embed": lambda texts: [[1.0, *map(float, range(127))] for _ in texts]}
        self._store = RecuerdoStore(memory, tenant=owner.tenant, user=owner.user, index=index)
        self._put: dict[str, int] = {}

    async def step(self, number: int) -> None:
        self._put[str(number)] = number
        await self._store.aput(("notes",), str(number), {"number": number})
        if len(self._put) > 20:
            gone = next(iter(self._put))
            del self._put[gone]
            await self._store.adelete(("notes",), gone)

    async def check(self) -> None:
        for query in (None, "anything"):
            found = await self._store.asearch(("notes",), query=query, limit=100)
            assert {item.key: item.value["number"] for item in found} == self._put


class Deciding:
    """Count in documents, each time on what is there."""

    def __init__(self, repositories: Repositories, owner: Owner) -> None:
        assert repositories.documents is not None
        self._documents, self._owner = repositories.documents, owner
        self._key = DocumentKey("run", "r")
        self._steps = 0

    async def step(self, number: int) -> None:
        del number

        def decide(found: Sequence[Document]) -> Decision[None]:
            past = len(found[0].body) if found else 2
            return Decision(None, [Document("run", "r", "g", b"{" + b" " * (past - 1) + b"}", True, None)])

        await self._documents.change(self._owner, "g", [self._key], decide)
        self._steps += 1

    async def check(self) -> None:
        body = await self._documents.get(self._owner, self._key)
        assert len(body or b"{}") == self._steps + 2


def activities(memory: Recuerdo, repositories: Repositories, tenant: str) -> list[Activity]:
    """One of each, of a user of the tenant."""
    owner = Owner(tenant, "emi")
    return [
        Conversing(memory, owner),
        Embedding(memory, repositories, owner),
        Remembering(repositories, owner),
        Executing(memory, owner),
        Storing(memory, owner),
        Deciding(repositories, owner),
    ]


async def repeat(activity: Activity, numbers: range, until: asyncio.Event | None = None) -> None:
    """Let it take these steps, or as many of them as fit in."""
    for number in numbers:
        if until is not None and until.is_set():
            return
        await activity.step(number)
        await asyncio.sleep(0.01)
