"""Who a request acts as. The one place of the server that reads a tenant or a user."""

import re
from typing import Annotated, NamedTuple, Protocol, cast
from urllib.parse import unquote

from fastapi import Depends, Header
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection

from recuerdo.core.api_keys import DEFAULT_ROLE
from recuerdo.core.errors import InvalidInput
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
    """Who the request acts as, found out once, for what is no route: an application that is mounted below ours, say."""
    found = connection.scope.get(_FOUND)
    if found is None:
        found = connection.scope[_FOUND] = await authenticate(connection, connection.headers)
    return cast(Principal, found)


async def authenticate(connection: HTTPConnection, headers: Headers) -> Principal:
    """Who asks with these headers, for a connection that carries them elsewhere: a browser's WebSocket."""
    authenticator = cast(Authenticates, connection.app.state.authenticator)
    return await authenticator.authenticate(headers, connection)


async def principal(
    connection: HTTPConnection,
    _documented: Annotated[
        str | None,
        Header(
            alias=USER_HEADER,
            description="Without authentication: the user that the request acts as, in UTF-8 and percent-encoded where "
            "it is not ASCII (`Jos%C3%A9`; a percent sign itself is `%25`). Absent or blank: the anonymous user, who "
            "has threads and no long-term memory. With authentication nobody looks at it.",
        ),
    ] = None,
) -> Principal:
    """Who the request acts as. Every route and stream that touches data depends on this, and on nothing else.

    Raises Unauthenticated when that is not proven, InvalidInput, or Unavailable.
    """
    return await find_principal(connection)


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
