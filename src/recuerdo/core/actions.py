"""Actions: work that is handed to another service or worker, as JSON that both understand."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, Literal, get_args

import msgspec

from recuerdo.core.contexts import Enrichment, ExecutionContext, Prompts, RetrievalParameters, context_of
from recuerdo.core.errors import ConfigurationError, InvalidInput
from recuerdo.core.scope import Owner, Scope, check_id

Queue = Literal["agent", "embedding", "query", "memory"]
"""The queues of waiting actions. A worker executes those of some queues."""

QUEUES: tuple[Queue, ...] = get_args(Queue)


class ActionEnvelope(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    """The fields of every action.

    `action_id` is the same however often the action is handed on, and its effect happens once. `context_reference_key`
    leads to the execution context to act with, for a while and for this tenant and queue alone.

    A kind of your own is a class like those below, which workers learn by `worker.register`: see
    docs/how-to/run-workers.md.
    """

    queue: ClassVar[Queue]

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
    def enrichment(self) -> Enrichment:
        """The configuration that its own fields are: a kind of your own that has some returns them here."""
        return Enrichment(assistant_id=type_of(type(self)))

    @property
    def own_context(self) -> ExecutionContext:
        """The context to act with when the one that it refers to is gone: made of its own fields."""
        return context_of(self.scope, self.enrichment, self.created_at)


class ExecuteAgent(ActionEnvelope, frozen=True, kw_only=True, tag="agent"):
    """Answer a message in the thread; `assistant_id` and `system_prompt` are for when the context is gone."""

    queue: ClassVar[Queue] = "agent"

    message: str
    assistant_id: str = "recuerdo"
    system_prompt: str | None = None

    @property
    def enrichment(self) -> Enrichment:
        return Enrichment(assistant_id=self.assistant_id, prompts=Prompts(system=self.system_prompt))


class AnswerSession(ActionEnvelope, frozen=True, kw_only=True, tag="session"):
    """Answer a message of a WebSocket's session, and tell its frames to the log of this `attempt`.

    With an `expected_epoch` nothing is stored when the thread was cleared since.
    """

    queue: ClassVar[Queue] = "agent"

    session: str
    message_id: str
    message: str
    attempt: str
    expected_epoch: int | None = None
    assistant_id: str = "recuerdo"
    context: ExecutionContext | None = None


class Embed(ActionEnvelope, frozen=True, kw_only=True, tag="embedding"):
    """Make vectors of texts."""

    queue: ClassVar[Queue] = "embedding"

    texts: Sequence[str]


class Query(ActionEnvelope, frozen=True, kw_only=True, tag="query"):
    """Look documents up; `collections` and `k` are for when the context is gone."""

    queue: ClassVar[Queue] = "query"

    text: str
    collections: tuple[str, ...] = ()
    k: int = 5

    @property
    def enrichment(self) -> Enrichment:
        retrieval = RetrievalParameters(collections=self.collections, k=self.k)
        return Enrichment(assistant_id="query", retrieval=retrieval)


class ReadMessage(ActionEnvelope, frozen=True, kw_only=True, tag="memory"):
    """Read a stored message of the user for memories; a `seq` of 0 is not known yet, because the message is in a spool.

    `epoch` and `version` tell how the user's memories stood when it was said.
    """

    queue: ClassVar[Queue] = "memory"

    message_id: str
    seq: int
    epoch: int
    version: int


DomainAction = ExecuteAgent | AnswerSession | Embed | Query | ReadMessage
"""The built-in actions."""

BUILTIN_KINDS: Mapping[Queue, type[ActionEnvelope]] = {
    kind.queue: kind for kind in (ExecuteAgent, Embed, Query, ReadMessage)
}
"""The built-in kind of each queue, which `Worker.take` handles."""


def type_of(kind: type[ActionEnvelope]) -> str:
    """The value of `type` in the JSON of such actions."""
    return str(kind.__struct_config__.tag)


BUILTIN_TYPES: Mapping[str, type[ActionEnvelope]] = {type_of(kind): kind for kind in get_args(DomainAction)}
"""The built-in actions by their types."""


class UnknownAction(msgspec.Struct, frozen=True, kw_only=True):
    """An action of a kind that Recuerdo does not define: the fields that all kinds have."""

    type: str
    action_id: str
    task_id: str
    tenant: str
    user: str
    thread: str
    created_at: datetime
    context_reference_key: str | None = None
    metadata: dict[str, Any] = {}


class ForeignAction(msgspec.Struct, frozen=True, kw_only=True):
    """An action to hand over of which only the JSON is known: workers elsewhere know its kind."""

    queue: Queue
    owner: Owner
    action_id: str
    body: msgspec.Raw


_ASKED_FOR: Mapping[str, type[ActionEnvelope]] = {type_of(kind): kind for kind in (ExecuteAgent, Embed, Query)}


def queue_of(type_: str, queue: Queue | None = None) -> Queue:
    """The queue of a type: of a built-in one that anybody may ask for, or else the given one. Raises InvalidInput."""
    check_id("type", type_)
    if type_ in _ASKED_FOR:
        return _ASKED_FOR[type_].queue
    if queue is None or type_ in BUILTIN_TYPES:
        raise InvalidInput("type", f"must be one of {', '.join(_ASKED_FOR)}, or come with the `queue` of its workers")
    return queue


def read_action(envelope: Mapping[str, Any], fields: Mapping[str, Any], queue: Queue) -> ActionEnvelope | ForeignAction:
    """The action of the kind that the envelope's `type` names, with the kind's own fields.

    Raises InvalidInput for fields that the kind does not have.
    """
    if taken := sorted(_EVERYBODYS & fields.keys()):
        raise InvalidInput("fields", f"may not have {taken[0]!r}, which all actions have. Leave it out")
    body, known = msgspec.json.encode({**fields, **envelope}), _ASKED_FOR.get(envelope["type"])
    if known is None:
        owner = Owner(envelope["tenant"], envelope["user"])
        return ForeignAction(queue=queue, owner=owner, action_id=envelope["action_id"], body=msgspec.Raw(body))
    try:
        return msgspec.json.decode(body, type=known)
    except msgspec.ValidationError as error:
        raise InvalidInput("fields", f"are not those of the type {envelope['type']!r}: {error}") from None


_EVERYBODYS = {"type", *ActionEnvelope.__struct_fields__}


def parse_queues(text: str) -> tuple[Queue, ...]:
    """The queues that a text names: `all`, `none`, or some by commas. Raises ConfigurationError for unknown ones."""
    if text in ("all", "none"):
        return QUEUES if text == "all" else ()
    named = [each.strip() for each in text.split(",")]
    if unknown := [name for name in named if name not in QUEUES]:
        raise ConfigurationError(f"There is no queue {unknown[0]!r}. Name some of {', '.join(QUEUES)}, all, or none.")
    return tuple(queue for queue in QUEUES if queue in named)


class ActionResult(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of an action. `context` says where the worker had its configuration from: `reference`, or `action`
    when the context that it referred to was gone. `error` is why it was given up.
    """

    action_id: str
    context: Literal["reference", "action"]
    attempts: int
    value: Any = None
    error: str | None = None
