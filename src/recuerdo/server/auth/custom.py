"""From a connection to its principal, by the handlers of a langgraph.json."""

from typing import Any

from starlette.datastructures import Headers, QueryParams
from starlette.requests import HTTPConnection, Request

from recuerdo.core.api_keys import DEFAULT_ROLE
from recuerdo.core.errors import InvalidInput, Unauthenticated
from recuerdo.core.scope import Owner
from recuerdo.runs.rules import Access, AuthRules, Caller, RuleDenied
from recuerdo.server.auth.principal import DEFAULT_TENANT, Principal


class RuledAuthenticator:
    """Believes what the rules say: `identity` is the user; `tenant`, `role` and `tier` are taken where they say so."""

    def __init__(self, rules: AuthRules) -> None:
        self._rules = rules

    async def authenticate(self, headers: Headers, connection: HTTPConnection) -> Principal:
        """Who asks. Raises Unauthenticated, or Refused with another status."""
        try:
            caller = await self._rules.authenticate(_shown(headers, connection))
        except RuleDenied as refusal:
            if refusal.status == 401:
                raise Unauthenticated(str(refusal), is_missing="authorization" not in headers) from None
            raise
        return Principal(
            _owner(caller), caller.claim("role") or DEFAULT_ROLE, caller.claim("tier"), Access(self._rules, caller)
        )


def _owner(caller: Caller) -> Owner:
    try:
        owner = Owner(caller.claim("tenant") or DEFAULT_TENANT, caller.identity)
    except InvalidInput as error:
        raise Unauthenticated(f"The caller can't be served: the {error.field} {error.problem}.") from None
    if owner.is_anonymous:
        raise Unauthenticated("The caller can't be served: the identity is the name of the anonymous user.")
    return owner


def _shown(headers: Headers, connection: HTTPConnection) -> dict[str, Any]:
    """What handlers may ask for, by name."""
    scope = {**connection.scope, "headers": headers.raw}
    return {
        "request": Request(scope) if scope["type"] == "http" else HTTPConnection(scope),
        "scope": scope,
        "scopes": [],
        "user": None,
        "path": scope["path"],
        "method": scope.get("method", "GET"),
        "path_params": scope.get("path_params") or {},
        "query_params": QueryParams(scope.get("query_string", b"")),
        "headers": dict(headers.raw),
        "authorization": headers.get("authorization"),
    }
