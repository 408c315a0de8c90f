"""Ids in URLs: any id can be written into one, percent-encoded, a slash included."""

from urllib.parse import unquote_to_bytes

from starlette.types import ASGIApp, Receive, Scope, Send

from recuerdo.server.responses import JsonResponse


class PathIds:
    """Routes by the path as it was sent, so that an id with an encoded slash stays one segment.

    Servers decode a path before it is routed: `/threads/a%2Fmessages` would be the messages of the thread `a`, and
    broken UTF-8 would become the same replacement character for every id. Here each segment is decoded on its own,
    and its own slashes and percent signs stay encoded; `recuerdo.server.parameters` decodes the ids.
    The segments `.` and `..` mean something else to most clients: ids of these names can't be reached by URL.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = scope.get("raw_path")
        if raw and b"%" in raw:
            try:
                scope = {**scope, "path": _routable(raw)}
            except UnicodeDecodeError:
                complaint = {"loc": ["path"], "msg": "must be percent-encoded UTF-8", "type": "invalid_input"}
                return await JsonResponse({"detail": [complaint]}, 422)(scope, receive, send)
        return await self._app(scope, receive, send)


def _routable(raw: bytes) -> str:
    return "/".join(map(_segment, raw.partition(b"?")[0].split(b"/")))


def _segment(raw: bytes) -> str:
    return unquote_to_bytes(raw).decode().replace("%", "%25").replace("/", "%2F")
