"""The Lua scripts: each is one atomic step on one thread's entry and its lease, which share a slot."""

from functools import cache
from importlib import resources


@cache
def load(name: str) -> str:
    """The text of the script `name`."""
    return resources.files(__name__).joinpath(f"{name}.lua").read_text("utf-8")
