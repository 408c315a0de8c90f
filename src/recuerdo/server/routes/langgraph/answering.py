"""Answers of the LangGraph API: JSON of whatever a state holds, parts of it, and pages."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from recuerdo.runs.encoding import encode
from recuerdo.server.responses import Holds, JsonResponse


def answer(content: Any, headers: Mapping[str, str] | None = None, holds: Holds | None = None) -> JsonResponse:
    """Anything as JSON."""
    return JsonResponse(encode(content), headers=headers, holds=holds)


def selected(entry: Any, fields: Sequence[str] | None) -> dict[str, Any]:
    """The entry as an object, with the chosen fields only."""
    whole = cast(dict[str, Any], entry) if isinstance(entry, dict) else msgspec.structs.asdict(entry)
    return whole if fields is None else {name: whole[name] for name in fields if name in whole}


def page(entries: Sequence[Any], total: int, limit: int, offset: int) -> JsonResponse:
    """One page of a list; the headers say how long the list is, and where the next page begins."""
    headers = {"X-Pagination-Total": str(total)}
    if offset + limit < total:
        headers["X-Pagination-Next"] = str(offset + limit)
    return answer(entries, headers)


def extracted(entry: Mapping[str, Any], places: Mapping[str, str]) -> dict[str, Any]:
    """What stands at places like `values.items[0].name`; None where there is nothing."""
    return {name: _at(entry, place) for name, place in places.items()}


def _at(value: Any, place: str) -> Any:
    for step in place.replace("[", ".").replace("]", "").split("."):
        try:
            value = cast(list[Any], value)[int(step)] if isinstance(value, list) else value[step]
        except (KeyError, IndexError, TypeError, ValueError):
            return None
    return value
