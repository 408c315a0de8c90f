"""Ids of new things."""

import os
import time


def new_id() -> str:
    """A fresh UUID version 7 (RFC 9562): ids made later sort later, which keeps indexes compact."""
    milliseconds = time.time_ns() // 1_000_000
    bits = milliseconds << 80 | int.from_bytes(os.urandom(10), "big")
    bits = bits & ~(0xF << 76) | 0x7 << 76
    bits = bits & ~(0x3 << 62) | 0x2 << 62
    digits = f"{bits:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
