"""What makes one JSON value of another: kept beside a message instead of saying everything twice."""

from typing import Any, cast

Patch = dict[str, Any]


def difference(base: Any, value: Any) -> Patch:
    """The patch that makes `value` of `base`; empty when they are equal."""
    if type(base) is type(value) and base == value:
        return {}
    if isinstance(base, dict) and isinstance(value, dict):
        old, new = cast(Patch, base), cast(Patch, value)
        if old.keys() <= new.keys():
            return {"set": {key: difference(old.get(key, _ABSENT), new[key]) for key in new if _differs(old, new, key)}}
    if isinstance(base, list) and isinstance(value, list):
        old, new = cast(list[Any], base), cast(list[Any], value)
        if len(old) == len(new):
            pairs = enumerate(zip(old, new, strict=True))
            return {"at": {str(place): difference(*pair) for place, pair in pairs if difference(*pair)}}
    return {"be": value}


def patched(base: Any, patch: Patch) -> Any:
    """What the patch makes of `base`. Raises ValueError, LookupError or TypeError when it was made for another base."""
    if not patch:
        return base
    if "be" in patch:
        return patch["be"]
    if "set" in patch:
        return base | {key: patched(base.get(key), each) for key, each in patch["set"].items()}
    changed = list(base)
    for place, each in patch["at"].items():
        changed[int(place)] = patched(changed[int(place)], each)
    return changed


class _EqualToNothing:
    """Equal to nothing."""


_ABSENT = _EqualToNothing()


def _differs(old: Patch, new: Patch, key: str) -> bool:
    return key not in old or bool(difference(old[key], new[key]))
