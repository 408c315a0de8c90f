"""Ids of new things."""

import hashlib
import os
import time


def new_id() -> str:
    """A fresh UUID version 7 (RFC 9562): ids made later sort later, which keeps indexes compact."""
    milliseconds = time.time_ns() // 1_000_000
    return _uuid(milliseconds << 80 | int.from_bytes(os.urandom(10)), 0x7)


def derived_id(*parts: str) -> str:
    """The same UUID version 8 for the same parts, by whoever makes it; `a:b` + `c` is not `a` + `b:c`."""
    measured = b"".join(b"%d:%b" % (len(part), part) for part in map(str.encode, parts))
    return _uuid(int.from_bytes(hashlib.sha256(measured).digest()[:16], "big"), 0x8)


def _uuid(bits: int, version: int) -> str:
    bits = bits & ~(0xF << 76) | version << 76
    bits = bits & ~(0x3 << 62) | 0x2 << 62
    digits = f"{bits:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
