"""The page at `/`: static files that load nothing from elsewhere."""

import hashlib
from importlib.resources import files
from typing import NamedTuple

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from recuerdo.core.errors import NotFound

router = APIRouter(include_in_schema=False)

_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_HEADERS = {
    "Cache-Control": "no-cache",  # keep it, and ask each time whether it changed
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class _PageFile(NamedTuple):
    content: bytes
    headers: dict[str, str]


def _load() -> dict[str, _PageFile]:
    loaded: dict[str, _PageFile] = {}
    for file in files("recuerdo.server").joinpath("ui").iterdir():
        kind = _TYPES.get(file.name.rpartition(".")[2])
        if kind:
            content = file.read_bytes()
            tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
            loaded[file.name] = _PageFile(content, {**_HEADERS, "Content-Type": kind, "ETag": tag})
    return loaded


_FILES = _load()


@router.api_route("/", methods=["GET", "HEAD"])
async def page(request: Request) -> Response:
    """The chat page."""
    return _serve(request, "index.html")


@router.get("/ui")
async def page_elsewhere() -> RedirectResponse:
    """Where the page is."""
    return RedirectResponse("/", 308)


@router.api_route("/ui/{name}", methods=["GET", "HEAD"])
async def page_file(request: Request, name: str) -> Response:
    """A file that the page is made of."""
    if name not in _FILES:
        raise NotFound("file", name)
    return _serve(request, name)


def _serve(request: Request, name: str) -> Response:
    file = _FILES[name]
    if request.headers.get("if-none-match") == file.headers["ETag"]:
        return Response(status_code=304, headers=file.headers)
    return Response(file.content, headers=file.headers)
