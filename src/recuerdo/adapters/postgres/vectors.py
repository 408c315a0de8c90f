"""Vectors as pgvector reads them."""

from struct import unpack

import msgspec


def vector_literal(vector: bytes) -> str | None:
    """Little-endian 32-bit floats as a text, e.g. [0.5,1.0]; None for an empty one."""
    if not vector:
        return None
    return msgspec.json.encode(unpack(f"<{len(vector) // 4}f", vector)).decode()
