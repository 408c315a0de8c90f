"""The keys that an issuer publishes: a JSON Web Key Set (RFC 7517), fetched, kept, and fetched again."""

import asyncio
import time
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any, cast

import jwt
import msgspec

from recuerdo.core.errors import IssuerUnavailable

FRESH_SECONDS = 600.0
"""How long keys are used without asking again: a key that was withdrawn may be believed for so long."""

STALE_SECONDS = 86_400.0
"""How long keys are used while the issuer does not answer."""

PAUSE_SECONDS = 5.0
"""The least time between two fetches, however many tokens name keys that nobody knows."""

TIMEOUT_SECONDS = 5.0
_MOST_BYTES = 2**20
_PIECE = 2**16

Jwk = Mapping[str, Any]
Fetch = Callable[[str], bytes]


class PublishedKeys:
    """The keys at an address. Those that are known go on serving while the issuer is away, for a day at most."""

    def __init__(self, url: str, *, fetch: Fetch | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._url = url
        self._fetch = fetch or fetch_keys
        self._clock = clock
        self._keys: list[Jwk] = []
        self._made: dict[tuple[str | None, str], jwt.PyJWK] = {}
        self._fetched_at: float | None = None
        self._tried_at: float | None = None
        self._refreshing = asyncio.Lock()

    async def find(self, key_id: str | None, algorithm: str) -> jwt.PyJWK | None:
        """The key of that id for that algorithm, or None when the issuer has none. Raises IssuerUnavailable."""
        key = self._known(key_id, algorithm)
        # Whoever has a key does not wait for somebody else's fetch.
        if (self._age > FRESH_SECONDS and not (key and self._refreshing.locked())) or key is None:
            await self._refresh()
            key = self._known(key_id, algorithm)
        if self._age > STALE_SECONDS:
            raise IssuerUnavailable("The issuer does not say with which keys it signs. Try again.", PAUSE_SECONDS)
        return key

    @property
    def _age(self) -> float:
        return float("inf") if self._fetched_at is None else self._clock() - self._fetched_at

    async def _refresh(self) -> None:
        """Fetch the keys, unless somebody has just tried."""
        async with self._refreshing:
            now = self._clock()
            if self._tried_at is not None and now - self._tried_at < PAUSE_SECONDS:
                return
            self._tried_at = now
            try:
                self._keys = _read(await asyncio.to_thread(self._fetch, self._url))
            except (OSError, ValueError):  # what urllib and msgspec raise: the keys that are known go on serving
                return
            self._made.clear()
            self._fetched_at = now

    def _known(self, key_id: str | None, algorithm: str) -> jwt.PyJWK | None:
        if (key_id, algorithm) not in self._made:
            fitting = [made for jwk in self._keys if (made := _make(jwk, key_id, algorithm)) is not None]
            if len(fitting) != 1:  # none, or a token that names no key where there are several
                return None
            self._made[key_id, algorithm] = fitting[0]
        return self._made[key_id, algorithm]


def fetch_keys(url: str) -> bytes:
    """What is at the address. Takes no redirect, no more than 1 MB, and no more than a few seconds."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    opener = urllib.request.build_opener(_RedirectRefused)
    request = urllib.request.Request(url, headers={"Accept": "application/json"})  # noqa: S310 - checked at the start
    with opener.open(request, timeout=TIMEOUT_SECONDS) as response:
        content = b""
        while piece := response.read1(_PIECE):
            content += piece
            if len(content) > _MOST_BYTES or time.monotonic() > deadline:
                raise ValueError("the keys are too many, or come too slowly")
        return content


class _RedirectRefused(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req: object, fp: object, code: int, msg: str, headers: object, newurl: str) -> None:
        """Leads nowhere: then urllib raises the redirect as an error."""


def _read(content: bytes) -> list[Jwk]:
    keys = msgspec.json.decode(content, type=dict[str, Any]).get("keys")
    if not isinstance(keys, list):
        raise ValueError("it contains no list of keys")
    return [cast(Jwk, key) for key in cast(list[object], keys) if isinstance(key, dict)]


def _make(jwk: Jwk, key_id: str | None, algorithm: str) -> jwt.PyJWK | None:
    """The key, if it may be what signed a token that names this id and this algorithm."""
    if key_id not in (None, jwk.get("kid")) or jwk.get("use", "sig") != "sig" or jwk.get("kty") == "oct":
        return None
    if jwk.get("alg", algorithm) != algorithm:
        return None
    try:
        return jwt.PyJWK(dict(jwk), algorithm)
    except (jwt.PyJWTError, ValueError, TypeError, KeyError):  # of another kind than the algorithm's, or broken
        return None
