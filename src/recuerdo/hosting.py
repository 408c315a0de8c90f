"""The composition root for graphs: the engine, the graphs, and the saver and store that they get."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recuerdo.adapters.local.events import LocalRunEvents
from recuerdo.bootstrap import Recuerdo
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.scope import Owner
from recuerdo.history import History
from recuerdo.memories import Memories
from recuerdo.runs.services import RunServices, running_services
from recuerdo.runs.sources import GraphSources, read_sources

if TYPE_CHECKING:
    from recuerdo.agents.chat import Chat

OWN_GRAPH = "recuerdo"
"""The graph that is there without a langgraph.json: the chat."""

_MOST_OWNERS = 1000


class Hosted(NamedTuple):
    """What a server serves: an open Recuerdo, and the services over its graphs where its database keeps runs."""

    memory: Recuerdo
    graphs: RunServices | None

    @property
    def runs(self) -> RunServices:
        """The services over the graphs. Raises ConfigurationError when the database keeps no runs."""
        if self.graphs is None:
            raise ConfigurationError(
                "This database keeps no runs of graphs. Use sqlite://, postgresql:// or memory://."
            )
        return self.graphs

    @property
    def history(self) -> History:
        return self.memory.history

    @property
    def memories(self) -> Memories:
        return self.memory.memories

    @property
    def chat(self) -> "Chat":
        return self.memory.chat


@asynccontextmanager
async def hosting(memory: Recuerdo, config: str | Path | None = None, *, lease: float = 10.0) -> AsyncGenerator[Hosted]:
    """Execute runs inside the block: of the graphs that a langgraph.json names, or of our own.

    A run whose process has died is gone on with after `lease` seconds, by whoever executes runs over this database.
    Raises ConfigurationError when the file can't be read. Where the database keeps no runs there are none.
    """
    sources = read_sources(config) if config is not None else None
    if memory.documents is None:
        yield Hosted(memory, None)
        return
    graphs: Mapping[str, str | None] = {OWN_GRAPH: "Remembers what it is told."}
    if sources is not None:
        graphs = {name: sources.descriptions.get(name) for name in sources.graphs}

    def make_host() -> Any:
        return _make_host(memory, sources)

    async with running_services(
        memory.documents, LocalRunEvents(), graphs, make_host, memory.clock, lease=lease
    ) as services:
        yield Hosted(memory, services)


def _make_host(memory: Recuerdo, sources: GraphSources | None) -> Any:
    from recuerdo.runs.host import GraphHost

    def own_graph() -> Any:
        from recuerdo.agents.graph import chat_graph
        from recuerdo.runs.loading import compiled

        return compiled(OWN_GRAPH, chat_graph(memory.chat))

    builtin = {OWN_GRAPH: own_graph} if sources is None else {}
    return GraphHost(builtin, sources, _each_owner(_saver_of(memory, sources)), _each_owner(_store_of(memory, sources)))


def _saver_of(memory: Recuerdo, sources: GraphSources | None) -> Callable[[Owner], Any]:
    from recuerdo.integrations.langgraph import RecuerdoSaver

    history = "messages" if sources is not None else None  # the chat in our own graph stores what is said by itself

    def saver(owner: Owner) -> Any:
        try:
            return RecuerdoSaver(memory, tenant=owner.tenant, user=owner.user, history=history)
        except ConfigurationError:  # memory:// keeps no checkpoints; nothing there outlives the process anyway
            from recuerdo.runs.volatile import VolatileSaver

            return VolatileSaver()

    return saver


def _store_of(memory: Recuerdo, sources: GraphSources | None) -> Callable[[Owner], Any]:
    from recuerdo.integrations.langgraph.store import RecuerdoStore

    index: Any = sources.store_index if sources is not None else None

    def store(owner: Owner) -> Any:
        try:
            return RecuerdoStore(memory, tenant=owner.tenant, user=owner.user, index=index)
        except ConfigurationError:  # this database keeps no items
            from langgraph.store.memory import InMemoryStore

            return InMemoryStore()

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
