"""The headers by which a server knows the caller."""

from collections.abc import Callable, Mapping
from http.cookiejar import CookieJar, DefaultCookiePolicy
from urllib.parse import quote

from recuerdo.core.errors import InvalidInput

VISITOR = "X-Recuerdo-Visitor"

Token = str | Callable[[], str]
"""A token, or what returns one that is valid now: it is called for each request."""


class CallerHeaders:
    """The caller: a token, an API key, a user of a server without authentication, or a visitor."""

    def __init__(
        self,
        *,
        token: Token | None = None,
        api_key: str | None = None,
        user: str | None = None,
        visitor: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        if token is not None and api_key is not None:
            raise InvalidInput("api_key", "must be left out where a token is given")
        self._token = token
        self._fixed = dict(headers or {})
        if api_key is not None:
            self._fixed["X-Api-Key"] = api_key
        if user is not None:
            self._fixed["X-Recuerdo-User"] = quote(user, safe="")
        self.visitor = visitor
        """The visitor's token, as a server that admits visitors has sent it; keep it to stay the same visitor."""

    def headers(self) -> dict[str, str]:
        """The headers of the next request."""
        headers = dict(self._fixed)
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token() if callable(self._token) else self._token}"
        if self.visitor is not None:
            headers[VISITOR] = self.visitor
        return headers

    def note(self, headers: Mapping[str, str]) -> None:
        """Keep the visitor's token of a response, if it has one. `headers` finds names in any case."""
        self.visitor = headers.get(VISITOR, self.visitor)


def no_cookies() -> CookieJar:
    """A jar that keeps nothing: a program sends the visitor's token as a header, and nothing else by cookie."""
    return CookieJar(DefaultCookiePolicy(allowed_domains=[]))
