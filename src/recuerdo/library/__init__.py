"""The library: documents that agents look things up in."""

from recuerdo.library.library import Library

__all__ = ["Library"]
