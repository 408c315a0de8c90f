"""Names of cache entries, which no two things share."""

import hashlib


def digest(*parts: str) -> str:
    """A name for the parts: each is measured before it is joined, so `a:b` + `c` never meets `a` + `b:c`."""
    encoded = [part.encode() for part in parts]
    return hashlib.blake2b(b"".join(b"%d:%b" % (len(part), part) for part in encoded), digest_size=16).hexdigest()
