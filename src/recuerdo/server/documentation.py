"""The OpenAPI document: answers are described by the structs that encode them."""

from typing import Any

import msgspec
from fastapi import FastAPI

from recuerdo.server import answers

_REFERENCE = "#/components/schemas/{name}"
_PROBLEMS = {
    403: "A page of another site asked",
    404: "Absent, or somebody else's",
    409: "The request contradicts what is stored",
    410: "The thread was cleared or deleted meanwhile",
    413: "The body is longer than 1 MB",
    421: "The Host is not one that this server answers to",
    422: "The request is wrong; each complaint names the part",
    500: "A fault of the server's",
    502: "The model does not answer",
    503: "The database does not answer; see Retry-After",
}
_ANYWHERE = (403, 413, 421, 422, 500, 503)
_DESCRIBED = (
    answers.Alive,
    answers.Info,
    answers.ChatAnswer,
    answers.ChatStart,
    answers.Receipt,
    answers.MessagePage,
    answers.Window,
    answers.Archived,
    answers.Cleared,
    answers.ThreadEntry,
    answers.ThreadDetail,
    answers.ThreadList,
    answers.KnownMemory,
    answers.MemoryList,
    answers.Hits,
    answers.Invalid,
    answers.Problem,
)

Responses = dict[int | str, dict[str, Any]]


def documented(answer: type[msgspec.Struct] | None, *problems: int, status: int = 200) -> Responses:
    """The `responses` of a route: its answer, its own problems, and those that any route can have."""
    good: dict[str, Any] = {"description": (answer.__doc__ or "").split("\n")[0] if answer else "Done"}
    if answer is not None:
        good["content"] = _json(answer)
    return {status: good, **{code: _problem(code) for code in sorted({*problems, *_ANYWHERE})}}


def event_stream(description: str, *problems: int) -> Responses:
    """The `responses` of a route that answers with server-sent events."""
    good = {"description": description, "content": {"text/event-stream": {"schema": {"type": "string"}}}}
    return {**documented(None, *problems), 200: good}


def add_documentation(app: FastAPI) -> None:
    """Let the application's OpenAPI document describe the structs that its routes refer to."""
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = generate()
            _, schemas = msgspec.json.schema_components(_DESCRIBED, ref_template=_REFERENCE)
            components = document.setdefault("components", {}).setdefault("schemas", {})
            components.update(schemas)
        return app.openapi_schema or {}

    app.openapi = openapi


def _problem(code: int) -> dict[str, Any]:
    return {"description": _PROBLEMS[code], "content": _json(answers.Invalid if code == 422 else answers.Problem)}


def _json(answer: type[msgspec.Struct]) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": _REFERENCE.format(name=answer.__name__)}}}
