"""An agent-management service: `GET {url}/agents/{id}` answers with an Enrichment as JSON.

The request names the tenant and the user (`X-Recuerdo-Tenant`, `X-Recuerdo-User`, percent-encoded), carries our token,
and asks with `If-None-Match` when the service gave an `ETag` before (RFC 9110, section 13.1.2). An answer that is known
is used on while the service is away, as `stale-if-error` has it (RFC 5861, section 4).
"""

import asyncio
import random
import time
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import quote

import msgspec

from recuerdo.concurrency.breaker import Breaker
from recuerdo.concurrency.fetching import FAILURES, Fetched, fetch
from recuerdo.concurrency.lru import LruCache
from recuerdo.core.checks import UNREADABLE
from recuerdo.core.contexts import Enrichment
from recuerdo.core.errors import AgentsUnavailable, ConfigurationError, NotFound
from recuerdo.core.scope import Owner
from recuerdo.core.tracing import outgoing_headers

TIMEOUT_SECONDS = 2.0
"""The time limit of one request."""

PAUSES = (0.1, 0.4)
"""Seconds before each question that is asked again, about."""

STALE_SECONDS = 24 * 60 * 60.0
"""How long an answer is used while the service is away."""

_ANSWERS = (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED, HTTPStatus.NOT_FOUND)
_MOST_KNOWN = 10_000
_MOST_AT_ONCE = 16


class _CachedEnrichment(NamedTuple):
    tag: str | None
    enrichment: Enrichment
    at: float


class AgentService:
    """The EnrichmentSource over HTTP."""

    def __init__(self, url: str, token: str | None, threads: ThreadPoolExecutor) -> None:
        self._url = url.rstrip("/")
        self._token = token
        self._threads = threads
        self._breaker = Breaker()
        self._known: LruCache[tuple[Owner, str], _CachedEnrichment] = LruCache(_MOST_KNOWN)

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, token: str | None = None) -> AsyncGenerator["AgentService"]:
        """The service at that URL, `https://` or `http://`. Raises ConfigurationError for another one."""
        if not url.startswith(("https://", "http://")):
            raise ConfigurationError("RECUERDO_AGENTS_URL starts with https:// or http://.")
        threads = ThreadPoolExecutor(_MOST_AT_ONCE, thread_name_prefix="agents")
        try:
            yield cls(url, token, threads)
        finally:
            threads.shutdown(wait=False, cancel_futures=True)

    async def enrich(self, owner: Owner, assistant_id: str) -> Enrichment:
        """See EnrichmentSource; AgentsUnavailable when it does not answer and never did."""
        key = owner, assistant_id
        known = self._known.get(key)
        try:
            answer = await self._ask_until_answered(owner, assistant_id, known.tag if known else None)
            return self._understood(key, answer, known)
        except AgentsUnavailable:
            if known is None or time.monotonic() - known.at > STALE_SECONDS:
                raise
            return msgspec.structs.replace(known.enrichment, stale=True)

    def _understood(self, key: tuple[Owner, str], answer: Fetched, known: _CachedEnrichment | None) -> Enrichment:
        if answer.status == HTTPStatus.NOT_FOUND:
            self._known.pop(key)
            raise NotFound("assistant", key[1])
        if answer.status == HTTPStatus.NOT_MODIFIED and known is not None:
            enrichment, tag = known.enrichment, known.tag
        else:
            enrichment, tag = _read(answer.body), answer.tag
        self._known.put(key, _CachedEnrichment(tag, enrichment, time.monotonic()))
        return enrichment

    async def _ask_until_answered(self, owner: Owner, assistant_id: str, tag: str | None) -> Fetched:
        for pause in (*PAUSES, None):
            if not self._breaker.admits():
                break
            answer = await self._ask(owner, assistant_id, tag)
            if answer is not None:
                self._breaker.succeeded()
                return answer
            self._breaker.failed()
            if pause is not None:
                await asyncio.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311
        raise AgentsUnavailable("The service that knows the agents does not answer. Try again.")

    async def _ask(self, owner: Owner, assistant_id: str, tag: str | None) -> Fetched | None:
        """The answer; None when there was none, or one that says to try again."""
        headers = {
            "Accept": "application/json",
            "X-Recuerdo-Tenant": quote(owner.tenant, safe=""),
            "X-Recuerdo-User": quote(owner.user, safe=""),
            **outgoing_headers(),
        }
        if tag is not None:
            headers["If-None-Match"] = tag
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        request = partial(fetch, f"{self._url}/agents/{quote(assistant_id, safe='')}", headers, TIMEOUT_SECONDS)
        try:
            answer = await asyncio.get_running_loop().run_in_executor(self._threads, request)
        except FAILURES:
            return None
        return answer if answer.status in _ANSWERS else None


def _read(body: bytes) -> Enrichment:
    """Raises AgentsUnavailable: what can't be understood is a fault of the service's."""
    try:
        return msgspec.json.decode(body, type=Enrichment)
    except UNREADABLE as error:
        raise AgentsUnavailable(f"The service that knows the agents answers with no agent: {error}.") from None
