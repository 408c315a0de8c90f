"""Names of cache entries, which no two things share."""

import hashlib

from recuerdo.core.identifiers import measured


def digest(*parts: str) -> str:
    """A name for the parts."""
    return hashlib.blake2b(measured(*parts), digest_size=16).hexdigest()
