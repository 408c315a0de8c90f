"""The library: documents that agents search."""

from recuerdo.library.library import Library

__all__ = ["Library"]
