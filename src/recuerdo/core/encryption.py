"""Data keys: what texts at rest are encrypted with, a key by tenant, each wrapped by a master key."""

from datetime import datetime
from typing import NamedTuple

INSTALLATION = ""
"""The tenant of the installation's own data key: no tenant has an empty id."""


class DataKey(NamedTuple):
    """A tenant's key as it is stored: `wrapped` by the master key with the id `master`, and useless without it.

    The newest, with the greatest `number`, encrypts; the others still decrypt. The first of a tenant has the number 1.
    Ciphertexts name the `id`, which is never used again: 16 hexadecimal digits.
    """

    tenant: str
    number: int
    id: str
    master: str
    wrapped: bytes
    created_at: datetime
