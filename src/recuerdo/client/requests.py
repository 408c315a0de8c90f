"""Requests as both clients send them: an operation of the server, with its ids and its values."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Generic, Self, TypeVar, cast
from urllib.parse import quote, urlencode

import msgspec

from recuerdo.core.errors import InvalidInput, RecuerdoError

T = TypeVar("T")
U = TypeVar("U")

KEY_HEADER = "Idempotency-Key"
LAST_EVENT_HEADER = "Last-Event-ID"

_ID = re.compile(r"\{(\w+)\}")
_JSON = {"Content-Type": "application/json"}
_WITH_BODY = ("PATCH", "POST", "PUT")
"""Methods whose requests have a body even without values: operations that need none ignore it."""


@dataclass(frozen=True, slots=True)
class Request(Generic[T]):
    """One request. `repeatable`: its effect is the same if it arrives twice, so that an unknown outcome can be retried.

    `target` is the path with the query, `answer` is the type that a good answer is decoded to.
    """

    method: str
    target: str
    answer: type[T]
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    repeatable: bool = False

    def decode(self, body: bytes) -> T:
        """The answer in a good response's body. Raises RecuerdoError if it can't be read."""
        if self.answer is type(None):
            return cast(T, None)
        try:
            return msgspec.json.decode(body, type=self.answer)
        except msgspec.DecodeError as error:
            raise RecuerdoError(
                f"The answer to {self.method} {self.target} can't be read: {error}. "
                "Check that the URL is a Recuerdo server's, and its version."
            ) from error

    def with_headers(self, headers: Mapping[str, str]) -> Self:
        """The request with further headers."""
        return replace(self, headers={**self.headers, **headers})

    def with_body(self, body: bytes, media_type: str) -> Self:
        """The request with a body that is not JSON."""
        return replace(self, body=body, headers={**self.headers, "Content-Type": media_type})

    def answered_by(self, answer: type[U]) -> "Request[U]":
        """The request with another type of answer."""
        return Request(self.method, self.target, answer, self.body, self.headers, self.repeatable)


@dataclass(frozen=True, slots=True)
class Operation(Generic[T]):
    """An operation of the OpenAPI document. `query` has the names of its parameters in the URL, separated by spaces.

    Other values are in the body. `reads`: it changes nothing, whatever its method is.
    """

    method: str
    path: str
    answer: type[T]
    query: str = ""
    reads: bool = False

    def __call__(self, *ids: object, key: str | None = None, repeatable: bool = False, **values: object) -> Request[T]:
        """Return the request for these ids of the path, in order, and these values; None is left out.

        An idempotency `key` makes it repeatable. Raises InvalidInput for an id that no URL can have.
        """
        given = {name: value for name, value in values.items() if value is not None}
        names = self.query.split()
        query = urlencode({name: _text(value) for name, value in given.items() if name in names}, doseq=True)
        body = {name: value for name, value in given.items() if name not in names}
        has_body = bool(body) or self.method in _WITH_BODY
        headers = {**(_JSON if has_body else {}), **({KEY_HEADER: key} if key is not None else {})}
        return Request(
            self.method,
            self._filled(ids) + (f"?{query}" if query else ""),
            self.answer,
            msgspec.json.encode(body) if has_body else None,
            headers,
            self.reads or repeatable or key is not None,
        )

    def _filled(self, ids: Sequence[object]) -> str:
        names = _ID.findall(self.path)
        if len(names) != len(ids):
            raise TypeError(f"{self.method} {self.path} takes {len(names)} ids, not {len(ids)}")
        left = iter(zip(names, map(str, ids), strict=True))
        return _ID.sub(lambda _: _segment(*next(left)), self.path)


def _segment(name: str, text: str) -> str:
    """One part of a path, encoded. Clients and proxies resolve `.` and `..`, and would address something else."""
    if text in ("", ".", ".."):
        raise InvalidInput(name, f"must not be {text!r}: no URL can name it")
    try:
        return quote(text, safe="")
    except UnicodeEncodeError:
        raise InvalidInput(name, "must be text that UTF-8 can encode") from None


def _text(value: object) -> object:
    """A value as URLs have it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return msgspec.json.encode(value).decode()
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list | tuple | set | frozenset):
        return [_text(each) for each in cast("Sequence[object]", value)]
    return value
