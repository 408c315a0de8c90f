"""Who a request acts as. The one place of the server that reads a tenant or a user."""

import re
from typing import Annotated, NamedTuple, Protocol, cast
from urllib.parse import unquote

from fastapi import Depends, Header
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection

from recuerdo.core.api_keys import DEFAULT_ROLE
from recuerdo.core.errors import Forbidden, InvalidInput
from recuerdo.core.scope import ANONYMOUS, Owner, Scope
from recuerdo.runs.rules import Access

USER_HEADER = "X-Recuerdo-User"
DEFAULT_TENANT = "default"
ANONYMOUS_ROLE = "anonymous"
OPERATOR_ROLE = "operator"
"""The role of whoever runs the server, for what is about all tenants."""

ADMIN_ROLE = "admin"
"""The role of whoever decides what all users of a tenant share."""

_FOUND = "recuerdo.principal"
_CLOSED = (
    "This address is closed while langgraph.json has @auth.on handlers: they decide about /assistants, /threads, /runs "
    "and /store alone, and what they deny there must not be open here. Use those addresses instead."
)
_BROKEN_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")


class Principal(NamedTuple):
    """Who asks: the owner of everything that a request reads and writes, a role, and a tier.

    `access` is what rules of somebody's own let them do.
    """

    owner: Owner
    role: str = DEFAULT_ROLE
    tier: str | None = None
    access: Access | None = None

    @property
    def is_anonymous(self) -> bool:
        return self.owner.is_anonymous

    def thread(self, thread_id: str) -> Scope:
        """The principal's own thread of this id. Raises InvalidInput when it can't be an id."""
        return self.owner.thread(thread_id)


_NOBODY = Principal(Owner(DEFAULT_TENANT, ANONYMOUS), ANONYMOUS_ROLE)


class Authenticates(Protocol):
    """Finds out who asks."""

    async def authenticate(self, headers: Headers, connection: HTTPConnection, /) -> Principal:
        """Who asks, by these headers of the connection.

        Raises Unauthenticated, or Unavailable when that can't be found out now.
        """
        ...


class NoAuth:
    """Without authentication: whoever reaches this machine's loopback is believed.

    The tenant is `default`, the user comes from the header X-Recuerdo-User.
    """

    async def authenticate(self, headers: Headers, _connection: HTTPConnection) -> Principal:
        """Raises InvalidInput, naming the header."""
        values = [value for name, value in headers.raw if name == USER_HEADER.lower().encode()]
        if len(values) > 1:
            raise InvalidInput(USER_HEADER, "was sent more than once; send it once")
        user = _decoded(values[0]) if values else ""
        if not user.strip():
            return _NOBODY
        try:
            return Principal(Owner(DEFAULT_TENANT, user))
        except InvalidInput as error:
            raise InvalidInput(USER_HEADER, error.problem) from None


async def find_principal(connection: HTTPConnection) -> Principal:
    """The caller, for an address that no rules of a langgraph.json govern.

    Raises Forbidden while there are such rules: what they deny must not be open here.
    """
    found = await find_ruled_principal(connection)
    return found if found.access is None else _unruled(found)


async def find_ruled_principal(connection: HTTPConnection) -> Principal:
    """The caller, for an address that asks `principal.access` before it does anything, or has no data of users."""
    found = connection.scope.get(_FOUND)
    if found is None:
        authenticator = cast(Authenticates, connection.app.state.authenticator)
        found = connection.scope[_FOUND] = await authenticator.authenticate(connection.headers, connection)
    return cast(Principal, found)


async def authenticate(connection: HTTPConnection, headers: Headers) -> Principal:
    """As `find_principal`, by headers that the connection carries elsewhere: those of a browser's WebSocket."""
    return _unruled(await authenticate_ruled(connection, headers))


async def authenticate_ruled(connection: HTTPConnection, headers: Headers) -> Principal:
    """As `find_ruled_principal`, by these headers."""
    authenticator = cast(Authenticates, connection.app.state.authenticator)
    return await authenticator.authenticate(headers, connection)


def _unruled(found: Principal) -> Principal:
    if found.access is not None and found.access.rules.restrict:
        raise Forbidden(_CLOSED)
    return found


_UserHeader = Annotated[
    str | None,
    Header(
        alias=USER_HEADER,
        description="Without authentication: the user that the request acts as, in UTF-8 and percent-encoded where "
        "it is not ASCII (`Jos%C3%A9`; a percent sign itself is `%25`). Absent or blank: the anonymous user, who "
        "has threads and no long-term memory. With authentication nobody looks at it.",
    ),
]


async def principal(connection: HTTPConnection, _documented: _UserHeader = None) -> Principal:
    """The caller. Every route that touches data depends on this, or on `ruled_principal` when it asks the rules.

    Raises Unauthenticated, InvalidInput, Unavailable, or Forbidden while rules of a langgraph.json are set.
    """
    found = await find_ruled_principal(connection)
    return found if found.access is None else _unruled(found)


async def ruled_principal(connection: HTTPConnection, _documented: _UserHeader = None) -> Principal:
    """The caller, for a route that asks `principal.access`, as the services of `GraphServices` do."""
    return await find_ruled_principal(connection)


def _decoded(value: bytes) -> str:
    """Raw UTF-8 is taken as well, because that is what curl sends; Latin-1 is refused rather than guessed at."""
    try:
        text = value.decode()
        if not _BROKEN_ESCAPE.search(text):
            return unquote(text, errors="strict")
    except UnicodeDecodeError:
        pass
    raise InvalidInput(USER_HEADER, "must be percent-encoded UTF-8, e.g. Jos%C3%A9; write a percent sign as %25")


CurrentPrincipal = Annotated[Principal, Depends(principal)]
"""The caller, on a route that is closed while rules of a langgraph.json are set."""

RuledPrincipal = Annotated[Principal, Depends(ruled_principal)]
"""The caller, on a route that asks those rules."""
