"""Who a request acts as. The one place of the server that reads a tenant or a user."""

import re
from typing import Annotated, NamedTuple
from urllib.parse import unquote

from fastapi import Depends, Header
from starlette.requests import HTTPConnection

from recuerdo.core.errors import InvalidInput
from recuerdo.core.scope import ANONYMOUS, Owner, Scope

USER_HEADER = "X-Recuerdo-User"
DEFAULT_TENANT = "default"

_BROKEN_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")


class Principal(NamedTuple):
    """The owner of everything that a request reads and writes."""

    owner: Owner

    @property
    def is_anonymous(self) -> bool:
        return self.owner.is_anonymous

    def thread(self, thread_id: str) -> Scope:
        """The principal's own thread of this id. Raises InvalidInput when it can't be an id."""
        return self.owner.thread(thread_id)


async def principal(
    connection: HTTPConnection,
    _documented: Annotated[
        str | None,
        Header(
            alias=USER_HEADER,
            description="The user that the request acts as, in UTF-8 and percent-encoded where it is not ASCII "
            "(`Jos%C3%A9`; a percent sign itself is `%25`). Absent or blank: the anonymous user, who has threads "
            "and no long-term memory.",
        ),
    ] = None,
) -> Principal:
    """Who the request acts as. Every route and stream that touches data depends on this.

    No authentication is configured: whoever reaches this machine's loopback is believed. The tenant is `default`, the
    user comes from the header. Raises InvalidInput, naming the header.
    """
    values = [value for name, value in connection.scope["headers"] if name == USER_HEADER.lower().encode()]
    if len(values) > 1:
        raise InvalidInput(USER_HEADER, "was sent more than once; send it once")
    user = _decoded(values[0]) if values else ""
    if not user.strip():
        user = ANONYMOUS
    try:
        return Principal(Owner(DEFAULT_TENANT, user))
    except InvalidInput as error:
        raise InvalidInput(USER_HEADER, error.problem) from None


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
