"""Sends requests, again where that is safe, and reads streams."""

import asyncio
from collections.abc import AsyncGenerator
from typing import TypeVar

import httpx

from recuerdo.client.callers import CallerHeaders
from recuerdo.client.events import EventReader, ServerEvent
from recuerdo.client.problems import error_of, unanswered, unreachable
from recuerdo.client.requests import Request
from recuerdo.client.retries import Attempts
from recuerdo.core.errors import InvalidInput, RecuerdoError

T = TypeVar("T")

_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class AsyncConnection:
    """Connections to one server, for one caller."""

    def __init__(self, url: str, caller: CallerHeaders, http: httpx.AsyncClient, retry_for: float) -> None:
        if not url.lower().startswith(("http://", "https://")):
            raise InvalidInput("url", f"must be like http://127.0.0.1:8080, and is {url!r}")
        self._url = url.rstrip("/")
        self._http = http
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

    def attempts(self) -> Attempts:
        """The attempts at a request that begins now."""
        return Attempts(self._retry_for)

    async def events(self, request: Request[T], reader: EventReader) -> AsyncGenerator[ServerEvent]:
        """The events of one attempt, as they come. The reader also knows where the stream can be continued."""
        try:
            async with self._http.stream(
                request.method, self._url + request.target, content=request.body, headers=self._headers(request)
            ) as response:
                self.caller.note(response.headers)
                if not response.is_success:
                    raise error_of(response.status_code, response.headers, await response.aread())
                reader.note(response.headers)
                async for piece in response.aiter_bytes():
                    for event in reader.feed(piece):
                        yield event
        except _NOT_SENT as error:
            raise unreachable(self._url, error) from error
        except httpx.HTTPError as error:
            raise unanswered(self._url, error) from error

    async def sleep(self, seconds: float) -> None:
        """Wait before the next attempt."""
        await asyncio.sleep(seconds)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _once(self, request: Request[T]) -> bytes:
        try:
            response = await self._http.request(
                request.method, self._url + request.target, content=request.body, headers=self._headers(request)
            )
        except _NOT_SENT as error:
            raise unreachable(self._url, error) from error
        except httpx.HTTPError as error:
            raise unanswered(self._url, error) from error
        self.caller.note(response.headers)
        if response.is_success:
            return response.content
        raise error_of(response.status_code, response.headers, response.content)

    def _headers(self, request: Request[T]) -> dict[str, str]:
        return {**self.caller.headers(), **request.headers}
