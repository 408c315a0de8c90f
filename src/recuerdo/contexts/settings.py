"""The parts of an execution context that a request may set: by headers while it lasts, by fields for one call."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from recuerdo.core.contexts import ExecutionContext, Headers
from recuerdo.core.errors import Forbidden, InvalidInput
from recuerdo.core.roles import EDITOR_ROLE, Ranked, includes

ANYBODY = None

_LONGEST = 1000
_MOST_TOKENS = 1_000_000


class _Setting(NamedTuple):
    """A header: the field that it sets, the role that may send it if not anybody may, and its parser."""

    part: str
    field: str
    role: Ranked | None
    read: Callable[[str], Any]


class ContextChange(NamedTuple):
    """Values to set in a context, by part and field."""

    values: Mapping[tuple[str, str], Any]

    def __bool__(self) -> bool:
        return bool(self.values)

    def __call__(self, context: ExecutionContext) -> ExecutionContext:
        """The context with these values."""
        parts: dict[str, dict[str, Any]] = {}
        for (part, field), value in self.values.items():
            parts.setdefault(part, {})[field] = value
        changed = {part: _changed(getattr(context, part), values) for part, values in parts.items()}
        return replace(context, **changed)


def read_headers(headers: Headers, role: str) -> ContextChange:
    """Parse the known headers. Raises InvalidInput, and Forbidden for one that the role may not send."""
    values: dict[tuple[str, str], Any] = {}
    for name, text in headers.items():
        setting = _SETTINGS.get(name.lower())
        if setting is None:
            continue
        if setting.role is not None and not includes(role, setting.role):
            raise Forbidden(f"The header {name} is for the role {setting.role!r}. Leave it out.")
        values[setting.part, setting.field] = _value(name, text, setting)
    return ContextChange(values)


def read_call(given: Mapping[str, Any], role: str) -> ContextChange:
    """The change that a call's fields make, but for those that are None. Raises Forbidden for what the role may not."""
    values: dict[tuple[str, str], Any] = {}
    for name, value in given.items():
        if value is None:
            continue
        part, field, wanted = _CALLS[name]
        if wanted is not None and not includes(role, wanted):
            raise Forbidden(f"The field {name} is for the role {wanted!r}. Leave it out.")
        values[part, field] = value
    return ContextChange(values)


def written_as(field: str, headers: Headers, given: Mapping[str, Any]) -> tuple[str, str] | None:
    """Where a caller wrote this field of a context: in the body of a call or in a header, and by which name."""
    for name, (part, own, _) in _CALLS.items():
        if field == f"{part}.{own}" and given.get(name) is not None:
            return "body", name
    for name, setting in _SETTINGS.items():
        if field == f"{setting.part}.{setting.field}" and name in headers:
            return "header", name.title()
    return None


def _value(name: str, text: str, setting: _Setting) -> Any:
    if len(text) > _LONGEST:
        raise InvalidInput(name, f"is longer than {_LONGEST} characters")
    try:
        return setting.read(text.strip())
    except ValueError as error:
        raise InvalidInput(name, str(error)) from None


def _changed(part: Any, values: Mapping[str, Any]) -> Any:
    return replace(part, **values) if isinstance(part, msgspec.Struct) else {**part, **values}


def _number(low: float, high: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            raise ValueError(f"must be a number from {low:g} to {high:g}")
        return value

    return read


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            raise ValueError(f"must be a whole number from {low} to {high}")
        return int(text)

    return read


def _name(text: str) -> str:
    if not text or not text.isprintable():
        raise ValueError("must be a name")
    return text


def _names(text: str) -> tuple[str, ...]:
    return tuple(_name(part.strip()) for part in text.split(","))


_SETTINGS: Mapping[str, _Setting] = {
    "x-recuerdo-locale": _Setting("metadata", "locale", ANYBODY, _name),
    "x-recuerdo-channel": _Setting("metadata", "channel", ANYBODY, _name),
    "x-recuerdo-temperature": _Setting("model", "temperature", ANYBODY, _number(0, 2)),
    "x-recuerdo-window": _Setting("limits", "window", ANYBODY, _whole(1, 1000)),
    "x-recuerdo-model": _Setting("model", "name", EDITOR_ROLE, _name),
    "x-recuerdo-max-tokens": _Setting("model", "max_tokens", EDITOR_ROLE, _whole(1, _MOST_TOKENS)),
    "x-recuerdo-collections": _Setting("retrieval", "collections", EDITOR_ROLE, _names),
    "x-recuerdo-top-k": _Setting("retrieval", "k", EDITOR_ROLE, _whole(1, 100)),
}

_CALLS: Mapping[str, tuple[str, str, Ranked | None]] = {
    "temperature": ("model", "temperature", ANYBODY),
    "model": ("model", "name", EDITOR_ROLE),
    "max_tokens": ("model", "max_tokens", EDITOR_ROLE),
    "system_prompt": ("prompts", "system", EDITOR_ROLE),
}

KNOWN = tuple(_SETTINGS)
"""The names of the headers, in lower case."""
