"""The OpenAPI document: answers are described by the structs that encode them."""

from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

import msgspec
import msgspec.inspect
from fastapi import FastAPI

from recuerdo.core.health import Readiness
from recuerdo.core.retention import RetentionForecast
from recuerdo.core.runs import Assistant, Cron
from recuerdo.memories.entities import EntityGraph
from recuerdo.memories.erasures import UserPage
from recuerdo.memories.maintenance.audit import Audit
from recuerdo.server import answers, erasure_answers, thread_answers
from recuerdo.server.fields import describe
from recuerdo.server.requests import USER_HEADER

_REFERENCE = "#/components/schemas/{name}"
_PROBLEMS = {
    400: "The thread has no graph whose state this could be",
    401: "No credential came, or an invalid one; see WWW-Authenticate",
    403: "A page of another site asked, or the role is not enough",
    404: "Absent, or another owner's",
    409: "The request contradicts what is stored",
    410: "The thread was cleared or deleted, or the user erased, meanwhile",
    412: "The thread is in another epoch than the request expects",
    413: "The body is longer than 1 MB",
    421: "The Host is not one that this server answers to",
    422: "The request is wrong; each complaint names the part",
    500: "A fault of the server's",
    501: "The server is not set up for this",
    502: "The model does not answer",
    503: "The database does not answer; see Retry-After",
}
_ANYWHERE = (403, 413, 421, 422, 500, 503)
_SCHEMES: dict[str, Any] = {
    "token": {"type": "http", "scheme": "bearer", "description": "A token of an issuer that the server accepts."},
    "api_key": {
        "type": "apiKey",
        "in": "header",
        "name": "x-api-key",
        "description": "A key that `recuerdo token create` made. It may be sent as a bearer token as well.",
    },
}
_SECURITY: list[dict[str, list[str]]] = [{"token": []}, {"api_key": []}, {}]
"""One of the schemes, or nothing: without authentication, or where anonymous callers are let in."""


def _answers_of(module: ModuleType) -> list[Any]:
    """The structs that the module defines."""
    structs = [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, msgspec.Struct)]
    return [each for each in structs if each.__module__ == module.__name__]


_DESCRIBED = (
    *(each for module in (answers, erasure_answers, thread_answers) for each in _answers_of(module)),
    *(Audit, EntityGraph, Assistant, Cron, Readiness, RetentionForecast, UserPage),
)

_EVENT: dict[str, Any] = {
    "type": "object",
    "description": "One event; `data` is JSON.",
    "properties": {name: {"type": "string"} for name in ("event", "data", "id")},
    "required": ["event", "data"],
}

Responses = dict[int | str, dict[str, Any]]


def documented(answer: type[msgspec.Struct] | None, *problems: int, status: int = 200) -> Responses:
    """The `responses` of a route: its answer, its own problems, and those that any route can have."""
    good: dict[str, Any] = {"description": (answer.__doc__ or "").split("\n")[0] if answer else "Done"}
    if answer is not None:
        good["content"] = _json(answer)
    return {status: good, **{code: _problem(code) for code in sorted({*problems, *_ANYWHERE})}}


def event_stream(description: str, *problems: int) -> Responses:
    """The `responses` of a route that answers with server-sent events."""
    good = {"description": description, "content": {"text/event-stream": {"schema": _EVENT}}}
    return {**documented(None, *problems), 200: good}


def add_documentation(app: FastAPI) -> None:
    """Let the application's OpenAPI document describe the structs that its routes refer to."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = generate()
            _, schemas = msgspec.json.schema_components(_DESCRIBED, ref_template=_REFERENCE)
            components = document.setdefault("components", {})
            _mark_times(schemas)
            components.setdefault("schemas", {}).update(schemas)
            components["securitySchemes"] = _SCHEMES
            describe(document)
            for operation in _operations_of_a_principal(document):
                operation["security"] = _SECURITY
                operation["responses"].setdefault("401", _problem(401))
        return app.openapi_schema or {}

    app.openapi = openapi


def _mark_times(schemas: dict[str, Any]) -> None:
    """Say which texts are times: msgspec says so only of those that must have a zone."""
    for struct in _structs(msgspec.inspect.multi_type_info(_DESCRIBED)):
        for field in struct.fields:
            if any(isinstance(each, msgspec.inspect.DateTimeType) for each in _alternatives(field.type)):
                schema = schemas[struct.cls.__name__]["properties"][field.encode_name]
                for each in schema.get("anyOf", [schema]):
                    if each.get("type") == "string":
                        each["format"] = "date-time"


def _structs(kinds: Iterable[msgspec.inspect.Type]) -> list[msgspec.inspect.StructType]:
    """The structs among the types, and those within them."""
    found: dict[type, msgspec.inspect.StructType] = {}
    left = [*kinds]
    while left:
        kind = left.pop()
        if isinstance(kind, msgspec.inspect.StructType):
            if kind.cls not in found:
                found[kind.cls] = kind
                left.extend(field.type for field in kind.fields)
        else:
            left.extend(_within(kind))
    return [*found.values()]


def _alternatives(kind: msgspec.inspect.Type) -> tuple[msgspec.inspect.Type, ...]:
    return kind.types if isinstance(kind, msgspec.inspect.UnionType) else (kind,)


def _within(kind: msgspec.inspect.Type) -> Iterator[msgspec.inspect.Type]:
    """The types that a collection, a mapping or a union is made of."""
    yield from getattr(kind, "types", ())
    yield from getattr(kind, "item_types", ())
    for name in ("item_type", "key_type", "value_type"):
        if (part := getattr(kind, name, None)) is not None:
            yield part


def _operations_of_a_principal(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The operations that identify the caller, which the header that they share shows."""
    for path in document["paths"].values():
        for operation in path.values():
            if any(parameter["name"] == USER_HEADER for parameter in operation.get("parameters", [])):
                yield operation


def _problem(code: int) -> dict[str, Any]:
    return {"description": _PROBLEMS[code], "content": _json(answers.Invalid if code == 422 else answers.Problem)}


def _json(answer: type[msgspec.Struct]) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": _REFERENCE.format(name=answer.__name__)}}}
