"""The one place that turns errors into statuses and bodies.

InvalidInput 422 (NoGraph 400, as in LangGraph's server), Unauthenticated 401 with WWW-Authenticate, Forbidden 403,
NotFound 404, UserErased, AlreadyErased and EpochChanged 410 (the last 412 where the request says which epoch it
expects), other conflicts 409, RateLimited 429, ModelUnavailable 502 (the gateway works, and the model behind it does
not), damaged data 500 with what is damaged, other unavailabilities 503 with Retry-After, everything else 500 without
its internals. A body is `{"detail": "...", "code": "..."}`, or for 422
`{"detail": [{"loc": [...], "msg": "...", "type": "..."}], "message": "..."}`: LangGraph's clients show a text and no
list. The caller's input is never repeated: it may hold secrets, and may not be encodable.
"""

import math
import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.routing import Match
from starlette.websockets import WebSocket

from recuerdo.contexts.settings import written_as
from recuerdo.core.errors import (
    AlreadyErased,
    ConfigurationError,
    Conflict,
    Damaged,
    EpochChanged,
    Forbidden,
    InvalidInput,
    ModelUnavailable,
    NoGraph,
    NotFound,
    RateLimited,
    RecuerdoError,
    Unauthenticated,
    Unavailable,
    UserErased,
)
from recuerdo.runs.rules import RuleDenied
from recuerdo.server.answers import Complaint, Invalid, JsonResponse, Problem
from recuerdo.server.auditing import record, route_of
from recuerdo.server.requests import USER_HEADER, known_principal

_STATUSES: tuple[tuple[type[RecuerdoError], int], ...] = (
    (NoGraph, 400),
    (InvalidInput, 422),
    (Unauthenticated, 401),
    (Forbidden, 403),
    (NotFound, 404),
    (EpochChanged, 410),
    (UserErased, 410),
    (AlreadyErased, 410),
    (Conflict, 409),
    (RateLimited, 429),
    (ModelUnavailable, 502),
    (Damaged, 500),
    (Unavailable, 503),
    (ConfigurationError, 501),
)
_INTERNAL = "Something went wrong in the server; its log says what."
_CODES_OF_HTTP = {
    400: "bad_request",
    403: "foreign_page",
    404: "unknown_address",
    405: "method_not_allowed",
    413: "too_large",
    421: "unknown_host",
}
_NOT_JSON = "must be application/json, since the body is JSON: send this header"
_INTERNAL_CODE = "internal_error"
_LONGEST_NAME = 100
_SECRET = re.compile(r"\b((?:password|passwd|secret|token|api_?key)=)[^\s&;,'\"]+", re.IGNORECASE)
_USER = re.compile(r"://[^\s/:@]*:")
_CHALLENGE = 'Bearer realm="recuerdo"'


class RefusedCaller(HTTPException):
    """A caller was refused while their body was asked for, where frameworks let nothing pass but errors of HTTP."""

    def __init__(self, reason: RecuerdoError) -> None:
        super().__init__(status_of(reason))
        self.reason = reason


def status_of(error: Exception) -> int:
    """The HTTP status that the error answers with."""
    if isinstance(error, RuleDenied):
        return error.status
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)


def code_of(error: Exception) -> str:
    """The error's name, for programs: `outcome_unknown` of OutcomeUnknown."""
    if isinstance(error, RuleDenied):
        return ""
    if status_of(error) == 500 and not isinstance(error, Damaged):
        return _INTERNAL_CODE
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(error).__name__).lower()


def detail_of(error: Exception, request: HTTPConnection) -> str | list[Complaint]:
    """The `detail` of the error's body."""
    if isinstance(error, InvalidInput) and status_of(error) == 422:
        return [_complaint(_location(error.field, request), error.problem, "invalid_input")]
    return plain_detail_of(error)


def plain_detail_of(error: Exception) -> str:
    """The same in one line, for where there is no request whose parts could be named."""
    is_ours = status_of(error) != 500 or isinstance(error, Damaged)
    return _printable(without_passwords(str(error))) if is_ours else _INTERNAL


def without_passwords(text: str) -> str:
    """Return the text of an error without credentials: it may quote a driver, which may quote an address with them."""
    return _SECRET.sub(r"\1***", "".join(map(_without_password, re.split(r"(\s+)", text))))


def _without_password(word: str) -> str:
    """The address `scheme://user:password@host` without its password, which reaches to the last `@`."""
    user, end = _USER.search(word), word.rfind("@")
    return f"{word[: user.end()]}***{word[end:]}" if user and user.end() <= end else word


def add_error_handlers(app: FastAPI) -> None:
    """Answer every error of every route in the shape that this module describes."""
    app.add_exception_handler(RecuerdoError, _recuerdo_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(StarletteHTTPException, _http_error)


def answer_to(error: Exception, request: HTTPConnection) -> JsonResponse:
    """Return the response to a request that raised the error."""
    detail = detail_of(error, request)
    if isinstance(detail, list):
        return _all_invalid(detail)
    is_unmatched = isinstance(error, EpochChanged) and hasattr(request.state, "expected_epoch")
    return failure(error, 412 if is_unmatched else status_of(error))


def failure(error: Exception, status: int, headers: Mapping[str, str] = {}) -> JsonResponse:
    """Return the response with this status to a request that raised the error, with its detail in one line."""
    problem = Problem(plain_detail_of(error), code_of(error))
    return JsonResponse(problem, status, {**_headers_of(error), **headers})


def refusal(error: RecuerdoError, request: HTTPConnection) -> JsonResponse:
    """The same, for a route; that a role was refused is put into the audit log."""
    if isinstance(error, Forbidden) and (principal := known_principal(request)) is not None:
        record(request, "role.refused", principal.owner, principal.role, route=route_of(request))
    return answer_to(error, request)


async def _recuerdo_error(request: Request | WebSocket, error: Exception) -> JsonResponse:
    assert isinstance(error, RecuerdoError)  # noqa: S101 - what it is registered for
    answer = refusal(error, request)
    if isinstance(request, WebSocket):  # refused before it was accepted, and so with a status of HTTP's
        await request.send_denial_response(answer)
    return answer


def _headers_of(error: Exception) -> dict[str, str]:
    if isinstance(error, RuleDenied):
        return error.headers
    if isinstance(error, Unavailable) and not isinstance(error, Damaged):
        return {"Retry-After": str(math.ceil(error.retry_after))}
    if isinstance(error, Unauthenticated):  # RFC 6750, section 3
        return {"WWW-Authenticate": _CHALLENGE if error.is_missing else f'{_CHALLENGE}, error="invalid_token"'}
    return {}


def _not_allowed(methods: Sequence[str]) -> JsonResponse:
    return refused_by_http(405, "Method Not Allowed", {"Allow": ", ".join(methods)})


async def _validation_error(request: Request, error: Exception) -> JsonResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - it is registered for it
    methods = allowed(request) if any(one["loc"][0] == "path" for one in error.errors()) else []
    if methods and request.method not in methods:  # a word of ours was taken for an id
        return _not_allowed(methods)
    if any(one["loc"] == ("body",) and isinstance(one.get("input"), bytes) for one in error.errors()):
        return invalid(["header", "Content-Type"], _NOT_JSON)
    return _all_invalid([_complaint(one["loc"], one["msg"], one["type"]) for one in error.errors()])


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, StarletteHTTPException)  # noqa: S101 - it is registered for it
    if isinstance(error, RefusedCaller):
        return answer_to(error.reason, request)
    if error.status_code == 405 and (methods := allowed(request)):
        return _not_allowed(methods)
    if error.status_code == 400:  # FastAPI's answer to bodies that it can't parse
        return invalid(["body"], "is not JSON that can be read: check its encoding and nesting", "json_invalid")
    if error.status_code == 404 and (path := _elsewhere(request)):
        return RedirectResponse(path)
    return refused_by_http(error.status_code, error.detail, error.headers)


def refused_by_http(status: int, detail: str, headers: Mapping[str, str] | None = None) -> JsonResponse:
    """Return the response to a request that was refused by its address, its method, its host or its size."""
    return JsonResponse(Problem(detail, _CODES_OF_HTTP.get(status, "")), status, headers)


def _elsewhere(request: Request) -> str:
    """The path with or without a slash at its end, if that leads somewhere. No Host: the caller writes that."""
    path, query = request.scope["path"], request.scope["query_string"].decode("latin-1")
    other = path.rstrip("/") if path.endswith("/") else f"{path}/"
    scope = {**request.scope, "path": other}
    if "route" in scope or all(route.matches(scope)[0] is Match.NONE for route in request.app.routes):
        return ""
    return f"/{quote(other.lstrip('/'), safe='/%')}{'?' * bool(query)}{query}"


def unexpected() -> JsonResponse:
    """Return the response to a request that failed unexpectedly."""
    # The error goes on to the HTTP server, which logs it and then drops the connection: tell the client.
    return JsonResponse(Problem(_INTERNAL, _INTERNAL_CODE), 500, {"Connection": "close"})


def invalid(location: Sequence[object], problem: str, kind: str = "invalid_input") -> JsonResponse:
    """Return the response to a request with one invalid part."""
    return _all_invalid([_complaint(location, problem, kind)])


def _all_invalid(complaints: list[Complaint]) -> JsonResponse:
    lines = [f"{'.'.join(map(str, one.loc[1:]))}: {one.msg}".removeprefix(": ") for one in complaints]
    return JsonResponse(Invalid(complaints, "; ".join(lines)), 422)


def _complaint(location: Sequence[object], message: str, kind: str) -> Complaint:
    parts = [part if isinstance(part, int) else _printable(str(part))[:_LONGEST_NAME] for part in location]
    return Complaint(parts, _printable(message), kind)


def _location(field: str, request: HTTPConnection) -> list[object]:
    """Where the caller wrote the field: the service that refused it doesn't know."""
    if field == "user":
        return ["header", USER_HEADER]
    if (written := written_as(field, request.headers, getattr(request.state, "settings", {}))) is not None:
        return [*written]
    if field in request.query_params:
        return ["query", field]
    parts: list[object] = [int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\]]+", field)]
    root = str(parts[0]) if parts else ""
    if root in request.path_params:
        return ["path", *parts]
    if root in request.query_params:
        return ["query", *parts]
    header = root.replace("_", "-").title()
    return ["header", header] if header in request.headers else ["body", *parts]


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def allowed(request: HTTPConnection) -> list[str]:
    """The methods of the most particular of our routes that the path fits; none when it fits none."""
    found: dict[str, set[str]] = {}
    for route in request.app.routes:
        if isinstance(route, APIRoute) and route.path_regex.match(request.scope["path"]):
            found.setdefault(route.path, set()).update(route.methods or ())
    meant = max(found, key=lambda path: sum(not each.startswith("{") for each in path.split("/")), default=None)
    return sorted(found[meant]) if meant is not None else []
