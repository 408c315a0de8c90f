"""The optional parameters of the operations.

Made by scripts/client_types.py from the OpenAPI document: change the server, and run it again.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, TypedDict

from recuerdo.core.memories import Attribute


class AddDocumentOptions(TypedDict, total=False):
    content: str | None
    content_base64: str | None
    title: str | None
    collection: str
    access: Literal["public", "tenant"]


class AddMemoryOptions(TypedDict, total=False):
    ttl: int | None
    expires_at: datetime | None
    kind: Literal["semantic", "episodic", "procedural", "summary"]
    attribute: Attribute | None
    value: str | None


class ArchiveMessagesOptions(TypedDict, total=False):
    first: int
    last: int | None
    archived: bool


class CancelRunOptions(TypedDict, total=False):
    wait: bool
    action: Literal["interrupt", "rollback"]


class ChatOptions(TypedDict, total=False):
    expected_epoch: int | None
    thread_id: str | None
    assistant_id: str
    temperature: float | None
    model: str | None
    max_tokens: int | None
    system_prompt: str | None


class CreateAssistantOptions(TypedDict, total=False):
    config: dict[str, Any] | None
    context: dict[str, Any] | None
    metadata: dict[str, Any] | None
    name: str | None
    description: str | None
    visibility: Literal["private", "tenant"]
    assistant_id: str | None
    if_exists: Literal["raise", "do_nothing"]


class CreateKeyOptions(TypedDict, total=False):
    name: str
    role: str
    tier: str | None
    scopes: list[str] | None
    ttl: int | None
    expires_at: datetime | None


class CreateRunOptions(TypedDict, total=False):
    expected_epoch: int | None
    input: Any
    command: dict[str, Any] | None
    metadata: dict[str, Any] | None
    config: dict[str, Any] | None
    context: dict[str, Any] | None
    webhook: str | None
    interrupt_before: Literal["*"] | list[str] | None
    interrupt_after: Literal["*"] | list[str] | None
    stream_mode: (
        Literal["values", "messages", "updates", "events", "tasks", "checkpoints", "debug", "custom", "messages-tuple"]
        | list[
            Literal[
                "values", "messages", "updates", "events", "tasks", "checkpoints", "debug", "custom", "messages-tuple"
            ]
        ]
        | None
    )
    stream_subgraphs: bool
    stream_resumable: bool
    durability: Literal["sync", "async", "exit"] | None
    checkpoint_during: bool | None
    multitask_strategy: Literal["reject", "interrupt", "rollback", "enqueue"]
    checkpoint: dict[str, Any] | None
    checkpoint_id: str | None
    feedback_keys: list[str] | None
    on_completion: Literal["delete", "keep"] | None
    on_disconnect: Literal["cancel", "continue"]
    after_seconds: float
    if_not_exists: Literal["create", "reject"]


class DeleteAssistantOptions(TypedDict, total=False):
    delete_threads: bool


class ExplainReplyOptions(TypedDict, total=False):
    assistant_id: str | None


class ForecastRetentionOptions(TypedDict, total=False):
    policy: str | None


class ForkThreadOptions(TypedDict, total=False):
    target: str | None
    at_seq: int | None


class GetContextOptions(TypedDict, total=False):
    assistant_id: str


class HandOverOptions(TypedDict, total=False):
    action_id: str | None
    task_id: str | None
    assistant_id: str
    fields: dict[str, Any]
    queue: Literal["agent", "embedding", "query", "memory"] | None
    after: float
    metadata: dict[str, Any]


class ListAllMessagesOptions(TypedDict, total=False):
    limit: int
    cursor: str | None
    skip: int
    role: list[Literal["system", "user", "assistant", "tool"]]
    since: datetime | None
    until: datetime | None
    include_archived: bool


class ListDocumentsOptions(TypedDict, total=False):
    limit: int
    after: str | None
    skip: int


class ListErasuresOptions(TypedDict, total=False):
    limit: int


class ListKeysOptions(TypedDict, total=False):
    user: str | None
    limit: int


class ListMemoriesOptions(TypedDict, total=False):
    limit: int
    before: str | None
    skip: int
    kind: Literal["semantic", "episodic", "procedural", "summary"] | None
    attribute: Attribute | None
    status: Literal["approved", "proposed", "rejected", "quarantined"] | None
    as_of: datetime | None
    thread_id: str | None
    since: datetime | None
    until: datetime | None
    pinned: bool | None


class ListMessagesOptions(TypedDict, total=False):
    limit: int
    before: int | None
    after: int | None
    skip: int
    role: list[Literal["system", "user", "assistant", "tool"]]
    id: list[str]
    since: datetime | None
    until: datetime | None
    include_archived: bool
    consistency: Literal["strong", "cached"]
    min_version: str


ListMessagesOfUserOptions = ListAllMessagesOptions


class ListTenantMemoriesOptions(TypedDict, total=False):
    limit: int
    before: str | None
    skip: int
    kind: Literal["semantic", "episodic", "procedural", "summary"] | None
    status: Literal["approved", "proposed", "rejected", "quarantined"] | None


class ListThreadsOptions(TypedDict, total=False):
    limit: int
    cursor: str | None
    skip: int
    agent_id: str | None
    channel: str | None
    metadata: Mapping[str, Any]


ListThreadsOfUserOptions = ListThreadsOptions


class ListUsersOptions(TypedDict, total=False):
    limit: int
    after: str
    skip: int


class ProposeMemoryOptions(TypedDict, total=False):
    kind: Literal["semantic", "episodic", "procedural", "summary"]
    ttl: int | None


class ReadAuditOptions(TypedDict, total=False):
    limit: int
    before: str | None
    skip: int
    since: datetime | None
    until: datetime | None
    actor: str | None
    action: str | None
    server: bool


class SearchAssistantsOptions(TypedDict, total=False):
    limit: int
    offset: int
    sort_order: Literal["asc", "desc"]
    metadata: dict[str, Any] | None
    graph_id: str | None
    name: str | None
    select: (
        list[
            Literal[
                "assistant_id",
                "graph_id",
                "name",
                "description",
                "config",
                "context",
                "metadata",
                "version",
                "visibility",
                "stands_for",
                "created_at",
                "updated_at",
            ]
        ]
        | None
    )
    sort_by: Literal["assistant_id", "graph_id", "name", "created_at", "updated_at"]


class SearchDocumentsOptions(TypedDict, total=False):
    limit: int
    collections: list[str]
    threshold: float | None


class SearchHistoryOptions(TypedDict, total=False):
    limit: int
    thread_id: str | None


SearchHistoryOfUserOptions = SearchHistoryOptions


class SearchMemoriesOptions(TypedDict, total=False):
    limit: int
    kind: Literal["semantic", "episodic", "procedural", "summary"] | None
    attribute: Attribute | None
    thread_id: str | None
    since: datetime | None
    until: datetime | None
    as_of: datetime | None


StreamRunOptions = CreateRunOptions


class ThreadWindowOptions(TypedDict, total=False):
    messages: int | None
    tokens: int | None
    consistency: Literal["strong", "cached"]
    min_version: str
    summary: bool


class UpdateAssistantOptions(TypedDict, total=False):
    config: dict[str, Any] | None
    context: dict[str, Any] | None
    metadata: dict[str, Any] | None
    name: str | None
    description: str | None
    graph_id: str | None
    visibility: Literal["tenant"] | None
    stands_for: str | None


class UpdateMemoryOptions(TypedDict, total=False):
    ttl: int | None
    expires_at: datetime | None
    text: str | None
    kind: Literal["semantic", "episodic", "procedural", "summary"] | None
    attribute: Attribute | None
    value: str | None
    pinned: bool | None


WaitForRunOptions = CreateRunOptions
