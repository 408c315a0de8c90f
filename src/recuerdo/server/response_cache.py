"""Cached answers, which are sent again while the data that they were made of is unchanged."""

import asyncio
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, NamedTuple

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from recuerdo.concurrency.coalescer import RequestCoalescer
from recuerdo.concurrency.lru import LruCache
from recuerdo.server.answers import JsonResponse
from recuerdo.server.requests import Principal, find_principal
from recuerdo.server.routing import LeanRoute

_OVERHEAD = 1000
"""About how many bytes an answer takes beside its own."""


class _ResponseKey(NamedTuple):
    principal: Principal
    path: str
    query: bytes


class ResponseCache:
    """The answers of the last `seconds`, at most `most_bytes` in all, by caller and request.

    None stays for longer, because erased data must not linger in memory.
    """

    def __init__(self, most_bytes: int = 32 * 2**20, seconds: float = 60.0) -> None:
        self._seconds = seconds
        self._room: LruCache[_ResponseKey, JsonResponse] = LruCache(most_bytes)
        self._looks: RequestCoalescer[bool] = RequestCoalescer()

    async def known(self, question: _ResponseKey) -> JsonResponse | None:
        """The answer, if it is still valid. Concurrent callers share one check, which starts after they arrived."""
        answer = self._room.get(question)
        if answer is None or answer.holds is None:
            return None
        if await self._looks.ask(answer, answer.holds):
            return answer
        self._forget(question, answer)
        return None

    def keep(self, question: _ResponseKey, answer: JsonResponse) -> None:
        """Keep the answer for a while."""
        self._room.put(question, answer, _OVERHEAD + len(question.path) + len(question.query) + len(answer.body))
        # The timer must not hold it: evicted answers would stay in memory.
        asyncio.get_running_loop().call_later(self._seconds, self._forget_soon, question, weakref.ref(answer))

    def _forget_soon(self, question: _ResponseKey, answer: "weakref.ref[JsonResponse]") -> None:
        if (known := answer()) is not None:
            self._forget(question, known)

    def _forget(self, question: _ResponseKey, answer: JsonResponse) -> None:
        if self._room.get(question) is answer:
            self._room.pop(question)


class CachedResponseRoute(LeanRoute):
    """A route that reuses encoded answers as long as they are still valid (`JsonResponse.holds`).

    Each request is authenticated, and the database is asked whether the answer's data has changed. If not, finding,
    selecting and encoding the answer is skipped, and so is parsing the parameters.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The route's handler, which is called only where no cached answer is valid."""
        answer = super().get_route_handler()
        if self.methods != {"GET"}:
            return answer

        async def answer_or_known(request: Request) -> Response:
            return await cached_or_made(request, await find_principal(request), partial(answer, request))

        return answer_or_known


async def cached_or_made(
    connection: HTTPConnection, principal: Principal, make: Callable[[], Awaitable[Response]]
) -> Response:
    """The cached answer, if it is still valid; else the one that `make` returns, which is kept if it may be."""
    if principal.access is not None:  # custom rules are asked each time
        return await make()
    answers: ResponseCache = connection.app.state.answers
    question = _ResponseKey(principal, connection.scope["path"], connection.scope["query_string"])
    known = await answers.known(question)
    if known is not None:
        return known
    made = await make()
    if isinstance(made, JsonResponse) and made.holds is not None:
        answers.keep(question, made)
    return made
