"""Vectors as pgvector reads them."""

from array import array
from struct import pack, unpack

import msgspec

from recuerdo.adapters.postgres.arrays import Ready


def vector_literal(vector: bytes) -> str | None:
    """Little-endian 32-bit floats as a text, e.g. [0.5,1.0]; None for an empty one."""
    if not vector:
        return None
    return msgspec.json.encode(unpack(f"<{len(vector) // 4}f", vector)).decode()


def sent_vector(vector: bytes) -> Ready:
    """The same as a parameter of our own functions: how many numbers, and each with its highest byte first."""
    numbers = array("f", vector)
    numbers.byteswap()
    return Ready(pack(">hh", len(numbers), 0) + numbers.tobytes())
