"""Appends and windows without the framework: the routes that are asked for most, for a part of their processor time.

A request is answered here if it is plain: no query, no header that is seldom sent, a body of texts. Any other goes on
to the framework's route, which calls the same functions and says what is wrong with a request.
See docs/adr/0080-appends-and-windows-without-the-framework.md.
"""

import re
from collections.abc import Sequence
from functools import partial
from typing import Annotated
from urllib.parse import unquote

import msgspec
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event

from recuerdo.core.errors import RecuerdoError
from recuerdo.core.messages import Message, Role
from recuerdo.server.errors import refusal
from recuerdo.server.requests import ApiCall, find_principal
from recuerdo.server.response_cache import cached_or_made
from recuerdo.server.routes.threads import append, messages_router, thread_window

_PATH = re.compile(r"/v1/threads/([^/]+)/(messages|window)")


class _PlainMessage(msgspec.Struct, forbid_unknown_fields=True):
    """A message of a text, without what only some have."""

    role: Role
    content: str
    id: Annotated[str, msgspec.Meta(min_length=1)] | None = None
    name: str | None = None
    tool_call_id: str | None = None


class _PlainAppend(msgspec.Struct, forbid_unknown_fields=True):
    """The body of an append of plain messages."""

    messages: list[_PlainMessage]


_decode = msgspec.json.Decoder(_PlainAppend).decode


class DirectRoutes:
    """Answers plain requests to append messages or for a window. Everything else goes on to the application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._routes = {("POST", "messages"): _route("append_messages"), ("GET", "window"): _route("thread_window")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        place = _PATH.fullmatch(scope["path"]) if scope["type"] == "http" and not scope["query_string"] else None
        route = self._routes.get((scope["method"], place[2])) if place else None
        if place is None or route is None or not _is_usual(scope):
            await self._app(scope, receive, send)
            return
        scope["route"], scope["path_params"] = route, {"thread_id": place[1]}
        request, events = Request(scope, receive), list[Event]()
        try:
            answer = await _answer(request, unquote(place[1]), events)
        except RecuerdoError as error:
            answer = refusal(error, request)
        if answer is None:
            await self._app(scope, _again(events, receive), send)
        else:
            await answer(scope, receive, send)


def _is_usual(scope: Scope) -> bool:
    """Whether it has no header that only the framework's route reads, and none twice."""
    names = [name for name, _ in scope["headers"]]
    return b"if-match" not in names and len({*names}) == len(names) and not scope.get("root_path")


async def _answer(request: Request, thread_id: str, events: list[Event]) -> Response | None:
    """The answer, or None if the framework's route is to give it. The parts of the body go into `events`."""
    principal = await find_principal(request)
    if principal.access is not None:  # custom rules decide about it
        return None
    call = ApiCall(request, principal)
    if request.method == "GET":
        return await cached_or_made(request, principal, partial(thread_window, thread_id, call))
    headers = dict(request.scope["headers"])
    if headers.get(b"content-type") != b"application/json" or b"content-length" not in headers:
        return None  # of a body whose length is not announced it may turn out only later that it is too long
    await _receive_body(request.receive, events)
    messages = _plain_messages(events)
    if messages is None:
        return None
    key = headers.get(b"idempotency-key")
    return await append(call, call.thread(thread_id), messages, None if key is None else key.decode("latin-1"))


def _route(name: str) -> APIRoute:
    """The framework's route: its path is a label, and the key of the scopes that it needs."""
    return next(each for each in messages_router.routes if isinstance(each, APIRoute) and each.name == name)


async def _receive_body(receive: Receive, events: list[Event]) -> None:
    """Receive the parts of the body, or that the client has gone."""
    while not events or events[-1].get("more_body", False):
        events.append(await receive())


def _plain_messages(events: Sequence[Event]) -> list[Message] | None:
    """The messages of the body, if it is plain and whole."""
    if events[-1]["type"] != "http.request":
        return None
    try:
        said = _decode(b"".join([each.get("body", b"") for each in events])).messages
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return [
        Message(role=each.role, content=each.content, id=each.id or "", name=each.name, tool_call_id=each.tool_call_id)
        for each in said
    ]


def _again(events: Sequence[Event], receive: Receive) -> Receive:
    """Receive the same once more, and then what follows."""
    waiting = iter(events)

    async def receive_again() -> Event:
        event = next(waiting, None)
        return await receive() if event is None else event

    return receive_again
