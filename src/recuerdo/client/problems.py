"""The library's errors, from what a server answers and from what a connection does."""

import re
from collections.abc import Mapping
from typing import Any, cast

import msgspec

from recuerdo.core import errors
from recuerdo.core.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    NotFound,
    OutcomeUnknown,
    RateLimited,
    RecuerdoError,
    Unauthenticated,
    Unavailable,
)

_LONGEST_DETAIL = 1000
_OF_STATUS: dict[int, type[RecuerdoError]] = {
    400: InvalidInput,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Conflict,
    412: Conflict,
    413: InvalidInput,
    421: Forbidden,
    422: InvalidInput,
    429: RateLimited,
    501: errors.ConfigurationError,
    502: OutcomeUnknown,
    503: OutcomeUnknown,
    504: OutcomeUnknown,
}
"""For answers without a code: of a route that has none, of another version, or of a proxy in front of the server."""


_OF_CODE: dict[str, type[RecuerdoError]] = {
    re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower(): each
    for name, each in vars(errors).items()
    if isinstance(each, type) and issubclass(each, RecuerdoError)
} | {"overloaded": Unavailable, "draining": Unavailable, "internal_error": RecuerdoError}


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> RecuerdoError:
    """The error that a response tells. Its fields are set as far as a response tells them.

    `headers` finds names in any case.
    """
    problem = _problem(body)
    detail = problem.get("detail")
    code = problem.get("code")
    if isinstance(detail, list):
        return _invalid(cast("list[dict[str, Any]]", detail), str(problem.get("message", "")))
    kind = _OF_CODE.get(code) if isinstance(code, str) else None
    if kind is None:
        kind = _OF_STATUS.get(status, OutcomeUnknown if status > 504 else RecuerdoError)
    text = detail if isinstance(detail, str) else body[:_LONGEST_DETAIL].decode("utf-8", "replace")
    return _made(kind, text or f"The server answered with the status {status}.", headers)


def error_of_event(problem: Mapping[str, Any]) -> RecuerdoError:
    """The error of an `error` event: its data is a body with the status."""
    status = problem.get("status")
    return error_of(status if isinstance(status, int) else 500, {}, msgspec.json.encode(problem))


def unreachable(url: str, problem: Exception) -> Unavailable:
    """No connection: nothing was sent."""
    return Unavailable(
        f"No server answers at {url} ({_reason(problem)}). Check the URL and that the server runs.", retry_after=0
    )


def unanswered(url: str, problem: Exception) -> OutcomeUnknown:
    """The connection broke, or the time was up, after something may have been sent."""
    return OutcomeUnknown(f"The answer of {url} did not arrive ({_reason(problem)}).", retry_after=0)


def _reason(problem: Exception) -> str:
    return f"{type(problem).__name__}: {problem}" if str(problem) else type(problem).__name__


def _problem(body: bytes) -> dict[str, Any]:
    try:
        found: object = msgspec.json.decode(body)
    except msgspec.DecodeError:
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _invalid(complaints: list[dict[str, Any]], message: str) -> InvalidInput:
    """The field is that of the first complaint; the message has all of them."""
    first = complaints[0] if complaints else {}
    place: list[str | int] = first.get("loc", [])
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place[1:]).lstrip(".")
    problem = str(first.get("msg", "")) if len(complaints) == 1 else message
    return InvalidInput(field or "request", problem or "is invalid")


def _made(kind: type[RecuerdoError], text: str, headers: Mapping[str, str]) -> RecuerdoError:
    """An error of this class with the server's own text, which a constructor would make anew from its parts."""
    fields: dict[str, object] = {}
    if issubclass(kind, InvalidInput):
        fields = {"field": "request", "problem": text}
    elif issubclass(kind, Unavailable):
        fields = {"retry_after": _seconds(headers.get("Retry-After", ""))}
    elif issubclass(kind, Unauthenticated):
        fields = {"is_missing": "error=" not in headers.get("WWW-Authenticate", "")}
    return _with_text(kind, text, fields)


def _with_text(kind: type[RecuerdoError], text: str, fields: Mapping[str, object]) -> RecuerdoError:
    error = kind.__new__(kind, text)
    error.args = (text,)
    for name, value in fields.items():
        setattr(error, name, value)
    return error


def _seconds(text: str) -> float:
    """A Retry-After in seconds; 0 without one. A date, which proxies may send, counts as none."""
    return float(text) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text) else 0.0
