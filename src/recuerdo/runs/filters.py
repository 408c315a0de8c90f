"""Conditions on metadata, as handlers of a langgraph.json's `auth` return them.

`{"owner": "emi"}`, `{"owner": {"$eq": "emi"}}`, `{"teams": {"$contains": "blue"}}` or a list of what is contained,
and `$or` and `$and` of several: https://docs.langchain.com/langsmith/auth
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from recuerdo.core.errors import ConfigurationError

Conditions = Mapping[str, Any]


def fits(metadata: Mapping[str, Any], conditions: Conditions) -> bool:
    """Whether the metadata is what the conditions ask for. Raises ConfigurationError for conditions nobody knows."""
    return all(_holds(metadata, name, wanted) for name, wanted in conditions.items())


def plain(conditions: Conditions) -> bool:
    """Whether they are values that metadata has to hold, and nothing else."""
    return not any(name.startswith("$") or isinstance(wanted, Mapping) for name, wanted in conditions.items())


def _holds(metadata: Mapping[str, Any], name: str, wanted: Any) -> bool:
    if name == "$or":
        return any(fits(metadata, each) for each in _several(name, wanted))
    if name == "$and":
        return all(fits(metadata, each) for each in _several(name, wanted))
    if not isinstance(wanted, Mapping):
        return name in metadata and metadata[name] == wanted
    return all(_compares(metadata, name, *each) for each in cast(Conditions, wanted).items())


def _compares(metadata: Mapping[str, Any], name: str, operator: str, wanted: Any) -> bool:
    held = metadata.get(name)
    if operator == "$eq":
        return name in metadata and held == wanted
    if operator == "$contains":
        needed = cast(list[Any], wanted) if isinstance(wanted, list) else [wanted]
        return isinstance(held, list) and all(each in cast(list[Any], held) for each in needed)
    raise ConfigurationError(f"A handler of `auth` returned the operator {operator!r}. Use $eq or $contains.")


def _several(name: str, wanted: Any) -> Sequence[Conditions]:
    if not isinstance(wanted, list) or not all(isinstance(each, Mapping) for each in cast(list[Any], wanted)):
        raise ConfigurationError(f"A handler of `auth` returned {name} without a list of conditions.")
    return cast(list[Conditions], wanted)
