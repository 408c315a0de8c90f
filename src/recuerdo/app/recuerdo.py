"""The composition root: opens a Recuerdo, whose parts `wiring` puts together."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, get_args

from recuerdo.adapters.models.clients import ModelClients
from recuerdo.app.wiring import OFFLINE, ModelChoice, OpenOptions, Parts, open_parts
from recuerdo.core.checks import check_choice
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.graph_ports import ItemRepository
from recuerdo.core.ports import Clock
from recuerdo.core.retention import RetentionPolicy
from recuerdo.core.scope import ANONYMOUS, Owner, Scope
from recuerdo.core.threads import Durability
from recuerdo.history import ThreadHistory
from recuerdo.history.history import utc_now
from recuerdo.memories import TenantMemory, UserMemory
from recuerdo.memories.spending import Budget
from recuerdo.observability.metrics import Metrics
from recuerdo.observability.observation import Observation

if TYPE_CHECKING:
    from recuerdo.agents.chat import Chat
    from recuerdo.checkpoints import Checkpoints
    from recuerdo.library import Library

T = TypeVar("T")

DEFAULT_DATABASE = "sqlite:///.recuerdo/recuerdo.db"
DEFAULT_SPOOL = ".recuerdo/spool"
_SECONDS_TO_CLOSE = 15


class Recuerdo:
    """An open Recuerdo: histories, memories and a chat over one database, for any number of tenants.

    async with Recuerdo.open("sqlite:///recuerdo.db") as memory:
        thread = memory.thread(tenant="acme", user="emi", thread="t-1")
        await thread.append(Message.user("Hola, me llamo Emiliano"))
        prompt = await thread.window(MessageWindow(50))
    """

    def __init__(self, parts: Parts, options: OpenOptions) -> None:
        self._parts = parts
        self.clock = options.clock
        self.embedder = options.embedder
        """The embedding model; None where memories are found by words alone."""
        self.embeddings = options.embedder.name if options.embedder else None
        """Its name."""
        self.retention = options.retention
        """How long what nobody uses is kept."""
        self.history = parts.conversations.history
        self.memories = parts.memories
        self.summaries = parts.summaries
        """The summaries of threads."""
        self.sessions = parts.sessions
        """Which threads the sessions of browsers and WebSockets are in."""
        self.actions = parts.actions
        """Work that is handed over, to whichever process takes it."""
        self.worker = parts.worker
        """What takes actions in this process, when it is told which."""
        self.events = parts.events
        """What runs and turns tell while they work, and for those who come back to listen."""
        self.learning = parts.learning
        """What lets a model read users' messages for memories, where that is wanted: `worker.take("memory", do)`."""
        self.upkeep = parts.upkeep
        """What carries out the retention; `recuerdo serve` does it as long as it runs."""
        self.documents = parts.repositories.documents
        """What runs, assistants and actions lie in; None where the database keeps none."""
        self.api_keys = parts.repositories.api_keys
        """The keys that programs act with; None where the database keeps none."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        database: str = DEFAULT_DATABASE,
        *,
        cache: str | None = None,
        model: str = OFFLINE,
        models: Sequence[str] = (),
        embeddings: str = "auto",
        model_base_url: str | None = None,
        model_api_key: str | None = None,
        embeddings_base_url: str | None = None,
        embeddings_api_key: str | None = None,
        durability: Durability = "sync",
        spool: str = DEFAULT_SPOOL,
        metrics: Metrics | None = None,
        retention: str = "",
        extraction: Budget | None = None,
        clock: Clock = utc_now,
    ) -> AsyncGenerator["Recuerdo"]:
        """Open the database, making and migrating it as needed, and close it behind the block.

        `database` is a URL (`sqlite:///file.db`, `memory://`), and so is `cache`, which replicas share
        (`redis://host`); `model` answers chats: `offline` or `provider:model`, at `model_base_url` where that is given,
        and so do the `models` that assistants may choose;
        `embeddings` find memories by meaning: `auto` (the offline ones when they are installed), `none`, `offline` or
        `provider:model`, at an address and with a key of their own, or else those of a model of the same provider).
        With the `durability` `async` appends are acknowledged when they are on disk in the folder
        `spool`, and committed when the database can. `metrics` count what happens. `retention` says how long what is
        unused is kept, see RetentionPolicy.parse: memories expire accordingly, and `upkeep` carries out the rest. With
        the budget of an `extraction` the model reads what users say once more, in the background: see `learning`.
        Raises ConfigurationError, MissingExtra or DatabaseUnavailable, and InvalidInput for the durability or
        the retention.
        """
        check_choice("durability", durability, get_args(Durability))
        choice = ModelChoice(
            model, models, model_base_url, model_api_key, embeddings, embeddings_base_url, embeddings_api_key
        )
        clients = ModelClients()
        options = OpenOptions(
            cache,
            durability,
            spool,
            choice,
            clients,
            choice.open_embedder(clients),
            extraction,
            RetentionPolicy.parse(retention),
            Observation(metrics),
            clock,
        )
        async with clients, open_parts(database, options) as parts:
            memory = cls(parts, options)
            try:
                yield memory
            finally:
                with suppress(TimeoutError):  # what is not committed by then waits in the spool
                    async with asyncio.timeout(_SECONDS_TO_CLOSE):
                        await memory.flush()

    def thread(self, *, tenant: str, user: str = ANONYMOUS, thread: str) -> ThreadHistory:
        """One conversation. Nothing is made before its first append. Raises InvalidInput for impossible ids."""
        return ThreadHistory(self.history, Scope(tenant, user, thread), self.summaries)

    def user(self, *, tenant: str, user: str) -> UserMemory:
        """What is remembered of one user, across threads. Raises InvalidInput for impossible ids."""
        return UserMemory(self.memories, Owner(tenant, user), self.history)

    def tenant(self, *, tenant: str) -> TenantMemory:
        """What all users of a tenant share. Raises InvalidInput for impossible ids."""
        return TenantMemory(self.memories, tenant)

    @property
    def checkpoints(self) -> "Checkpoints":
        """The checkpoints of graphs. Raises ConfigurationError when the database keeps none."""
        return self._checkpoints

    @cached_property
    def _checkpoints(self) -> "Checkpoints":
        repository = _kept("checkpoints", self._parts.repositories.checkpoints)
        from recuerdo.checkpoints import Checkpoints

        return Checkpoints(repository, self._parts.conversations.tiers.changed)

    @property
    def items(self) -> ItemRepository:
        """The items of LangGraph's stores. Raises ConfigurationError when the database keeps none."""
        return _kept("items of stores", self._parts.repositories.items)

    @cached_property
    def library(self) -> "Library":
        """The documents that agents look things up in. Raises ConfigurationError when the database keeps none."""
        repository = _kept("documents", self._parts.repositories.library)
        from recuerdo.library import Library

        return Library(repository, self.embedder, self.clock)

    @cached_property
    def chat(self) -> "Chat":
        """The chat that remembers. Raises MissingExtra or ConfigurationError when its model can't be had."""
        from recuerdo.agents.chat import Chat

        models = self._parts.models
        return Chat(
            self.history,
            self.memories,
            models.own(),
            clock=self.clock,
            library=self.library if self._parts.repositories.library else None,
            learn=self.learning.hand_over if self.learning else None,
            models=models,
        )

    async def flush(self) -> None:
        """Wait for everything that is under way: appends, memories, and actions that this process works on."""
        opened = vars(self)
        if "chat" in opened:
            await self.chat.aclose()
        await self.actions.flush()
        await self.history.flush()
        await self.memories.flush()
        await self.history.indexed()
        if "_checkpoints" in opened:
            await self._checkpoints.aclose()


def _kept(what: str, part: T | None) -> T:
    if part is None:
        raise ConfigurationError(f"This database keeps no {what}. Use sqlite://, postgresql:// or memory:// for them.")
    return part
