"""An identity provider: it signs tokens with real keys, and publishes them over real HTTP."""

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import get_default_algorithms

AUDIENCE = "recuerdo"


@cache
def private_key(name: str) -> Any:
    """The key of that name: its first part says what kind it is. Made once, because that takes a while."""
    kind = name.partition("-")[0]
    if kind.startswith("rsa"):
        return rsa.generate_private_key(65537, int(kind.removeprefix("rsa") or 2048))
    if kind == "ed":
        return ed25519.Ed25519PrivateKey.generate()
    return ec.generate_private_key({"ec": ec.SECP256R1(), "ec384": ec.SECP384R1()}[kind])


ALGORITHMS = {"rsa": "RS256", "rsa1024": "RS256", "ec": "ES256", "ec384": "ES384", "ed": "EdDSA"}


class IdentityProvider:
    """Publishes the keys named in `published`. While `down` it answers 503; `body` replaces what it publishes.

    Keys are made when they are named: to make one while somebody waits for it may take a busy machine longer than
    callers wait.
    """

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.name = f"{self.url}/"
        self.jwks_url = f"{self.url}/jwks"
        self.reset()
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def reset(self) -> None:
        """As if newly made."""
        self.published = ["rsa-1", "ec-1"]
        self.fields: dict[str, Any] = {}
        self.down = False
        self.body: bytes | None = None
        self.redirect: str | None = None
        self.requests = 0

    @property
    def published(self) -> list[str]:
        """The names of the keys that it publishes."""
        return self._published

    @published.setter
    def published(self, names: list[str]) -> None:
        for name in names:
            private_key(name)
        self._published = names

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    def claims(self, **changes: Any) -> dict[str, Any]:
        """The claims of a good token, changed; what is None is left out."""
        good = {
            "iss": self.name,
            "aud": AUDIENCE,
            "sub": "emi",
            "tenant": "acme",
            "exp": int(time.time()) + 600,
            "iat": int(time.time()),
        }
        return {name: value for name, value in (good | changes).items() if value is not None}

    def token(
        self, key: str = "rsa-1", *, headers: dict[str, Any] | None = None, algorithm: str | None = None, **changes: Any
    ) -> str:
        """A token that is signed with the key."""
        algorithm = algorithm or ALGORITHMS[key.partition("-")[0]]
        return jwt.encode(self.claims(**changes), private_key(key), algorithm, {"kid": key} | (headers or {}))

    def jwk(self, key: str) -> dict[str, Any]:
        """The public part of the key, as it is published."""
        algorithm: Any = get_default_algorithms()[ALGORITHMS[key.partition("-")[0]]]
        return algorithm.to_jwk(private_key(key).public_key(), as_dict=True) | {"kid": key} | self.fields

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.requests += 1
                content = provider.body
                if content is None:
                    content = json.dumps({"keys": [provider.jwk(key) for key in provider.published]}).encode()
                self.send_response(503 if provider.down else 302 if provider.redirect else 200)
                if provider.redirect:
                    self.send_header("Location", provider.redirect)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        return Handler


@contextmanager
def running_provider() -> Generator[IdentityProvider]:
    """An identity provider, gone behind the block."""
    provider = IdentityProvider()
    try:
        yield provider
    finally:
        provider.close()


def forged(header: Any, payload: Any, secret: bytes | None = None, signature: bytes = b"") -> str:
    """A token as no honest library writes it: any header, any payload (bytes as they are), HMAC or any signature."""
    texts = (part if isinstance(part, bytes) else json.dumps(part).encode() for part in (header, payload))
    parts = b".".join(map(_encoded, texts))
    if secret is not None:
        signature = hmac.digest(secret, parts, hashlib.sha256)
    return (parts + b"." + _encoded(signature)).decode()


def _encoded(part: bytes) -> bytes:
    return base64.urlsafe_b64encode(part).rstrip(b"=")
