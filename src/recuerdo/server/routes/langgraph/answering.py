"""Shared by the routes of the LangGraph API: parts of bodies, and answers as JSON, in parts, and in pages.

Fields that this server does not know are ignored, as the reference does.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, cast
from urllib.parse import unquote
from uuid import UUID

import msgspec
from fastapi import Header, Path
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from recuerdo.core.errors import InvalidInput
from recuerdo.core.scope import check_id
from recuerdo.runs.encoding import encode
from recuerdo.server.answers import Holds, JsonResponse
from recuerdo.server.requests import ApiCall

StreamMode = Literal[
    "values", "messages", "updates", "events", "tasks", "checkpoints", "debug", "custom", "messages-tuple"
]
_WORDS = frozenset(("search", "count", "prune"))
"""Words of addresses that stand where an id could be."""

_EVENT_ID = re.compile(r"-1|[0-9]{1,15}(-[0-9]{1,9})?", re.ASCII)
Nodes = Literal["*"] | list[str]
Metadata = dict[str, Any]
SortOrder = Literal["asc", "desc"]
Limit = Annotated[int, Field(ge=1, le=1000)]
Offset = Annotated[int, Field(ge=0, le=1_000_000)]
BodyUuid = Annotated[UUID, Field(strict=False)]
"""Of a body: the schema's text, which a strict body would refuse."""
LastEventId = Annotated[
    str,
    Header(
        description="The last event that was heard, to go on after it; `-1`, and an id that is not ours, for all "
        "that are kept."
    ),
    AfterValidator(lambda given: given if _EVENT_ID.fullmatch(given) else ""),
]


def checked_thread_id(given: str) -> str:
    """A UUID in its usual form, and any other id as it is. Raises ValueError for what can't be one."""
    try:
        return str(UUID(given))
    except ValueError:
        pass
    try:
        check_id("thread_id", given)
    except InvalidInput as error:
        raise ValueError(error.problem) from None
    if given in _WORDS:
        raise ValueError("is a word of the API and can't be an id")
    return given


ThreadId = Annotated[str, AfterValidator(checked_thread_id)]
PathThreadId = Annotated[
    str,
    Path(description="The thread: a UUID, or any 1 to 255 printable characters, percent-encoded."),
    AfterValidator(unquote),
    AfterValidator(checked_thread_id),
]


class LangGraphBody(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class PageBody(LangGraphBody):
    """Which part of a list, in an order that each list has its own names for: `sort_by`."""

    limit: Limit = 10
    offset: Offset = 0
    sort_order: SortOrder = "desc"

    def part(self) -> dict[str, Any]:
        """The same as fields of a DocumentQuery."""
        fields = self.model_dump(include={"sort_by", "limit", "offset"})
        return {**fields, "descending": self.sort_order == "desc"}


class CheckpointBody(LangGraphBody):
    """A checkpoint of a thread, perhaps in one of its subgraphs."""

    checkpoint_id: str | None = None
    checkpoint_ns: str = ""
    checkpoint_map: dict[str, Any] | None = None


def answer(content: Any, headers: Mapping[str, str] | None = None, holds: Holds | None = None) -> JsonResponse:
    """Anything as JSON."""
    return JsonResponse(encode(content), headers=headers, holds=holds)


def selected(entry: Any, fields: Sequence[str] | None) -> dict[str, Any]:
    """The entry as an object, with the chosen fields only."""
    whole = cast(dict[str, Any], entry) if isinstance(entry, dict) else msgspec.structs.asdict(entry)
    return whole if fields is None else {name: whole[name] for name in fields if name in whole}


class Answered:
    """Entries of a list as JSON, until they have as many bytes as one answer may have."""

    def __init__(self, most_bytes: int) -> None:
        self._room = most_bytes
        self.entries: list[msgspec.Raw] = []

    def add(self, entry: Any) -> bool:
        """Add the entry. Returns whether there is room for another."""
        text = encode(entry)
        self.entries.append(msgspec.Raw(text))
        self._room -= len(text)
        return self._room > 0


def page(entries: Sequence[Any], total: int, limit: int, offset: int) -> JsonResponse:
    """One page of a list; the headers say how long the list is, and where the next page begins."""
    headers = {"X-Pagination-Total": str(total)}
    if offset + limit < total:
        headers["X-Pagination-Next"] = str(offset + limit)
    return answer(entries, headers)


def bounded_page(
    call: ApiCall, entries: Sequence[Any], offset: int, total: int | None = None, select: Sequence[str] | None = None
) -> JsonResponse:
    """As many entries as one answer may have; the total is left out where it was not counted."""
    answered = Answered(call.services.history.most_bytes)
    for entry in entries:
        if not answered.add(selected(entry, select)):
            break
    shown = len(answered.entries)
    if total is not None:
        return page(answered.entries, total, shown or len(entries) or total, offset)
    return answer(answered.entries, {"X-Pagination-Next": str(offset + shown)} if shown < len(entries) else None)


def extracted(entry: Mapping[str, Any], places: Mapping[str, str]) -> dict[str, Any]:
    """The values at places like `values.items[0].name`; None where there is nothing."""
    return {name: _at(entry, place) for name, place in places.items()}


def _at(value: Any, place: str) -> Any:
    for step in place.replace("[", ".").replace("]", "").split("."):
        try:
            value = cast(list[Any], value)[int(step)] if isinstance(value, list) else value[step]
        except (KeyError, IndexError, TypeError, ValueError):
            return None
    return value
