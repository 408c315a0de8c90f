"""Streams whose failure is their last event."""

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TypeVar

from starlette.requests import HTTPConnection

from recuerdo.server.draining import CUT
from recuerdo.server.errors import code_of, detail_of, status_of
from recuerdo.server.streaming.sse import encode

STOPPED = encode("error", {"detail": CUT, "status": 503})
"""What a chat's stream ends with when the server stops before the answer is whole."""

_log = logging.getLogger(__name__)
T = TypeVar("T")


async def until_failure(
    stream: AsyncGenerator[T], encoded: Callable[[T], bytes], request: HTTPConnection
) -> AsyncGenerator[bytes, None]:
    """The stream's events, encoded, and behind them an `error` if it fails.

    What fails before its first event is raised: nothing was sent yet, and the error can have its own status.
    """
    begun = False
    try:
        async with aclosing(stream) as events:
            async for event in events:
                yield encoded(event)
                begun = True
    except Exception as error:
        if not begun:
            raise
        if status_of(error) == 500:
            _log.exception("a chat stream failed")
        told = {"detail": detail_of(error, request), "status": status_of(error), "code": code_of(error)}
        yield encode("error", told)
