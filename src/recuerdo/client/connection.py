"""Sends requests, again where that is safe, and reads streams."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Any, TypeVar

import httpx

from recuerdo.client.callers import CallerHeaders
from recuerdo.client.events import EventReader, ServerEvent
from recuerdo.client.problems import error_of, unanswered, unreachable
from recuerdo.client.requests import Operation, Request
from recuerdo.client.retries import Attempts
from recuerdo.core.errors import InvalidInput, RecuerdoError

T = TypeVar("T")

_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class Connection:
    """Connections to one server, for one caller, over an HTTP client of a subclass."""

    def __init__(self, url: str, caller: CallerHeaders, retry_for: float) -> None:
        if not url.lower().startswith(("http://", "https://")):
            raise InvalidInput("url", f"must be like http://127.0.0.1:8080, and is {url!r}")
        self._url = url.rstrip("/")
        self._retry_for = retry_for
        self.caller = caller

    async def send(self, request: Request[T]) -> T:
        """Return the answer to the request. Raises a RecuerdoError."""
        return request.decode(await self.receive(request))

    async def receive(self, request: Request[T]) -> bytes:
        """Return the body of the answer, as it is. Raises a RecuerdoError."""
        attempts = self.attempts()
        while True:
            try:
                return await self._once(request)
            except RecuerdoError as error:
                pause = attempts.pause_after(error, repeatable=request.repeatable)
            await self.sleep(pause)

    async def pages(self, place: str, operation: Operation[T], *ids: str, **options: Any) -> AsyncGenerator[T]:
        """The pages of a listing. The field `place` of a page is the parameter of this name for the next one."""
        while True:
            page = await self.send(operation(*ids, **options))
            yield page
            options |= {place: getattr(page, place), "skip": 0}
            if options[place] is None:
                return

    def attempts(self) -> Attempts:
        """The attempts at a request that begins now."""
        return Attempts(self._retry_for)

    async def events(self, request: Request[T], reader: EventReader) -> AsyncGenerator[ServerEvent]:
        """The events of one attempt, as they come. The reader also knows where the stream can be continued."""
        with self._translated():
            async with self._streamed(**self._parts(request)) as (response, pieces):
                self.caller.note(response.headers)
                if not response.is_success:
                    body = b"".join([piece async for piece in pieces])
                    raise error_of(response.status_code, response.headers, body)
                reader.note(response.headers)
                async for piece in pieces:
                    for event in reader.feed(piece):
                        yield event

    async def _once(self, request: Request[T]) -> bytes:
        with self._translated():
            response = await self._answered(**self._parts(request))
        self.caller.note(response.headers)
        if response.is_success:
            return response.content
        raise error_of(response.status_code, response.headers, response.content)

    def _parts(self, request: Request[T]) -> dict[str, Any]:
        headers = {**self.caller.headers(), **request.headers}
        return {
            "method": request.method,
            "url": self._url + request.target,
            "content": request.body,
            "headers": headers,
        }

    @contextmanager
    def _translated(self) -> Generator[None]:
        try:
            yield
        except _NOT_SENT as error:
            raise unreachable(self._url, error) from error
        except httpx.HTTPError as error:
            raise unanswered(self._url, error) from error

    async def sleep(self, seconds: float) -> None:
        """Wait before the next attempt."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Close the connections."""
        raise NotImplementedError

    async def _answered(self, **request: Any) -> httpx.Response:
        raise NotImplementedError

    def _streamed(self, **request: Any) -> AbstractAsyncContextManager[tuple[httpx.Response, AsyncIterator[bytes]]]:
        raise NotImplementedError


class AsyncConnection(Connection):
    """Connections over an asynchronous HTTP client."""

    def __init__(self, url: str, caller: CallerHeaders, retry_for: float, http: httpx.AsyncClient) -> None:
        super().__init__(url, caller, retry_for)
        self._http = http

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _answered(self, **request: Any) -> httpx.Response:
        return await self._http.request(**request)

    @asynccontextmanager
    async def _streamed(self, **request: Any) -> AsyncGenerator[tuple[httpx.Response, AsyncIterator[bytes]]]:
        async with self._http.stream(**request) as response:
            yield response, response.aiter_bytes()
