"""What statements ask for. `core.conditions.meets` says what the conditions of searches mean."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, LiteralString, cast

from recuerdo.core.conditions import Condition
from recuerdo.core.items import StoreScope
from recuerdo.core.scope import Owner

_FOUND: LiteralString = "coalesce(i.value::jsonb #> %(path)s::text[], 'null')"
_OF_TYPE: LiteralString = "(CASE WHEN jsonb_typeof({found}) = '{type}' THEN {holds} ELSE false END)"
_ORDERS: dict[str, LiteralString] = {"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}


def named(owner: Owner | StoreScope) -> dict[str, Any]:
    """Whose rows they are, as the parameters of a statement."""
    return {"tenant": owner.tenant, "user": owner.user}


def meeting(conditions: Sequence[Condition]) -> tuple[LiteralString, dict[str, Any]]:
    """The SQL that holds for the items `i` that meet the conditions, and its parameters; `true` without any."""
    parts: list[LiteralString] = []
    parameters: dict[str, Any] = {}
    for number, condition in enumerate(conditions):
        place = cast(LiteralString, str(number))
        parts.append(_sql(condition).replace("(path)", "(path" + place + ")").replace("(is)", "(is" + place + ")"))
        parameters["path" + place] = [str(step) for step in condition.path]
        parameters["is" + place] = _operand(condition)
    return " AND ".join(parts) if parts else "true", parameters


def asked_for(query: object, conditions: Mapping[str, LiteralString]) -> LiteralString:
    """The conditions of those fields that the query fills: a plan that may be made but once is then good for them."""
    return "".join([condition for name, condition in conditions.items() if getattr(query, name) not in (None, {})])


def _sql(condition: Condition) -> LiteralString:
    match condition.operator:
        case "object":
            return "jsonb_typeof(" + _FOUND + ") = 'object'"
        case "number":
            return "jsonb_typeof(" + _FOUND + ") = 'number'"
        case "never":
            return "false"
        case "length":
            return _of_type("array", "jsonb_array_length(" + _FOUND + ") = %(is)s::int")
        case "$eq":
            return _FOUND + " = %(is)s::jsonb"
        case "$ne":
            return _FOUND + " <> %(is)s::jsonb"
        case _ if isinstance(condition.operand, str):
            compared: LiteralString = "(" + _FOUND + " #>> '{}') COLLATE \"C\" "
            return _of_type("string", compared + _ORDERS[condition.operator] + " %(is)s::text")
        case _:
            return _of_type("number", _FOUND + " " + _ORDERS[condition.operator] + " %(is)s::jsonb")


def _of_type(name: LiteralString, holds: LiteralString) -> LiteralString:
    return _OF_TYPE.replace("{type}", name).replace("{holds}", holds).replace("{found}", _FOUND)


def _operand(condition: Condition) -> Any:
    if condition.operator in _ORDERS and isinstance(condition.operand, str):
        return condition.operand
    return json.dumps(condition.operand)
