"""The composition root: the one place that knows which adapter stands behind which port."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from recuerdo.adapters.models.embeddings import open_embedder
from recuerdo.adapters.registry import Repositories, open_repositories
from recuerdo.agents.chat import Chat
from recuerdo.core.errors import MissingExtra
from recuerdo.core.ports import ChatModel, Clock, Embedder
from recuerdo.core.scope import ANONYMOUS, Owner, Scope
from recuerdo.history import History, ThreadHistory
from recuerdo.history.history import utc_now
from recuerdo.memories import Memories, UserMemory

DEFAULT_DATABASE = "sqlite:///.recuerdo/recuerdo.db"


class Recuerdo:
    """An open Recuerdo: histories, memories and a chat over one database, for any number of tenants.

    async with Recuerdo.open("sqlite:///recuerdo.db") as memory:
        thread = memory.thread(tenant="acme", user="emi", thread="t-1")
        await thread.append(Message.user("Hola, me llamo Emiliano"))
        prompt = await thread.window(MessageWindow(50))
    """

    def __init__(
        self,
        repositories: Repositories,
        embedder: Embedder | None,
        model: str,
        model_base_url: str | None = None,
        model_api_key: str | None = None,
        clock: Clock = utc_now,
    ) -> None:
        self.history = History(repositories.history, repositories.threads, clock)
        self.memories = Memories(repositories.memories, embedder, clock)
        self.embeddings = embedder.name if embedder else None
        self._model = model
        self._model_base_url = model_base_url
        self._model_api_key = model_api_key
        self._clock = clock
        self._chat: Chat | None = None

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        database: str = DEFAULT_DATABASE,
        *,
        model: str = "offline",
        embeddings: str = "auto",
        model_base_url: str | None = None,
        model_api_key: str | None = None,
        clock: Clock = utc_now,
    ) -> AsyncGenerator["Recuerdo"]:
        """Open the database, making and migrating it as needed, and close it behind the block.

        `database` is a URL (`sqlite:///file.db`, `memory://`); `model` answers chats: `offline` or `provider:model`,
        at `model_base_url` where that is given; `embeddings` find memories by meaning: `auto` (the offline ones when
        they are installed), `none`, `offline` or `provider:model`. Raises ConfigurationError, MissingExtra or
        DatabaseUnavailable.
        """
        async with open_repositories(database) as repositories:
            memory = cls(repositories, open_embedder(embeddings), model, model_base_url, model_api_key, clock)
            try:
                yield memory
            finally:
                await memory.flush()

    def thread(self, *, tenant: str, user: str = ANONYMOUS, thread: str) -> ThreadHistory:
        """One conversation. Nothing is made before its first append. Raises InvalidInput for impossible ids."""
        return ThreadHistory(self.history, Scope(tenant, user, thread))

    def user(self, *, tenant: str, user: str) -> UserMemory:
        """What is remembered of one user, across threads. Raises InvalidInput for impossible ids."""
        return UserMemory(self.memories, Owner(tenant, user))

    @property
    def chat(self) -> Chat:
        """The chat that remembers. Raises MissingExtra or ConfigurationError when its model can't be had."""
        if self._chat is None:
            self._chat = Chat(self.history, self.memories, self._open_model(), clock=self._clock)
        return self._chat

    async def flush(self) -> None:
        """Wait for everything that is under way: appends and memories."""
        await self.history.aclose()
        await self.memories.flush()

    def _open_model(self) -> ChatModel:
        try:
            if self._model == "offline":
                from recuerdo.adapters.models.langchain import LangChainModel
                from recuerdo.agents.offline import OfflineChatModel

                return LangChainModel(OfflineChatModel(), "offline")
            from recuerdo.adapters.models.registry import open_model
        except ModuleNotFoundError as missing:
            raise MissingExtra("A chat model", "offline") from missing
        return open_model(self._model, base_url=self._model_base_url, api_key=self._model_api_key)
