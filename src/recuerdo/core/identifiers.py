"""Ids of new things."""

import hashlib
import os
import time


def new_id() -> str:
    """A fresh UUID version 7 (RFC 9562): ids made later sort later, which keeps indexes compact."""
    return _uuid((time.time_ns() // 1_000_000).to_bytes(6) + os.urandom(10), 7)


def derived_id(*parts: str) -> str:
    """Return a UUID version 8 that depends on the parts alone."""
    return _uuid(hashlib.sha256(measured(*parts)).digest()[:16], 8)


def measured(*parts: str) -> bytes:
    """The parts in one, each after its length, so that `a:b` + `c` never meets `a` + `b:c`."""
    return b"".join([b"%d:%b" % (len(part), part) for part in map(str.encode, parts)])


def _uuid(octets: bytes, version: int) -> str:
    digits = octets.hex()
    variant = "89ab"[octets[8] >> 4 & 0x3]
    return f"{digits[:8]}-{digits[8:12]}-{version}{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def digest(*parts: str) -> str:
    """A name for the parts."""
    return hashlib.blake2b(measured(*parts), digest_size=16).hexdigest()
