"""From the headers of a request to its principal."""

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection

from recuerdo.core.api_keys import PREFIX
from recuerdo.core.errors import ConfigurationError, Unauthenticated
from recuerdo.core.ports import ApiKeyRepository
from recuerdo.core.scope import ANONYMOUS, Owner
from recuerdo.server.auth.api_keys import PresentedKeys
from recuerdo.server.auth.options import AuthOptions
from recuerdo.server.auth.principal import ANONYMOUS_ROLE, DEFAULT_TENANT, Principal
from recuerdo.server.auth.tokens import Tokens

_BEARER = "Authorization"
_API_KEY = "x-api-key"


class Authenticator:
    """Believes what the options say. A credential that is no good is refused, never ignored."""

    def __init__(self, options: AuthOptions, api_keys: ApiKeyRepository | None) -> None:
        self._options = options.checked()
        self._tokens = Tokens(options.issuers)
        if options.api_keys and api_keys is None:
            raise ConfigurationError("This database stores no API keys. Use tokens, or another database.")
        self._keys = PresentedKeys(api_keys) if options.api_keys and api_keys is not None else None

    async def authenticate(self, headers: Headers, _connection: HTTPConnection) -> Principal:
        """Who asks. `Authorization` goes before `x-api-key`, which some clients send by themselves.

        Raises Unauthenticated, IssuerUnavailable or DatabaseUnavailable.
        """
        try:
            if _BEARER in headers:
                return await self._bearer(_single(headers, _BEARER))
            if _API_KEY in headers:
                return await self._api_key(_single(headers, _API_KEY))
        except Unauthenticated as error:
            raise Unauthenticated(f"{error} {self._advice}") from None
        if self._options.anonymous:
            return Principal(Owner(DEFAULT_TENANT, ANONYMOUS), ANONYMOUS_ROLE)
        raise Unauthenticated(f"This needs a credential, and none was sent. {self._advice}", is_missing=True)

    async def _bearer(self, value: str) -> Principal:
        scheme, _, token = value.partition(" ")
        token = token.strip(" ")
        if scheme.lower() != "bearer" or not token:
            raise Unauthenticated("The header Authorization holds no bearer token.")
        if token.startswith(PREFIX):
            return await self._api_key(token)
        if not self._options.issuers:
            raise Unauthenticated("Tokens are not taken here, and this is no API key.")
        return await self._tokens.read(token)

    async def _api_key(self, secret: str) -> Principal:
        if self._keys is None:
            raise Unauthenticated("API keys are not taken here.")
        return await self._keys.read(secret.strip(" "))

    @property
    def _advice(self) -> str:
        ways: list[str] = []
        if self._options.issuers:
            names = " or ".join(issuer.name for issuer in self._options.issuers)
            ways.append(f"a token of {names} as `Authorization: Bearer ...`")
        if self._options.api_keys:
            ways.append("a key that `recuerdo token create` made as `x-api-key: ...`")
        return f"Send {', or '.join(ways)}."


def _single(headers: Headers, name: str) -> str:
    values = headers.getlist(name)
    if len(values) > 1:
        raise Unauthenticated(f"The header {name} was sent more than once.")
    return values[0]
