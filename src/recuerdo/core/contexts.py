"""Execution contexts: the enriched configuration that a thread runs with, which every service downstream sees alike."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from recuerdo.core.messages import Role
from recuerdo.core.scope import Owner, Scope

SCHEMA = 1
"""The version of the shape of contexts. A context of another one is never read: it is made anew."""

OWN_ASSISTANT = "recuerdo"
"""The assistant of chats without a context; its replies don't name it."""

MOST_BYTES = 64 * 1024
"""How large a context may be as JSON: it is kept for each thread, and handed on with each message."""


class _Closed(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A part that knows all of its fields: what is misspelt is refused, not ignored."""


class ModelParameters(_Closed, frozen=True):
    """The chat model, as `provider:model`, and its parameters. None leaves the choice to the server."""

    name: str | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, Meta(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Meta(ge=1)] | None = None


class RetrievalParameters(_Closed, frozen=True):
    """Which documents are looked through: collections (none: all that may be seen), how many chunks (none with 0),
    from which score on, and how they are ranked once more: `diverse`, so that one does not repeat another.
    """

    collections: tuple[str, ...] = ()
    k: Annotated[int, Meta(ge=0, le=100)] = 5
    threshold: Annotated[float, Meta(ge=0, le=1)] | None = None
    rerank: str | None = None


class EmbeddingParameters(_Closed, frozen=True):
    """The embedding model. None leaves the choice to the server."""

    model: str | None = None
    dimensions: int | None = None


class Prompts(_Closed, frozen=True):
    """The agent's prompts."""

    system: str | None = None
    orchestrator: str | None = None


class Limits(_Closed, frozen=True):
    """How much goes into a prompt: messages of the history (of these roles, or all, and of the last days), memories."""

    window: Annotated[int, Meta(ge=1, le=1000)] | None = None
    roles: tuple[Role, ...] = ()
    days: Annotated[float, Meta(gt=0, le=36_500)] | None = None
    memories: Annotated[int, Meta(ge=0, le=100)] | None = None


class Enrichment(_Closed, frozen=True):
    """An assistant's configuration, with which a conversation is enriched. `metadata` is free.

    `stale` says that the source is away, and that this is what it said before.
    """

    assistant_id: str
    version: int = 1
    graph_id: str | None = None
    model: ModelParameters = ModelParameters()
    retrieval: RetrievalParameters = RetrievalParameters()
    embedding: EmbeddingParameters = EmbeddingParameters()
    prompts: Prompts = Prompts()
    limits: Limits = Limits()
    metadata: dict[str, Any] = {}
    stale: bool = False


class ExecutionContext(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The configuration that a thread runs with: its owner, the assistant, and everything that is configured for it.

    `tier` and `session` are those of the request that asks. `created_at` is when the conversation was enriched.
    """

    schema: Literal[1] = SCHEMA
    tenant: str
    user: str
    thread: str
    tier: str | None = None
    session: str | None = None
    assistant_id: str
    assistant_version: int
    graph_id: str | None = None
    model: ModelParameters = ModelParameters()
    retrieval: RetrievalParameters = RetrievalParameters()
    embedding: EmbeddingParameters = EmbeddingParameters()
    prompts: Prompts = Prompts()
    limits: Limits = Limits()
    metadata: dict[str, Any] = {}
    stale: bool = False
    created_at: datetime

    @property
    def scope(self) -> Scope:
        return Scope(self.tenant, self.user, self.thread)

    @property
    def owner(self) -> Owner:
        return Owner(self.tenant, self.user)

    @property
    def fingerprint(self) -> str:
        """A digest of the configuration: equal for two contexts exactly when an agent behaves alike with them."""
        configured = [getattr(self, field) for field in _CONFIGURED]
        return hashlib.blake2b(msgspec.json.encode(configured, order="sorted"), digest_size=16).hexdigest()


_CONFIGURED = (
    *("schema", "tier", "assistant_id", "assistant_version", "graph_id"),
    *("model", "retrieval", "embedding", "prompts", "limits", "metadata"),
)


def context_of(scope: Scope, enrichment: Enrichment, created_at: datetime) -> ExecutionContext:
    """The context of a thread that runs with the assistant."""
    return ExecutionContext(
        tenant=scope.tenant,
        user=scope.user,
        thread=scope.thread,
        assistant_id=enrichment.assistant_id,
        assistant_version=enrichment.version,
        graph_id=enrichment.graph_id,
        model=enrichment.model,
        retrieval=enrichment.retrieval,
        embedding=enrichment.embedding,
        prompts=enrichment.prompts,
        limits=enrichment.limits,
        metadata=enrichment.metadata,
        stale=enrichment.stale,
        created_at=created_at,
    )


class Session(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A browser's or a WebSocket's session, and the thread that it is in.

    From `expires_at` on any user of the tenant may begin a session with this id. `stamp` changes with every change
    that is stored.
    """

    tenant: str
    user: str
    session: str
    thread: str
    assistant_id: str
    began_at: datetime
    expires_at: datetime
    stamp: str

    @property
    def owner(self) -> Owner:
        return Owner(self.tenant, self.user)


Headers = Mapping[str, str]
"""The headers of a request; names in any case."""
