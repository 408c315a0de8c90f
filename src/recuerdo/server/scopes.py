"""The scopes that each route requires of a credential with scopes. A route that is not named here is closed to it."""

from starlette.types import Scope

from recuerdo.core.api_keys import Scopes, grants
from recuerdo.core.errors import Forbidden

_ROUTES = {
    "": """
        GET /v1/principal
        POST /auth/session
    """,
    "threads:read": """
        GET /v1/threads
        GET /v1/threads/{thread_id}
        GET /v1/threads/{thread_id}/messages
        GET /v1/threads/{thread_id}/window
        GET /v1/messages
        POST /v1/search
        POST /threads/search
        POST /threads/count
        GET /threads/{thread_id}
        GET /threads/{thread_id}/stream
        POST /threads/{thread_id}/stream/events
        GET /threads/{thread_id}/state
        GET /threads/{thread_id}/state/{checkpoint_id}
        POST /threads/{thread_id}/state/checkpoint
        POST /threads/{thread_id}/history
    """,
    "threads:write": """
        POST /api/v1/chatbot/stream
        POST /v1/chat
        POST /v1/chat/stream
        WS /ws/{session_id}
        PATCH /v1/threads/{thread_id}
        DELETE /v1/threads/{thread_id}
        POST /v1/threads/{thread_id}/clear
        POST /v1/threads/{thread_id}/fork
        POST /v1/threads/{thread_id}/summarise
        POST /v1/threads/{thread_id}/messages
        PUT /v1/threads/{thread_id}/messages
        POST /v1/threads/{thread_id}/archive
        POST /threads
        POST /threads/prune
        PATCH /threads/{thread_id}
        DELETE /threads/{thread_id}
        POST /threads/{thread_id}/copy
        POST /threads/{thread_id}/state
    """,
    "threads:write runs:write": "POST /v1/actions",
    "threads:read runs:write": """
        POST /threads/{thread_id}/commands
        WS /threads/{thread_id}/stream/events
    """,
    "threads:admin": """
        GET /v1/tenant/users
        GET /v1/tenant/users/{user_id}/threads
        GET /v1/tenant/users/{user_id}/messages
        POST /v1/tenant/users/{user_id}/search
        DELETE /v1/tenant/users/{user_id}/threads/{thread_id}
    """,
    "runs:read": """
        GET /v1/actions/{action_id}
        GET /threads/{thread_id}/runs
        GET /threads/{thread_id}/runs/{run_id}
        GET /threads/{thread_id}/runs/{run_id}/join
        GET /threads/{thread_id}/runs/{run_id}/stream
        POST /runs/crons/search
        POST /runs/crons/count
    """,
    "runs:write": """
        POST /threads/{thread_id}/runs
        POST /threads/{thread_id}/runs/stream
        POST /threads/{thread_id}/runs/wait
        DELETE /threads/{thread_id}/runs/{run_id}
        POST /threads/{thread_id}/runs/{run_id}/cancel
        POST /runs
        POST /runs/stream
        POST /runs/wait
        POST /runs/batch
        POST /runs/cancel
        POST /runs/crons
        POST /threads/{thread_id}/runs/crons
        PATCH /runs/crons/{cron_id}
        DELETE /runs/crons/{cron_id}
    """,
    "memories:read": """
        GET /v1/erasures
        GET /v1/erasures/{erasure_id}
        GET /v1/memories
        POST /v1/memories/search
        GET /v1/memories/export
        GET /v1/memories/audit
        GET /v1/entities
        GET /v1/memories/{memory_id}
        GET /v1/memories/{memory_id}/history
        GET /v1/tenant/memories
        GET /v1/tenant/memories/{shared_id}
    """,
    "memories:write": """
        POST /v1/memories
        POST /v1/memories/import
        PATCH /v1/memories/{memory_id}
        DELETE /v1/memories/{memory_id}
        POST /v1/memories/{memory_id}/undo
        POST /v1/memories/{memory_id}/approve
        POST /v1/memories/{memory_id}/reject
        POST /v1/tenant/memories
        DELETE /v1/tenant/memories/{shared_id}
    """,
    "memories:admin": """
        GET /v1/tenant/memories/{shared_id}/history
        POST /v1/tenant/memories/{shared_id}/approve
        POST /v1/tenant/memories/{shared_id}/reject
    """,
    "threads:write memories:read": "POST /v1/visitors/claim",
    "admin": """
        POST /v1/erase
        POST /v1/tenant/erase
    """,
    "threads:read memories:read": "GET /v1/threads/{thread_id}/messages/{seq}/why",
    "threads:read memories:write": """
        GET /mcp
        POST /mcp
        DELETE /mcp
    """,
    "contexts:write": """
        GET /v1/contexts/{thread_id}
        PATCH /v1/contexts/{thread_id}
        DELETE /v1/contexts/{thread_id}
        POST /v1/contexts/invalidate
    """,
    "documents:read": """
        GET /v1/documents
        GET /v1/documents/{document_id}
        POST /v1/documents/search
    """,
    "documents:write": """
        POST /v1/documents
        DELETE /v1/documents/{document_id}
    """,
    "assistants:read": """
        POST /assistants/search
        POST /assistants/count
        GET /assistants/{assistant_id}
        POST /assistants/{assistant_id}/versions
        GET /assistants/{assistant_id}/graph
        GET /assistants/{assistant_id}/schemas
        GET /assistants/{assistant_id}/subgraphs
        GET /assistants/{assistant_id}/subgraphs/{namespace}
    """,
    "assistants:write": """
        POST /assistants
        PATCH /assistants/{assistant_id}
        DELETE /assistants/{assistant_id}
        POST /assistants/{assistant_id}/latest
    """,
    "store:read": """
        GET /store/items
        POST /store/items/search
        POST /store/namespaces
    """,
    "store:write": """
        PUT /store/items
        DELETE /store/items
    """,
    "keys:read": "GET /v1/keys",
    "keys:admin": """
        POST /v1/keys
        POST /v1/keys/{key_id}/rotate
        DELETE /v1/keys/{key_id}
    """,
    "audit:read": "GET /v1/audit",
    "server:read": """
        GET /metrics
        GET /v1/retention
    """,
}
"""By the scopes that they need, all of them: the methods and paths of routes. WS is a WebSocket."""

WANTED = {
    route.strip(): tuple(wanted.split()) for wanted, routes in _ROUTES.items() for route in routes.strip().splitlines()
}
"""By the method and path of a route: the scopes that it needs."""

VISITOR_SCOPES: Scopes = (
    *("threads:read", "threads:write", "runs:read", "runs:write"),
    *("memories:read", "documents:read"),
)
"""The scopes of visitors. They have no memories: what they read of them is empty."""

_NOT_FOR_VISITORS = frozenset(
    route for route in WANTED if any(part in route for part in ("/crons", "/tenant/", "/v1/actions"))
) | {"POST /threads/prune"}
_OWN = frozenset({"POST /v1/erase", "GET /v1/erasures", "GET /v1/erasures/{erasure_id}"})
"""Routes that visitors may use for their own data, besides what their scopes allow."""

_SIGN_IN = "Visitors may not do this. Sign in, or send a credential."
_UNDECLARED = "This address is closed to keys that are limited by scopes. Use a key with the scope admin."


def check_scopes(scopes: Scopes, connection: Scope) -> None:
    """Raise Forbidden unless the scopes open the route that the connection has been led to."""
    method = "WS" if connection["type"] == "websocket" else connection["method"].replace("HEAD", "GET")
    route = f"{method} {getattr(connection.get('route'), 'path', connection['path'])}"
    wanted, is_visitor = WANTED.get(route), scopes == VISITOR_SCOPES
    if is_visitor and route in _OWN:
        return
    if is_visitor and (wanted is None or route in _NOT_FOR_VISITORS):
        raise Forbidden(_SIGN_IN)
    if wanted is None:
        raise Forbidden(_UNDECLARED)
    for each in wanted:
        resource, _, level = each.rpartition(":")
        if not grants(scopes, resource or None, level):
            if is_visitor:
                raise Forbidden(_SIGN_IN)
            raise Forbidden(
                f"This needs a key with the scope {each}, and this key has: {' '.join(scopes)}. Use another key."
            )
