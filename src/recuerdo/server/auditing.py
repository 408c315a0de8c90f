"""Records the events of requests in the audit log."""

from typing import cast

from starlette.requests import HTTPConnection

from recuerdo.audit import AuditLog
from recuerdo.core.audit import SERVER_TENANT, AuditAction
from recuerdo.core.errors import Unauthenticated
from recuerdo.core.scope import Owner

_NOTED = "recuerdo.failure_noted"


def record(
    connection: HTTPConnection,
    action: AuditAction,
    owner: Owner | None = None,
    role: str = "",
    target: str | None = None,
    **details: str,
) -> None:
    """Record the owner's action in this request; without an owner, that of an unknown caller."""
    log = cast(AuditLog, connection.app.state.audit)
    tenant, actor = (owner.tenant, owner.user) if owner is not None else (SERVER_TENANT, "")
    address = connection.client.host if connection.client else None
    log.record(action, tenant=tenant, actor=actor, role=role, target=target, address=address, **details)


def record_failure(connection: HTTPConnection, error: Unauthenticated) -> None:
    """Record a credential that was refused, once a request. Sending none is not a failure."""
    if not error.is_missing and not connection.scope.get(_NOTED):
        connection.scope[_NOTED] = True
        record(connection, "authentication.failed", reason=str(error).partition(". ")[0])


def route_of(connection: HTTPConnection) -> str:
    """The method and the template of the route that answers, without the ids in its path."""
    path = getattr(connection.scope.get("route"), "path", "")
    return f"{connection.scope.get('method', 'WS')} {path}".strip()
