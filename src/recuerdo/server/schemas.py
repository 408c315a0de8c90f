"""Request bodies, and the parameters that several routes share.

Unknown fields are refused, so that a typo gets a 422 that names it, and so that a tenant or a user can't be sent.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal
from urllib.parse import unquote

from fastapi import Header, Path, Query
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WrapValidator,
)
from pydantic.functional_validators import ModelWrapValidatorHandler
from pydantic_core import PydanticCustomError

from recuerdo.core.actions import Queue
from recuerdo.core.checks import MOST_SKIPPED
from recuerdo.core.errors import InvalidInput
from recuerdo.core.library import DEFAULT_COLLECTION, Access
from recuerdo.core.memories import Attribute, Kind
from recuerdo.core.messages import Message, Part, Role, ToolCall
from recuerdo.core.roles import DEFAULT_ROLE
from recuerdo.core.scope import ANONYMOUS, check_id

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def _utc(time: datetime) -> datetime:
    try:
        return time.astimezone(UTC)
    except OverflowError:
        raise ValueError("is outside the years 1 to 9999 in UTC") from None


def only_iso_8601(value: object) -> object:
    """Numbers would be taken for seconds since 1970, also as texts, which the schema does not say."""
    if not isinstance(value, str) or _DATE.match(value) is None:
        raise ValueError("must be a time as ISO 8601 has it, e.g. 2026-01-31T12:00:00Z")
    return value


def _one_complaint(value: object, handler: ModelWrapValidatorHandler[Any]) -> Any:
    """Without this, a content that is neither gets one complaint for each kind of content there is."""
    try:
        return handler(value)
    except ValidationError:
        raise PydanticCustomError("content", "must be a text, or a list of parts that are objects") from None


def _somebody(user: str) -> str:
    if user == ANONYMOUS:
        raise ValueError("must be a user: the anonymous one has no keys")
    try:
        check_id("user", user)
    except InvalidInput as error:
        raise ValueError(error.problem) from None
    return user


Time = Annotated[AwareDatetime, Field(strict=False), BeforeValidator(only_iso_8601), AfterValidator(_utc)]
Content = Annotated[str | list[Part], WrapValidator(_one_complaint)]

_IN_URL = "Any 1 to 255 printable characters, percent-encoded (a slash as %2F)."
ThreadId = Annotated[str, Path(description=f"The thread. {_IN_URL}"), AfterValidator(unquote)]
UserId = Annotated[str, Path(description=f"A user of the tenant. {_IN_URL}"), AfterValidator(unquote)]
MemoryId = Annotated[str, Path(description=f"The memory. {_IN_URL}"), AfterValidator(unquote)]
SharedId = Annotated[str, Path(description=f"The shared memory. {_IN_URL}"), AfterValidator(unquote)]
DocumentId = Annotated[str, Path(description=f"The document. {_IN_URL}"), AfterValidator(unquote)]
ActionId = Annotated[str, Path(description=f"The action. {_IN_URL}"), AfterValidator(unquote)]
IdempotencyKey = Annotated[
    str | None,
    Header(alias="Idempotency-Key", description="Makes a retry safe: the same key and body have their effect once."),
]
Epoch = Annotated[int | None, Field(ge=0)]
Seconds = Annotated[int, Field(ge=0, le=100 * 365 * 24 * 3600)]
Limit = Annotated[int, Query(ge=1, le=1000, description="How many at most.")]
Skip = Annotated[int, Query(ge=0, le=MOST_SKIPPED, description="How many to leave out, for those who count pages.")]


class Body(BaseModel):
    """A request body."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ToolCallBody(Body):
    """A tool that the assistant wants to be called."""

    id: str
    name: str
    args: dict[str, Any] = {}


class MessageBody(Body):
    """A message to append. Leave `id` and `created_at` out to get new ones."""

    role: Role
    content: Content
    id: Annotated[str, Field(min_length=1)] | None = None
    name: str | None = None
    tool_calls: list[ToolCallBody] = []
    tool_call_id: str | None = None
    metadata: dict[str, Any] = {}
    created_at: Time | None = None

    def to_message(self) -> Message:
        """The message as the core knows it."""
        return Message(
            role=self.role,
            content=self.content,
            id=self.id or "",
            name=self.name,
            tool_calls=[ToolCall(call.id, call.name, call.args) for call in self.tool_calls],
            tool_call_id=self.tool_call_id,
            metadata=self.metadata,
            created_at=self.created_at,
        )


class AppendBody(Body):
    """1 to 1,000 messages, appended all or none."""

    messages: list[MessageBody]
    expected_epoch: Epoch = None


class ChatBody(Body):
    """A message of the user. Without a `thread_id` a new thread begins.

    `temperature`, `model`, `max_tokens` and `system_prompt` are for this answer alone, instead of the assistant's.
    """

    message: Content
    thread_id: str | None = None
    assistant_id: str = "recuerdo"
    expected_epoch: Epoch = None
    temperature: Annotated[float | None, Field(ge=0, le=2)] = None
    model: Annotated[str | None, Field(min_length=1, max_length=1000)] = None
    max_tokens: Annotated[int | None, Field(ge=1, le=1_000_000)] = None
    system_prompt: str | None = None

    @property
    def said(self) -> Message:
        """The message as the core knows it."""
        return Message.user(self.message)

    @property
    def settings(self) -> dict[str, Any]:
        """The fields that are set for this answer alone."""
        return self.model_dump(include={"temperature", "model", "max_tokens", "system_prompt"})


class ChatbotBody(Body):
    """A message of the user in a session. Without a `session_id` a new one begins."""

    message: str
    session_id: str | None = None
    expected_epoch: Epoch = None


class ActionBody(Body):
    """Work for a worker: its `type`, and the `fields` of that type. It begins at once, or `after` that many seconds.

    `agent` has `message` and `system_prompt`, `query` has `text`, `collections` and `k`, and `embedding` has `texts`.
    """

    type: str
    thread_id: str
    action_id: str | None = None
    task_id: str | None = None
    assistant_id: str = "recuerdo"
    fields: dict[str, Any] = {}
    queue: Queue | None = None
    after: Annotated[float, Field(ge=0, le=365 * 24 * 3600)] = 0
    metadata: dict[str, Any] = {}


class InvalidationBody(Body):
    """The contexts to forget: those of an assistant, or without one all of the tenant's."""

    assistant_id: str | None = None


class ArchiveBody(Body):
    """The seqs `first` to `last` (without it: to the end), and whether to archive them or to bring them back."""

    first: int = 1
    last: int | None = None
    archived: bool = True


class DocumentBody(Body):
    """A document: its text, or any file's bytes in base64. The end of `source` says what kind of file it is."""

    source: str
    content: str | None = None
    content_base64: str | None = None
    title: str | None = None
    collection: str = DEFAULT_COLLECTION
    access: Access = "tenant"


class DocumentSearchBody(Body):
    """A search of the documents that the caller may see; in these collections, or in all."""

    query: str
    limit: int = 5
    collections: list[str] = []
    threshold: float | None = None


class ForkBody(Body):
    """The id of the copy (without it: a new one), and the last seq to copy (without it: all)."""

    target: str | None = None
    at_seq: int | None = None


class _LifetimeBody(Body):
    ttl: Seconds | None = None
    expires_at: Time | None = None

    @property
    def life(self) -> dict[str, Any]:
        """The lifetime, as the arguments that memories take."""
        return {"ttl": None if self.ttl is None else timedelta(seconds=self.ttl), "expires_at": self.expires_at}


class MemoryBody(_LifetimeBody):
    """A memory to save as it is given. It lives `ttl` seconds, or until `expires_at`; a `ttl` of 0 is for ever."""

    text: str
    kind: Kind = "semantic"
    attribute: Attribute | None = None
    value: str | None = None


class MemoryChangeBody(_LifetimeBody):
    """Changes of a memory; fields that are absent or null stay. A pinned one expires only if a time is given, too."""

    text: str | None = None
    kind: Kind | None = None
    attribute: Attribute | None = None
    value: str | None = None
    pinned: bool | None = None


class HistorySearchBody(Body):
    """A search of messages, in any language; in one thread, or without `thread_id` in all."""

    query: str
    limit: int = 10
    thread_id: str | None = None


class ProposalBody(Body):
    """A memory for all users of the tenant, which waits for approval. It lives `ttl` seconds, without one for ever."""

    text: str
    kind: Kind = "semantic"
    ttl: Seconds | None = None


class ErasureBody(Body):
    """Confirms that all data is to be erased. With `background`, answers with a job that survives a restart."""

    everything: Literal[True]
    background: bool = False


class TenantErasureBody(Body):
    """Confirms that the whole tenant, which must be the caller's, is to be erased."""

    everything: Literal[True]
    tenant: str


class KeyBody(Body):
    """A key that acts as the user. It is valid for `ttl` seconds, or until `expires_at`; else until it is revoked.

    Without `scopes` it has those of the credential that makes it.
    """

    user: Annotated[str, AfterValidator(_somebody)]
    name: str = ""
    role: str = DEFAULT_ROLE
    tier: str | None = None
    scopes: list[str] | None = None
    ttl: Annotated[Seconds, Field(ge=1)] | None = None
    expires_at: Time | None = None


class RotationBody(Body):
    """The number of seconds for which the old key stays valid, while programs change over to the new secret."""

    overlap: Seconds = 86_400


class ReviewBody(Body):
    """The reason for approving or rejecting a waiting memory."""

    reason: str | None = None


class SearchBody(Body):
    """A search, in any language; the other fields filter as in lists."""

    query: str
    limit: int = 5
    kind: Kind | None = None
    attribute: Attribute | None = None
    thread_id: str | None = None
    since: Time | None = None
    until: Time | None = None
    as_of: Time | None = None
