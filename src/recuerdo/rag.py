"""The RAG agents as a LangGraph graph: `recuerdo.rag:agent` in a langgraph.json.

`recuerdo serve` lets this graph answer with the server's own memory. Anywhere else (LangGraph's own server, a script)
the memory of the environment (see `recuerdo.app.settings`) is opened at the first message and closed with the loop.
"""

import asyncio
from collections.abc import Mapping
from typing import Any, cast
from weakref import WeakKeyDictionary

from langchain_core.runnables import RunnableConfig
from langgraph.graph import StateGraph
from msgspec.structs import replace

from recuerdo.agents.rag import AnswerContext, AnswerState, graph_builder
from recuerdo.app.recuerdo import Recuerdo
from recuerdo.app.settings import read_settings
from recuerdo.contexts.assistants import enrichment_of
from recuerdo.core.contexts import context_of
from recuerdo.core.identifiers import new_id
from recuerdo.core.scope import owner_in
from recuerdo.runs.assistants import own_assistant

GRAPH = "rag"
"""The name of the graph."""


def create_graph_builder() -> StateGraph[AnswerState]:
    """The graph, not compiled: give it a checkpointer and a store of your own, or none.

    The thread of a run is named in its `configurable`: the user as LangGraph's server authenticated them, else
    `user_id`; `tenant_id` (else `default`); `thread_id` (else a new one). A run without a user is refused. Beside them
    may be what an assistant is configured with: `prompts`, `model`, `retrieval`, `limits`.
    """
    return graph_builder(_Environment().find)


class _Environment:
    """The memory that the environment names, opened once an event loop: what is open belongs to its loop."""

    def __init__(self) -> None:
        self._opened: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Future[Recuerdo]] = WeakKeyDictionary()
        self._holders: set[asyncio.Task[None]] = set()

    async def find(self, config: RunnableConfig) -> AnswerContext:
        """See Find."""
        configurable: Mapping[str, Any] = config.get("configurable") or {}
        memory = await self._memory()
        scope = owner_in(configurable).thread(str(configurable.get("thread_id") or new_id()))
        assistant = replace(own_assistant(GRAPH), context={**configurable})
        return AnswerContext(memory.chat, scope, context_of(scope, enrichment_of(assistant), memory.clock()))

    async def _memory(self) -> Recuerdo:
        loop = asyncio.get_running_loop()
        opened = self._opened.get(loop)
        if opened is None or (opened.done() and (opened.cancelled() or opened.exception())):
            opened = self._opened[loop] = loop.create_future()
            holder = loop.create_task(_hold_open(opened))
            self._holders.add(holder)
            holder.add_done_callback(self._holders.discard)
        return await asyncio.shield(opened)


async def _hold_open(opened: "asyncio.Future[Recuerdo]") -> None:
    """Keep the memory open until the loop ends, which cancels this."""
    settings = await asyncio.to_thread(read_settings)
    try:
        async with Recuerdo.open(
            settings.database_url,
            cache=settings.cache_url,
            **settings.model_arguments,
            encryption_key=settings.encryption_keys,
        ) as memory:
            opened.set_result(memory)
            await asyncio.Event().wait()
    except Exception as error:
        if opened.done():
            raise
        opened.set_exception(error)


agent = cast(Any, create_graph_builder()).compile(name=GRAPH)
"""The graph, compiled without a checkpointer: add one where it runs, if you need it."""
