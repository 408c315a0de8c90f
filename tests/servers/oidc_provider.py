"""An OpenID provider: the code flow with PKCE, refresh tokens, revocation and discovery, over real HTTP.

It signs in whoever comes, as `person`. Where a test says so it misbehaves.
"""

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from servers.identity_provider import IdentityProvider

CLIENT_ID = "recuerdo-page"
CLIENT_SECRET = "a secret of the client, 32 characters"


class OidcProvider(IdentityProvider):
    """Grants codes and tokens as the specifications say. `claims_instead` are those of ID tokens that it changes."""

    def reset(self) -> None:
        """As if newly made."""
        super().reset()
        self.person: dict[str, Any] = {"sub": "emi", "tenant": "acme", "role": "editor"}
        self.claims_instead: dict[str, Any] = {}
        self.answer_instead: dict[str, str] = {}
        self.metadata_instead: dict[str, Any] = {}
        self.signing_key = "rsa-1"
        self.refreshes = True
        self.checks = True
        self.revoked: list[str] = []
        self.codes: dict[str, dict[str, str]] = {}
        self.refresh_tokens: set[str] = set()
        self.id_tokens: list[str] = []
        self.grants: list[str] = []

    def metadata(self) -> dict[str, Any]:
        """The provider's metadata."""
        return {
            "issuer": self.name,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": self.jwks_url,
            "end_session_endpoint": f"{self.url}/end",
            "revocation_endpoint": f"{self.url}/revoke",
        } | self.metadata_instead

    def id_token(self, nonce: str | None) -> str:
        """A signed ID token about the person."""
        claims = {"aud": CLIENT_ID, "nonce": nonce, "exp": int(time.time()) + 300, **self.person}
        return self.token(self.signing_key, headers=None, algorithm=None, **claims | self.claims_instead)

    def authorize(self, asked: dict[str, str]) -> str:
        """Where the browser goes on, with a code."""
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT_ID
        assert "openid" in asked["scope"].split()
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked
        answer = {"code": code, "state": asked["state"], "iss": self.name} | self.answer_instead
        return f"{asked['redirect_uri']}?{urlencode({name: value for name, value in answer.items() if value})}"

    def grant(self, asked: dict[str, str], credential: str) -> tuple[int, dict[str, Any]]:
        """The answer of the token endpoint."""
        self.grants.append(asked["grant_type"])
        basic = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".replace(" ", "+").encode()).decode()
        plain = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        if self.checks and credential not in (f"Basic {basic}", f"Basic {plain}"):
            return 401, {"error": "invalid_client"}
        if asked["grant_type"] == "refresh_token":
            if asked["refresh_token"] not in self.refresh_tokens:
                return 400, {"error": "invalid_grant"}
            self.refresh_tokens.discard(asked["refresh_token"])
            return 200, self._tokens(None)
        begun = self.codes.get(asked["code"]) if not self.checks else self.codes.pop(asked["code"], None)
        if begun is None or (self.checks and not self._fits(begun, asked)):
            return 400, {"error": "invalid_grant"}
        return 200, self._tokens(begun.get("nonce"))

    def _fits(self, begun: dict[str, str], asked: dict[str, str]) -> bool:
        digest = hashlib.sha256(asked.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        is_bound = begun.get("code_challenge_method") == "S256" and begun.get("code_challenge") == challenge
        return is_bound and begun["redirect_uri"] == asked.get("redirect_uri")

    def _tokens(self, nonce: str | None) -> dict[str, Any]:
        given: dict[str, Any] = {"access_token": "x", "token_type": "Bearer", "expires_in": 300}
        given["id_token"] = self.id_token(nonce)
        self.id_tokens.append(given["id_token"])
        if self.refreshes:
            given["refresh_token"] = secrets.token_urlsafe(16)
            self.refresh_tokens.add(given["refresh_token"])
        return given

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.requests += 1
                path, asked = urlsplit(self.path).path, _only(urlsplit(self.path).query)
                if provider.down:
                    self._answer(503, {})
                elif path == "/.well-known/openid-configuration":
                    self._answer(200, provider.metadata())
                elif path == "/authorize":
                    self._answer(302, {}, provider.authorize(asked))
                elif path == "/end":
                    self._answer(302, {}, asked["post_logout_redirect_uri"])
                else:
                    self._answer(200, {"keys": [provider.jwk(key) for key in provider.published]})

            def do_POST(self) -> None:
                asked = _only(self.rfile.read(int(self.headers["Content-Length"])).decode())
                if provider.down:
                    self._answer(503, {})
                elif self.path == "/revoke":
                    provider.revoked.append(asked["token"])
                    provider.refresh_tokens.discard(asked["token"])
                    self._answer(200, {})
                else:
                    self._answer(*provider.grant(asked, self.headers.get("Authorization", "")))

            def _answer(self, status: int, body: dict[str, Any], location: str | None = None) -> None:
                content = json.dumps(body).encode()
                self.send_response(status)
                if location:
                    self.send_header("Location", location)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
                pass

        return Handler


def _only(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}


@contextmanager
def running_oidc_provider() -> Generator[OidcProvider]:
    """An OpenID provider, gone behind the block."""
    provider = OidcProvider()
    try:
        yield provider
    finally:
        provider.close()
