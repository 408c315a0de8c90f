"""The library: documents that agents search."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recuerdo.library.library import Library

__all__ = ["Library"]


def __getattr__(name: str) -> object:
    """Load the library, and asyncio with it, for those who search: the process that reads one document needs none."""
    if name != "Library":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from recuerdo.library.library import Library

    return globals().setdefault(name, Library)
