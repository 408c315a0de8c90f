"""The operations of the server.

Made by scripts/client_types.py from the OpenAPI document: change the server, and run it again.
"""

from typing import Any

from recuerdo.client.answers import (
    ActionStateData,
    AliveData,
    ArchivedData,
    AuditData,
    AuditEntriesData,
    ChangeData,
    ChangeListData,
    ChatAnswerData,
    ChunkHitsData,
    ClaimedConversationsData,
    ClearedData,
    ContextData,
    DocumentChunksData,
    DocumentData,
    DocumentListData,
    EntityGraphData,
    ErasureData,
    ErasureListData,
    ErasureProgressData,
    HitsData,
    ImportedData,
    InfoData,
    KeyListData,
    MemoryData,
    MemoryListData,
    MessageHitsData,
    MessageListData,
    MessagePageData,
    NewKeyData,
    PrincipalData,
    ReceiptData,
    ThreadDetailData,
    ThreadEntryData,
    ThreadListData,
    ThreadSummaryData,
    UserPageData,
    WhyData,
    WindowData,
)
from recuerdo.client.requests import Operation
from recuerdo.core.health import Readiness
from recuerdo.core.retention import RetentionForecast
from recuerdo.core.runs import Assistant

ADD_DOCUMENT: Operation[DocumentData] = Operation("POST", "/v1/documents", DocumentData)
ADD_MEMORY: Operation[MemoryData] = Operation("POST", "/v1/memories", MemoryData)
APPEND_MESSAGES: Operation[ReceiptData] = Operation("POST", "/v1/threads/{thread_id}/messages", ReceiptData)
APPROVE_MEMORY: Operation[MemoryData] = Operation("POST", "/v1/memories/{memory_id}/approve", MemoryData)
APPROVE_TENANT_MEMORY: Operation[MemoryData] = Operation("POST", "/v1/tenant/memories/{shared_id}/approve", MemoryData)
ARCHIVE_MESSAGES: Operation[ArchivedData] = Operation("POST", "/v1/threads/{thread_id}/archive", ArchivedData)
AUDIT_MEMORIES: Operation[AuditData] = Operation("GET", "/v1/memories/audit", AuditData, reads=True)
CANCEL_RUN: Operation[Any] = Operation(
    "POST", "/threads/{thread_id}/runs/{run_id}/cancel", object, query=frozenset({"action", "wait"})
)
CHAT: Operation[ChatAnswerData] = Operation("POST", "/v1/chat", ChatAnswerData)
CHAT_STREAM: Operation[None] = Operation("POST", "/v1/chat/stream", type(None))
CLAIM_CONVERSATIONS: Operation[ClaimedConversationsData] = Operation(
    "POST", "/v1/visitors/claim", ClaimedConversationsData
)
CLEAR_THREAD: Operation[ClearedData] = Operation("POST", "/v1/threads/{thread_id}/clear", ClearedData)
CREATE_ASSISTANT: Operation[Assistant] = Operation("POST", "/assistants", Assistant)
CREATE_KEY: Operation[NewKeyData] = Operation("POST", "/v1/keys", NewKeyData)
CREATE_RUN: Operation[Any] = Operation("POST", "/threads/{thread_id}/runs", object)
DELETE_ASSISTANT: Operation[None] = Operation(
    "DELETE", "/assistants/{assistant_id}", type(None), query=frozenset({"delete_threads"})
)
DELETE_MEMORY: Operation[None] = Operation("DELETE", "/v1/memories/{memory_id}", type(None))
DELETE_TENANT_MEMORY: Operation[None] = Operation("DELETE", "/v1/tenant/memories/{shared_id}", type(None))
DELETE_THREAD: Operation[None] = Operation("DELETE", "/v1/threads/{thread_id}", type(None))
DELETE_THREAD_OF_USER: Operation[None] = Operation(
    "DELETE", "/v1/tenant/users/{user_id}/threads/{thread_id}", type(None)
)
ERASE_EVERYTHING: Operation[ErasureData] = Operation("POST", "/v1/erase", ErasureData)
ERASE_TENANT: Operation[ErasureProgressData] = Operation("POST", "/v1/tenant/erase", ErasureProgressData)
EXPLAIN_REPLY: Operation[WhyData] = Operation(
    "GET", "/v1/threads/{thread_id}/messages/{seq}/why", WhyData, query=frozenset({"assistant_id"}), reads=True
)
EXPORT_MEMORIES: Operation[None] = Operation("GET", "/v1/memories/export", type(None), reads=True)
FORECAST_RETENTION: Operation[RetentionForecast] = Operation(
    "GET", "/v1/retention", RetentionForecast, query=frozenset({"policy"}), reads=True
)
FORK_THREAD: Operation[ThreadEntryData] = Operation("POST", "/v1/threads/{thread_id}/fork", ThreadEntryData)
GET_ACTION: Operation[ActionStateData] = Operation("GET", "/v1/actions/{action_id}", ActionStateData, reads=True)
GET_ASSISTANT: Operation[Assistant] = Operation("GET", "/assistants/{assistant_id}", Assistant, reads=True)
GET_CONTEXT: Operation[ContextData] = Operation(
    "GET", "/v1/contexts/{thread_id}", ContextData, query=frozenset({"assistant_id"}), reads=True
)
GET_DOCUMENT: Operation[DocumentChunksData] = Operation(
    "GET", "/v1/documents/{document_id}", DocumentChunksData, reads=True
)
GET_ERASURE: Operation[ErasureProgressData] = Operation(
    "GET", "/v1/erasures/{erasure_id}", ErasureProgressData, reads=True
)
GET_MEMORY: Operation[MemoryData] = Operation("GET", "/v1/memories/{memory_id}", MemoryData, reads=True)
GET_PRINCIPAL: Operation[PrincipalData] = Operation("GET", "/v1/principal", PrincipalData, reads=True)
GET_RUN: Operation[Any] = Operation("GET", "/threads/{thread_id}/runs/{run_id}", object, reads=True)
GET_TENANT_MEMORY: Operation[MemoryData] = Operation("GET", "/v1/tenant/memories/{shared_id}", MemoryData, reads=True)
GET_THREAD: Operation[ThreadDetailData] = Operation("GET", "/v1/threads/{thread_id}", ThreadDetailData, reads=True)
HAND_OVER: Operation[ActionStateData] = Operation("POST", "/v1/actions", ActionStateData)
IMPORT_MEMORIES: Operation[ImportedData] = Operation("POST", "/v1/memories/import", ImportedData)
INFO: Operation[InfoData] = Operation("GET", "/info", InfoData, reads=True)
INVALIDATE_CONTEXT: Operation[None] = Operation(
    "DELETE", "/v1/contexts/{thread_id}", type(None), query=frozenset({"assistant_id"})
)
INVALIDATE_CONTEXTS: Operation[None] = Operation("POST", "/v1/contexts/invalidate", type(None))
JOIN_RUN: Operation[Any] = Operation("GET", "/threads/{thread_id}/runs/{run_id}/join", object, reads=True)
JOIN_RUN_STREAM: Operation[None] = Operation(
    "GET",
    "/threads/{thread_id}/runs/{run_id}/stream",
    type(None),
    query=frozenset({"cancel_on_disconnect", "stream_mode"}),
    reads=True,
)
LIST_ALL_MESSAGES: Operation[MessageListData] = Operation(
    "GET",
    "/v1/messages",
    MessageListData,
    query=frozenset({"cursor", "include_archived", "limit", "role", "since", "skip", "until"}),
    reads=True,
)
LIST_DOCUMENTS: Operation[DocumentListData] = Operation(
    "GET", "/v1/documents", DocumentListData, query=frozenset({"after"}), reads=True
)
LIST_ENTITIES: Operation[EntityGraphData] = Operation("GET", "/v1/entities", EntityGraphData, reads=True)
LIST_ERASURES: Operation[ErasureListData] = Operation(
    "GET", "/v1/erasures", ErasureListData, query=frozenset({"limit"}), reads=True
)
LIST_KEYS: Operation[KeyListData] = Operation(
    "GET", "/v1/keys", KeyListData, query=frozenset({"limit", "user"}), reads=True
)
LIST_MEMORIES: Operation[MemoryListData] = Operation(
    "GET",
    "/v1/memories",
    MemoryListData,
    query=frozenset(
        {"as_of", "attribute", "before", "kind", "limit", "pinned", "since", "skip", "status", "thread_id", "until"}
    ),
    reads=True,
)
LIST_MESSAGES: Operation[MessagePageData] = Operation(
    "GET",
    "/v1/threads/{thread_id}/messages",
    MessagePageData,
    query=frozenset(
        {
            "after",
            "before",
            "consistency",
            "id",
            "include_archived",
            "limit",
            "min_version",
            "role",
            "since",
            "skip",
            "until",
        }
    ),
    reads=True,
)
LIST_MESSAGES_OF_USER: Operation[MessageListData] = Operation(
    "GET",
    "/v1/tenant/users/{user_id}/messages",
    MessageListData,
    query=frozenset({"cursor", "include_archived", "limit", "role", "since", "skip", "until"}),
    reads=True,
)
LIST_TENANT_MEMORIES: Operation[MemoryListData] = Operation(
    "GET",
    "/v1/tenant/memories",
    MemoryListData,
    query=frozenset({"before", "kind", "limit", "skip", "status"}),
    reads=True,
)
LIST_THREADS: Operation[ThreadListData] = Operation(
    "GET",
    "/v1/threads",
    ThreadListData,
    query=frozenset({"agent_id", "channel", "cursor", "limit", "metadata", "skip"}),
    reads=True,
)
LIST_THREADS_OF_USER: Operation[ThreadListData] = Operation(
    "GET",
    "/v1/tenant/users/{user_id}/threads",
    ThreadListData,
    query=frozenset({"agent_id", "channel", "cursor", "limit", "metadata", "skip"}),
    reads=True,
)
LIST_USERS: Operation[UserPageData] = Operation(
    "GET", "/v1/tenant/users", UserPageData, query=frozenset({"after", "limit"}), reads=True
)
MEMORY_HISTORY: Operation[ChangeListData] = Operation(
    "GET", "/v1/memories/{memory_id}/history", ChangeListData, query=frozenset({"limit"}), reads=True
)
OK: Operation[AliveData] = Operation("GET", "/ok", AliveData, reads=True)
PROPOSE_MEMORY: Operation[MemoryData] = Operation("POST", "/v1/tenant/memories", MemoryData)
READ_AUDIT: Operation[AuditEntriesData] = Operation(
    "GET",
    "/v1/audit",
    AuditEntriesData,
    query=frozenset({"action", "actor", "before", "limit", "server", "since", "skip", "until"}),
    reads=True,
)
READY: Operation[Readiness] = Operation("GET", "/ready", Readiness, reads=True)
REJECT_MEMORY: Operation[MemoryData] = Operation("POST", "/v1/memories/{memory_id}/reject", MemoryData)
REJECT_TENANT_MEMORY: Operation[MemoryData] = Operation("POST", "/v1/tenant/memories/{shared_id}/reject", MemoryData)
REMOVE_DOCUMENT: Operation[None] = Operation("DELETE", "/v1/documents/{document_id}", type(None))
REPLACE_MESSAGES: Operation[ReceiptData] = Operation("PUT", "/v1/threads/{thread_id}/messages", ReceiptData)
REVOKE_KEY: Operation[None] = Operation("DELETE", "/v1/keys/{key_id}", type(None))
ROTATE_KEY: Operation[NewKeyData] = Operation("POST", "/v1/keys/{key_id}/rotate", NewKeyData)
SEARCH_ASSISTANTS: Operation[Any] = Operation("POST", "/assistants/search", object, reads=True)
SEARCH_DOCUMENTS: Operation[ChunkHitsData] = Operation("POST", "/v1/documents/search", ChunkHitsData, reads=True)
SEARCH_HISTORY: Operation[MessageHitsData] = Operation("POST", "/v1/search", MessageHitsData, reads=True)
SEARCH_HISTORY_OF_USER: Operation[MessageHitsData] = Operation(
    "POST", "/v1/tenant/users/{user_id}/search", MessageHitsData, reads=True
)
SEARCH_MEMORIES: Operation[HitsData] = Operation("POST", "/v1/memories/search", HitsData, reads=True)
STREAM_RUN: Operation[None] = Operation("POST", "/threads/{thread_id}/runs/stream", type(None))
SUMMARISE_THREAD: Operation[ThreadSummaryData] = Operation(
    "POST", "/v1/threads/{thread_id}/summarise", ThreadSummaryData
)
TENANT_MEMORY_HISTORY: Operation[ChangeListData] = Operation(
    "GET", "/v1/tenant/memories/{shared_id}/history", ChangeListData, query=frozenset({"limit"}), reads=True
)
THREAD_WINDOW: Operation[WindowData] = Operation(
    "GET",
    "/v1/threads/{thread_id}/window",
    WindowData,
    query=frozenset({"consistency", "messages", "min_version", "summary", "tokens"}),
    reads=True,
)
UNDO_MEMORY: Operation[ChangeData] = Operation("POST", "/v1/memories/{memory_id}/undo", ChangeData)
UPDATE_ASSISTANT: Operation[Assistant] = Operation("PATCH", "/assistants/{assistant_id}", Assistant)
UPDATE_CONTEXT: Operation[ContextData] = Operation(
    "PATCH", "/v1/contexts/{thread_id}", ContextData, query=frozenset({"assistant_id"})
)
UPDATE_MEMORY: Operation[MemoryData] = Operation("PATCH", "/v1/memories/{memory_id}", MemoryData)
UPDATE_THREAD: Operation[ThreadEntryData] = Operation("PATCH", "/v1/threads/{thread_id}", ThreadEntryData)
WAIT_FOR_RUN: Operation[Any] = Operation("POST", "/threads/{thread_id}/runs/wait", object)
