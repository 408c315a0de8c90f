"""A GET over HTTP of what another service publishes, for a thread: bounded in bytes and time, without redirects."""

import time
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any, NamedTuple

MOST_BYTES = 2**20
_PIECE = 2**16

FAILURES = (OSError, ValueError, HTTPException)
"""Raised by `fetch` if there is no answer within its bounds."""


class Fetched(NamedTuple):
    """An answer; `tag` is its ETag."""

    status: int
    tag: str | None
    body: bytes


def fetch(url: str, headers: Mapping[str, str], seconds: float) -> Fetched:
    """Return the answer, whatever its status. Raises FAILURES."""
    deadline = time.monotonic() + seconds
    request = urllib.request.Request(url, headers=dict(headers))  # noqa: S310 - settings are checked at the start
    with urllib.request.build_opener(_AnswersAsTheyAre).open(request, timeout=seconds) as response:
        body = b""
        while piece := response.read1(_PIECE):
            body += piece
            if len(body) > MOST_BYTES:
                raise ValueError(f"the answer has more than {MOST_BYTES} bytes")
            if time.monotonic() > deadline:
                raise ValueError(f"the answer takes more than {seconds:g} seconds")
        return Fetched(response.status, response.headers.get("ETag"), body)


class _AnswersAsTheyAre(urllib.request.HTTPErrorProcessor):
    """Follows no redirect: what a request carries is for one service alone."""

    def http_response(self, request: object, response: Any) -> Any:
        return response

    https_response = http_response
