"""Sign-in with OpenID Connect: the code flow with PKCE, state and nonce (OpenID Connect Core 1.0, RFC 9700).

Authlib speaks the protocol; this module decides which tokens are accepted. An ID token is checked as every token is.
"""

import asyncio
import hmac
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, cast
from urllib.parse import urlencode

import msgspec

from recuerdo.concurrency.lru import LruCache
from recuerdo.core.errors import IssuerUnavailable, MissingExtra, Unauthenticated
from recuerdo.server.auth.cookies import Login, LoginCookies, Seal
from recuerdo.server.auth.options import Oidc, is_safe_url
from recuerdo.server.auth.tokens import TIMEOUT_SECONDS, Tokens, fetch_keys, principal_of

try:
    import httpx2
    from authlib.common.errors import AuthlibBaseError
    from authlib.integrations.httpx_client import AsyncOAuth2Client
except ModuleNotFoundError as missing:
    raise MissingExtra("Sign-in with OpenID Connect", "oidc") from missing

SESSION_SECONDS = 900
"""How long a session is good that can be renewed: so long it outlives a withdrawal by the provider."""

UNRENEWED_SECONDS = 3600
"""The same for one that can't: where the provider gives no refresh token."""

ATTEMPT_SECONDS = 600
"""How long people may take to sign in at the provider."""

RENEWED_LATELY_SECONDS = 60
"""A session that is younger is not renewed again: tabs of one browser ask at the same time."""

_FRESH_SECONDS = 600.0
_RETRY_SECONDS = 5.0
_MOST_ATTEMPTS = 10_000
_BASIC, _POST = "client_secret_basic", "client_secret_post"


class _SignInAttempt(msgspec.Struct, frozen=True):
    """A sign-in that has begun. The browser keeps it, sealed, so that any replica can end it."""

    state: str
    nonce: str
    verifier: str
    next: str
    redirect_uri: str
    expires_at: float


class _Provider(msgspec.Struct, frozen=True):
    """The provider's metadata, OpenID Connect Discovery 1.0."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    end_session_endpoint: str | None = None
    revocation_endpoint: str | None = None  # RFC 7009, section 2
    token_endpoint_auth_methods_supported: tuple[str, ...] = (_BASIC,)


class SignInBegun(NamedTuple):
    """The address to send the browser to, and the values that it must bring back."""

    url: str
    attempt: str


class SignedIn(NamedTuple):
    """A new session, and the path that the browser goes to."""

    session: Login
    next: str


class SignIn:
    """Lets people sign in at an identity provider."""

    def __init__(self, options: Oidc, public_url: str | None = None, *, clock: Callable[[], float] = time.time) -> None:
        self._options = options
        self._clock = clock
        self._attempts = Seal(options.client_secret, "recuerdo sign-in")
        self._ended: LruCache[str, bool] = LruCache(_MOST_ATTEMPTS)
        self._tls = httpx2.create_ssl_context()  # reading certificates takes tens of milliseconds
        self._discovering = asyncio.Lock()
        self._discovered: tuple[float, _Provider, Tokens] | None = None
        self.cookies = LoginCookies(options.client_secret, public_url, clock)

    async def begin(self, following: str, redirect_uri: str) -> SignInBegun:
        """Begin to sign in. Raises IssuerUnavailable."""
        provider, _ = await self._provider()
        attempt = _SignInAttempt(
            *(secrets.token_urlsafe(32), secrets.token_urlsafe(32), secrets.token_urlsafe(48)),
            *(following, redirect_uri, self._clock() + ATTEMPT_SECONDS),
        )
        async with self._client(provider, redirect_uri) as client:
            url, _ = client.create_authorization_url(
                provider.authorization_endpoint,
                state=attempt.state,
                nonce=attempt.nonce,
                code_verifier=attempt.verifier,
            )
        return SignInBegun(cast(str, url), self._attempts.close(attempt))

    async def finish(self, sealed: str | None, answer: Mapping[str, str]) -> SignedIn:
        """Complete a sign-in with the provider's answer. Raises Unauthenticated or IssuerUnavailable."""
        attempt = self._attempts.open(sealed, _SignInAttempt) if sealed else None
        if attempt is None or attempt.expires_at <= self._clock():
            raise _refused("it was not begun in this browser, or too long ago")
        if not hmac.compare_digest(attempt.state.encode(), answer.get("state", "").encode()):
            raise _refused("its state is another one's")
        if self._ended.get(attempt.state):
            raise _refused("it was ended before")
        self._ended.put(attempt.state, True)
        if answer.get("iss", self._options.issuer.name) != self._options.issuer.name:  # RFC 9207
            raise _refused("another provider has answered")
        if "code" not in answer:
            raise _refused("the identity provider has declined it")
        provider, _ = await self._provider()
        async with self._client(provider, attempt.redirect_uri) as client:
            granted = await client.fetch_token(
                provider.token_endpoint,
                grant_type="authorization_code",
                code=answer["code"],
                redirect_uri=attempt.redirect_uri,
                code_verifier=attempt.verifier,
            )
        session = await self._session(granted, self._clock() + self._options.longest_seconds, attempt.nonce)
        return SignedIn(session, attempt.next)

    async def renew(self, session: Login) -> Login:
        """The session, renewed at its provider. Raises Unauthenticated or IssuerUnavailable."""
        if self._clock() - session.renewed_at < RENEWED_LATELY_SECONDS:
            return session
        if session.refresh_token is None:
            raise Unauthenticated("The identity provider lets no session be renewed here. Sign in again.")
        provider, _ = await self._provider()
        async with self._client(provider) as client:
            granted = await client.refresh_token(provider.token_endpoint, refresh_token=session.refresh_token)
        granted = {"refresh_token": session.refresh_token} | granted
        if "id_token" not in granted:  # OpenID Connect Core 1.0, section 12.2: then it only says that all is as before
            return self._renewed(session, granted["refresh_token"])
        renewed = await self._session(granted, session.ends_at)
        if (renewed.tenant, renewed.user) != (session.tenant, session.user):
            raise _refused("the identity provider names another user")
        return renewed

    async def end(self, sealed: str | None, back: str) -> str | None:
        """End the session at the provider, if it can be reached.

        Returns where a browser ends the session there, OpenID Connect RP-Initiated Logout 1.0. The ID token says which
        session it is, and `client_id` to whom the browser comes back where there was no room for the token.
        """
        session = self.cookies.unsealed(sealed) if sealed else None
        try:
            provider, _ = await self._provider()
            if session is not None and session.refresh_token and provider.revocation_endpoint:
                async with self._client(provider) as client:
                    await client.revoke_token(provider.revocation_endpoint, session.refresh_token)
        except (IssuerUnavailable, Unauthenticated):
            return None
        if provider.end_session_endpoint is None:
            return None
        wanted = {"client_id": self._options.client_id, "post_logout_redirect_uri": back}
        if session is not None and session.id_token:
            wanted["id_token_hint"] = session.id_token
        joint = "&" if "?" in provider.end_session_endpoint else "?"
        return f"{provider.end_session_endpoint}{joint}{urlencode(wanted)}"

    async def _session(self, granted: Mapping[str, Any], ends_at: float, nonce: str | None = None) -> Login:
        _, tokens = await self._provider()
        token = granted.get("id_token")
        if not isinstance(token, str):
            raise _refused("the identity provider has sent no ID token")
        issuer, claims = await tokens.verify(token)
        if nonce is not None and not hmac.compare_digest(nonce.encode(), str(claims.get("nonce")).encode()):
            raise _refused("its nonce is another one's")
        self._check_party(claims)
        principal, now = principal_of(issuer, claims), self._clock()
        session = Login(
            tenant=principal.owner.tenant,
            user=principal.owner.user,
            role=principal.role,
            tier=principal.tier,
            renewed_at=now,
            expires_at=min(float(claims["exp"]), now + UNRENEWED_SECONDS, ends_at),
            ends_at=ends_at,
            id_token=token,
        )
        return self._renewed(session, granted.get("refresh_token"))

    def _renewed(self, session: Login, refresh_token: str | None) -> Login:
        if refresh_token is None:
            return session
        now = self._clock()
        return msgspec.structs.replace(
            session, renewed_at=now, expires_at=min(now + SESSION_SECONDS, session.ends_at), refresh_token=refresh_token
        )

    def _check_party(self, claims: Mapping[str, Any]) -> None:
        """An ID token for several is for the one that it names as authorised, OpenID Connect Core 1.0, 3.1.3.7."""
        audience, party = claims.get("aud"), claims.get("azp")
        if party is None and not (isinstance(audience, list) and len(cast(list[Any], audience)) > 1):
            return
        if party != self._options.client_id:
            raise _refused("its ID token is for another client")

    async def _provider(self) -> tuple[_Provider, Tokens]:
        """The provider, as it has described itself in the last minutes, or before while it does not answer."""
        async with self._discovering:
            if self._discovered is None or self._clock() - self._discovered[0] > _FRESH_SECONDS:
                try:
                    provider = await self._discover()
                except (OSError, ValueError, httpx2.HTTPError) as error:
                    if self._discovered is None:
                        raise _away() from error
                    provider = self._discovered[1]
                known = self._discovered
                issuer = self._options.issuer._replace(jwks_url=provider.jwks_uri)
                tokens = known[2] if known and known[1] == provider else Tokens((issuer,))
                self._discovered = self._clock(), provider, tokens
            return self._discovered[1:]

    async def _discover(self) -> _Provider:
        name = self._options.issuer.name
        url = f"{name.removesuffix('/')}/.well-known/openid-configuration"
        provider = msgspec.json.decode(await asyncio.to_thread(fetch_keys, url), type=_Provider)
        endpoints = [provider.authorization_endpoint, provider.token_endpoint, provider.jwks_uri]
        endpoints += [each for each in (provider.end_session_endpoint, provider.revocation_endpoint) if each]
        if provider.issuer != name or not all(map(is_safe_url, endpoints)):
            raise ValueError("the provider describes another one, or addresses without TLS")
        return provider

    @asynccontextmanager
    async def _client(self, provider: _Provider, redirect_uri: str | None = None) -> AsyncGenerator[Any]:
        """Open a client of the provider. Raises Unauthenticated if it refuses, IssuerUnavailable if it is away."""
        methods, options = provider.token_endpoint_auth_methods_supported, self._options
        try:
            async with cast(Any, AsyncOAuth2Client)(
                options.client_id,
                options.client_secret,
                scope=options.scopes,
                redirect_uri=redirect_uri,
                token_endpoint_auth_method=_POST if _POST in methods and _BASIC not in methods else _BASIC,
                code_challenge_method="S256",
                timeout=TIMEOUT_SECONDS,
                verify=self._tls,
            ) as client:
                yield client
        except AuthlibBaseError:  # whose words are the provider's, or the caller's
            raise _refused("the identity provider has refused it") from None
        except (httpx2.HTTPError, ValueError) as error:
            raise _away() from error


def _refused(problem: str) -> Unauthenticated:
    return Unauthenticated(f"The sign-in can't be used: {problem}. Open the page and sign in again.")


def _away() -> IssuerUnavailable:
    return IssuerUnavailable("The identity provider does not answer as it should. Try again.", _RETRY_SECONDS)
