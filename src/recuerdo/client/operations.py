"""The operations of the server.

Made by scripts/client_types.py from the OpenAPI document: change the server, and run it again.
"""

from typing import Any

from recuerdo.client import answers
from recuerdo.client.requests import Operation
from recuerdo.core.health import Readiness
from recuerdo.core.retention import RetentionForecast
from recuerdo.core.runs import Assistant

ADD_DOCUMENT = Operation("POST", "/v1/documents", answers.DocumentData)
ADD_MEMORY = Operation("POST", "/v1/memories", answers.MemoryData)
APPEND_MESSAGES = Operation("POST", "/v1/threads/{thread_id}/messages", answers.ReceiptData)
APPROVE_MEMORY = Operation("POST", "/v1/memories/{memory_id}/approve", answers.MemoryData)
APPROVE_TENANT_MEMORY = Operation("POST", "/v1/tenant/memories/{shared_id}/approve", answers.MemoryData)
ARCHIVE_MESSAGES = Operation("POST", "/v1/threads/{thread_id}/archive", answers.ArchivedData)
AUDIT_MEMORIES = Operation("GET", "/v1/memories/audit", answers.AuditData, reads=True)
CANCEL_RUN: Operation[Any] = Operation("POST", "/threads/{thread_id}/runs/{run_id}/cancel", object, query="action wait")
CHAT = Operation("POST", "/v1/chat", answers.ChatAnswerData)
CHAT_STREAM = Operation("POST", "/v1/chat/stream", type(None))
CLAIM_CONVERSATIONS = Operation("POST", "/v1/visitors/claim", answers.ClaimedConversationsData)
CLEAR_THREAD = Operation("POST", "/v1/threads/{thread_id}/clear", answers.ClearedData, query="expected_epoch")
CREATE_ASSISTANT = Operation("POST", "/assistants", Assistant)
CREATE_KEY = Operation("POST", "/v1/keys", answers.NewKeyData)
CREATE_RUN: Operation[Any] = Operation("POST", "/threads/{thread_id}/runs", object)
DELETE_ASSISTANT = Operation("DELETE", "/assistants/{assistant_id}", type(None), query="delete_threads")
DELETE_MEMORY = Operation("DELETE", "/v1/memories/{memory_id}", type(None))
DELETE_TENANT_MEMORY = Operation("DELETE", "/v1/tenant/memories/{shared_id}", type(None))
DELETE_THREAD = Operation("DELETE", "/v1/threads/{thread_id}", type(None), query="expected_epoch")
DELETE_THREAD_OF_USER = Operation("DELETE", "/v1/tenant/users/{user_id}/threads/{thread_id}", type(None))
ERASE_EVERYTHING = Operation("POST", "/v1/erase", answers.ErasureData)
ERASE_TENANT = Operation("POST", "/v1/tenant/erase", answers.ErasureProgressData)
EXPLAIN_REPLY = Operation(
    "GET", "/v1/threads/{thread_id}/messages/{seq}/why", answers.WhyData, query="assistant_id", reads=True
)
EXPORT_MEMORIES = Operation("GET", "/v1/memories/export", type(None), reads=True)
FORECAST_RETENTION = Operation("GET", "/v1/retention", RetentionForecast, query="policy", reads=True)
FORK_THREAD = Operation("POST", "/v1/threads/{thread_id}/fork", answers.ThreadEntryData)
GET_ACTION = Operation("GET", "/v1/actions/{action_id}", answers.ActionStateData, reads=True)
GET_ASSISTANT = Operation("GET", "/assistants/{assistant_id}", Assistant, reads=True)
GET_CONTEXT = Operation("GET", "/v1/contexts/{thread_id}", answers.ContextData, query="assistant_id", reads=True)
GET_DOCUMENT = Operation("GET", "/v1/documents/{document_id}", answers.DocumentChunksData, reads=True)
GET_ERASURE = Operation("GET", "/v1/erasures/{erasure_id}", answers.ErasureProgressData, reads=True)
GET_MEMORY = Operation("GET", "/v1/memories/{memory_id}", answers.MemoryData, reads=True)
GET_PRINCIPAL = Operation("GET", "/v1/principal", answers.PrincipalData, reads=True)
GET_RUN: Operation[Any] = Operation("GET", "/threads/{thread_id}/runs/{run_id}", object, reads=True)
GET_TENANT_MEMORY = Operation("GET", "/v1/tenant/memories/{shared_id}", answers.MemoryData, reads=True)
GET_THREAD = Operation("GET", "/v1/threads/{thread_id}", answers.ThreadDetailData, reads=True)
HAND_OVER = Operation("POST", "/v1/actions", answers.ActionStateData)
IMPORT_MEMORIES = Operation("POST", "/v1/memories/import", answers.ImportedData)
INFO = Operation("GET", "/info", answers.InfoData, reads=True)
INVALIDATE_CONTEXT = Operation("DELETE", "/v1/contexts/{thread_id}", type(None), query="assistant_id")
INVALIDATE_CONTEXTS = Operation("POST", "/v1/contexts/invalidate", type(None))
JOIN_RUN: Operation[Any] = Operation("GET", "/threads/{thread_id}/runs/{run_id}/join", object, reads=True)
JOIN_RUN_STREAM = Operation(
    "GET", "/threads/{thread_id}/runs/{run_id}/stream", type(None), query="cancel_on_disconnect stream_mode", reads=True
)
LIST_ALL_MESSAGES = Operation(
    "GET",
    "/v1/messages",
    answers.MessageListData,
    query="cursor include_archived limit role since skip until",
    reads=True,
)
LIST_DOCUMENTS = Operation("GET", "/v1/documents", answers.DocumentListData, query="after limit skip", reads=True)
LIST_ENTITIES = Operation("GET", "/v1/entities", answers.EntityGraphData, reads=True)
LIST_ERASURES = Operation("GET", "/v1/erasures", answers.ErasureListData, query="limit", reads=True)
LIST_KEYS = Operation("GET", "/v1/keys", answers.KeyListData, query="limit user", reads=True)
LIST_MEMORIES = Operation(
    "GET",
    "/v1/memories",
    answers.MemoryListData,
    query="as_of attribute before kind limit pinned since skip status thread_id until",
    reads=True,
)
LIST_MESSAGES = Operation(
    "GET",
    "/v1/threads/{thread_id}/messages",
    answers.MessagePageData,
    query="after before consistency id include_archived limit min_version role since skip until",
    reads=True,
)
LIST_MESSAGES_OF_USER = Operation(
    "GET",
    "/v1/tenant/users/{user_id}/messages",
    answers.MessageListData,
    query="cursor include_archived limit role since skip until",
    reads=True,
)
LIST_TENANT_MEMORIES = Operation(
    "GET", "/v1/tenant/memories", answers.MemoryListData, query="before kind limit skip status", reads=True
)
LIST_THREADS = Operation(
    "GET", "/v1/threads", answers.ThreadListData, query="agent_id channel cursor limit metadata skip", reads=True
)
LIST_THREADS_OF_USER = Operation(
    "GET",
    "/v1/tenant/users/{user_id}/threads",
    answers.ThreadListData,
    query="agent_id channel cursor limit metadata skip",
    reads=True,
)
LIST_USERS = Operation("GET", "/v1/tenant/users", answers.UserPageData, query="after limit skip", reads=True)
MEMORY_HISTORY = Operation("GET", "/v1/memories/{memory_id}/history", answers.ChangeListData, query="limit", reads=True)
OK = Operation("GET", "/ok", answers.AliveData, reads=True)
PROPOSE_MEMORY = Operation("POST", "/v1/tenant/memories", answers.MemoryData)
READ_AUDIT = Operation(
    "GET", "/v1/audit", answers.AuditEntriesData, query="action actor before limit server since skip until", reads=True
)
READY = Operation("GET", "/ready", Readiness, reads=True)
REJECT_MEMORY = Operation("POST", "/v1/memories/{memory_id}/reject", answers.MemoryData)
REJECT_TENANT_MEMORY = Operation("POST", "/v1/tenant/memories/{shared_id}/reject", answers.MemoryData)
REMOVE_DOCUMENT = Operation("DELETE", "/v1/documents/{document_id}", type(None))
REPLACE_MESSAGES = Operation("PUT", "/v1/threads/{thread_id}/messages", answers.ReceiptData)
REVOKE_KEY = Operation("DELETE", "/v1/keys/{key_id}", type(None))
ROTATE_KEY = Operation("POST", "/v1/keys/{key_id}/rotate", answers.NewKeyData)
SEARCH_ASSISTANTS: Operation[Any] = Operation("POST", "/assistants/search", object, reads=True)
SEARCH_DOCUMENTS = Operation("POST", "/v1/documents/search", answers.ChunkHitsData, reads=True)
SEARCH_HISTORY = Operation("POST", "/v1/search", answers.MessageHitsData, reads=True)
SEARCH_HISTORY_OF_USER = Operation("POST", "/v1/tenant/users/{user_id}/search", answers.MessageHitsData, reads=True)
SEARCH_MEMORIES = Operation("POST", "/v1/memories/search", answers.HitsData, reads=True)
STREAM_RUN = Operation("POST", "/threads/{thread_id}/runs/stream", type(None))
SUMMARISE_THREAD = Operation("POST", "/v1/threads/{thread_id}/summarise", answers.ThreadSummaryData)
TENANT_MEMORY_HISTORY = Operation(
    "GET", "/v1/tenant/memories/{shared_id}/history", answers.ChangeListData, query="limit", reads=True
)
THREAD_WINDOW = Operation(
    "GET",
    "/v1/threads/{thread_id}/window",
    answers.WindowData,
    query="consistency messages min_version summary tokens",
    reads=True,
)
UNDO_MEMORY = Operation("POST", "/v1/memories/{memory_id}/undo", answers.ChangeData)
UPDATE_ASSISTANT = Operation("PATCH", "/assistants/{assistant_id}", Assistant)
UPDATE_CONTEXT = Operation("PATCH", "/v1/contexts/{thread_id}", answers.ContextData, query="assistant_id")
UPDATE_MEMORY = Operation("PATCH", "/v1/memories/{memory_id}", answers.MemoryData)
UPDATE_THREAD = Operation("PATCH", "/v1/threads/{thread_id}", answers.ThreadEntryData)
WAIT_FOR_RUN: Operation[Any] = Operation("POST", "/threads/{thread_id}/runs/wait", object)
