"""Telling somebody else's server that a run is over."""

import asyncio
import logging
import urllib.request

from recuerdo.core.errors import InvalidInput
from recuerdo.core.runs import Run
from recuerdo.runs.encoding import encode

_log = logging.getLogger(__name__)
_SECONDS = 10
_ATTEMPTS = 3


def check_webhook(url: str | None) -> None:
    """Raises InvalidInput for what is no address that can be posted to."""
    if url is not None and not url.startswith(("http://", "https://")):
        raise InvalidInput("webhook", "must start with http:// or https://")


async def tell_webhook(run: Run, values: object) -> None:
    """Post the finished run and its result; what can't be told is logged."""
    if run.kwargs.webhook is None:
        return
    body = encode({**shown(run), "values": values})
    for attempt in range(_ATTEMPTS):
        try:
            await asyncio.to_thread(_post, run.kwargs.webhook, body)
            return
        except OSError as error:
            _log.warning("a webhook does not answer: %s", error)
            await asyncio.sleep(2**attempt)


def shown(run: Run) -> dict[str, object]:
    """A run as callers see it: what it is held by is no business of theirs."""
    hidden = ("attempts", "token", "start_at", "lease_until", "cancel", "error", "graph_id")
    return {name: getattr(run, name) for name in Run.__struct_fields__ if name not in hidden}


def _post(url: str, body: bytes) -> None:
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310 - checked above
    with urllib.request.urlopen(request, timeout=_SECONDS):  # noqa: S310
        pass
