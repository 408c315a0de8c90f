"""Actions: work that is handed to another service or worker, as JSON that both understand."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

import msgspec

from recuerdo.core.caches import CacheKey
from recuerdo.core.scope import Owner, Scope

Audience = Literal["agent", "embedding", "query"]
"""Which kind of worker an action is for."""


class _Action(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    """What every action carries.

    `action_id` is the same however often the action is handed on, and its effect happens once. `context_reference_key`
    leads to the execution context to act with, for a while and for this tenant and audience alone.
    """

    schema: Literal[1] = 1
    action_id: str
    task_id: str
    tenant: str
    user: str
    thread: str
    created_at: datetime
    context_reference_key: str | None = None
    metadata: dict[str, Any] = {}

    @property
    def owner(self) -> Owner:
        return Owner(self.tenant, self.user)

    @property
    def scope(self) -> Scope:
        return Scope(self.tenant, self.user, self.thread)

    @property
    def cache_key(self) -> CacheKey | None:
        """Where the context that it refers to is kept."""
        key = self.context_reference_key
        return None if key is None else reference_cache_key(self.tenant, key)


class ExecuteAgent(_Action, frozen=True, kw_only=True, tag="agent"):
    """Answer a message in the thread; `assistant_id` and `system_prompt` are for when the context is gone."""

    message: str
    assistant_id: str = "recuerdo"
    system_prompt: str | None = None


class Embed(_Action, frozen=True, kw_only=True, tag="embedding"):
    """Make vectors of texts."""

    texts: Sequence[str]


class Query(_Action, frozen=True, kw_only=True, tag="query"):
    """Look documents up; `collections` and `k` are for when the context is gone."""

    text: str
    collections: tuple[str, ...] = ()
    k: int = 5


DomainAction = ExecuteAgent | Embed | Query

_decoder: msgspec.json.Decoder[DomainAction] = msgspec.json.Decoder(DomainAction)


def audience_of(action: DomainAction) -> Audience:
    """Which workers the action is for."""
    if isinstance(action, ExecuteAgent):
        return "agent"
    return "embedding" if isinstance(action, Embed) else "query"


def encode_action(action: DomainAction) -> bytes:
    """The action as it is handed on."""
    return msgspec.json.encode(action)


def decode_action(body: bytes) -> DomainAction:
    """The action that was handed on. Raises msgspec.ValidationError for what is none, or of another version."""
    return _decoder.decode(body)


def reference_cache_key(tenant: str, key: str) -> CacheKey:
    """Where the context behind a reference is kept."""
    return CacheKey(tenant, "context", f"reference {key}")


class ActionResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an action. `context` says where the worker had its configuration from: `reference`, or `action`
    when the context that it referred to was gone. `error` is why it was given up.
    """

    action_id: str
    context: Literal["reference", "action"]
    attempts: int
    value: Any = None
    error: str | None = None
