"""Answers as JSON bytes, encoded once."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

import msgspec
from starlette.responses import Response

from recuerdo.core.messages import Record, join
from recuerdo.core.threads import Version

_encoder = msgspec.json.Encoder()


Holds = Callable[[], Coroutine[Any, Any, bool]]
"""Whether an answer would be the same if it was made anew."""


class JsonResponse(Response):
    """Anything that msgspec encodes; `bytes` are taken as JSON that is ready.

    With `holds` a CachedResponseRoute sends it again as long as that is true.
    """

    media_type = "application/json"

    def __init__(
        self,
        content: object,
        status_code: int = 200,
        headers: Mapping[str, str] | None = None,
        holds: Holds | None = None,
    ) -> None:
        body = content if isinstance(content, bytes) else _encoder.encode(content)
        super().__init__(body, status_code, dict(headers or {}))
        self.headers.setdefault("Cache-Control", "no-store")
        self.holds = holds


def version_headers(version: Version) -> dict[str, str]:
    """The thread's version, for caches and for clients that only look at headers.

    The entity tag is weak: archiving changes what a page shows, and not the version.
    """
    return {"X-Recuerdo-Version": str(version), "ETag": f'W/"{version}"'}


def object_with(name: str, records: Sequence[Record], rest: Mapping[str, Any]) -> bytes:
    """A JSON object of `rest` and of stored messages, which are passed on without being decoded."""
    tail = _encoder.encode(rest)[1:]
    return b'{"%b":%b%b%b' % (name.encode(), join(records), b"" if tail == b"}" else b",", tail)
