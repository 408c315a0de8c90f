"""Filters of items by their values, as LangGraph defines them, decided once for all databases."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

from recuerdo.core.errors import InvalidInput

Operator = Literal["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "object", "length", "number", "never"]

DEEPEST = 90
"""Levels of a filter. The comparison is recursive, and Python stops a recursion after some hundreds of calls."""


class Condition(NamedTuple):
    """A condition on an item's value at a path of keys and indexes.

    `object`, `length` and `number` are about its kind, and `never` is true of nothing. Operands and keys are such as
    a stored value may have: no infinity, no NUL and no broken Unicode.
    """

    path: tuple[str | int, ...]
    operator: Operator
    operand: Any


def conditions_of(filters: Mapping[str, Any] | None) -> list[Condition]:
    """Return the filter of LangGraph's `search` as conditions that must all hold.

    An object asks for its keys and lets others be, a list for each of its elements; `$eq`, `$ne`, `$gt`, `$gte`, `$lt`
    and `$lte` may stand in place of any value. A missing value is null. Raises InvalidInput for other operators, for
    an order among anything but numbers and texts, and for a filter that is nested too deep.
    """
    check_depth("filter", filters)
    found = [condition for key, wanted in (filters or {}).items() for condition in _conditions((key,), wanted)]
    return [condition for each in found for condition in _storable(each)]


def check_depth(field: str, wanted: object) -> None:
    """Raise InvalidInput for what is nested more than DEEPEST levels deep."""
    level = [wanted]
    for _ in range(DEEPEST + 1):
        level = [inner for outer in level for inner in _inner(outer)]
    if level:
        raise InvalidInput(field, f"is nested more than {DEEPEST} levels deep; ask for less of it")


def _inner(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return cast(Mapping[object, object], value).values()
    return cast(Sequence[object], value) if isinstance(value, list | tuple) else ()


def _conditions(path: tuple[str | int, ...], wanted: Any) -> Iterable[Condition]:
    if isinstance(wanted, Mapping):
        fields = cast(Mapping[str, Any], wanted)
        if any(key.startswith("$") for key in fields):
            yield from (_compared(path, operator, operand) for operator, operand in fields.items())
            return
        yield Condition(path, "object", None)
        for key, inner in fields.items():
            yield from _conditions((*path, key), inner)
    elif isinstance(wanted, list | tuple):
        elements = cast(Sequence[Any], wanted)
        yield Condition(path, "length", len(elements))
        for index, inner in enumerate(elements):
            yield from _conditions((*path, index), inner)
    else:
        yield Condition(path, "$eq", wanted)


def _compared(path: tuple[str | int, ...], operator: str, operand: Any) -> Condition:
    field = f"filter.{'.'.join(map(str, path))}"
    if operator not in _COMPARE:
        raise InvalidInput(field, f"{operator!r} is not an operator; there are {', '.join(_COMPARE)}")
    if operator not in ("$eq", "$ne") and not (_is_number(operand) or isinstance(operand, str)):
        raise InvalidInput(field, f"{operator} compares numbers or texts, and this is {operand!r}")
    return Condition(path, cast(Operator, operator), operand)


def _storable(condition: Condition) -> Iterable[Condition]:
    """The condition, or what holds in its place where it is about what no stored value has."""
    path, operator, operand = condition
    if not all(map(_is_stored, path)):
        holds = _meets(None, condition)
    elif _is_stored(operand):
        return [condition]
    elif operator in ("$eq", "$ne"):
        holds = operator == "$ne"
    elif isinstance(operand, str):
        return [_text_order(path, operator, operand)]
    else:
        holds = (operator in ("$lt", "$lte") and operand > 0) or (operator in ("$gt", "$gte") and operand < 0)
        return [Condition(path, "number" if holds else "never", None)]
    return [] if holds else [Condition((), "never", None)]


def _text_order(path: tuple[str | int, ...], operator: Operator, operand: str) -> Condition:
    """An order among texts with a character that none of them has: it is decided by what stands before that."""
    end = next(place for place, character in enumerate(operand) if not _is_stored(character))
    start, is_greater = operand[:end], operator in ("$gt", "$gte")
    if operand[end] == "\0":  # which comes before all other characters
        return Condition(path, "$gt" if is_greater else "$lte", start)
    behind = start + "\ue000"  # the first character after the surrogates
    return Condition(path, "$gte" if is_greater else "$lt", behind)


def _is_stored(value: object) -> bool:
    """Whether the JSON that is stored may have the value."""
    if isinstance(value, str):
        return "\0" not in value and not any("\ud800" <= character <= "\udfff" for character in value)
    if isinstance(value, float):
        return math.isfinite(value)
    keys = cast(Mapping[str, object], value) if isinstance(value, Mapping) else ()
    return all(map(_is_stored, keys)) and all(map(_is_stored, _inner(cast(object, value))))


def meets(value: Any, conditions: Sequence[Condition]) -> bool:
    """Whether a value meets all the conditions: what every adapter's search must agree with.

    Numbers are ordered among numbers and texts among texts, by their characters; nothing else is ordered. A boolean
    is not a number.
    """
    return all(_meets(_at(value, condition.path), condition) for condition in conditions)


def _meets(found: Any, condition: Condition) -> bool:
    match condition.operator:
        case "object":
            return isinstance(found, dict)
        case "number":
            return _is_number(found)
        case "never":
            return False
        case "length":
            return isinstance(found, list) and len(cast(list[Any], found)) == condition.operand
        case _:
            return _COMPARE[condition.operator](found, condition.operand)


def _at(value: Any, path: Sequence[str | int]) -> Any:
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = cast(dict[str, Any], value).get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(cast(list[Any], value)):
            value = cast(list[Any], value)[step]
        else:
            return None
    return value


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON is: 1 is 1.0, and neither is true."""
    if isinstance(one, dict) and isinstance(other, dict):
        mine, its = cast(dict[str, Any], one), cast(dict[str, Any], other)
        return mine.keys() == its.keys() and all(_same(mine[key], its[key]) for key in mine)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        elements, others = cast(Sequence[Any], one), cast(Sequence[Any], other)
        return len(elements) == len(others) and all(map(_same, elements, others))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def ordered(found: Any, operand: Any) -> bool:
        comparable = (_is_number(found) and _is_number(operand)) or (
            isinstance(found, str) and isinstance(operand, str)
        )
        return comparable and compare(found, operand)

    return ordered


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": _same,
    "$ne": lambda found, operand: not _same(found, operand),
    "$gt": _ordered(lambda found, operand: found > operand),
    "$gte": _ordered(lambda found, operand: found >= operand),
    "$lt": _ordered(lambda found, operand: found < operand),
    "$lte": _ordered(lambda found, operand: found <= operand),
}
