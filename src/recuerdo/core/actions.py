"""Actions: work that is handed to another service or worker, as JSON that both understand."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Literal, get_args

import msgspec

from recuerdo.core.errors import ConfigurationError
from recuerdo.core.scope import Owner, Scope

Audience = Literal["agent", "embedding", "query", "memory"]
"""Which kind of worker an action is for: its queue."""

AUDIENCES: tuple[Audience, ...] = get_args(Audience)


class ActionEnvelope(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    """The fields of every action.

    `action_id` is the same however often the action is handed on, and its effect happens once. `context_reference_key`
    leads to the execution context to act with, for a while and for this tenant and audience alone.

    A kind of your own is a class like those below, which workers learn by `worker.register`: see
    docs/how-to/run-workers.md.
    """

    audience: ClassVar[Audience]

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


class ExecuteAgent(ActionEnvelope, frozen=True, kw_only=True, tag="agent"):
    """Answer a message in the thread; `assistant_id` and `system_prompt` are for when the context is gone."""

    audience: ClassVar[Audience] = "agent"

    message: str
    assistant_id: str = "recuerdo"
    system_prompt: str | None = None


class Embed(ActionEnvelope, frozen=True, kw_only=True, tag="embedding"):
    """Make vectors of texts."""

    audience: ClassVar[Audience] = "embedding"

    texts: Sequence[str]


class Query(ActionEnvelope, frozen=True, kw_only=True, tag="query"):
    """Look documents up; `collections` and `k` are for when the context is gone."""

    audience: ClassVar[Audience] = "query"

    text: str
    collections: tuple[str, ...] = ()
    k: int = 5


class ReadMessage(ActionEnvelope, frozen=True, kw_only=True, tag="memory"):
    """Read a stored message of the user for memories; a `seq` of 0 is not known yet, because the message is in a spool.

    `epoch` and `version` tell how the user's memories stood when it was said.
    """

    audience: ClassVar[Audience] = "memory"

    message_id: str
    seq: int
    epoch: int
    version: int


DomainAction = ExecuteAgent | Embed | Query | ReadMessage
"""The built-in actions."""

OWN_KINDS: Mapping[Audience, type[ActionEnvelope]] = {
    kind.audience: kind for kind in (ExecuteAgent, Embed, Query, ReadMessage)
}
"""The one of each queue."""


def type_of(kind: type[ActionEnvelope]) -> str:
    """The value of `type` in the JSON of such actions."""
    return str(kind.__struct_config__.tag)


class UnknownAction(msgspec.Struct, frozen=True, kw_only=True):
    """An action of a kind that is not Recuerdo's own, as far as everybody can read it."""

    type: str
    action_id: str
    task_id: str
    tenant: str
    user: str
    thread: str
    created_at: datetime
    context_reference_key: str | None = None
    metadata: dict[str, Any] = {}


def parse_queues(text: str) -> tuple[Audience, ...]:
    """The queues that a text names: `all`, `none`, or some by commas. Raises ConfigurationError for unknown ones."""
    if text in ("all", "none"):
        return AUDIENCES if text == "all" else ()
    named = [each.strip() for each in text.split(",")]
    if unknown := [name for name in named if name not in AUDIENCES]:
        raise ConfigurationError(
            f"There is no queue {unknown[0]!r}. Name some of {', '.join(AUDIENCES)}, all, or none."
        )
    return tuple(audience for audience in AUDIENCES if audience in named)


class ActionResult(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of an action. `context` says where the worker had its configuration from: `reference`, or `action`
    when the context that it referred to was gone. `error` is why it was given up.
    """

    action_id: str
    context: Literal["reference", "action"]
    attempts: int
    value: Any = None
    error: str | None = None
