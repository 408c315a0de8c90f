"""The composition root for graphs: the engine, the graphs, and the saver and store that they get."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recuerdo.actions import Actions
from recuerdo.adapters.http import AgentService
from recuerdo.adapters.repositories import stores_no
from recuerdo.app.recuerdo import Recuerdo
from recuerdo.app.wiring import OWN_GRAPH
from recuerdo.app.workers import working
from recuerdo.contexts import Contexts, Sessions
from recuerdo.contexts.assistants import AssistantSource, BuiltinSource, enrichment_of
from recuerdo.core.actions import Queue
from recuerdo.core.documents import DocumentKey
from recuerdo.core.errors import InvalidInput, LeaseLost, NotFound
from recuerdo.core.graph_ports import EnrichmentSource, RunEvents, Signals
from recuerdo.core.ports import ThreadSummaries
from recuerdo.core.runs import Assistant
from recuerdo.core.scope import Owner, check_id
from recuerdo.history import History
from recuerdo.memories import Memories
from recuerdo.memories.erasures import Erasures
from recuerdo.observability.metrics import Metrics
from recuerdo.observability.observed import CountedContexts
from recuerdo.observability.tracing import HOST_SPANS
from recuerdo.runs.assistants import Assistants, Changing, Check, own_assistant
from recuerdo.runs.services import RunServices, running_services
from recuerdo.runs.sources import GraphSources, read_sources
from recuerdo.runs.webhooks import Webhooks

if TYPE_CHECKING:
    from recuerdo.agents.chat import Chat
    from recuerdo.library import Library

RAG_AGENT = "recuerdo.rag:agent"
"""The source in a langgraph.json that stands for the agents that look things up, over the server's own memory."""

_MOST_OWNERS = 1000


class AgentServiceAddress(NamedTuple):
    """The address of an agent-management service, and its bearer token."""

    url: str
    token: str | None = None


class Hosted(NamedTuple):
    """The parts of a server: an open Recuerdo, and the services over its graphs where its database keeps runs."""

    memory: Recuerdo
    runs_or_none: RunServices | None
    contexts: Contexts
    sessions: Sessions
    events: RunEvents
    history: History
    memories: Memories

    @property
    def runs(self) -> RunServices:
        """The services over the graphs. Raises ConfigurationError when the database keeps no runs."""
        if self.runs_or_none is None:
            raise stores_no("assistants and no runs")
        return self.runs_or_none

    @property
    def signals(self) -> Signals:
        return self.memory.worker.signals

    @property
    def actions(self) -> Actions:
        return self.memory.actions

    @property
    def erasures(self) -> Erasures:
        return self.memory.erasures

    @property
    def summaries(self) -> ThreadSummaries | None:
        return self.memory.summaries

    @property
    def library(self) -> "Library":
        return self.memory.library

    @property
    def chat(self) -> "Chat":
        return self.memory.chat


@asynccontextmanager
async def hosting(
    memory: Recuerdo,
    config: str | Path | None = None,
    *,
    lease: float = 10.0,
    agents: AgentServiceAddress | None = None,
    default_agent: str = OWN_GRAPH,
    metrics: Metrics | None = None,
    webhooks_inside: bool = False,
    state_types: Sequence[tuple[str, str]] = (),
    queues: Sequence[Queue] = (),
) -> AsyncGenerator[Hosted]:
    """Execute runs inside the block: of the graphs that a langgraph.json names, or of our own.

    A run whose process has died continues after `lease` seconds, in any process that executes runs over this database.
    Assistants are our own, unless `agents` is where they are known, or `memory` was opened with a callable that knows;
    `default_agent` answers where none is named.
    `webhooks_inside` lets webhooks call this machine and private networks. States may hold `state_types`, by module and
    name, besides those that the graphs' schemas name. Actions in `queues` are done here. Raises ConfigurationError when
    the file, or what it names for the store, can't be used. Where the database keeps no runs there are none.
    """
    sources = await _with_index(read_sources(config)) if config is not None else None
    async with AsyncExitStack() as stack:
        assistants = _LateAssistants()
        contexts = memory.contexts
        if agents is not None or memory.enrich is None:
            contexts.source = await stack.enter_async_context(_source(agents, assistants))
        contexts.stands_for = _stands_for(default_agent, agents)
        if metrics is not None:
            contexts.watch = CountedContexts(metrics)
        events = memory.events
        services: RunServices | None = None

        if memory.documents is not None:
            services = await stack.enter_async_context(
                running_services(
                    memory.documents,
                    events,
                    _graphs(sources),
                    lambda: _make_host(memory, sources, contexts, state_types),
                    memory.clock,
                    memory.worker.signals,
                    lease=lease,
                    changing=_invalidating(contexts),
                    check=_checking(memory, sources),
                    webhooks=Webhooks(inside=webhooks_inside),
                    epoch_of=memory.history.epoch,
                    history=memory.history,
                )
            )
            assistants.where = services.assistants
        await stack.enter_async_context(working(memory, queues, metrics=metrics))
        yield Hosted(memory, services, contexts, memory.sessions, events, memory.history, memory.memories)


@asynccontextmanager
async def open_assistants(memory: Recuerdo, config: str | Path | None = None) -> AsyncGenerator[Assistants]:
    """The assistants over the graphs of a langgraph.json, or over our own, for programs that execute no runs.

    Changes reach servers over the shared cache; a server without one uses what it knows for a while. Raises
    ConfigurationError when the file can't be used, or the database keeps no assistants.
    """
    if memory.documents is None:
        raise stores_no("assistants")
    sources = read_sources(config) if config is not None else None
    changing, check = _invalidating(memory.contexts), _checking(memory, sources)
    yield Assistants(memory.documents, _graphs(sources), memory.clock, changing, check)


def _graphs(sources: GraphSources | None) -> Mapping[str, str | None]:
    """The graphs by their names, with their descriptions."""
    if sources is None:
        return {OWN_GRAPH: "Remembers what it is told."}
    return {name: sources.descriptions.get(name) for name in sources.graphs}


def _invalidating(contexts: Contexts) -> Changing:
    return lambda owner, name: contexts.invalidate_assistant(owner.tenant, name)


def _checking(memory: Recuerdo, sources: GraphSources | None) -> Check:
    """See Assistants; the configuration of a user's own graph is that graph's affair."""

    async def check(assistant: Assistant) -> None:
        if sources is not None and sources.graphs.get(assistant.graph_id) != RAG_AGENT:
            return
        enrichment = enrichment_of(assistant)
        try:
            await memory.chat.check(enrichment)
        except InvalidInput as error:
            raise InvalidInput(f"context.{error.field}", error.problem) from None

    return check


class _LateAssistants:
    """Finds assistants as soon as they can be had: they tell contexts what changes, and contexts ask them."""

    where: Assistants | None = None

    async def __call__(self, owner: Owner, name: str) -> Assistant:
        if self.where is None:  # this database keeps no assistants
            raise NotFound("assistant", name)
        return await self.where.resolve(owner, name)


@asynccontextmanager
async def _source(agents: AgentServiceAddress | None, assistants: _LateAssistants) -> AsyncGenerator[EnrichmentSource]:
    """The chat is there in any case: whatever is served, and whatever the service knows."""
    own = own_assistant(OWN_GRAPH)
    if agents is None:
        yield BuiltinSource(AssistantSource(assistants), own)
        return
    async with AgentService.open(agents.url, agents.token) as service:
        yield BuiltinSource(service, own)


def _stands_for(default_agent: str, agents: AgentServiceAddress | None) -> dict[str, str]:
    """The agent that replaces the built-in one, for the name `recuerdo`, which conversations without an assistant use,
    and with an agents service, which doesn't know our ids, for the id of the built-in assistant.
    """
    if default_agent == OWN_GRAPH:
        return {}
    check_id("default_agent", default_agent)
    names = [OWN_GRAPH] if agents is None else [OWN_GRAPH, own_assistant(OWN_GRAPH).assistant_id]
    return dict.fromkeys(names, default_agent)


def _make_host(
    memory: Recuerdo, sources: GraphSources | None, contexts: Contexts, state_types: Sequence[tuple[str, str]]
) -> Any:
    if not memory.stores_checkpoints:
        raise stores_no("checkpoints, so no graph is run")
    from recuerdo.integrations.langgraph.host import GraphHost, compiled

    async def check_not_erased(config: Any) -> None:
        """Stop a run that was erased meanwhile: nothing of it may be stored after the erasure."""
        about: dict[str, Any] = config.get("configurable", {})
        documents, run_id = memory.documents, about.get("run_id")
        if documents is None or run_id is None:
            return
        if await documents.get(Owner(about["tenant"], about["user"]), DocumentKey("run", run_id)) is None:
            raise LeaseLost

    def chat() -> Any:
        from recuerdo.agents.graph import chat_graph

        return compiled(OWN_GRAPH, chat_graph(memory.chat, contexts, check_not_erased))

    def rag() -> Any:
        from recuerdo.agents.orchestrator import AGENTS_NAME
        from recuerdo.agents.rag import create_graph_builder

        return compiled(AGENTS_NAME, create_graph_builder(memory.chat, contexts, check_not_erased))

    builtin: dict[str, Callable[[], Any]] = {OWN_GRAPH: chat} if sources is None else {}
    if sources is not None:
        builtin |= {name: rag for name, source in sources.graphs.items() if source == RAG_AGENT}
        sources = sources._replace(graphs={name: each for name, each in sources.graphs.items() if name not in builtin})
    serializer = _serializer_of(sources, state_types)
    own_savers, savers = (_each_owner(_saver_of(memory, each, serializer)) for each in (None, "messages"))
    host = GraphHost(builtin, sources, savers, _each_owner(_store_of(memory, sources)), own_savers)
    return memory.observation.trace(host, HOST_SPANS)


def _serializer_of(sources: GraphSources | None, state_types: Sequence[tuple[str, str]]) -> Callable[[], Any]:
    """The serializer that all savers share, made when the graphs' environment is there."""
    from recuerdo.integrations.langgraph.strict import StrictSerializer

    named = sources.state_types if sources is not None else ()

    def advise(module: str, name: str) -> str:
        listed = f'"checkpointer": {{"serde": {{"allowed_msgpack_modules": [["{module}", "{name}"]]}}}}'
        return f"{listed} in langgraph.json, or RECUERDO_STATE_TYPES={module}:{name}"

    return cache(lambda: StrictSerializer(True if named is True else [*named, *state_types], advise))


def _saver_of(memory: Recuerdo, history: str | None, serializer: Callable[[], Any]) -> Callable[[Owner], Any]:
    """Savers; of our own graphs without a history, because the chat in them stores the messages."""
    from recuerdo.integrations.langgraph import RecuerdoSaver

    def saver(owner: Owner) -> Any:
        return RecuerdoSaver(memory, tenant=owner.tenant, user=owner.user, history=history, serde=serializer())

    return saver


async def _with_index(sources: GraphSources) -> GraphSources:
    """The sources with a store's index whose embeddings can be asked. Raises ConfigurationError."""
    index = sources.load_index()
    if index is None:
        return sources
    from recuerdo.integrations.langgraph.indexing import opened_index

    return sources._replace(store_index=await opened_index(index))


def _store_of(memory: Recuerdo, sources: GraphSources | None) -> Callable[[Owner], Any]:
    from recuerdo.integrations.langgraph.store import RecuerdoStore

    index: Any = sources.store_index if sources is not None else None
    ttl: Any = sources.store_ttl if sources is not None else None

    def store(owner: Owner) -> Any:
        return RecuerdoStore(memory, tenant=owner.tenant, user=owner.user, index=index, ttl=ttl)

    return store


def _each_owner(make: Callable[[Owner], Any]) -> Callable[[Owner], Any]:
    """One for each owner, made when it is needed; those that were not used for long are forgotten."""
    made: dict[Owner, Any] = {}

    def get(owner: Owner) -> Any:
        found = made.pop(owner, None)
        made[owner] = found = make(owner) if found is None else found
        if len(made) > _MOST_OWNERS:
            del made[next(iter(made))]
        return found

    return get
